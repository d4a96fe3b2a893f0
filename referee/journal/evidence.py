"""What an audit needs of a journal: each game with its steps, faults and rows exactly as they are stored.

Steps of all games are interleaved in one table without an index, so they are read once, in order, and
sorted by game on the way; in memory are the games that were played at the same time.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar

import attrs

from referee.journal.reading import SEAT_COLUMNS, Reading, StoredGame, seat_row
from referee.journal.seatrows import SeatRow

Item = TypeVar("Item")
_END = 2**63 - 1


@attrs.frozen(kw_only=True)
class StoredStep:
    """The bytes of a step."""

    id: int
    data: bytes


@attrs.frozen(kw_only=True)
class StoredFault:
    """A fault; `after_step` is the id of the last step of any game before it."""

    id: int
    seat: int
    kind: str
    after_step: int


@attrs.frozen(kw_only=True)
class Evidence:
    """A game and all that is stored of it.

    Attributes:
        game: The game.
        steps: Its steps, in order.
        faults: Its faults, in order.
        checksum: SHA-256 over the bytes of its steps; None while it is played.
        seats: What is stored of each seat's result, by seat; empty while it is played.
    """

    game: StoredGame
    steps: tuple[StoredStep, ...]
    faults: tuple[StoredFault, ...]
    checksum: str | None
    seats: tuple[tuple[int, SeatRow], ...]


@attrs.frozen(kw_only=True)
class Session:
    """A run of the referee: the ids from which on its steps and faults are numbered."""

    first_step: int
    first_fault: int


@attrs.frozen(kw_only=True)
class Strays:
    """What belongs to no game at all: how many steps, faults and rows of results."""

    steps: int
    faults: int
    seats: int


class _Sorter(Generic[Item]):
    """Sorts what comes in the order of steps by game."""

    def __init__(self, source: Iterator[tuple[int, int, Item]]) -> None:
        self._source = source
        self._next = next(source, None)
        self._held: dict[int, list[Item]] = {}

    def take(self, game: int, upto: int) -> tuple[Item, ...]:
        """Return what belongs to a game, after reading on to a step."""
        while self._next is not None and self._next[0] <= upto:
            _, owner, item = self._next
            self._held.setdefault(owner, []).append(item)
            self._next = next(self._source, None)
        return tuple(self._held.pop(game, ()))

    def left(self) -> int:
        """Return how many were never taken."""
        rest = 0 if self._next is None else 1 + sum(1 for _ in self._source)
        return rest + sum(map(len, self._held.values()))


class Archive:
    """The games of a journal as evidence, void ones too, in the order in which they ended."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._steps = _Sorter(self._all_steps())
        self._faults = _Sorter(self._all_faults())
        self._checksums = dict(self._checksum_rows())

    def __iter__(self) -> Iterator[Evidence]:
        games = sorted(self._reading.games(), key=_end_of)
        for game in games:
            end = _end_of(game)
            yield Evidence(
                game=game,
                steps=self._steps.take(game.number, end),
                faults=self._faults.take(game.number, end),
                checksum=self._checksums.pop(game.number, None),
                seats=tuple(self._seats(game)),
            )

    def strays(self) -> Strays:
        """Return what was left when all games had been given."""
        ((seats,),) = self._reading.rows("SELECT count(*) FROM seat_results")
        ((known,),) = self._reading.rows(
            "SELECT count(*) FROM seat_results JOIN results ON results.game = seat_results.game"
            " JOIN games ON games.id = results.game JOIN entrants ON entrants.id = entrant"
        )
        return Strays(
            steps=self._steps.left(),
            faults=self._faults.left(),
            seats=len(self._checksums) + seats - known,
        )

    def sessions(self) -> list[Session]:
        """Return the runs of the referee on this journal, in order."""
        rows = self._reading.rows("SELECT first_step, first_fault FROM sessions ORDER BY id")
        return [Session(first_step=step, first_fault=fault) for step, fault in rows]

    def _all_steps(self) -> Iterator[tuple[int, int, StoredStep]]:
        for id_, game, data in self._reading.rows("SELECT id, game, data FROM steps ORDER BY id"):
            yield id_, game, StoredStep(id=id_, data=data)

    def _all_faults(self) -> Iterator[tuple[int, int, StoredFault]]:
        rows = self._reading.rows("SELECT id, game, seat, kind, after_step FROM faults ORDER BY id")
        for id_, game, seat, kind, after_step in rows:
            yield after_step, game, StoredFault(id=id_, seat=seat, kind=kind, after_step=after_step)

    def _checksum_rows(self) -> Iterator[tuple[int, str]]:
        yield from self._reading.rows("SELECT game, steps FROM results")

    def _seats(self, game: StoredGame) -> Iterator[tuple[int, SeatRow]]:
        rows = self._reading.rows(
            f"SELECT seat, {SEAT_COLUMNS} FROM seat_results JOIN entrants ON entrants.id = entrant"
            " WHERE game = ? ORDER BY seat",
            game.number,
        )
        for seat, *values in rows:
            yield seat, seat_row(values)


def _end_of(game: StoredGame) -> int:
    return _END if game.last_step is None else game.last_step
