"""The cyclic starter: one round whose rotations make a whole cycle of a round-robin.

The entrants stand on the integers modulo m. Turning a round by 1, 2, ... m - 1 gives everybody the same
games, the same visits to small tables and the same seats; how often x and y meet is how often the
difference x - y occurs at the tables of the starter. So it is enough to search for one round in which all
differences occur equally often.
"""

import math
import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import attrs

from referee.tournament.chance import generator, index, shuffled
from referee.tournament.sizes import SMALLEST_TABLE, table_sizes

_BUDGET_EACH = 10_000
_LARGEST_BUDGET = 500_000
_TEMPERATURE = 1.0
_ACCEPT = [math.exp(-rise / _TEMPERATURE) for rise in range(64)]


@attrs.frozen(kw_only=True)
class Starter:
    """A round to be turned.

    Attributes:
        modulus: m, the number of rotations that make a cycle.
        tables: Positions at each table, in the order of seats: 0 to m - 1 turn, and m, if it occurs, stands
        still. resting: The position that rests, if one does.
    """

    modulus: int
    tables: tuple[tuple[int, ...], ...]
    resting: int | None = None

    def turn(self, place: int, turns: int) -> int:
        """Where a position stands after so many rotations."""
        return place if place == self.modulus else (place + turns) % self.modulus


@lru_cache(maxsize=64)
def find_starter(entrants: int, table_size: int) -> Starter:
    """The starter for a field, the same on every call.

    For tables of two it is the circle method: i meets -i. For larger tables it is searched for, within a
    bounded number of evaluations, and exact wherever the search finds a balance that cannot be bettered.

    Args:
        entrants: How many, more than one table holds.
        table_size: The most that sit at one table.
    """
    fixed = entrants % table_size == 0
    modulus = entrants - 1 if fixed else entrants
    if table_size == SMALLEST_TABLE:
        return _circle(modulus, fixed=fixed)
    sizes = table_sizes(entrants, table_size)
    chance = generator("starter", entrants, table_size)
    budget = min(_BUDGET_EACH * entrants, _LARGEST_BUDGET)
    return Starter(modulus=modulus, tables=_Search(modulus, sizes, chance).run(budget))


def cycle_length(entrants: int, table_size: int) -> int:
    """How many rounds a cycle has: one if a single table holds everybody, else the modulus of the starter."""
    if entrants <= table_size:
        return 1
    return entrants - 1 if entrants % table_size == 0 else entrants


def _circle(modulus: int, *, fixed: bool) -> Starter:
    pairs = tuple((place, modulus - place) for place in range(1, modulus // 2 + 1))
    if fixed:
        return Starter(modulus=modulus, tables=((0, modulus), *pairs))
    return Starter(modulus=modulus, tables=pairs, resting=0)


class _Search:
    """Annealing at a constant temperature, by swaps of two positions of a round; the best round seen wins.

    The energy is the sum over pairs of entrants of their squared number of meetings in a cycle, divided by m.
    """

    def __init__(self, modulus: int, sizes: Sequence[int], chance: random.Random) -> None:
        self._size = sum(sizes)
        self._chance = chance
        self._distance = [
            [_distance(place, other, modulus) for other in range(self._size)] for place in range(self._size)
        ]
        self._weight = _weights(modulus)
        self._tables = _dealt(shuffled(range(self._size), chance), sizes)
        self._home = [0] * self._size
        self._counts = [0] * len(self._weight)
        self._target = _least_energy(self._weight, _turning_pairs(sizes, fixed=modulus < self._size))
        self._count_all()

    def run(self, budget: int) -> tuple[tuple[int, ...], ...]:
        """Search with so many evaluations, or until no round can be better."""
        energy = sum(weight * count**2 for weight, count in zip(self._weight, self._counts, strict=True))
        best, tables = energy, self._frozen()
        for _ in range(budget):
            if best <= self._target:
                break
            energy += self._step()
            if energy < best:
                best, tables = energy, self._frozen()
        return tables

    def _step(self) -> int:
        """Try one random swap; returns by how much the energy has changed."""
        one, other = index(self._chance, self._size), index(self._chance, self._size)
        here, there = self._tables[self._home[one]], self._tables[self._home[other]]
        if here is there:
            return 0
        change = self._replace(one, other, here) + self._replace(other, one, there)
        if change > 0 and self._chance.random() >= _ACCEPT[min(change, len(_ACCEPT) - 1)]:
            self._replace(other, one, here)
            self._replace(one, other, there)
            return 0
        here[here.index(one)], there[there.index(other)] = other, one
        self._home[one], self._home[other] = self._home[other], self._home[one]
        return change

    def _replace(self, leaves: int, joins: int, table: list[int]) -> int:
        """Count the differences at a table anew when one position is to take another's place there."""
        counts, weights = self._counts, self._weight
        old, new = self._distance[leaves], self._distance[joins]
        change = 0
        for place in table:
            if place in (leaves, joins):
                continue
            lost, won = old[place], new[place]
            counts[lost] -= 1
            change -= weights[lost] * (2 * counts[lost] + 1)
            change += weights[won] * (2 * counts[won] + 1)
            counts[won] += 1
        return change

    def _count_all(self) -> None:
        for number, table in enumerate(self._tables):
            for place in table:
                self._home[place] = number
            for one, other in combinations(table, 2):
                self._counts[self._distance[one][other]] += 1

    def _frozen(self) -> tuple[tuple[int, ...], ...]:
        return tuple(map(tuple, self._tables))


def _dealt(places: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    rest = iter(places)
    return [[next(rest) for _ in range(size)] for size in sizes]


def _distance(place: int, other: int, modulus: int) -> int:
    """The cyclic difference without its sign; 0 where one of the two stands still, which always balances."""
    if modulus in (place, other):
        return 0
    return min((place - other) % modulus, (other - place) % modulus)


def _weights(modulus: int) -> list[int]:
    """What the square of each difference's count weighs.

    Half of an even modulus is its own negative: only m / 2 pairs have it, and each occurrence makes all of
    them meet twice in a cycle, which comes to double weight.
    """
    weights = [1] * (modulus // 2 + 1)
    weights[0] = 0
    if modulus % 2 == 0:
        weights[-1] = 2
    return weights


def _turning_pairs(sizes: Sequence[int], *, fixed: bool) -> int:
    """Pairs at a round's tables of which neither stands still."""
    pairs = sum(math.comb(size, 2) for size in sizes)
    return pairs - (sizes[0] - 1) if fixed else pairs


def _least_energy(weights: Sequence[int], pairs: int) -> int:
    """The energy of the evenest counts, a bound that a search can stop at."""
    single = weights.count(1)
    doubled = weights.count(2)
    return min(2 * half**2 + _evenest(pairs - half, single) for half in range(pairs + 1 if doubled else 1))


def _evenest(pairs: int, kinds: int) -> int:
    """The least sum of squares of counts that add up to `pairs`."""
    count, more = divmod(pairs, kinds)
    return more * (count + 1) ** 2 + (kinds - more) * count**2
