"""Swiss rounds at tables of three and more: local search by best swaps, and kicks undone if they do not pay.

Finding the best grouping is hard in general, so this is a search. It is bounded by a count of evaluations
and never by a clock, so that the seed alone decides what it finds.
"""

import enum
import random
from collections.abc import Iterable, Sequence

from referee.tournament.chance import index
from referee.tournament.field import Field
from referee.tournament.grouping import Grouping, Swap

_BASE_BUDGET = 5_000
_BUDGET_EACH = 1_500
_LARGEST_BUDGET = 300_000
_REPEAT_FACTOR = 4
_WINDOW_TABLES = 5
_TROUBLE_FACTOR = 4
_KICKED = 4
_PATIENCE_EACH = 15
_PATIENCE_EACH_IF_FEW = 40
_MOST_PATIENCE_IF_FEW = 600


def group(
    field: Field, sizes: Sequence[int], chance: random.Random, repeat_weight: int | None = None
) -> list[list[int]]:
    """Seat the field at tables of the given sizes at a low cost.

    Args:
        field: Who plays; as many as the sizes add up to.
        sizes: Table sizes, largest first.
        chance: Where the kicks come from.
        repeat_weight: How many squared points a first repeat costs; None if more than all of them.

    Returns:
        The ranks at each table.
    """
    grouping = Grouping(field, cut(field, sizes), repeat_weight)
    search = _Search(grouping, chance)
    budget = min(_BASE_BUDGET + _BUDGET_EACH * field.size, _LARGEST_BUDGET)
    search.spend(budget)
    if grouping.repeats:
        search.spend(_REPEAT_FACTOR * budget)
    return grouping.tables


def cut(field: Field, sizes: Sequence[int]) -> list[list[int]]:
    """Cut the standings into tables of neighbours; those least often at small tables go to the small ones.

    Where the visits leave a choice, the lowest ranks go to the small tables.
    """
    seats_at_small = sum(size for size in sizes if size < sizes[0])
    by_visits = sorted(range(field.size), key=lambda rank: (field.visits[rank], -rank))
    small = frozenset(by_visits[:seats_at_small])
    ranks = iter([*(rank for rank in range(field.size) if rank not in small), *sorted(small)])
    return [[next(ranks) for _ in range(size)] for size in sizes]


class _Grain(enum.Enum):
    """How closely a descent looks."""

    COARSE = enum.auto()
    """Only repeats, small tables and spread."""

    FINE = enum.auto()
    """Also, where those stay equal, the seats repeated and the shuffle."""


class _Search:
    """Descents and kicks, until so many evaluations have been made."""

    def __init__(self, grouping: Grouping, chance: random.Random) -> None:
        self._grouping = grouping
        self._chance = chance
        self._field = sum(map(len, grouping.tables))
        self._window = _WINDOW_TABLES * max(map(len, grouping.tables))
        self._limit = 0

    def spend(self, evaluations: int) -> None:
        """Improve the grouping with so many evaluations, or fewer if nothing more seems to be gained."""
        grouping = self._grouping
        self._limit = grouping.evaluations + evaluations
        for grain in _Grain:
            self._descend(range(len(grouping.tables)), [], grain)
        in_vain = 0
        patience = min(_PATIENCE_EACH_IF_FEW * self._field, _MOST_PATIENCE_IF_FEW)
        patience = max(_PATIENCE_EACH * self._field, patience)
        while in_vain < patience and grouping.evaluations < self._limit:
            if len(grouping.tables) == 1 or grouping.flawless:
                break
            in_vain = 0 if self._kick() else in_vain + 1

    def _descend(self, dirty: Iterable[int], done: list[Swap], grain: _Grain) -> None:
        """Take the best swap of each table until none pays, and append what was done."""
        queue = dict.fromkeys(dirty)
        while queue and self._grouping.evaluations < self._limit:
            number = next(iter(queue))
            del queue[number]
            swap = self._best_swap(number, grain)
            if swap is not None:
                queue.update(dict.fromkeys((number, self._grouping.home(swap.other))))
                self._grouping.exchange(swap)
                done.append(swap)

    def _kick(self) -> bool:
        """Disturb some tables at random and mend what follows; undone unless the cost has fallen."""
        done = [self._random_swap() for _ in range(_KICKED)]
        dirty = {self._grouping.home(rank) for swap in done for rank in (swap.one, swap.other)}
        self._descend(sorted(dirty), done, _Grain.FINE)
        if (sum(swap.coarse for swap in done), sum(swap.fine for swap in done)) < (0, 0):
            return True
        for swap in reversed(done):
            self._grouping.exchange(swap)
        return False

    def _random_swap(self) -> Swap:
        """Swap somebody, one who meets somebody again if there is one, with somebody near."""
        troubled = [rank for rank in range(self._field) if self._grouping.meets_again(rank)]
        one = troubled[index(self._chance, len(troubled))] if troubled else index(self._chance, self._field)
        others = self._candidates(one)
        swap = self._grouping.swap(one, others[index(self._chance, len(others))])
        self._grouping.exchange(swap)
        return swap

    def _best_swap(self, number: int, grain: _Grain) -> Swap | None:
        """The swap of one of a table's entrants that lowers the cost most, if any does."""
        grouping = self._grouping
        best: tuple[int, int] | None = None
        coarsest = finest = 0
        look_closely = grain is _Grain.FINE
        for one in grouping.tables[number]:
            for other in self._candidates(one):
                coarse = grouping.coarse(one, other)
                if coarse < coarsest:
                    best, coarsest = (one, other), coarse
                elif look_closely and coarse == coarsest == 0 and grouping.least_fine(one, other) < finest:
                    fine = grouping.fine(one, other)
                    if fine < finest:
                        best, finest = (one, other), fine
        return grouping.swap(*best) if best else None

    def _candidates(self, one: int) -> list[int]:
        """Whom an entrant may swap with: those near it in rank; more of them if it meets somebody again."""
        grouping, home = self._grouping, self._grouping.home(one)
        window = self._window * (_TROUBLE_FACTOR if grouping.meets_again(one) else 1)
        nearby = range(max(0, one - window), min(self._field, one + window + 1))
        return [other for other in nearby if grouping.home(other) != home]
