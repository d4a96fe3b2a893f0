"""What a finished game leaves behind for standings and statistics."""

from collections.abc import Mapping, Sequence
from typing import Self

import attrs

from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.seats import Seat


@attrs.frozen(kw_only=True)
class SeatResult:
    """One seat's part of a finished game.

    Attributes:
        name: The entrant.
        bullheads: Bullheads taken, by deal.
        forfeited: Whether strikes ended the game for this seat.
        no_show: Whether the seat was never there at all.
        faults: Faults by kind.
        took_ns: Measured time of each answer that counted.
    """

    name: str
    bullheads: tuple[int, ...]
    forfeited: bool
    no_show: bool
    faults: Mapping[Fault, int]
    took_ns: tuple[int, ...]

    @classmethod
    def of(cls, seat: Seat, *, bullheads: tuple[int, ...]) -> Self:
        """Return the result of a seat, from its account and its bullheads by deal."""
        return cls(
            name=seat.name,
            bullheads=bullheads,
            forfeited=seat.forfeited,
            no_show=not seat.was_here,
            faults=dict(seat.faults),
            took_ns=tuple(seat.took_ns),
        )


@attrs.frozen(kw_only=True)
class GameResult:
    """A finished game.

    Attributes:
        game: Its place in the schedule.
        seats: By seat.
        digest: SHA-256 of the game's record.
        course: SHA-256 of what happened in it, wherever it is in the schedule: equal for games in which
            equal seats did the same.
        referee_delay_ns: The longest time between the arrival of an answer and its being judged: the
            referee's own slowness, never charged to a bot.
    """

    game: GameId
    seats: tuple[SeatResult, ...]
    digest: str
    course: str
    referee_delay_ns: int


def final_places(totals: Sequence[int], forfeited: Sequence[bool]) -> tuple[int, ...]:
    """Return the places by seat: lowest total first, shared as in 1-2-2-4, forfeited seats tied for last."""
    worst = max(totals) + 1
    ranked = [worst if out else total for total, out in zip(totals, forfeited, strict=True)]
    return tuple(1 + sum(other < own for other in ranked) for own in ranked)
