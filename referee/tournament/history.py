"""What a pairing must know of the rounds before: points, meetings, byes, small tables, seats."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations

import attrs

from referee.tournament.model import GameScore, RoundPlan, TablePlan
from referee.tournament.points import PointsLedger


@attrs.frozen(kw_only=True)
class History:
    """The rounds so far, in the shape that the pairing asks for; whatever is not in a mapping counts as 0.

    Attributes:
        points: Points by entrant.
        meetings: How often each pair has met, by the set of its two names.
        byes: Byes by entrant.
        small_tables: By entrant, how often it sat at a table smaller than the largest of that round.
        seats: How often each entrant sat on each seat, by (name, seat from 0).
    """

    points: Mapping[str, Fraction] = attrs.field(factory=dict)
    meetings: Mapping[frozenset[str], int] = attrs.field(factory=dict)
    byes: Mapping[str, int] = attrs.field(factory=dict)
    small_tables: Mapping[str, int] = attrs.field(factory=dict)
    seats: Mapping[tuple[str, int], int] = attrs.field(factory=dict)

    @classmethod
    def of(cls, plans: Iterable[RoundPlan], scores: Iterable[GameScore]) -> "History":
        """Read the history off the rounds planned and the games played.

        A no-show is nobody's opponent, so it has met nobody at a table where it missed every game. A table
        without a score counts as if all its entrants had met.
        """
        plans, scores = tuple(plans), tuple(scores)
        tables = [table for plan in plans for table in plan.tables]
        return cls(
            points=_points(plans, scores),
            meetings=_meetings(tables, scores),
            byes=Counter(name for plan in plans for name in plan.byes),
            small_tables=Counter(name for plan in plans for name in at_small_tables(plan)),
            seats=Counter((name, seat) for table in tables for seat, name in enumerate(table.entrants)),
        )


def at_small_tables(plan: RoundPlan) -> list[str]:
    """Who sits at a table smaller than the largest of the round."""
    largest = max((len(table.entrants) for table in plan.tables), default=0)
    return [name for table in plan.tables if len(table.entrants) < largest for name in table.entrants]


def _points(plans: tuple[RoundPlan, ...], scores: tuple[GameScore, ...]) -> dict[str, Fraction]:
    ledger = PointsLedger()
    for plan in plans:
        for name in plan.byes:
            ledger.add_bye(plan.number, name)
    for score in scores:
        ledger.add(score)
    seated = (name for plan in plans for table in plan.tables for name in table.entrants)
    return ledger.totals({*seated, *(name for plan in plans for name in plan.byes)})


def _meetings(tables: list[TablePlan], scores: tuple[GameScore, ...]) -> Counter[frozenset[str]]:
    present: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for score in scores:
        present[score.round, score.table].update(seat.entrant for seat in score.seats if not seat.no_show)
    met: Counter[frozenset[str]] = Counter()
    for table in tables:
        names = present.get((table.round, table.table), set(table.entrants))
        met.update(frozenset(pair) for pair in combinations(names, 2))
    return met
