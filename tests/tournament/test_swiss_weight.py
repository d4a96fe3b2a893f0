"""Swiss rounds in which a repeat is weighed against squared points."""

from fractions import Fraction

import pytest

from referee.tournament.cost import Cost
from referee.tournament.formats import make_format
from referee.tournament.history import History
from referee.tournament.model import Kind, TournamentError
from referee.tournament.swiss import pair_round
from tests.tournament.played import names, swiss

APART = History(
    points={"a": Fraction(4), "b": Fraction(4), "c": Fraction(1), "d": Fraction(1)},
    meetings={frozenset("ab"): 1, frozenset("cd"): 1},
)
"""Two leaders who have met, and two others, three points below, who have met."""


def pairs(weight: int | None, history: History = APART) -> set[frozenset[str]]:
    """Who meets."""
    plan = pair_round(4, "abcd", history, table_size=2, seed="seed", repeat_weight=weight)
    return {frozenset(at.entrants) for at in plan.tables}


@pytest.mark.parametrize(("weight", "again"), [(None, False), (10, False), (8, True), (1, True)])
def test_a_repeat_is_drawn_where_it_costs_less(weight: int | None, again: bool) -> None:
    """Two repeats cost 2 w squared points and two gaps of three 18: so they repeat below a weight of 9."""
    assert again == (frozenset("ab") in pairs(weight))


def test_a_second_repeat_costs_three_times_the_first() -> None:
    """Leaders and others who have met twice cost 6 w: at a weight of 4 they do not meet again."""
    twice = History(points=APART.points, meetings=dict.fromkeys(APART.meetings, 2))

    assert frozenset("ab") in pairs(4)
    assert frozenset("ab") not in pairs(4, twice)


def test_the_note_says_what_weighed_more() -> None:
    """No round without a repeat was given up for want of one."""
    plan = pair_round(4, "abcd", APART, table_size=2, seed="seed", repeat_weight=2)

    assert (
        "round 4: a and b, c and d meet again, since others differ too much in points for the weight that a "
        "repeat has",
    ) == plan.notes


def test_tables_of_four_repeat_where_it_costs_less() -> None:
    """Eight entrants after three rounds: the weight of 1 brings more repeats and less spread than 1,000."""
    _, history = swiss(names(8), 3, table_size=4)

    def drawn(weight: int | None) -> list[frozenset[str]]:
        plan = pair_round(4, names(8), history, table_size=4, seed="seed", repeat_weight=weight)
        return [frozenset(at.entrants) for at in plan.tables]

    assert drawn(1_000_000) == drawn(None)
    assert drawn(1) != drawn(None)


def test_costs_compare_by_the_weight() -> None:
    """Two repeats at 10 and a spread of 5/2 are 45/2; in the strict order the cost stays as it is."""
    cost = Cost(
        sizes=0, byes=0, bye_points=Fraction(0), repeats=2, small_tables=1, spread=Fraction(5, 2), hands=7
    )

    assert (0, 0, 0, 1, Fraction(45, 2), 7) == cost.weighed(10)
    assert cost == cost.weighed(None)


def test_a_weight_below_one_is_refused() -> None:
    """By the format already, with what to choose."""
    with pytest.raises(TournamentError, match="1 squared point or more, not 0: choose 10"):
        make_format(Kind.SWISS, names(4), table_size=2, rounds=2, seed="seed", repeat_weight=0)


def test_the_format_hands_the_weight_on() -> None:
    """A Swiss with a weight draws what `pair_round` draws with it; a round-robin does without."""
    form = make_format(Kind.SWISS, "abcd", table_size=2, rounds=4, seed="seed", repeat_weight=2)

    assert form.plan(4, active="abcd", history=APART) == pair_round(
        4, "abcd", APART, table_size=2, seed="seed", repeat_weight=2
    )
