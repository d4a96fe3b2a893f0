"""Who met whom, straight from a journal: numpy adds up what the tie-breaks are worked out from."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from referee.journal.reading import Reading
from referee.tournament.encounters import NOBODY, Meetings
from referee.tournament.points import BYE

_PARTS = 2520
"""The margins of a game are whole in this many parts: its mean is over at most ten seats."""

_CHUNK = 20_000
"""So many rows are in memory at once as Python has them."""

_SEATS = """
SELECT seat_results.game, seating, seat, entrant, total, forfeited, no_show
FROM seat_results JOIN games ON games.id = seat_results.game
WHERE NOT void
ORDER BY seat_results.game, seat
"""

_LAST = """
SELECT coalesce(max(round), 0)
FROM results JOIN games ON games.id = game JOIN seatings ON seatings.id = seating
WHERE NOT void
"""

Array = Any
"""An array of numpy, which is imported late."""


def encounters(
    reading: Reading, byes: Mapping[str, Sequence[int]]
) -> tuple[dict[str, Fraction], dict[str, Meetings]]:
    """Return the bullhead margins, and what everybody has met with, from the games that have ended.

    Args:
        reading: The journal.
        byes: The rounds that are over in which an entrant rested.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    with reading.believing():
        names = dict(reading.rows("SELECT id, name FROM entrants"))
        ((last,),) = reading.rows(_LAST)
        rounds = max(itertools.chain([last], *byes.values()))
        games = _Games.of(_table(reading))
        found = _meetings(games, names, byes, rounds)
        return {names[number]: margin for number, margin in games.margins()}, found


def _table(reading: Reading) -> Array:
    """The columns of `_SEATS`, a row for each seat of a game."""
    import numpy as np

    rows = reading.rows(_SEATS)
    chunks = [np.empty((0, 7), dtype=np.int64)]
    while chunk := list(itertools.islice(rows, _CHUNK)):
        chunks.append(np.array(chunk, dtype=np.int64))
    return np.concatenate(chunks)


@attrs.frozen(kw_only=True)
class _Games:
    """Games by rows and the entrants of a table by columns, the games of a table side by side.

    An entrant has one column in all games of its table, whichever seats it sits in.

    Attributes:
        seating: By game, the table of the schedule.
        entrant: The number of the entrant; -1 where the table has no such seat.
        present: Whether the entrant was there.
        stayed: Whether it was there and did not forfeit.
        total: Its bullheads.
    """

    seating: Array
    entrant: Array
    present: Array
    stayed: Array
    total: Array

    @classmethod
    def of(cls, table: Array) -> "_Games":
        import numpy as np

        game, seating, _, entrant, total, forfeited, no_show = table.T
        numbers, first, row = np.unique(game, return_index=True, return_inverse=True)
        order = np.argsort(seating[first], kind="stable")
        base = int(entrant.max(initial=0)) + 1
        placed, which = np.unique(seating * base + entrant, return_inverse=True)
        column = which - np.searchsorted(placed, seating * base)
        shape = len(numbers), int(column.max(initial=0)) + 1

        def spread(values: Array, empty: int) -> Array:
            cells = np.full(shape, empty, dtype=np.int64)
            cells[row, column] = values
            return cells[order]

        present = spread(1 - no_show, 0) > 0
        return cls(
            seating=seating[first][order],
            entrant=spread(entrant, -1),
            present=present,
            stayed=present & (spread(forfeited, 0) == 0),
            total=spread(total, 0),
        )

    def margins(self) -> Iterator[tuple[int, Fraction]]:
        """Give the bullhead margin of each entrant; see `tiebreaks.game_margins`."""
        import numpy as np

        staying = self.stayed.sum(axis=1)
        mean = (self.total * self.stayed).sum(axis=1) * _PARTS // np.maximum(staying, 1)
        margin = mean[:, np.newaxis] - self.total * _PARTS
        margin = np.where(self.stayed, margin, np.minimum(margin, 0))
        margin = np.where(self.present & (staying > 0)[:, np.newaxis], margin, 0)
        sums = np.zeros(int(self.entrant.max(initial=-1)) + 1, dtype=np.int64)
        seats = self.entrant >= 0
        np.add.at(sums, self.entrant[seats], margin[seats])
        for number in np.unique(self.entrant[seats]):
            yield int(number), Fraction(int(sums[number]), _PARTS)


class _Met:
    """What one entrant has met with, while it is being added up; see `Meetings`."""

    def __init__(self) -> None:
        self.opponents: Counter[frozenset[str]] = Counter()
        self.results: dict[str, Fraction] = {}
        self.pairs: dict[str, tuple[int, int]] = {}
        self.alone = Fraction(0)

    def meetings(self, rounds: int) -> Meetings:
        """Return it as it is after so many rounds; one that it has nothing of is one without opponents."""
        missed = rounds - self.opponents.total()
        return Meetings(
            opponents=self.opponents + Counter({NOBODY: missed}),
            results=self.results,
            pairs=self.pairs,
            alone=self.alone,
        )


@attrs.frozen(kw_only=True)
class _Seat:
    """One seat of all tables of the schedule: a table by rows, and its seats by columns.

    Attributes:
        own: By table, the number of the entrant; -1 where the table has no such seat.
        others: The numbers of all entrants of the table.
        met: In how many games the entrant met each of them.
        halves: Its half points against each of them.
        opponents: By table, how many it met.
        games: By table, how many games have ended.
        stayed: By table, how many of them it did not miss or forfeit.
    """

    own: Array
    others: Array
    met: Array
    halves: Array
    opponents: Array
    games: Array
    stayed: Array

    @classmethod
    def of(cls, games: _Games, seat: int) -> "_Seat":
        import numpy as np

        starts = np.flatnonzero(np.diff(games.seating, prepend=-1))
        # A forfeited seat is behind all that were not, and level with the like.
        result = np.where(games.stayed, games.total, np.iinfo(np.int64).max)
        own = result[:, [seat]]
        meets = games.present & games.present[:, [seat]]
        meets[:, seat] = False
        met = np.add.reduceat(meets.astype(np.int64), starts)
        return cls(
            own=np.maximum.reduceat(games.entrant[:, seat], starts),
            others=np.maximum.reduceat(games.entrant, starts),
            met=met,
            halves=np.add.reduceat(meets * (2 * (own < result) + (own == result)), starts),
            opponents=(met > 0).sum(axis=1),
            games=np.diff(starts, append=len(games.seating)),
            stayed=np.add.reduceat(games.stayed[:, seat].astype(np.int64), starts),
        )

    def groups(self) -> Iterator[tuple[int, list[int], int]]:
        """Give an entrant, its opponents at a table, and how many such tables there were."""
        import numpy as np

        others = np.sort(np.where(self.met > 0, self.others, -1))
        rows = np.column_stack((self.own, others))[self.own >= 0]
        for (own, *row), tables in Counter(map(tuple, rows.tolist())).items():
            yield own, [other for other in row if other >= 0], tables

    def results(self) -> Iterator[tuple[int, int, Fraction, int, int]]:
        """Give an entrant, an opponent, the sum of its results, half points and games against it.

        The result at a table is the mean share against the opponent, divided by the number of opponents.
        """
        import numpy as np

        table, column = np.nonzero(self.met)
        parts = (
            self.own[table],
            self.others[table, column],
            self.met[table, column],
            self.opponents[table],
        )
        sizes = [int(part.max(initial=0)) + 1 for part in parts]
        keys, inverse, tables = np.unique(
            np.ravel_multi_index(parts, sizes), return_inverse=True, return_counts=True
        )
        sums = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sums, inverse, self.halves[table, column])
        kinds = np.column_stack((*np.unravel_index(keys, sizes), sums, tables))
        for own, other, met, opponents, halves, count in kinds.tolist():
            yield own, other, Fraction(halves, 2 * met * opponents), halves, met * count

    def alone(self) -> Iterator[tuple[int, Fraction]]:
        """Give an entrant and its points at the tables where it met nobody."""
        import numpy as np

        tables = (self.own >= 0) & (self.opponents == 0)
        rows = np.column_stack((self.own, self.stayed, self.games))[tables]
        for (own, stayed, games), count in Counter(map(tuple, rows.tolist())).items():
            yield own, BYE * Fraction(stayed * count, games)


def _meetings(
    games: _Games, names: Mapping[int, str], byes: Mapping[str, Sequence[int]], rounds: int
) -> dict[str, Meetings]:
    found = {name: _Met() for name in names.values()}
    for seat in range(games.entrant.shape[1] if len(games.seating) else 0):
        _enter(_Seat.of(games, seat), names, found)
    for name, rested in byes.items():
        found[name].opponents[NOBODY] += len(rested)
        found[name].alone += BYE * len(rested)
    return {name: met.meetings(rounds) for name, met in found.items()}


def _enter(seat: _Seat, names: Mapping[int, str], found: Mapping[str, _Met]) -> None:
    for own, others, tables in seat.groups():
        found[names[own]].opponents[frozenset(names[other] for other in others)] += tables
    for own, other, result, halves, games in seat.results():
        met, opponent = found[names[own]], names[other]
        met.results[opponent] = met.results.get(opponent, Fraction(0)) + result
        before, count = met.pairs.get(opponent, (0, 0))
        met.pairs[opponent] = before + halves, count + games
    for own, points in seat.alone():
        found[names[own]].alone += points
