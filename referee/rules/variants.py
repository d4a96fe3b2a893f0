"""Which game is played: the variant, the cow, and what ends a game (R2, R8, R9, R11 to R13)."""

import enum

import attrs

from referee.rules.cards import HAND_SIZE, HIGHEST_CARD, ROWS

MOST_DEALS = 100_000
HIGHEST_TARGET = 100_000
FEWEST_PLAYERS = 2


class RulesError(ValueError):
    """These rules cannot be played; the message is one sentence for the user."""


class Variant(enum.Enum):
    """The deck, and how the cards come into the hands."""

    CLASSIC = "classic"
    """All 104 cards are shuffled and ten are dealt to each seat (R2)."""

    TACTIC = "tactic"
    """Only the cards 1 to 10n+4 are dealt, so that nothing stays unseen (R11)."""

    ADVANCED = "advanced"
    """The cards 1 to 10n+4 lie open and are drafted in turn (R12)."""


MOST_PLAYERS = {Variant.CLASSIC: 10, Variant.TACTIC: 10, Variant.ADVANCED: 6}


def cards_in_play(players: int) -> int:
    """Count the cards that a deal brings into play: ten for each seat and one to start each row (10n+4)."""
    return HAND_SIZE * players + ROWS


@attrs.frozen(kw_only=True)
class Rules:
    """The rules of one game. Exactly one of `target` and `deals` is set.

    Attributes:
        variant: The deck, and how the cards come into the hands.
        jumping_cow: Whether the cow (R13) stands on the table.
        target: The game is over once a complete deal leaves a total of at least this many bullheads (R8);
            `None` in a game of fixed length.
        deals: The game is over after this many deals (R9); `None` in a game with a target.

    Raises:
        RulesError: If not exactly one of `target` and `deals` is set, or if it is out of range.
    """

    variant: Variant = Variant.CLASSIC
    jumping_cow: bool = False
    target: int | None = 66
    deals: int | None = None

    def __attrs_post_init__(self) -> None:
        if (self.target is None) == (self.deals is None):
            raise RulesError(
                "A game ends either at a target of bullheads or after a number of deals: set exactly one."
            )
        if self.target is not None and not 1 <= self.target <= HIGHEST_TARGET:
            raise RulesError(f"The target must be from 1 to {HIGHEST_TARGET} bullheads, not {self.target}.")
        if self.deals is not None and not 1 <= self.deals <= MOST_DEALS:
            raise RulesError(f"The number of deals must be from 1 to {MOST_DEALS}, not {self.deals}.")

    def highest_card(self, players: int) -> int:
        """Give the highest card of the deck: 104 in classic, 10n+4 in tactic and advanced."""
        return HIGHEST_CARD if self.variant is Variant.CLASSIC else cards_in_play(players)

    def check_players(self, players: int) -> None:
        """Check that so many can play at one table.

        Raises:
            RulesError: If they are too few or too many for the variant.
        """
        most = MOST_PLAYERS[self.variant]
        if not FEWEST_PLAYERS <= players <= most:
            raise RulesError(
                f"The {self.variant.value} variant is for {FEWEST_PLAYERS} to {most} players, not {players}."
            )
