"""A simple model of a game for simulations: how many bullheads entrants of made-up strengths take.

In a deal each seat takes a whole number of bullheads from a negative binomial distribution, independently of
the others. Its mean is that of careful play at a table of this size, less the strength of whoever sits there;
its variance is such that the difference between two seats has a standard deviation of 12.6, as measured in
real deals at tables of four.
"""

import math
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache

from referee.tournament.model import GameScore, SeatScore, TablePlan

DEVIATION = 12.6
"""Of the difference in bullheads between two seats in one deal."""

_MEANS = (8.2, 10.8, 12.1, 13.0, 13.6, 14.0, 14.3, 14.5, 14.7)
"""Mean bullheads a deal at tables of 2 to 10, measured with random cards and the cheapest row."""

_LEAST_MEAN = 2.0
_MOST = 171
_STEPS_PER_BULLHEAD = 1_000


def play(
    table: TablePlan, game: int, strengths: Mapping[str, float], *, deals: int, chance: random.Random
) -> GameScore:
    """Make up the result of a game.

    Args:
        table: Who sits where.
        game: The game at that table, from 1.
        strengths: By entrant, by how many bullheads a deal it is better than the average.
        deals: How many deals the game lasts.
        chance: Where the luck comes from.
    """
    seats = len(table.entrants)
    return GameScore(
        round=table.round,
        table=table.table,
        game=game,
        seats=tuple(
            SeatScore(entrant=name, bullheads=_taken(bullheads(seats, strengths[name]), deals, chance))
            for name in table.entrants
        ),
    )


def bullheads(seats: int, strength: float) -> Sequence[float]:
    """The distribution of the bullheads of one seat in one deal.

    Args:
        seats: Seats at the table, 2 to 10.
        strength: By how many bullheads a deal the entrant is better than the average; counted in thousandths,
            and at most so much that two bullheads a deal are left.

    Returns:
        The chances of taking at most 0, 1, 2 ... bullheads; the last is 1.
    """
    mean = max(_MEANS[seats - 2] - strength, _LEAST_MEAN)
    return _cumulated(round(mean * _STEPS_PER_BULLHEAD))


@lru_cache(maxsize=4_096)
def _cumulated(thousandths: int) -> Sequence[float]:
    """The negative binomial distribution of this mean, one deck of 171 bullheads long.

    Its chance of r failures before so many successes follows from that of r - 1, and the variance, mean / p,
    gives p; means above the variance get hardly more variance than they need.
    """
    mean = thousandths / _STEPS_PER_BULLHEAD
    variance = max(DEVIATION**2 / 2, 1.01 * mean)
    success = mean / variance
    successes = mean * success / (1 - success)
    chance = math.exp(successes * math.log(success))
    total = 0.0
    cumulated = []
    for taken in range(_MOST):
        total += chance
        cumulated.append(min(total, 1.0))
        chance *= (1 - success) * (successes + taken) / (taken + 1)
    return (*cumulated, 1.0)


def _taken(cumulated: Sequence[float], deals: int, chance: random.Random) -> tuple[int, ...]:
    return tuple(bisect_right(cumulated, chance.random()) for _ in range(deals))
