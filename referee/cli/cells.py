"""The cells of the standings: each number and word as people read it, the same in every format."""

from collections.abc import Mapping
from fractions import Fraction

from referee.tournament.latency import Latency
from referee.tournament.standings import StandingsRow

NOTHING = "-"


def plain(text: str) -> str:
    """Return a text in which all but printable characters are escaped, so that it cannot steer a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def points(value: Fraction) -> str:
    """Return points exactly, with four decimals behind those that are no whole number: `13/3 = 4.3333`."""
    if value.denominator == 1:
        return str(value)
    return f"{value} = {float(value):.4f}"


def bullheads_a_deal(row: StandingsRow) -> str:
    """Return the mean of an entrant's bullheads to two decimals, or a dash before its first deal."""
    return NOTHING if row.bullheads_per_deal is None else f"{float(row.bullheads_per_deal):.2f}"


def faults(counts: Mapping[str, int]) -> str:
    """Return faults by kind, `gone 2, late 3`, or a dash if there are none."""
    return ", ".join(f"{plain(kind)} {count}" for kind, count in counts.items()) or NOTHING


def latency(value: Latency | None) -> tuple[str, str, str]:
    """Return median, 95th percentile and maximum in milliseconds, or dashes before the first answer."""
    if value is None:
        return (NOTHING, NOTHING, NOTHING)
    return (_milliseconds(value.p50), _milliseconds(value.p95), _milliseconds(value.max))


def _milliseconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def decimals(value: Fraction | None) -> str:
    """Return a tie-break to two decimals, or a dash where there is none."""
    return NOTHING if value is None else f"{float(value):.2f}"


def signed(value: Fraction) -> str:
    """Return a number to two decimals with its sign, nothing being `0.00`."""
    return f"{float(value):+.2f}" if value else "0.00"
