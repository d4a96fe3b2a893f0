"""What a tournament is made from, and what follows from it for each game: decks and numbers for bots.

Shared by those who play a tournament and those who prove it afterwards.
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from referee.journal.head import Head, series
from referee.play.clock import ClockRules
from referee.play.names import GameId
from referee.play.table import TableSetup
from referee.rules.decks import DealId, bot_seeds, commitment, deck
from referee.rules.variants import Rules, Variant, cards_in_play
from referee.tournament.dealsets import Series
from referee.tournament.formats import make_format
from referee.tournament.model import Kind
from referee.tournament.paired import Rivals


@attrs.frozen(kw_only=True)
class TournamentSetup:
    """What a tournament is made from.

    Attributes:
        kind: The format.
        table_size: The most that may sit at one table.
        rounds: How many rounds; None for the default of the format.
        games: The most games that a table plays in a round.
        deal_sets: Deal sets that each table plays in a round, each once for each rotation of its seats, so
            that `games` follows from the table size; None if each game is a set of its own.
        rivals: In a comparison the two who are compared; else None.
        rules: What is played.
        clock: The limits.
        seed: Decides the deals, and whatever pairing leaves to chance.
        nonce: 32 random bytes; hides the seed in the commitment.
        repeat_weight: In a Swiss, how many squared points a first repeat costs; None for the strict order.
        concurrency: How many games at once the referee means to run; the least look-ahead follows from it.
    """

    kind: Kind
    table_size: int
    rounds: int | None
    games: int
    rules: Rules
    clock: ClockRules
    seed: str
    nonce: bytes
    repeat_weight: int | None = None
    concurrency: int = 1
    deal_sets: int | None = None
    rivals: Rivals | None = None

    @property
    def series(self) -> Series:
        """What each table plays in a round."""
        return series(self.rules, self.games, self.deal_sets, self.rivals)

    @property
    def commitment(self) -> str:
        """What is published of nonce and seed before the first deal."""
        return commitment(self.nonce, self.seed)

    def fitted(self, *, table_size: int, concurrency: int) -> "TournamentSetup":
        """Return the same with so many seats at a table and so many tables at once."""
        games = self.games if self.deal_sets is None else self.deal_sets * table_size
        return attrs.evolve(self, table_size=table_size, games=games, concurrency=concurrency)

    def settled(self, entrants: Sequence[str]) -> "TournamentSetup":
        """Return the same with the number of rounds, where that follows from the entrants and the seed.

        Raises:
            TournamentError: They cannot play that.
        """
        if self.kind is not Kind.ALL_COMBINATIONS or self.rounds is not None:
            return self
        size = self.table_size
        made = make_format(self.kind, entrants, table_size=size, rounds=None, seed=self.seed)
        return attrs.evolve(self, rounds=made.rounds)

    def head(self, command: str, extras: dict[str, Any]) -> Head:
        """Return what stands at the head of the journal of this tournament.

        Args:
            command: Which command plays it.
            extras: Whatever it needs to go on, as JSON values.
        """
        return Head(
            command=command,
            kind=self.kind,
            table_size=self.table_size,
            rounds=self.rounds,
            games=self.games,
            deal_sets=self.deal_sets,
            rivals=self.rivals,
            rules=self.rules,
            clock=self.clock,
            seed=self.seed,
            nonce=self.nonce,
            commitment=self.commitment,
            repeat_weight=self.repeat_weight,
            concurrency=self.concurrency,
            extras=extras,
        )

    @classmethod
    def of(cls, head: Head) -> "TournamentSetup":
        """Return what the tournament of a journal is made from."""
        return cls(
            kind=head.kind,
            table_size=head.table_size,
            rounds=head.rounds,
            games=head.games,
            deal_sets=head.deal_sets,
            rivals=head.rivals,
            rules=head.rules,
            clock=head.clock,
            seed=head.seed,
            nonce=head.nonce,
            repeat_weight=head.repeat_weight,
            concurrency=head.concurrency,
        )


def table_setup(setup: TournamentSetup, game: GameId, names: Sequence[str]) -> TableSetup:
    """Return what the table of a game is made from, `names` being the entrants by seat."""
    return TableSetup(
        game=game,
        names=tuple(names),
        rules=setup.rules,
        clock=setup.clock,
        opening=setup.series.opening(game.deal_set, game.game),
        decks=_decks(setup, game, len(names)),
        bot_seed=bot_seeds(setup.seed, game=str(game)),
    )


def _decks(setup: TournamentSetup, game: GameId, players: int) -> Callable[[int], Sequence[int]] | None:
    rules = setup.rules
    if rules.variant is Variant.ADVANCED:
        return None

    def deal_out(deal: int) -> Sequence[int]:
        place = DealId(round=game.round, table=game.table, deal_set=game.deal_set, deal=deal)
        return deck(setup.seed, place, highest=rules.highest_card(players), count=cards_in_play(players))

    return deal_out
