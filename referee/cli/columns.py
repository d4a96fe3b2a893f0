"""The columns of the standings, and what is said below them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from referee.cli import cells
from referee.cli.tables import Column
from referee.tournament.standings import StandingsRow

ORDER = (
    "equal points: by direct encounter if all of them have met, bullhead margin, Buchholz,"
    " Buchholz without the least round (cut-1), Sonneborn-Berger (SB)"
)
"""What ranks those with equal points, in the order in which it counts."""


def standings_columns(rows: Sequence[StandingsRow]) -> list[Column]:
    """Return the columns of the standings."""
    latencies = [cells.latency(row.latency) for row in rows]
    p50, p95, longest = ([latency[part] for latency in latencies] for part in range(3))
    return [
        Column(name="rank", cells=[str(row.rank) for row in rows]),
        Column(name="name", left=True, cells=[cells.plain(row.name) for row in rows]),
        Column(name="points", left=True, cells=[cells.points(row.points) for row in rows]),
        *_tie_breaks(rows),
        Column(name="games", cells=[str(row.games) for row in rows]),
        Column(name="wins", cells=[str(row.wins) for row in rows]),
        Column(above="bullheads", name="a deal", cells=[cells.bullheads_a_deal(row) for row in rows]),
        Column(above="answers", name="p50 ms", cells=p50),
        Column(name="p95 ms", cells=p95),
        Column(name="max ms", cells=longest),
        Column(name="faults", left=True, cells=[cells.faults(row.faults) for row in rows]),
    ]


def _tie_breaks(rows: Sequence[StandingsRow]) -> Iterator[Column]:
    """Give a column for each tie-break, that of the direct encounter only where one decided."""
    deciding = _decided_directly(rows)
    direct = [
        cells.decimals(row.tie_breaks.direct_encounter if row.name in deciding else None) for row in rows
    ]
    if deciding:
        yield Column(name="direct", cells=direct)
    yield Column(name="margin", cells=[cells.signed(row.tie_breaks.margin) for row in rows])
    yield Column(name="Buchholz", cells=[cells.decimals(row.tie_breaks.buchholz) for row in rows])
    yield Column(name="cut-1", cells=[cells.decimals(row.tie_breaks.buchholz_cut1) for row in rows])
    yield Column(name="SB", cells=[cells.decimals(row.tie_breaks.sonneborn_berger) for row in rows])


def _decided_directly(rows: Sequence[StandingsRow]) -> set[str]:
    """Name those whom their own meetings tell apart from others with equal points."""
    deciding: set[str] = set()
    for _, group in groupby(rows, key=lambda row: row.points):
        equals = list(group)
        if len({row.tie_breaks.direct_encounter for row in equals}) > 1:
            deciding.update(row.name for row in equals)
    return deciding
