"""A seat's part of a finished game as the columns of `seat_results`, and back.

What standings need stands in columns of its own, so that SQL can add up 100,000 games in a second.
"""

import json
import struct
from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

from referee.journal.schema import SHARES
from referee.journal.scores import score_of
from referee.play.clock import NS_PER_MS
from referee.play.faults import Fault
from referee.play.results import GameResult, SeatResult
from referee.tournament.latency import bucket, middle
from referee.tournament.points import game_points, winners

COUNT = struct.Struct("<HH")
"""A bucket of answer times: its number (see `latency.bucket`), and how many answers fell into it.

Where they are more than fit, the bucket comes several times.
"""

_MOST = 0xFFFF


@attrs.frozen(kw_only=True)
class SeatRow:
    """The columns of `seat_results` behind game and seat, in their order.

    Attributes:
        name: The entrant, kept as its number.
        bullheads: JSON: bullheads by deal.
        deals: Deals of the game.
        total: Bullheads of the game.
        forfeited: 1 or 0.
        no_show: 1 or 0.
        won: 1 for the first place, alone or shared, otherwise 0.
        share: The points of the game, in 5040ths.
        faults: JSON: counts by kind.
        took: Counts of answer times, one `COUNT` after the other, by rising buckets.
        slowest_ns: The longest answer time; None without an answer.
    """

    name: str
    bullheads: str
    deals: int
    total: int
    forfeited: int
    no_show: int
    won: int
    share: int
    faults: str
    took: bytes
    slowest_ns: int | None


def seat_rows(result: GameResult) -> list[SeatRow]:
    """Return the rows of a game, by seat."""
    score = score_of(result)
    points, first = game_points(score), winners(score)
    return [
        SeatRow(
            name=seat.name,
            bullheads=json.dumps(seat.bullheads),
            deals=score.deals,
            total=sum(seat.bullheads),
            forfeited=int(seat.forfeited),
            no_show=int(seat.no_show),
            won=int(seat.name in first),
            share=int(points[seat.name] * SHARES),
            faults=_faults(seat),
            took=_took(seat.took_ns),
            slowest_ns=max(seat.took_ns, default=None),
        )
        for seat in result.seats
    ]


def seat_result(row: SeatRow) -> SeatResult:
    """Return the result that a row holds; of the answer times only the longest is exact.

    Raises:
        ValueError, KeyError, TypeError: The row is damaged.
    """
    return SeatResult(
        name=row.name,
        bullheads=tuple(json.loads(row.bullheads)),
        forfeited=bool(row.forfeited),
        no_show=bool(row.no_show),
        faults={Fault(kind): count for kind, count in json.loads(row.faults).items()},
        took_ns=(*_times(row),),
    )


def _faults(seat: SeatResult) -> str:
    counts = {fault.value: count for fault, count in seat.faults.items() if count}
    return json.dumps(counts, sort_keys=True)


def _took(took_ns: Sequence[int]) -> bytes:
    counts = Counter(bucket(took / NS_PER_MS) for took in took_ns)
    return b"".join(
        COUNT.pack(place, min(_MOST, counts[place] - told))
        for place in sorted(counts)
        for told in range(0, counts[place], _MOST)
    )


def _times(row: SeatRow) -> Iterator[int]:
    """Give answer times that fall into the same buckets, the longest as it was."""
    counts: Counter[int] = Counter()
    try:
        for place, count in COUNT.iter_unpack(row.took):
            counts[place] += count
    except struct.error as error:
        raise ValueError(f"these are no counts of answer times: {error}") from error
    if row.slowest_ns is not None:
        yield row.slowest_ns
        counts[max(counts)] -= 1
    for place, count in counts.items():
        for _ in range(count):
            yield round(middle(place) * NS_PER_MS)
