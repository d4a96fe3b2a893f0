"""The standings straight from a journal: SQL adds up, so that 100,000 games take a second or two.

They are those that a referee shows which has played these games itself.
"""

import itertools
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from referee.journal.encounters import encounters
from referee.journal.reading import Reading
from referee.journal.schema import COMPLETE, SHARES
from referee.journal.seatrows import COUNT
from referee.play.clock import NS_PER_MS
from referee.tournament.dealsets import Sets
from referee.tournament.formats import rounds_planned
from referee.tournament.latency import bucket
from referee.tournament.points import BYE
from referee.tournament.report import TournamentFacts
from referee.tournament.sizes import SMALLEST_TABLE
from referee.tournament.standings import StandingsRow, Tally, standings_rows

_LONGEST_MS = 26 * 3600 * 1000
"""No answer takes longer: an hour for the move, an hour of grace, a day from the time bank."""

_BUCKETS = bucket(_LONGEST_MS) + 1

_CHUNK = 20_000
"""So many rows are in memory at once."""

_OPEN = """
SELECT round
FROM (
    SELECT round, count(results.game) AS ended, coalesce(? * json_array_length(names), ?) AS planned
    FROM seatings
    LEFT JOIN games ON games.seating = seatings.id AND NOT void
    LEFT JOIN results ON results.game = games.id
    GROUP BY seatings.id
)
GROUP BY round
HAVING sum(ended) < sum(planned)
"""
"""The rounds in which games are still to be played; a rotated deal set takes as many as a table has seats."""

_SCORES = """
SELECT name, games, sum(share), sum(present), sum(deals), sum(won), sum(bullheads)
FROM (
    SELECT entrant, count(*) AS games, sum(share) AS share, sum(1 - no_show) AS present,
        sum(deals * (1 - no_show)) AS deals, sum(won) AS won, sum(total * (1 - no_show)) AS bullheads
    FROM seat_results
    JOIN games ON games.id = seat_results.game
    JOIN seatings ON seatings.id = games.seating
    WHERE NOT void
    GROUP BY entrant, round
)
JOIN entrants ON entrants.id = entrant
GROUP BY entrant, games
"""
"""By entrant: all rounds together of which equally many of its games have ended."""


def standings(reading: Reading) -> tuple[StandingsRow, ...]:
    """Return the standings so far; unfinished rounds count with the games that have ended.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    with reading.believing():
        return _rows(reading)


def _rows(reading: Reading) -> tuple[StandingsRow, ...]:
    names = [entrant.name for entrant in reading.entrants()]
    points = dict.fromkeys(names, Fraction(0))
    tallies = {name: Tally() for name in names}
    byes = _byes(reading)
    for name, rounds in byes.items():
        points[name] += BYE * len(rounds)
    for name, games, share, present, deals, won, bullheads in reading.rows(_SCORES):
        # The points of a round are the mean over its games.
        points[name] += Fraction(share, SHARES * games)
        tally = tallies[name]
        tally.games += present
        tally.deals += deals
        tally.wins += won
        tally.bullheads += bullheads
    margins, meetings = encounters(reading, byes)
    for name, margin in margins.items():
        tallies[name].margin = margin
    for name, faults in _faults(reading):
        tallies[name].faults.update(faults)
    _add_latencies(reading, tallies)
    return standings_rows(points, tallies, meetings)


def _byes(reading: Reading) -> dict[str, list[int]]:
    """Return who rested in which of the rounds that are over: a bye is worth points only then."""
    series = reading.head.series
    seats = series.count if series.sets is Sets.ROTATED else None
    unfinished = {number for (number,) in reading.rows(_OPEN, seats, series.games(SMALLEST_TABLE))}
    byes: dict[str, list[int]] = {}
    for number, names in reading.rows("SELECT number, byes FROM rounds WHERE byes != '[]'"):
        if number not in unfinished:
            for name in json.loads(names):
                byes.setdefault(name, []).append(number)
    return byes


def facts(reading: Reading) -> TournamentFacts:
    """Return what a report says of the tournament as a whole."""
    head = reading.head
    ((entrants,),) = reading.rows("SELECT count(*) FROM entrants WHERE entered = 1")
    return TournamentFacts(
        kind=head.kind,
        variant=head.rules.variant.value,
        jumping_cow=head.rules.jumping_cow,
        seed=head.seed,
        rounds=rounds_planned(head.kind, entrants, table_size=head.table_size, rounds=head.rounds),
        table_size=head.table_size,
        games=head.games,
        complete=reading.ending == COMPLETE,
    )


def _faults(reading: Reading) -> Iterator[tuple[str, dict[str, int]]]:
    """Give faults by entrant, also those of voided rounds and those that belong to no game."""
    counted = (
        "SELECT name, faults, count(*) FROM seat_results JOIN entrants ON entrants.id = entrant"
        " WHERE faults != '{}' GROUP BY entrant, faults"
    )
    for name, faults, times in reading.rows(counted):
        yield name, {kind: count * times for kind, count in json.loads(faults).items()}
    for name, fault, count in reading.stray_faults():
        yield name, {fault.value: count}


def _add_latencies(reading: Reading, tallies: Mapping[str, Tally]) -> None:
    """Add up answer times, also those of voided rounds."""
    names = dict(reading.rows("SELECT id, name FROM entrants"))
    for number, counts, slowest_ns in _answers(reading, max(names, default=0)):
        tallies[names[number]].latency.add_counts(counts, slowest_ns / NS_PER_MS)


def _answers(reading: Reading, highest: int) -> Iterator[tuple[int, dict[int, int], int]]:
    """Give, by number of the entrant, how many answers fell into each bucket, and the longest time in ns."""
    import numpy as np

    total = np.zeros((highest + 1) * _BUCKETS)
    longest = np.zeros(highest + 1, dtype=np.int64)
    rows = reading.rows("SELECT entrant, slowest_ns, took FROM seat_results WHERE slowest_ns IS NOT NULL")
    while chunk := list(itertools.islice(rows, _CHUNK)):
        numbers, slowest, took = zip(*chunk, strict=True)
        entrants = np.array(numbers, dtype=np.int64)
        np.maximum.at(longest, entrants, np.array(slowest, dtype=np.int64))
        lengths = np.fromiter(map(len, took), dtype=np.int64, count=len(took))
        counts = np.frombuffer(b"".join(took), dtype="<u2").reshape(-1, 2)
        cells = np.repeat(entrants * _BUCKETS, lengths // COUNT.size) + counts[:, 0]
        total += np.bincount(cells, weights=counts[:, 1], minlength=len(total))
    by_entrant = total.reshape(-1, _BUCKETS)
    for number in np.flatnonzero(by_entrant.any(axis=1)):
        yield int(number), _nonzero(by_entrant[number]), int(longest[number])


def _nonzero(row: Any) -> dict[int, int]:  # noqa: ANN401
    """Return the cells of an array that hold something."""
    return {int(cell): int(row[cell]) for cell in row.nonzero()[0]}
