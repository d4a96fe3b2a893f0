"""Where a tournament stands: its rounds, tables and games, each with its state."""

import enum
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping

import attrs

from referee.journal.reading import Reading, StoredGame
from referee.play.names import GameId
from referee.tournament.dealsets import Series
from referee.tournament.model import RoundPlan, TablePlan


class GameState(enum.Enum):
    """What has become of a game."""

    WAITING = "waiting"
    PLAYING = "playing"
    DONE = "done"
    VOID = "void"
    """Its round is played again."""
    UNPLAYED = "unplayed"
    """The tournament was ended before it was over."""


@attrs.frozen(kw_only=True)
class GameView:
    """A game; `totals` are its bullheads by seat, None where it has not ended."""

    id: GameId
    state: GameState
    totals: tuple[int, ...] | None


@attrs.frozen(kw_only=True)
class TableView:
    """A table of a round, its entrants by seat and its games in order."""

    number: int
    names: tuple[str, ...]
    games: tuple[GameView, ...]


@attrs.frozen(kw_only=True)
class RoundView:
    """A round."""

    number: int
    tables: tuple[TableView, ...]
    byes: tuple[str, ...]

    @property
    def counts(self) -> dict[GameState, int]:
        """How many of its games are in each state, where any is."""
        states = Counter(game.state for table in self.tables for game in table.games)
        return {state: states[state] for state in GameState if states[state]}


def rounds(reading: Reading) -> Iterator[RoundView]:
    """Give the rounds that are planned.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    with reading.believing():
        yield from _rounds(reading)


def _rounds(reading: Reading) -> Iterator[RoundView]:
    begun = itertools.groupby(reading.games(), key=lambda game: game.id.round)
    games, of_round = next(begun, (None, iter(())))
    voided = reading.voided()
    for plan in reading.plans():
        found: dict[GameId, GameState] = {}
        if games == plan.number:
            found = {game.id: state_of(reading, game) for game in of_round}
            games, of_round = next(begun, (None, iter(())))
        yield _round(reading, plan, found, voided.get(plan.number, 0))


def state_of(reading: Reading, game: StoredGame) -> GameState:
    """Return what has become of a game that was begun."""
    if game.void:
        return GameState.VOID
    if game.digest is not None:
        return GameState.DONE
    return GameState.PLAYING if reading.ending is None else GameState.UNPLAYED


def _round(reading: Reading, plan: RoundPlan, begun: Mapping[GameId, GameState], voided: int) -> RoundView:
    totals = _totals(reading, plan.number)
    not_begun = GameState.WAITING if reading.ending is None else GameState.UNPLAYED
    known = {
        **{game: not_begun for table in plan.tables for game in _games(reading.head.series, table, voided)},
        **begun,
    }
    by_table: dict[int, list[GameView]] = {}
    for game in sorted(known):
        view = GameView(id=game, state=known[game], totals=totals.get((game.table, game.game)))
        by_table.setdefault(game.table, []).append(view)
    tables = (
        TableView(number=table.table, names=table.entrants, games=tuple(by_table.get(table.table, ())))
        for table in plan.tables
    )
    return RoundView(number=plan.number, tables=tuple(tables), byes=plan.byes)


def _games(series: Series, table: TablePlan, voided: int) -> Iterator[GameId]:
    """Give the games of a table that count, begun or not."""
    entrants = len(table.entrants)
    games = series.games(entrants)
    for game in range(1 + games * voided, 1 + games * (voided + 1)):
        deal_set = series.deal_set(entrants, game)
        yield GameId(round=table.round, table=table.table, deal_set=deal_set, game=game)


def _totals(reading: Reading, number: int) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return the bullheads by seat of the games of a round, by (table, game)."""
    rows = reading.rows(
        "SELECT table_no, number, total FROM seatings JOIN games ON seating = seatings.id"
        " JOIN seat_results ON game = games.id WHERE round = ? ORDER BY table_no, number, seat",
        number,
    )
    found: dict[tuple[int, int], list[int]] = {}
    for table, game, total in rows:
        found.setdefault((table, game), []).append(total)
    return {place: tuple(values) for place, values in found.items()}
