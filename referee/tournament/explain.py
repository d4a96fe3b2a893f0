"""Why a round is as it is: what there is to say of each table, and what a swap would have cost."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import attrs

from referee.tournament.cost import Cost, cost
from referee.tournament.field import Field
from referee.tournament.grouping import Grouping
from referee.tournament.history import History
from referee.tournament.model import RoundPlan, TablePlan
from referee.tournament.seating import seat_order

_WINDOW = 60
_ALIKE = 50


@attrs.frozen(kw_only=True)
class Repeat:
    """Two at a table who have met.

    Attributes:
        pair: Their names, in the order of their seats.
        times: How often they have met before.
    """

    pair: tuple[str, str]
    times: int


@attrs.frozen(kw_only=True)
class SwapCost:
    """What the round would have cost more, had two entrants of different tables changed places.

    The figures are differences in the published cost; those that a swap cannot change are left out. Both
    tables are seated anew, so that as few seats as possible repeat.

    Attributes:
        leaves: Who would have left the table.
        joins: Who would have come instead.
        table: The table that the latter came from.
        repeats: More repeats.
        small_tables: More earlier visits to small tables by those at small tables.
        spread: More squared points.
        hands: More seats repeated.
    """

    leaves: str
    joins: str
    table: int
    repeats: int
    small_tables: int
    spread: Fraction
    hands: int


@attrs.frozen(kw_only=True)
class TableReasons:
    """What speaks for and against a table.

    Attributes:
        table: The table, from 1.
        entrants: Who sits there, in the order of their seats.
        points: The lowest and the highest points among them.
        repeats: Pairs of them who have met.
        byes: Byes so far of each of them, in the order of their seats.
        small_tables: Visits to small tables so far of each of them, likewise.
        swap: The best swap with another table, or None if there is no other.
    """

    table: int
    entrants: tuple[str, ...]
    points: tuple[Fraction, Fraction]
    repeats: tuple[Repeat, ...]
    byes: tuple[int, ...]
    small_tables: tuple[int, ...]
    swap: SwapCost | None


@attrs.frozen(kw_only=True)
class RoundReasons:
    """Why a round is as it is.

    Attributes:
        number: The round, from 1.
        cost: Its published cost.
        tables: Its tables, in the order of their numbers.
        byes: For each who rests: the name, points and byes so far.
        notes: Which rules had to give way, from the round itself.
    """

    number: int
    cost: Cost
    tables: tuple[TableReasons, ...]
    byes: tuple[tuple[str, Fraction, int], ...]
    notes: tuple[str, ...]


def explain(plan: RoundPlan, history: History, *, repeat_weight: int | None = None) -> RoundReasons:
    """Say why a round is as it is.

    Of each table the best swap is sought among entrants within 60 ranks of each other, and among swaps that
    differ in nothing but seats the best of fifty.

    Args:
        plan: The round.
        history: The rounds before it.
        repeat_weight: The weight of repeats that it was drawn with.
    """
    swaps = _best_swaps(plan, history, repeat_weight)
    return RoundReasons(
        number=plan.number,
        cost=cost(plan, history),
        tables=tuple(_reasons(table, history, swaps.get(table.table)) for table in plan.tables),
        byes=tuple(
            (name, history.points.get(name, Fraction(0)), history.byes.get(name, 0)) for name in plan.byes
        ),
        notes=plan.notes,
    )


def _reasons(table: TablePlan, history: History, swap: SwapCost | None) -> TableReasons:
    points = [history.points.get(name, Fraction(0)) for name in table.entrants]
    met = [(pair, history.meetings.get(frozenset(pair), 0)) for pair in combinations(table.entrants, 2)]
    return TableReasons(
        table=table.table,
        entrants=table.entrants,
        points=(min(points), max(points)),
        repeats=tuple(Repeat(pair=pair, times=times) for pair, times in met if times),
        byes=tuple(history.byes.get(name, 0) for name in table.entrants),
        small_tables=tuple(history.small_tables.get(name, 0) for name in table.entrants),
        swap=swap,
    )


def _best_swaps(plan: RoundPlan, history: History, repeat_weight: int | None) -> dict[int, SwapCost]:
    """By table the swap that adds least to the cost."""
    if len(plan.tables) < 2:
        return {}
    seated = [name for table in plan.tables for name in table.entrants]
    field = Field.of(seated, history, seed="explain")
    ranks = {name: rank for rank, name in enumerate(field.names)}
    tables = [[ranks[name] for name in table.entrants] for table in plan.tables]
    grouping = Grouping(field, tables, repeat_weight)
    found = {}
    for place, swaps in _cheapest(grouping, field.size).items():
        one, other = min(swaps, key=lambda swap: (grouping.fine(*swap), swap))
        leaves, joins = (one, other) if grouping.home(one) == place else (other, one)
        here, there = plan.tables[place], plan.tables[grouping.home(joins)]
        found[here.table] = _swap_cost((here, there), (leaves, joins), field, history)
    return found


def _cheapest(grouping: Grouping, size: int) -> dict[int, list[tuple[int, int]]]:
    """By place of the table the swaps that add least to the cost, seats apart."""
    least: dict[int, int] = {}
    found: dict[int, list[tuple[int, int]]] = {}
    for one in range(size):
        for other in range(one + 1, min(one + _WINDOW + 1, size)):
            homes = grouping.home(one), grouping.home(other)
            if homes[0] == homes[1]:
                continue
            coarse = grouping.coarse(one, other)
            for home in homes:
                if home not in least or coarse < least[home]:
                    least[home], found[home] = coarse, []
                if coarse == least[home] and len(found[home]) < _ALIKE:
                    found[home].append((one, other))
    return found


def _swap_cost(
    tables: tuple[TablePlan, TablePlan], swap: tuple[int, int], field: Field, history: History
) -> SwapCost:
    """The difference that two entrants make by changing places, from the cost of their two tables alone."""
    leaves, joins = field.names[swap[0]], field.names[swap[1]]
    changed = {leaves: joins, joins: leaves}
    after = tuple(
        attrs.evolve(table, entrants=_seated([changed.get(name, name) for name in table.entrants], field))
        for table in tables
    )
    old, new = (cost(RoundPlan(number=tables[0].round, tables=both), history) for both in (tables, after))
    return SwapCost(
        leaves=leaves,
        joins=joins,
        table=tables[1].table,
        repeats=new.repeats - old.repeats,
        small_tables=new.small_tables - old.small_tables,
        spread=new.spread - old.spread,
        hands=new.hands - old.hands,
    )


def _seated(names: Sequence[str], field: Field) -> tuple[str, ...]:
    members = sorted(field.names.index(name) for name in names)
    return tuple(field.names[rank] for rank in seat_order(members, field.seats))
