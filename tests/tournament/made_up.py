"""Events with made-up strengths, whose true ratings are known."""

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from referee.tournament.evidence import Evidence, PairTotal
from referee.tournament.model import GameScore, RoundPlan
from referee.tournament.ratings import fit, on_elo_scale
from tests.tournament.played import game, seat

DEVIATION = 12.6
"""Of the difference in bullheads between two seats in one deal."""

_FINE = 1_000
_MANY = 1_000_000


def scores(
    plans: Iterable[RoundPlan], strengths: Mapping[str, float], games: int, chance: random.Random
) -> Iterator[GameScore]:
    """Play the tables with normal deviates; strengths are bullheads a deal, and totals are thousandths."""
    for plan in plans:
        for at in plan.tables:
            for number in range(1, games + 1):
                seats = (
                    seat(name, round(_FINE * (chance.gauss(0, DEVIATION / math.sqrt(2)) - strengths[name])))
                    for name in at.entrants
                )
                yield game(plan.number, at.table, *seats, game=number)


def true_ratings(plans: Iterable[RoundPlan], strengths: Mapping[str, float]) -> dict[str, float]:
    """The ratings that very many games of these tables would give."""
    names = sorted(strengths)
    totals: dict[tuple[int, int], PairTotal] = {}
    for plan in plans:
        for at in plan.tables:
            for pair in combinations(sorted(map(names.index, at.entrants)), 2):
                gap = strengths[names[pair[0]]] - strengths[names[pair[1]]]
                wins = (1 + math.erf(gap / DEVIATION / math.sqrt(2))) / 2
                halves, games, _ = totals.get(pair, PairTotal())
                totals[pair] = PairTotal(halves + round(2 * wins * _MANY), games + _MANY, 0)
    found = on_elo_scale(fit(totals, range(len(names))).strengths, names, None)
    return dict(zip(names, map(float, found), strict=True))


def evidence(
    entrants: Sequence[str], played: Iterable[GameScore], *, most_groups: int | None = None
) -> Evidence:
    """All of these games."""
    found = Evidence(entrants, most_groups=most_groups)
    for score in played:
        found.add(score)
    return found
