"""The one cost that a Swiss round minimises, published so that anybody can check a pairing against it."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from referee.tournament.history import History, at_small_tables
from referee.tournament.model import RoundPlan
from referee.tournament.sizes import SMALLEST_TABLE, table_sizes


class Cost(NamedTuple):
    """What is wrong with a round, worst first; costs compare in this order, and less is better.

    Attributes:
        sizes: By how many seats the tables are off the most even sizes.
        byes: Earlier byes of those who rest now.
        bye_points: Points of those who rest now: the lowest should.
        repeats: For each pair that meets for the m-th time again, 2m - 1, so that nobody meets a third time
            while a second will do.
        small_tables: Earlier visits to a small table of those who sit at one now.
        spread: Sum over all pairs at a table of their squared difference in points.
        hands: For each seat given, how often its entrant has had it before.
    """

    sizes: int
    byes: int
    bye_points: Fraction
    repeats: int
    small_tables: int
    spread: Fraction
    hands: int

    def weighed(self, repeat_weight: int | None) -> tuple[int | Fraction, ...]:
        """What to compare where a repeat is weighed against squared points instead of outweighing them all.

        Args:
            repeat_weight: How many squared points a first repeat costs; None for the strict order, in which
                no number of them does.
        """
        if repeat_weight is None:
            return tuple(self)
        spread = repeat_weight * self.repeats + self.spread
        return self.sizes, self.byes, self.bye_points, self.small_tables, spread, self.hands


def cost(plan: RoundPlan, history: History) -> Cost:
    """Measure a round against the rounds before it."""
    points = history.points
    pairs = list(_pairs(plan))
    return Cost(
        sizes=_sizes_off(plan),
        byes=sum(history.byes.get(name, 0) for name in plan.byes),
        bye_points=sum((points.get(name, Fraction(0)) for name in plan.byes), Fraction(0)),
        repeats=sum(repeat_cost(history.meetings.get(frozenset(pair), 0)) for pair in pairs),
        small_tables=sum(history.small_tables.get(name, 0) for name in at_small_tables(plan)),
        spread=sum(
            ((points.get(one, Fraction(0)) - points.get(other, Fraction(0))) ** 2 for one, other in pairs),
            Fraction(0),
        ),
        hands=sum(
            history.seats.get((name, seat), 0)
            for table in plan.tables
            for seat, name in enumerate(table.entrants)
        ),
    )


def repeat_cost(met: int) -> int:
    """What it costs that two meet who have met `met` times: the m-th repeat costs 2m - 1."""
    return 2 * met - 1 if met else 0


def _pairs(plan: RoundPlan) -> Iterator[tuple[str, str]]:
    for table in plan.tables:
        yield from combinations(table.entrants, 2)


def _sizes_off(plan: RoundPlan) -> int:
    sizes = sorted((len(table.entrants) for table in plan.tables), reverse=True)
    largest = max([SMALLEST_TABLE, *sizes])
    even = table_sizes(sum(sizes) + len(plan.byes), largest)
    missing = abs(len(sizes) - len(even))
    return missing + sum(abs(size - wanted) for size, wanted in zip(sizes, even, strict=False))
