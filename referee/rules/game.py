"""The machine that plays a whole game: decisions in, events out (R2, R8 to R10)."""

import copy
from collections.abc import Callable, Mapping, Sequence

from referee.rules.deal import Deal, Phase
from referee.rules.decisions import DecisionKind, IllegalDecision, Pending
from referee.rules.decks import dealt_hands, dealt_rows
from referee.rules.events import Cards, DealEnded, Event, GameEnded
from referee.rules.layout import RowCost
from referee.rules.variants import Rules, RulesError, Variant, cards_in_play

__all__ = ["DecisionKind", "Game", "IllegalDecision", "Pending", "shared_places"]

_DONE = Phase.DONE  # Looked up once, not after each step: see deal.py.


class Game:
    """One game at one table.

    It is new until `begin`; then it waits for decisions; then it is over. In the advanced variant each deal
    begins with a draft, one seat at a time. In each trick it waits for a card of every seat, all at once,
    and if the lowest card is too low, for the row that its seat chooses. `pending` tells which decisions are
    awaited and `apply` takes them; nothing else changes it.

    Args:
        rules: What is played.
        players: How many seats.
        game_number: Number of the game in its deal set, from 1; it moves the opener of a draft (R12).
        decks: Gives the deck of a deal (number from 1): at least 10n+4 different cards in the order in which
            they are dealt. Not asked in the advanced variant, where it may be `None`.

    Raises:
        RulesError: If the rules do not allow so many players, or decks are missing.
    """

    def __init__(
        self,
        *,
        rules: Rules,
        players: int,
        game_number: int = 1,
        decks: Callable[[int], Sequence[int]] | None,
    ) -> None:
        rules.check_players(players)
        if decks is None and rules.variant is not Variant.ADVANCED:
            raise RulesError(f"The {rules.variant.value} variant needs decks to deal from.")
        self._rules = rules
        self._players = players
        self._game_number = game_number
        self._decks = decks
        self._totals = (0,) * players
        self._places: tuple[int, ...] = ()
        self._deal = Deal(number=0, hands=((),) * players, jumping_cow=rules.jumping_cow)

    @property
    def rules(self) -> Rules:
        """What is played."""
        return self._rules

    @property
    def players(self) -> int:
        """How many seats the table has."""
        return self._players

    @property
    def deal(self) -> int:
        """Number of the deal, from 1; 0 before the game has begun."""
        return self._deal.number

    @property
    def trick(self) -> int:
        """Number of the trick, from 1; 0 during a draft and before the game has begun."""
        return self._deal.trick

    @property
    def hands(self) -> tuple[Cards, ...]:
        """The cards in hand, by seat, ascending."""
        return tuple(self._deal.hands)

    @property
    def rows(self) -> tuple[Cards, ...]:
        """The four rows; four empty ones during a draft and before the game has begun."""
        return tuple(self._deal.layout.rows)

    @property
    def row_bullheads(self) -> tuple[int, ...]:
        """The bullheads that lie in each row."""
        return tuple(self._deal.layout.bullheads)

    @property
    def cow(self) -> int | None:
        """Row of the cow; `None` if there is none on the table."""
        return self._deal.layout.cow

    @property
    def totals(self) -> tuple[int, ...]:
        """Bullheads of the complete deals, by seat."""
        return self._totals

    @property
    def taken(self) -> tuple[int, ...]:
        """Bullheads taken in the deal being played, by seat; zeros when it is over and in the totals."""
        if self._deal.phase is _DONE:
            return (0,) * self._players
        return tuple(self._deal.taken)

    @property
    def seen(self) -> Cards:
        """The cards that have lain open in this deal, ascending; in the advanced variant the whole deck."""
        seen = self._deal.seen
        seen.sort()  # in place: what was sorted before is next to no work
        return tuple(seen)

    @property
    def pool(self) -> Cards:
        """The cards that can still be drafted, ascending; empty when there is no draft."""
        return self._deal.pool

    @property
    def opener(self) -> int | None:
        """Seat that picks first in this deal; `None` where nobody drafts and before the game has begun."""
        return self._deal.opener

    @property
    def trick_cards(self) -> Cards | None:
        """The open cards of the trick, by seat, while a row is pending; otherwise `None`."""
        return self._deal.trick_cards or None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._places)

    @property
    def places(self) -> tuple[int, ...]:
        """The places by seat, 1-2-2-4, once the game is over; empty until then."""
        return self._places

    def pending(self) -> tuple[Pending, ...]:
        """Give the decisions that are awaited, in the order of seats; none before the game and after it."""
        return self._deal.pending()

    def row_costs(self) -> tuple[RowCost, ...]:
        """Say what each row would cost the seat that has to choose one.

        Raises:
            IllegalDecision: If no row is pending.
        """
        if not self._deal.trick_cards:
            raise IllegalDecision("No row is to be chosen now.")
        return self._deal.layout.costs(min(self._deal.trick_cards))

    def copy(self) -> "Game":
        """Give an independent copy, for looking ahead; both ask the same `decks`."""
        twin = copy.copy(self)
        twin._deal = self._deal.copy()
        return twin

    def begin(self) -> list[Event]:
        """Start the first deal.

        Raises:
            RuntimeError: If the game has begun already.
            RulesError: If the deck that `decks` gave cannot be dealt.
        """
        if self._deal.number:
            raise RuntimeError("A game begins only once.")
        return [self._start_deal()]

    def apply(self, decisions: Mapping[int, int]) -> list[Event]:
        """Take the decisions that are pending, and play on until the next ones.

        Args:
            decisions: The choice of each pending seat, and of no other.

        Returns:
            What happened, in order. The end of a deal is followed by the start of the next or the end of the
            game.

        Raises:
            IllegalDecision: If a decision is missing, not asked for, or not among the choices; nothing has
                changed then.
            RulesError: If the deck that `decks` gave for the next deal cannot be dealt; the game cannot
                go on then.
        """
        events = self._deal.apply(decisions)
        if self._deal.phase is _DONE:
            events += self._end_deal()
        return events

    def _start_deal(self) -> Event:
        number = self._deal.number + 1
        cow = self._rules.jumping_cow
        if self._decks is None or self._rules.variant is Variant.ADVANCED:
            self._deal = Deal(
                number=number,
                hands=((),) * self._players,
                pool=tuple(range(1, cards_in_play(self._players) + 1)),
                opener=(self._game_number - 1 + number - 1) % self._players,
                jumping_cow=cow,
            )
        else:
            deck = self._checked(self._decks(number))
            hands, rows = dealt_hands(deck, self._players), dealt_rows(deck, self._players)
            self._deal = Deal(number=number, hands=hands, rows=rows, jumping_cow=cow)
        return self._deal.started()

    def _checked(self, deck: Sequence[int]) -> Sequence[int]:
        count, highest = cards_in_play(self._players), self._rules.highest_card(self._players)
        dealt = deck[:count]
        if len(set(dealt)) != count or min(dealt) < 1 or max(dealt) > highest:
            raise RulesError(
                f"A deck for {self._players} players needs {count} different cards from 1 to {highest}."
            )
        return dealt

    def _end_deal(self) -> list[Event]:
        taken = tuple(self._deal.taken)
        self._totals = tuple(map(sum, zip(self._totals, taken, strict=True)))
        ended = DealEnded(deal=self._deal.number, bullheads=taken, totals=self._totals)
        if not self._is_last_deal():
            return [ended, self._start_deal()]
        self._places = shared_places(self._totals)
        return [ended, GameEnded(totals=self._totals, places=self._places)]

    def _is_last_deal(self) -> bool:
        """Test the target after complete deals only, where reaching it exactly is enough (R8, R9)."""
        if self._rules.target is not None:
            return max(self._totals) >= self._rules.target
        return self._deal.number == self._rules.deals


def shared_places(totals: Sequence[int]) -> tuple[int, ...]:
    """Rank totals of bullheads: the lowest is first, equal totals share a place, 1-2-2-4 (R10).

    Args:
        totals: Bullheads, by seat.

    Returns:
        Places from 1, by seat.
    """
    return tuple(1 + sum(other < total for other in totals) for total in totals)
