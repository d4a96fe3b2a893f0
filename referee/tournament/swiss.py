"""Swiss rounds: entrants with like points meet, and nobody meets again while that can be helped."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import attrs

from referee.tournament.chance import generator
from referee.tournament.cost import Cost, cost
from referee.tournament.duels import match
from referee.tournament.field import Field
from referee.tournament.history import History, at_small_tables
from referee.tournament.model import RoundPlan, TablePlan, TournamentError
from referee.tournament.search import group
from referee.tournament.seating import seat_order
from referee.tournament.sizes import SMALLEST_TABLE, check_table_size, table_sizes

__all__ = ["Cost", "History", "cost", "default_rounds", "pair_round", "size_warning"]

_ROUNDS_BEYOND_LOG = 2
_FEWEST_ROUNDS = 3
_PAIRS_NAMED = 3
_NOT_FOUND = "no round without a repeat was found"
_WEIGHED = "others differ too much in points for the weight that a repeat has"


def default_rounds(entrants: int, table_size: int) -> int:
    """How many rounds a Swiss takes unless told: the logarithm of the field to the table size, plus two.

    Small fields get fewer, so that nobody has to meet again, but three at least.
    """
    check_table_size(table_size)
    log = 0
    while table_size**log < entrants:
        log += 1
    without_repeats = (entrants - 1) // (table_size - 1)
    return max(_FEWEST_ROUNDS, min(log + _ROUNDS_BEYOND_LOG, without_repeats))


def size_warning(entrants: int, table_size: int, rounds: int) -> str | None:
    """A sentence when so many rounds are nearly a round-robin, R(k - 1) > 0.7 (n - 1), else None."""
    if 10 * rounds * (table_size - 1) <= 7 * (entrants - 1):
        return None
    return (
        f"{rounds} rounds at tables of {table_size} are many for a Swiss of {entrants}: "
        "a round-robin suits so small a field better"
    )


def pair_round(
    number: int,
    active: Sequence[str],
    history: History,
    *,
    table_size: int,
    seed: str,
    repeat_weight: int | None = None,
) -> RoundPlan:
    """Draw a round at the least `cost` that the method finds: exactly the least at tables of two.

    Args:
        number: The round, from 1.
        active: Who plays, in any order; the rest of the history may name others.
        history: The rounds so far.
        table_size: The most that may sit at one table, 2 to 10.
        seed: Decides between rounds of equal cost.
        repeat_weight: How many squared points a first repeat costs, from 1 (10 is sensible): entrants may
            then meet again rather than face much stronger or weaker ones. None for the strict order, in
            which nobody meets again while that can be helped.

    Returns:
        A legal round, whatever the history; its notes say which rules had to give way.

    Raises:
        TournamentError: The table size or the weight is not on offer, or somebody is named twice.
    """
    check_repeat_weight(repeat_weight)
    if len(set(active)) < len(active):
        raise TournamentError("an entrant is named twice: name each active entrant once")
    sizes = table_sizes(len(active), table_size)
    seed = f"{seed}/swiss/{number}"
    field = Field.of(active, history, seed=seed)
    tables, rests = _tables(field, history, sizes, seed, repeat_weight)
    plan = RoundPlan(
        number=number,
        tables=tuple(
            TablePlan(round=number, table=table, entrants=_seated(field, members))
            for table, members in enumerate(sorted(tables, key=min), start=1)
        ),
        byes=rests,
    )
    return _with_notes(plan, history, repeat_weight)


def check_repeat_weight(repeat_weight: int | None) -> None:
    """Refuse a weight below 1.

    Raises:
        TournamentError: It is.
    """
    if repeat_weight is not None and repeat_weight < 1:
        raise TournamentError(
            f"a repeat costs 1 squared point or more, not {repeat_weight}: choose 10, or no weight at all"
        )


def _tables(
    field: Field, history: History, sizes: tuple[int, ...], seed: str, repeat_weight: int | None
) -> tuple[list[list[int]], tuple[str, ...]]:
    """Who sits together, by rank, and the names of those who rest."""
    if not sizes:
        return [], field.names
    if sizes[0] > SMALLEST_TABLE:
        return group(field, sizes, generator(seed, "kicks"), repeat_weight), ()
    resting = _may_rest(field, history) if field.size % 2 else frozenset()
    pairs, rests = match(field, resting, repeat_weight)
    return [list(pair) for pair in pairs], () if rests is None else (field.names[rests],)


def _may_rest(field: Field, history: History) -> frozenset[int]:
    """Those who have rested least and, among them, have the fewest points."""

    def claim(rank: int) -> tuple[int, int]:
        return history.byes.get(field.names[rank], 0), field.points[rank]

    first = min(map(claim, range(field.size)))
    return frozenset(rank for rank in range(field.size) if claim(rank) == first)


def _seated(field: Field, members: Sequence[int]) -> tuple[str, ...]:
    """The names of a table in the order of seats that repeats the fewest."""
    drawn = sorted(members, key=lambda rank: field.shuffle[rank])
    return tuple(field.names[rank] for rank in seat_order(drawn, field.seats))


def _with_notes(plan: RoundPlan, history: History, repeat_weight: int | None) -> RoundPlan:
    otherwise = _NOT_FOUND if repeat_weight is None else _WEIGHED
    repeats = _repeat_notes(plan, history, otherwise)
    notes = (*_bye_notes(plan, history), *repeats, *_small_table_notes(plan, history))
    return attrs.evolve(plan, notes=notes)


def _bye_notes(plan: RoundPlan, history: History) -> Iterator[str]:
    if not plan.tables:
        who = f"only {plan.byes[0]} is left, who has a bye" if plan.byes else "nobody is left"
        yield f"round {plan.number}: {who}, since a table needs two"
        return
    for name in plan.byes:
        if history.byes.get(name, 0):
            yield f"round {plan.number}: {name} has another bye, since everybody has had one"


def _repeat_notes(plan: RoundPlan, history: History, otherwise: str) -> Iterator[str]:
    again = [pair for table in plan.tables for pair in combinations(table.entrants, 2) if _met(pair, history)]
    if not again:
        return
    named = ["{} and {}".format(*sorted(pair)) for pair in again[:_PAIRS_NAMED]]
    more = len(again) - len(named)
    pairs = ", ".join(named) + (f" and {more} more pair{'s' if more > 1 else ''}" if more else "")
    why = _why_repeats(again, plan, history) or otherwise
    yield f"round {plan.number}: {pairs} meet again, since {why}"


def _why_repeats(again: list[tuple[str, str]], plan: RoundPlan, history: History) -> str | None:
    """The plainest reason, if it is so: one of them has too few others left."""
    needed = {name: len(table.entrants) - 1 for table in plan.tables for name in table.entrants}
    for name in dict.fromkeys(name for pair in again for name in pair):
        new = sum(not _met((name, other), history) for other in needed if other != name)
        if new < needed[name]:
            return f"{name} needs {needed[name]} opponents and has {new or 'none'} left whom it has not met"
    return None


def _met(pair: tuple[str, str], history: History) -> int:
    return history.meetings.get(frozenset(pair), 0)


def _small_table_notes(plan: RoundPlan, history: History) -> Iterator[str]:
    small = set(at_small_tables(plan))
    visits = {name: history.small_tables.get(name, 0) for table in plan.tables for name in table.entrants}
    fewest = min((count for name, count in visits.items() if name not in small), default=0)
    again = sorted(name for name in small if visits[name] > fewest)
    if again:
        yield (
            f"round {plan.number}: {', '.join(again)} visit a smaller table again before everybody has, "
            "since meeting new opponents comes first"
        )
