"""Swiss rounds at tables of three and more: local search by best swaps, and kicks undone if they do not pay.

Finding the best grouping is hard in general, so this is a search. It is bounded by a count of evaluations
and never by a clock, so that the seed alone decides what it finds.
"""

import random
from collections import deque
from collections.abc import Iterable, Sequence

import attrs

from referee.tournament.chance import index
from referee.tournament.cost import repeat_cost
from referee.tournament.field import Field
from referee.tournament.seating import seat_order, seats_repeated

_BASE_BUDGET = 60_000
_BUDGET_EACH = 300
_REPEAT_FACTOR = 6
_WINDOW_TABLES = 5
_TROUBLE_FACTOR = 4
_KICKED = 3
_HAND_PRICE = 3


def group(field: Field, sizes: Sequence[int], chance: random.Random) -> list[list[int]]:
    """Seat the field at tables of the given sizes at a low cost.

    Args:
        field: Who plays; as many as the sizes add up to.
        sizes: Table sizes, largest first.
        chance: Where the kicks come from.

    Returns:
        The ranks at each table.
    """
    search = _Search(field, cut(field, sizes))
    search.spend(_BASE_BUDGET + _BUDGET_EACH * field.size, chance)
    if search.repeats:
        search.spend(_REPEAT_FACTOR * (_BASE_BUDGET + _BUDGET_EACH * field.size), chance)
    return search.tables


def cut(field: Field, sizes: Sequence[int]) -> list[list[int]]:
    """Cut the standings into tables of neighbours; those least often at small tables go to the small ones.

    Where the visits leave a choice, the lowest ranks go to the small tables.
    """
    seats_at_small = sum(size for size in sizes if size < sizes[0])
    by_visits = sorted(range(field.size), key=lambda rank: (field.visits[rank], -rank))
    small = frozenset(by_visits[:seats_at_small])
    ranks = iter([*(rank for rank in range(field.size) if rank not in small), *sorted(small)])
    return [[next(ranks) for _ in range(size)] for size in sizes]


@attrs.frozen
class _Swap:
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


class _Search:
    """A grouping that is being improved; between calls it is always a legal round."""

    def __init__(self, field: Field, tables: list[list[int]]) -> None:
        self.tables = tables
        self._field = field
        self._home = [0] * field.size
        self._budget = 0
        largest = max(map(len, tables))
        self._small = [len(table) < largest for table in tables]
        self._window = _WINDOW_TABLES * largest
        pairs = sum(len(table) * (len(table) - 1) // 2 for table in tables)
        self._visit_unit = pairs * field.widest + 1
        self._repeat_unit = self._visit_unit * (sum(field.visits) + 1)
        self._hand_unit = pairs * max(field.shuffle) ** 2 + 1
        self._bonds = [_Bonds(field, rank, self._repeat_unit) for rank in range(field.size)]
        self._pull = [0] * field.size
        self._hands: dict[tuple[int, ...], int] = {}
        for number in range(len(tables)):
            self._settle(number)

    @property
    def repeats(self) -> bool:
        """Whether anybody meets again."""
        return any(pull >= self._repeat_unit for pull in self._pull)

    @property
    def flawless(self) -> bool:
        """Whether the published cost is as low as costs can be."""
        visits = any(self._field.visits[rank] for rank in range(self._field.size) if self._is_small(rank))
        return not (any(self._pull) or visits or any(map(self._hand, self.tables)))

    def spend(self, budget: int, chance: random.Random) -> None:
        """Improve the grouping with so many evaluations, or fewer if nothing is left to improve."""
        self._budget = budget
        self._descend(range(len(self.tables)), [])
        while self._budget > 0 and len(self.tables) > 1 and not self.flawless:
            self._kick(chance)

    def _descend(self, dirty: Iterable[int], done: list[_Swap]) -> None:
        """Take the best swap of each table until none pays, and append what was done."""
        queue = deque(dirty)
        queued = set(queue)
        while queue and self._budget > 0:
            number = queue.popleft()
            queued.discard(number)
            swap = self._best_swap(number)
            if swap is None:
                continue
            for touched in (number, self._home[swap.other]):
                if touched not in queued:
                    queue.append(touched)
                    queued.add(touched)
            self._exchange(swap)
            done.append(swap)

    def _kick(self, chance: random.Random) -> None:
        """Disturb one table at random, mend what follows, and undo it all unless the cost has fallen."""
        done = [self._random_swap(self._kick_target(chance), chance) for _ in range(_KICKED)]
        self._descend({self._home[rank] for swap in done for rank in (swap.one, swap.other)}, done)
        if (sum(swap.coarse for swap in done), sum(swap.fine for swap in done)) > (0, 0):
            for swap in reversed(done):
                self._exchange(swap)

    def _kick_target(self, chance: random.Random) -> int:
        """A random rank, from those who meet somebody again if there are any."""
        troubled = [rank for rank, pull in enumerate(self._pull) if pull >= self._repeat_unit]
        return troubled[index(chance, len(troubled))] if troubled else index(chance, self._field.size)

    def _random_swap(self, one: int, chance: random.Random) -> _Swap:
        others = self._candidates(one)
        other = others[index(chance, len(others))]
        swap = _Swap(one, other, self._coarse(one, other), self._fine(one, other))
        self._exchange(swap)
        return swap

    def _best_swap(self, number: int) -> _Swap | None:
        """The swap of one of a table's entrants that lowers the cost most, if any does."""
        best: tuple[int, int] | None = None
        coarsest = finest = 0
        for one in self.tables[number]:
            others = self._candidates(one)
            self._budget -= len(others)
            for other in others:
                coarse = self._coarse(one, other)
                if coarse < coarsest:
                    best, coarsest, finest = (one, other), coarse, 0
                elif coarse == 0 and coarsest == 0:
                    fine = self._fine(one, other)
                    if fine < finest:
                        best, finest = (one, other), fine
        if best is None:
            return None
        return _Swap(*best, coarsest, finest if coarsest == 0 else self._fine(*best))

    def _candidates(self, one: int) -> list[int]:
        """Whom an entrant may swap with: those near it in rank; more of them if it meets somebody again."""
        window = self._window * (_TROUBLE_FACTOR if self._pull[one] >= self._repeat_unit else 1)
        nearby = range(max(0, one - window), min(self._field.size, one + window + 1))
        home, number = self._home, self._home[one]
        return [other for other in nearby if home[other] != number]

    def _coarse(self, one: int, other: int) -> int:
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

    def _fine(self, one: int, other: int) -> int:
        change = 0
        for leaves, joins in ((one, other), (other, one)):
            before = self.tables[self._home[leaves]]
            after = [joins if rank == leaves else rank for rank in before]
            change += (self._hand(after) - self._hand(before)) * self._hand_unit
            change += self._shuffled_apart(after) - self._shuffled_apart(before)
        return change

    def _hand(self, table: Sequence[int]) -> int:
        """Seats repeated at a table when it is seated in the best order."""
        members = tuple(sorted(table))
        known = self._hands.get(members)
        if known is None:
            self._budget -= _HAND_PRICE * len(members)
            known = seats_repeated(seat_order(members, self._field.seats), self._field.seats)
            self._hands[members] = known
        return known

    def _shuffled_apart(self, table: Sequence[int]) -> int:
        shuffle = [self._field.shuffle[rank] for rank in table]
        return len(shuffle) * sum(number * number for number in shuffle) - sum(shuffle) ** 2

    def _is_small(self, rank: int) -> bool:
        return self._small[self._home[rank]]

    def _exchange(self, swap: _Swap) -> None:
        """Let the two change places; doing it again undoes it."""
        here, there = self._home[swap.one], self._home[swap.other]
        for number, leaves, joins in ((here, swap.one, swap.other), (there, swap.other, swap.one)):
            table = self.tables[number]
            table[table.index(leaves)] = joins
        self._settle(here)
        self._settle(there)

    def _settle(self, number: int) -> None:
        table = self.tables[number]
        for rank in table:
            bonds = self._bonds[rank]
            self._home[rank] = number
            self._pull[rank] = sum(bonds[other] for other in table)
