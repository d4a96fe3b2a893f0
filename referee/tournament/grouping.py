"""A grouping of a Swiss round in the making: who sits where, and what a swap would do to the cost."""

from collections.abc import Sequence

import attrs

from referee.tournament.cost import repeat_cost
from referee.tournament.field import Field
from referee.tournament.seating import seat_order, seats_repeated

_HAND_PRICE = 3


@attrs.frozen(kw_only=True)
class Swap:
    """Two entrants of different tables who change places, and what that adds to the cost.

    Attributes:
        one: The first.
        other: The second.
        coarse: Repeats, small tables and spread in one integer, which outweighs `fine`.
        fine: Seats repeated and the seeded shuffle in one integer.
    """

    one: int
    other: int
    coarse: int
    fine: int


class Grouping:
    """Tables that swaps improve; it is always a legal round.

    Attributes:
        tables: The ranks at each table.
        evaluations: How much has been worked out so far, the measure that bounds a search.
    """

    def __init__(self, field: Field, tables: list[list[int]], repeat_weight: int | None = None) -> None:
        """Start with these tables.

        Args:
            field: Who plays.
            tables: The ranks at each table.
            repeat_weight: How many squared points a first repeat costs; None if more than all of them.
        """
        self.tables = tables
        self.evaluations = 0
        self._field = field
        self._home = [0] * field.size
        largest = max(map(len, tables))
        self._small = [len(table) < largest for table in tables]
        pairs = sum(len(table) * (len(table) - 1) // 2 for table in tables)
        self._visit_unit, self._repeat_unit = _units(field, pairs, repeat_weight)
        self._hand_unit = pairs * max(field.shuffle) ** 2 + 1
        self._bonds = [_Bonds(field, rank, self._repeat_unit) for rank in range(field.size)]
        self._pull = [0] * field.size
        self._again = [False] * field.size
        self._hands: dict[tuple[int, ...], int] = {}
        self._hands_at = [0] * len(tables)
        self._fewest = [min(seats[:largest]) for seats in field.seats]
        self._fewest_hands = [0] * len(tables)
        self._shuffle_sum = [0] * len(tables)
        for number in range(len(tables)):
            self._settle(number)

    @property
    def repeats(self) -> bool:
        """Whether anybody meets again."""
        return any(self._again)

    @property
    def flawless(self) -> bool:
        """Whether the published cost is as low as costs can be."""
        visits = any(self._field.visits[rank] for rank in range(self._field.size) if self._is_small(rank))
        return not (any(self._pull) or visits or any(self._hands_at))

    def home(self, rank: int) -> int:
        """The table that an entrant sits at."""
        return self._home[rank]

    def meets_again(self, rank: int) -> bool:
        """Whether an entrant sits with somebody it has met."""
        return self._again[rank]

    def swap(self, one: int, other: int) -> Swap:
        """Two entrants of different tables, with what it would add to the cost if they changed places."""
        return Swap(one=one, other=other, coarse=self.coarse(one, other), fine=self.fine(one, other))

    def coarse(self, one: int, other: int) -> int:
        """What changing places adds in repeats, small tables and spread."""
        self.evaluations += 1
        here, there = self._home[one], self._home[other]
        bonds, others_bonds = self._bonds[one], self._bonds[other]
        change = -2 * bonds[other] - self._pull[one] - self._pull[other]
        for rank in self.tables[there]:
            change += bonds[rank]
        for rank in self.tables[here]:
            change += others_bonds[rank]
        if self._small[here] != self._small[there]:
            more_visits = self._field.visits[other] - self._field.visits[one]
            change += self._visit_unit * (more_visits if self._small[here] else -more_visits)
        return change

    def fine(self, one: int, other: int) -> int:
        """What changing places adds in seats repeated and the seeded shuffle."""
        hands = self._hands_after(one, other) + self._hands_after(other, one)
        hands -= self._hands_at[self._home[one]] + self._hands_at[self._home[other]]
        return hands * self._hand_unit + self._shuffle_change(one, other)

    def least_fine(self, one: int, other: int) -> int:
        """A bound on `fine` that is quick to find: everybody gets the seat that it has had least."""
        here, there = self._home[one], self._home[other]
        hands = (
            self._fewest_hands[here]
            + self._fewest_hands[there]
            - self._hands_at[here]
            - self._hands_at[there]
        )
        return hands * self._hand_unit + self._shuffle_change(one, other)

    def exchange(self, swap: Swap) -> None:
        """Let the two change places; doing it again undoes it."""
        here, there = self._home[swap.one], self._home[swap.other]
        for number, leaves, joins in ((here, swap.one, swap.other), (there, swap.other, swap.one)):
            table = self.tables[number]
            table[table.index(leaves)] = joins
        self._settle(here)
        self._settle(there)

    def _shuffle_change(self, one: int, other: int) -> int:
        """How the squared differences of the shuffle numbers change, over all pairs at the two tables.

        For the s numbers of a table they come to s times the sum of the squares, less the square of the sum.
        """
        here, there = self._home[one], self._home[other]
        low, high = self._field.shuffle[one], self._field.shuffle[other]
        rise = high - low
        change = (len(self.tables[here]) - len(self.tables[there])) * (high * high - low * low)
        return change - 2 * rise * (self._shuffle_sum[here] - self._shuffle_sum[there] + rise)

    def _hands_after(self, leaves: int, joins: int) -> int:
        return self._hand([joins if rank == leaves else rank for rank in self.tables[self._home[leaves]]])

    def _hand(self, table: Sequence[int]) -> int:
        """Seats repeated at a table when it is seated in the best order."""
        members = tuple(sorted(table))
        known = self._hands.get(members)
        if known is None:
            self.evaluations += _HAND_PRICE * len(members)
            known = seats_repeated(seat_order(members, self._field.seats), self._field.seats)
            self._hands[members] = known
        return known

    def _is_small(self, rank: int) -> bool:
        return self._small[self._home[rank]]

    def _settle(self, number: int) -> None:
        table = self.tables[number]
        self._hands_at[number] = self._hand(table)
        self._fewest_hands[number] = sum(self._fewest[rank] for rank in table)
        self._shuffle_sum[number] = sum(self._field.shuffle[rank] for rank in table)
        for rank in table:
            bonds = self._bonds[rank]
            self._home[rank] = number
            self._pull[rank] = sum(bonds[other] for other in table)
            self._again[rank] = any(other in self._field.met[rank] for other in table)


def _units(field: Field, pairs: int, repeat_weight: int | None) -> tuple[int, int]:
    """What a visit to a small table and a first repeat cost, in squared differences of the field's points.

    Strictly, one repeat outweighs all visits and one visit all differences; with a weight, repeats count
    among the differences.
    """
    if repeat_weight is None:
        visit = pairs * field.widest + 1
        return visit, visit * (sum(field.visits) + 1)
    repeat = round(repeat_weight * field.point**2)
    most_met = max((times for met in field.met for times in met.values()), default=0)
    return pairs * (field.widest + repeat * repeat_cost(most_met)) + 1, repeat


class _Bonds(dict[int, int]):
    """The coarse cost of one entrant meeting each other one, worked out when first asked for."""

    def __init__(self, field: Field, rank: int, repeat_unit: int) -> None:
        super().__init__({rank: 0})
        self._points = field.points
        self._own = field.points[rank]
        self._met = field.met[rank]
        self._repeat_unit = repeat_unit

    def __missing__(self, other: int) -> int:
        bond: int = (self._own - self._points[other]) ** 2
        met = self._met.get(other)
        if met:
            bond += repeat_cost(met) * self._repeat_unit
        self[other] = bond
        return bond
