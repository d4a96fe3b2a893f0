"""Round-robin schedules: everybody meets everybody equally often, as nearly as the numbers allow."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice, permutations

import attrs

from referee.tournament.chance import generator, shuffled
from referee.tournament.model import RoundPlan, TablePlan
from referee.tournament.remainder import anneal
from referee.tournament.seating import seat_order
from referee.tournament.sizes import (
    LARGEST_TABLE,
    SMALLEST_TABLE,
    check_table_size,
    check_tournament,
    table_sizes,
)
from referee.tournament.starter import Starter, cycle_length, find_starter


@attrs.frozen
class _Draft:
    """A round by the numbers of the entrants: tables in the order of their seats, and who rests."""

    tables: tuple[tuple[int, ...], ...]
    resting: int | None = None


def cycle_rounds(entrants: int, table_size: int) -> int:
    """How many rounds a schedule has unless told: one cycle.

    That is one round if a table holds everybody, else as many as there are entrants, less one if the table
    size divides their number.
    """
    check_table_size(table_size)
    return cycle_length(entrants, table_size)


def schedule(
    entrants: Sequence[str], *, table_size: int, rounds: int | None, seed: str
) -> tuple[RoundPlan, ...]:
    """Draw up all rounds of a round-robin.

    Whole cycles turn a starter under a seeded numbering of their own; what is left over is annealed on top
    of their meetings. The order in which the entrants are given does not matter.

    Args:
        entrants: At least two distinct names.
        table_size: The most that may sit at one table, 2 to 10.
        rounds: How many rounds, or None for one cycle.
        seed: Decides who takes which number.

    Returns:
        The rounds in order.

    Raises:
        TournamentError: There are too few entrants or rounds, a name comes twice, or the size is not on
        offer.
    """
    check_tournament(entrants, table_size, rounds)
    names = sorted(entrants)
    length = cycle_length(len(names), table_size)
    drafts = _drafts(len(names), table_size, length if rounds is None else rounds, seed)
    return tuple(_plan(number, draft, names) for number, draft in enumerate(drafts, start=1))


def meetings(plans: Iterable[RoundPlan]) -> Counter[frozenset[str]]:
    """How often each pair meets in some rounds; pairs that never do are absent."""
    return Counter(
        frozenset(pair) for plan in plans for table in plan.tables for pair in combinations(table.entrants, 2)
    )


def meeting_histogram(plans: Iterable[RoundPlan]) -> dict[int, int]:
    """How many pairs meet how often: {meetings: pairs}, fewest meetings first.

    The pairs are those of all entrants that occur in the rounds, so pairs that never meet are counted under
    0.
    """
    plans = tuple(plans)
    seated = {name for plan in plans for table in plan.tables for name in table.entrants}
    names = seated | {name for plan in plans for name in plan.byes}
    met = meetings(plans)
    histogram = Counter(met[frozenset(pair)] for pair in combinations(sorted(names), 2))
    return dict(sorted(histogram.items()))


def _plan(number: int, draft: _Draft, names: Sequence[str]) -> RoundPlan:
    return RoundPlan(
        number=number,
        tables=tuple(
            TablePlan(round=number, table=table, entrants=tuple(names[one] for one in members))
            for table, members in enumerate(draft.tables, start=1)
        ),
        byes=() if draft.resting is None else (names[draft.resting],),
    )


class _Seats:
    """How often each entrant has had each seat."""

    def __init__(self, field: int) -> None:
        self._counts = [[0] * LARGEST_TABLE for _ in range(field)]

    def count(self, table: Sequence[int]) -> None:
        """Count a table that is seated."""
        for seat, one in enumerate(table):
            self._counts[one][seat] += 1

    def seated(self, members: Sequence[int]) -> tuple[int, ...]:
        """Seat a table so that the fewest seats repeat, and count it."""
        order = seat_order(members, self._counts)
        self.count(order)
        return order


def _drafts(field: int, table_size: int, rounds: int, seed: str) -> list[_Draft]:
    if field <= table_size:
        seats = _Seats(field)
        return [_Draft((seats.seated(range(field)),)) for _ in range(rounds)]
    length = cycle_length(field, table_size)
    if table_size == SMALLEST_TABLE:  # any first rounds of a circle are as even as can be
        return list(islice(_cycles(field, table_size, -(-rounds // length), seed), rounds))
    cycles, left = divmod(rounds, length)
    drafts = list(_cycles(field, table_size, cycles, seed))
    return [*drafts, *_remainder(field, table_size, left, drafts, seed)] if left else drafts


def _cycles(field: int, table_size: int, cycles: int, seed: str) -> Iterator[_Draft]:
    """The rotations of the starter, once for each cycle, in which the entrants are numbered anew.

    Turning gives everybody each seat equally often but for the table of the one that stands still; its
    seats are counted by themselves and given out evenly.
    """
    if not cycles:
        return
    starter = find_starter(field, table_size)
    seats = _Seats(field)
    for cycle in range(cycles):
        number = shuffled(range(field), generator(seed, "cycle", cycle))
        for turns in range(starter.modulus):
            yield _Draft(
                tuple(_turned(table, starter, turns, number, seats) for table in starter.tables),
                None if starter.resting is None else number[starter.turn(starter.resting, turns)],
            )


def _turned(
    table: Sequence[int], starter: Starter, turns: int, number: Sequence[int], seats: _Seats
) -> tuple[int, ...]:
    members = tuple(number[starter.turn(place, turns)] for place in table)
    return seats.seated(members) if starter.modulus in table else members


def _remainder(field: int, table_size: int, rounds: int, before: list[_Draft], seed: str) -> Iterator[_Draft]:
    """Annealed rounds on top of those before."""
    seats = _Seats(field)
    met = [[0] * field for _ in range(field)]
    for draft in before:
        for table in draft.tables:
            seats.count(table)
            for one, other in permutations(table, 2):
                met[one][other] += 1
    for tables in anneal(rounds, table_sizes(field, table_size), met, generator(seed, "remainder")):
        yield _Draft(tuple(seats.seated(table) for table in tables))
