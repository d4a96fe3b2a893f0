"""What the commands share that plan a tournament without playing it: N and the options of its shape."""

import functools
import secrets
from collections.abc import Callable
from typing import Any

import attrs
import click

from referee.cli import shapes
from referee.cli.settings import WholeNumber
from referee.tournament.balance import Balance, Range
from referee.tournament.model import Kind
from referee.tournament.sizes import SMALLEST_TABLE

MOST_ENTRANTS = 1_000

_SEED_BYTES = 8
"""Such a seed keeps nothing secret, so it may be short enough to type."""


@attrs.frozen(kw_only=True)
class Shape:
    """What is planned.

    Attributes:
        entrants: How many there are.
        kind: The format.
        table_size: The most that sit at one table, never more than there are entrants.
        rounds: How many rounds; None for the default of the format.
        seed: Decides whatever is left to chance.
    """

    entrants: int
    kind: Kind
    table_size: int
    rounds: int | None
    seed: str


_OPTIONS = (
    click.argument("entrants", metavar="N", type=WholeNumber(SMALLEST_TABLE, MOST_ENTRANTS)),
    shapes.kind_setting(),
    shapes.table_size_setting("all"),
    shapes.rounds_setting(),
    shapes.seed_setting(
        "64 random bits", decides="Decides what is left to chance: the same seed gives the same output."
    ),
)


def shape_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument N and the options of a shape; it gets them as `shape`."""

    @functools.wraps(function)
    def wrapped(**values: Any) -> Any:  # noqa: ANN401
        return function(shape=_shape(values), **values)

    for option in reversed(_OPTIONS):
        option(wrapped)
    return wrapped


def _shape(values: dict[str, Any]) -> Shape:
    """Take the shape out of the values of a command."""
    entrants = values.pop("entrants")
    return Shape(
        entrants=entrants,
        kind=Kind(values.pop("tournament")),
        table_size=min(values.pop("table_size") or shapes.DEFAULT_TABLE_SIZE, entrants),
        rounds=values.pop("rounds"),
        seed=values.pop("seed") or secrets.token_hex(_SEED_BYTES),
    )


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 round`, `2 rounds`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def balance_lines(even: Balance) -> list[str]:
    """Say how even a schedule is: the histogram of meetings, and what everybody gets."""
    width = max(len("meetings"), *(len(str(times)) for times in even.meetings))
    return [
        f"{'meetings':>{width}}  pairs",
        *(f"{times:>{width}}  {pairs:>5}" for times, pairs in even.meetings.items()),
        f"everybody: tables {_range(even.played)}, byes {_range(even.byes)}, "
        f"of the tables smaller than others {_range(even.small_tables)}",
    ]


def balance_json(even: Balance) -> dict[str, Any]:
    """Put the same into plain dicts and numbers, ready for a JSON encoder."""
    return {
        "meetings": [{"times": times, "pairs": pairs} for times, pairs in even.meetings.items()],
        "tables_each": _bounds(even.played),
        "byes_each": _bounds(even.byes),
        "small_tables_each": _bounds(even.small_tables),
    }


def _range(bounds: Range) -> str:
    least, most = bounds
    return str(least) if least == most else f"{least} to {most}"


def _bounds(bounds: Range) -> dict[str, int]:
    return {"least": bounds[0], "most": bounds[1]}
