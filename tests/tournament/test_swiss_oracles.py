"""Swiss rounds against methods that cannot miss the best one."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import pytest

from referee.tournament.cost import cost
from referee.tournament.history import History
from referee.tournament.model import RoundPlan
from referee.tournament.sizes import table_sizes
from referee.tournament.swiss import pair_round
from tests.tournament.played import names, plan, swiss

Tables = list[tuple[str, ...]]


def groupings(entrants: tuple[str, ...], sizes: tuple[int, ...]) -> Iterator[Tables]:
    """Every way to split the entrants into tables of these sizes, some of them more than once."""
    if not sizes:
        yield []
        return
    for members in combinations(entrants, sizes[0]):
        if sizes.count(sizes[0]) == len(sizes) and entrants[0] not in members:
            break  # tables of one size: the first entrant is at the first of them
        rest = tuple(name for name in entrants if name not in members)
        yield from ([members, *others] for others in groupings(rest, sizes[1:]))


def best_seats(members: tuple[str, ...], history: History) -> tuple[str, ...]:
    """The order that repeats the fewest seats, of all orders."""
    return min(
        permutations(members),
        key=lambda order: sum(history.seats.get((name, seat), 0) for seat, name in enumerate(order)),
    )


def cheapest(
    number: int,
    entrants: tuple[str, ...],
    table_size: int,
    history: History,
    repeat_weight: int | None = None,
) -> tuple[int | Fraction, ...]:
    """The least cost of all legal rounds."""
    sizes = table_sizes(len(entrants), table_size)
    resting = [()] if sum(sizes) == len(entrants) else [(name,) for name in entrants]
    seats: dict[tuple[str, ...], tuple[str, ...]] = {}

    def rounds() -> Iterator[RoundPlan]:
        for byes in resting:
            playing = tuple(name for name in entrants if name not in byes)
            for tables in groupings(playing, sizes):
                for members in tables:
                    if members not in seats:
                        seats[members] = best_seats(members, history)
                yield plan(number, *(seats[members] for members in tables), byes=byes)

    return min(cost(drawn, history).weighed(repeat_weight) for drawn in rounds())


@pytest.mark.parametrize("rounds", [1, 2, 4])
@pytest.mark.parametrize(
    ("entrants", "table_size"),
    [
        (2, 2),
        (3, 2),
        (4, 2),
        (5, 2),
        (6, 2),
        (7, 2),
        (5, 3),
        (6, 3),
        (7, 3),
        (5, 4),
        (6, 4),
        (7, 4),
        (8, 4),
        (6, 5),
        (8, 2),
        (8, 3),
        (9, 2),
        (9, 4),
        (10, 5),
    ],
)
def test_no_legal_round_of_a_small_field_costs_less(entrants: int, table_size: int, rounds: int) -> None:
    """Brute force over every grouping, bye and seating finds nothing better, in any part of the cost."""
    _, history = swiss(names(entrants), rounds, table_size=table_size)
    drawn = pair_round(rounds + 1, names(entrants), history, table_size=table_size, seed="seed")

    assert cheapest(rounds + 1, names(entrants), table_size, history) == cost(drawn, history)


@pytest.mark.parametrize("weight", [1, 10])
@pytest.mark.parametrize(("entrants", "table_size"), [(5, 2), (8, 2), (6, 3), (7, 4)])
def test_no_legal_round_costs_less_with_a_weight(entrants: int, table_size: int, weight: int) -> None:
    """The same where repeats are weighed against squared points."""
    _, history = swiss(names(entrants), 4, table_size=table_size)
    drawn = pair_round(5, names(entrants), history, table_size=table_size, seed="seed", repeat_weight=weight)

    assert cheapest(5, names(entrants), table_size, history, weight) == cost(drawn, history).weighed(weight)


def proven(entrants: tuple[str, ...], table_size: int, history: History) -> tuple[int, Fraction]:
    """The least repeats, and the least spread with those, of all groupings into full tables.

    Worked out over the sets of entrants that are left: the first of them sits with some others at a table.
    """

    def of_table(members: tuple[str, ...]) -> tuple[int, Fraction]:
        measured = cost(plan(1, members), history)
        return measured.repeats, measured.spread

    table_costs = {members: of_table(members) for members in combinations(entrants, table_size)}

    @cache
    def least(left: tuple[str, ...]) -> tuple[int, Fraction]:
        if not left:
            return 0, Fraction(0)
        totals = []
        for others in combinations(left[1:], table_size - 1):
            repeats, spread = least(tuple(name for name in left[1:] if name not in others))
            here = table_costs[left[0], *others]
            totals.append((repeats + here[0], spread + here[1]))
        return min(totals)

    return least(entrants)


@pytest.mark.parametrize(("entrants", "table_size", "rounds"), [(12, 4, 2), (12, 3, 4), (12, 4, 4)])
def test_repeats_and_spread_equal_the_proven_optimum(entrants: int, table_size: int, rounds: int) -> None:
    """No round of fields beyond brute force has fewer repeats, nor less spread with as few."""
    _, history = swiss(names(entrants), rounds, table_size=table_size)
    drawn = pair_round(rounds + 1, names(entrants), history, table_size=table_size, seed="seed")
    actual = cost(drawn, history)

    assert proven(names(entrants), table_size, history) == (actual.repeats, actual.spread)
