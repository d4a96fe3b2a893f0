"""Rounds of a round-robin beyond whole cycles: annealed together, on top of the meetings so far."""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations

from referee.tournament.chance import index, shuffled

_BUDGET_EACH = 3_000
_LARGEST_BUDGET = 500_000
_TEMPERATURES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
_HIGHEST_RISE = 64


def anneal(
    rounds: int, sizes: Sequence[int], met: list[list[int]], chance: random.Random
) -> list[list[list[int]]]:
    """Find rounds after which everybody has met everybody about equally often.

    Who visits the small tables in which round is dealt out in turn beforehand, so that nobody does so twice
    before everybody has once; entrants then change places only between tables of the same size.

    Args:
        rounds: How many rounds.
        sizes: Table sizes, largest first.
        met: How often each has met each other so far, square and symmetric; brought up to date in place.
        chance: Where the first draft and the swaps come from.

    Returns:
        For each round its tables, as indexes of entrants.
    """
    drafts = list(_drafts(rounds, sizes, chance))
    search = _Search(drafts, met, chance)
    search.run(min(_BUDGET_EACH * rounds * sum(sizes), _LARGEST_BUDGET))
    return search.rounds


def _drafts(rounds: int, sizes: Sequence[int], chance: random.Random) -> Iterator[list[list[int]]]:
    field = sum(sizes)
    at_small = sum(size for size in sizes if size < sizes[0])
    turn = shuffled(range(field), chance)
    for number in range(rounds):
        small = {turn[(number * at_small + place) % field] for place in range(at_small)}
        large = (one for one in range(field) if one not in small)
        places = iter([*shuffled(large, chance), *shuffled(sorted(small), chance)])
        yield [[next(places) for _ in range(size)] for size in sizes]


class _Search:
    """Annealing by swaps of two entrants within a round; the best rounds seen win.

    The energy is half the sum over pairs of their squared number of meetings.
    """

    def __init__(self, rounds: list[list[list[int]]], met: list[list[int]], chance: random.Random) -> None:
        self.rounds = rounds
        self._met = met
        self._chance = chance
        self._field = len(met)
        self._home = [_homes(tables, self._field) for tables in rounds]
        for tables in rounds:
            for table in tables:
                for one, other in combinations(table, 2):
                    self._meet(one, other, 1)

    def run(self, budget: int) -> None:
        """Search with so many evaluations, or until no rounds can be better."""
        to_gain = self._to_gain()
        energy = best = 0
        since_best: list[tuple[int, int, int]] = []
        for temperature in _TEMPERATURES:
            accept = [math.exp(-rise / temperature) for rise in range(_HIGHEST_RISE)]
            for _ in range(budget // len(_TEMPERATURES)):
                if best <= -to_gain:
                    return
                energy += self._step(accept, since_best)
                if energy < best:
                    best = energy
                    since_best.clear()
        for number, one, other in reversed(since_best):
            self._swap(number, one, other)

    def _step(self, accept: Sequence[float], done: list[tuple[int, int, int]]) -> int:
        """Try one random swap, append it if it was done, and return by how much the energy has changed."""
        number = index(self._chance, len(self.rounds))
        one, other = index(self._chance, self._field), index(self._chance, self._field)
        here, there = self._home[number][one], self._home[number][other]
        if here is there or len(here) != len(there):
            return 0
        rise = self._rise(one, other, here, there)
        if rise > 0 and self._chance.random() >= accept[min(rise, _HIGHEST_RISE - 1)]:
            return 0
        self._swap(number, one, other)
        done.append((number, one, other))
        return rise

    def _rise(self, one: int, other: int, here: Sequence[int], there: Sequence[int]) -> int:
        """What a swap adds to the energy: a pair that met m times in all costs m more at its next meeting."""
        met, others_met = self._met[one], self._met[other]
        rise = len(here) + len(there) - 2 - 2 * met[other]
        for mate in here:
            rise += others_met[mate] - met[mate]
        for mate in there:
            rise += met[mate] - others_met[mate]
        return rise

    def _swap(self, number: int, one: int, other: int) -> None:
        """Let two entrants of one round change places; doing it again undoes it."""
        home = self._home[number]
        here, there = home[one], home[other]
        for leaves, joins, table in ((one, other, here), (other, one, there)):
            table.remove(leaves)
            for mate in table:
                self._meet(leaves, mate, -1)
                self._meet(joins, mate, 1)
        here.append(other)
        there.append(one)
        home[one], home[other] = there, here

    def _meet(self, one: int, other: int, times: int) -> None:
        self._met[one][other] += times
        self._met[other][one] += times

    def _to_gain(self) -> int:
        """How far the energy is above that of the evenest meetings."""
        counts = [self._met[one][other] for one, other in combinations(range(self._field), 2)]
        count, more = divmod(sum(counts), len(counts))
        evenest = more * (count + 1) ** 2 + (len(counts) - more) * count**2
        return (sum(count * count for count in counts) - evenest) // 2


def _homes(tables: list[list[int]], field: int) -> list[list[int]]:
    """For each entrant the table it sits at: the very list, so that both views stay one."""
    home: list[list[int]] = [[]] * field
    for table in tables:
        for one in table:
            home[one] = table
    return home
