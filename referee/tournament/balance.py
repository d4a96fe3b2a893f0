"""How even a schedule is: who meets how often, and how tables, byes and small tables are shared out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from referee.tournament.history import at_small_tables
from referee.tournament.model import RoundPlan
from referee.tournament.round_robin import meeting_histogram

Range = tuple[int, int]
"""The least and the most that anybody has."""


@attrs.frozen(kw_only=True)
class Balance:
    """How even some rounds are.

    Attributes:
        rounds: How many there are.
        tables: Tables of all rounds.
        meetings: How many pairs meet how often, {meetings: pairs}, fewest meetings first.
        played: Tables of one entrant.
        byes: Byes of one entrant.
        small_tables: How often one entrant sits at a table smaller than the largest of its round.
    """

    rounds: int
    tables: int
    meetings: Mapping[int, int]
    played: Range
    byes: Range
    small_tables: Range


def balance(plans: Sequence[RoundPlan]) -> Balance:
    """Measure some rounds; the entrants are those that occur in them."""
    seated = Counter(name for plan in plans for table in plan.tables for name in table.entrants)
    byes = Counter(name for plan in plans for name in plan.byes)
    small = Counter(name for plan in plans for name in at_small_tables(plan))
    names = seated.keys() | byes.keys()
    return Balance(
        rounds=len(plans),
        tables=sum(len(plan.tables) for plan in plans),
        meetings=meeting_histogram(plans),
        played=_range(names, seated),
        byes=_range(names, byes),
        small_tables=_range(names, small),
    )


def _range(names: Iterable[str], counts: Mapping[str, int]) -> Range:
    values = [counts.get(name, 0) for name in names]
    return min(values, default=0), max(values, default=0)
