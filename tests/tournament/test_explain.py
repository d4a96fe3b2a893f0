"""Why a round is as it is."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations

import attrs
import pytest

from referee.tournament.cost import cost
from referee.tournament.explain import Repeat, SwapCost, explain
from referee.tournament.history import History
from referee.tournament.model import RoundPlan
from referee.tournament.round_robin import schedule
from referee.tournament.swiss import pair_round
from tests.tournament.played import names, plan, swiss

HISTORY = History(
    points={"a": Fraction(3), "b": Fraction(2), "c": Fraction(2), "d": Fraction(1), "e": Fraction(1, 2)},
    meetings={frozenset("ab"): 2, frozenset("ac"): 1},
    byes={"d": 1},
    small_tables={"b": 1},
)


def test_a_round_by_hand() -> None:
    """Entrants a (3 points) and b (2) have met twice; d has had a bye, b a small table, and e rests."""
    reasons = explain(attrs.evolve(plan(4, "ab", "cd", byes="e"), notes=("a note",)), HISTORY)
    first = reasons.tables[0]

    assert (Fraction(2), Fraction(3)) == first.points
    assert (Repeat(pair=("a", "b"), times=2),) == first.repeats
    assert ((0, 0), (0, 1)) == (first.byes, first.small_tables)
    assert (0, 1) == reasons.tables[1].byes
    assert (("e", Fraction(1, 2), 0),) == reasons.byes
    assert ("a note",) == reasons.notes


def test_the_best_swap_by_hand() -> None:
    """To put c in the place of a, or d in that of b, makes c-b and a-d, neither of whom have met.

    That saves 3 repeats, and the squares become 0 and 4 instead of 1 and 1. To swap b and c saves but 2.
    """
    [first, second] = explain(plan(4, "ab", "cd"), HISTORY).tables

    assert (-3, 0, Fraction(2), 0) == (
        first.swap.repeats,
        first.swap.small_tables,
        first.swap.spread,
        first.swap.hands,
    )
    assert {
        frozenset((first.swap.leaves, first.swap.joins)),
        frozenset((second.swap.leaves, second.swap.joins)),
    } <= {
        frozenset("ac"),
        frozenset("bd"),
    }
    assert (2, 1) == (first.swap.table, second.swap.table)


def swapped(drawn: RoundPlan, one: str, other: str) -> RoundPlan:
    """The round in which two have changed places, in the order of seats as it was."""
    places = {one: other, other: one}
    return attrs.evolve(
        drawn,
        tables=tuple(
            attrs.evolve(at, entrants=tuple(places.get(name, name) for name in at.entrants))
            for at in drawn.tables
        ),
    )


def best_hands(drawn: RoundPlan, history: History) -> int:
    """Seats repeated when each table is seated in the best order of all."""
    return sum(
        min(
            sum(history.seats.get((name, seat), 0) for seat, name in enumerate(order))
            for order in permutations(at.entrants)
        )
        for at in drawn.tables
    )


def every_swap(drawn: RoundPlan, history: History, table: int) -> Iterator[tuple[int, int, Fraction, int]]:
    """What each swap with another table adds to the cost, worked out on the whole round."""
    before = cost(drawn, history)
    for at in drawn.tables:
        for one in drawn.tables[table - 1].entrants if at.table != table else ():
            for other in at.entrants:
                new = swapped(drawn, one, other)
                after = cost(new, history)
                yield (
                    after.repeats - before.repeats,
                    after.small_tables - before.small_tables,
                    after.spread - before.spread,
                    best_hands(new, history) - before.hands,
                )


def figures(swap: SwapCost) -> tuple[int, int, Fraction, int]:
    """The differences of a swap in the order in which they count."""
    return swap.repeats, swap.small_tables, swap.spread, swap.hands


@pytest.mark.parametrize(("entrants", "table_size", "rounds"), [(6, 2, 3), (9, 3, 3), (10, 4, 3), (7, 4, 4)])
def test_the_best_swap_agrees_with_the_cost_of_every_swapped_round(
    entrants: int, table_size: int, rounds: int
) -> None:
    """No swap of anybody at the table costs less, and none of a drawn round saves anything."""
    _, history = swiss(names(entrants), rounds, table_size=table_size)
    drawn = pair_round(rounds + 1, names(entrants), history, table_size=table_size, seed="seed")
    for reasons in explain(drawn, history).tables:
        best = min(every_swap(drawn, history, reasons.table))

        assert best == figures(reasons.swap)
        assert best >= (0, 0, 0, 0)


def test_with_a_weight_the_best_swap_weighs_repeats() -> None:
    """Of a and b, who have met, one could go to c and d, two points below, or to e and f, whom both have met.

    The former saves a repeat for 8 squared points, the latter adds one for none: better at a weight of 1.
    """
    history = History(
        points={
            "a": Fraction(4),
            "b": Fraction(4),
            "c": Fraction(2),
            "d": Fraction(2),
            "e": Fraction(4),
            "f": Fraction(4),
        },
        meetings={frozenset(pair): 1 for pair in ("ab", "ae", "af", "be", "bf")},
    )
    drawn = plan(4, "ab", "cd", "ef")

    assert (-1, 0, 8, 0) == figures(explain(drawn, history).tables[0].swap)
    assert (1, 0, 0, 0) == figures(explain(drawn, history, repeat_weight=1).tables[0].swap)


def test_a_round_of_one_table_has_no_swap() -> None:
    """There is nobody to swap with, and nothing to say of a round without tables."""
    assert explain(plan(1, "abc"), History()).tables[0].swap is None
    assert () == explain(plan(1, byes="a"), History()).tables


def test_any_round_can_be_explained() -> None:
    """A round of a round-robin, of 64 at tables of 5 with small ones, has a swap for each table."""
    plans = schedule(names(64), table_size=5, rounds=3, seed="seed")
    history = History.of(plans[:2], [])
    reasons = explain(plans[2], history)

    assert [at.entrants for at in plans[2].tables] == [at.entrants for at in reasons.tables]
    assert all(at.swap is not None and at.swap.table != at.table for at in reasons.tables)
    assert sum(len(at.repeats) for at in reasons.tables) == sum(
        frozenset(pair) in history.meetings for at in plans[2].tables for pair in combinations(at.entrants, 2)
    )
