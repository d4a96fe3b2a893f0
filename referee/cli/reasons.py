"""The reasons for a round as lines for people, and as JSON values."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from referee.cli.cells import plain
from referee.cli.planning import counted
from referee.tournament.cost import Cost
from referee.tournament.explain import Repeat, RoundReasons, SwapCost, TableReasons

_SWAPPED = (
    ("repeats", "repeats"),
    ("small_tables", "small tables"),
    ("spread", "squared points"),
    ("hands", "seats repeated"),
)
"""The figures of the cost that a swap can change, worst first, and what they are called."""


def round_lines(reasons: RoundReasons) -> Iterator[str]:
    """Give the lines of a round."""
    yield f"round {reasons.number} costs {_cost(reasons.cost)}"
    yield from (f"  {plain(note)}" for note in reasons.notes)
    for table in reasons.tables:
        yield from _table_lines(table)
    for name, points, byes in reasons.byes:
        yield f"  bye: {plain(name)} with {_points(points)}, {counted(byes, 'bye')} before"


def _cost(cost: Cost) -> str:
    """Word the cost; sizes and byes are told with the tables and the byes."""
    return ", ".join(f"{word} {getattr(cost, field)}" for field, word in _SWAPPED)


def _table_lines(table: TableReasons) -> Iterator[str]:
    yield f"  table {table.table}: {', '.join(map(plain, table.entrants))}"
    least, most = table.points
    yield f"    points        {_points(least) if least == most else f'{least} to {_points(most)}'}"
    yield f"    met before    {', '.join(map(_repeat, table.repeats)) or 'nobody'}"
    yield f"    byes before   {_each(table.entrants, table.byes)}"
    yield f"    small tables  {_each(table.entrants, table.small_tables)}"
    yield f"    best swap     {'there is no other table' if table.swap is None else _swap(table.swap)}"


def _points(value: Fraction) -> str:
    return f"{value} point" if value == 1 else f"{value} points"


def _repeat(repeat: Repeat) -> str:
    one, other = map(plain, repeat.pair)
    return f"{one} and {other} {counted(repeat.times, 'time')}"


def _each(names: Sequence[str], counts: Sequence[int]) -> str:
    """Name those who have any."""
    some = (f"{plain(name)} {count}" for name, count in zip(names, counts, strict=True) if count)
    return ", ".join(some) or "nobody"


def _swap(swap: SwapCost) -> str:
    changes = [
        f"{word} {'+' if change > 0 else ''}{change}"
        for field, word in _SWAPPED
        if (change := getattr(swap, field))
    ]
    who = f"{plain(swap.leaves)} for {plain(swap.joins)} of table {swap.table}"
    return f"{who}: {', '.join(changes) or 'changes nothing'}"


def round_json(reasons: RoundReasons) -> dict[str, Any]:
    """Put a round into plain dicts, lists, strings and numbers; points and squares are exact fractions."""
    cost = reasons.cost
    return {
        "round": reasons.number,
        "cost": {
            name: str(value) if isinstance(value, Fraction) else value
            for name, value in cost._asdict().items()
        },
        "notes": list(reasons.notes),
        "tables": [_table_json(table) for table in reasons.tables],
        "byes": [
            {"name": name, "points": str(points), "byes_before": byes} for name, points, byes in reasons.byes
        ],
    }


def _table_json(table: TableReasons) -> dict[str, Any]:
    return {
        "table": table.table,
        "entrants": list(table.entrants),
        "points": {"least": str(table.points[0]), "most": str(table.points[1])},
        "met_before": [{"pair": list(one.pair), "times": one.times} for one in table.repeats],
        "byes_before": list(table.byes),
        "small_tables_before": list(table.small_tables),
        "best_swap": None if table.swap is None else _swap_json(table.swap),
    }


def _swap_json(swap: SwapCost) -> dict[str, Any]:
    return {
        "leaves": swap.leaves,
        "joins": swap.joins,
        "from_table": swap.table,
        "repeats": swap.repeats,
        "small_tables": swap.small_tables,
        "spread": str(swap.spread),
        "hands": swap.hands,
    }
