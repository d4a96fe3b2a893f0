"""What the pairing remembers, and the cost that it measures rounds by."""

from fractions import Fraction

from referee.tournament.cost import Cost, cost, repeat_cost
from referee.tournament.history import History
from tests.tournament.played import game, plan, seat


def test_the_history_of_two_rounds() -> None:
    """Five entrants: points, meetings, small tables, seats and a bye, all counted by hand."""
    plans = [plan(1, "abc", "de"), plan(2, "ad", "be", byes="c")]
    scores = [
        game(1, 1, seat("a", 1), seat("b", 2), seat("c", 3)),
        game(1, 2, seat("d", 1), seat("e", 1)),
        game(2, 1, seat("a", 2), seat("d", 1)),
        game(2, 2, seat("b", 1), seat("e", 2)),
    ]
    history = History.of(plans, scores)

    half = Fraction(1, 2)
    assert {"a": 1, "b": 3 * half, "c": half, "d": 3 * half, "e": half} == history.points
    assert {frozenset(pair): 1 for pair in ("ab", "ac", "bc", "de", "ad", "be")} == history.meetings
    assert {"d": 1, "e": 1} == history.small_tables
    assert {"c": 1} == history.byes
    assert {("a", 0): 2, ("b", 1): 1, ("b", 0): 1, ("c", 2): 1, ("d", 0): 1, ("d", 1): 1, ("e", 1): 2} == (
        history.seats
    )


def test_a_no_show_has_met_nobody() -> None:
    """Whoever missed all games of a table is no opponent; missing one of two games is a meeting still."""
    plans = [plan(1, "abc", "de")]
    missing = [
        game(1, 1, seat("a", 1), seat("b", 2), seat("c", 3, no_show=True), game=1),
        game(1, 1, seat("a", 1), seat("b", 2), seat("c", 3, no_show=True), game=2),
        game(1, 2, seat("d", 1), seat("e", 2, no_show=True), game=1),
        game(1, 2, seat("d", 1), seat("e", 2), game=2),
    ]

    assert {frozenset("ab"): 1, frozenset("de"): 1} == History.of(plans, missing).meetings


def test_the_games_of_one_table_are_one_meeting() -> None:
    """Three games between the same two in a round count as one meeting and one round of points."""
    scores = [game(1, 1, seat("a", 1), seat("b", 2), game=number) for number in (1, 2, 3)]
    history = History.of([plan(1, "ab")], scores)

    assert ({frozenset("ab"): 1}, {"a": 1, "b": 0}) == (history.meetings, history.points)


def test_a_table_without_a_score_counts_as_met() -> None:
    """A round that is planned but not yet played is not paired again."""
    assert {frozenset("ab"): 1} == History.of([plan(1, "ab")], []).meetings


def test_repeats_cost_more_each_time() -> None:
    """First meeting nothing, then 1, 3, 5: two second meetings are cheaper than one third."""
    assert [0, 1, 3, 5] == [repeat_cost(met) for met in range(4)]


HISTORY = History(
    points={"a": Fraction(3), "b": Fraction(2), "c": Fraction(1, 2)},
    meetings={frozenset("ab"): 2, frozenset("ac"): 1},
    byes={"e": 1},
    small_tables={"d": 2},
    seats={("a", 0): 4, ("b", 0): 3, ("d", 1): 1},
)


def test_the_cost_worked_by_hand() -> None:
    """Table a, b, c: repeats 3 + 1, spread 1 + 25/4 + 9/4, seats 4; table e, d: two visits, one seat."""
    actual = cost(plan(1, "abc", "ed"), HISTORY)

    assert Cost(0, 0, Fraction(0), 4, 2, Fraction(19, 2), 5) == actual


def test_the_cost_of_a_bye() -> None:
    """Who rests adds earlier byes and points, before anything else is looked at."""
    assert (1, Fraction(0)) == cost(plan(1, "ab", "cd", byes="e"), HISTORY)[1:3]
    assert (0, Fraction(3)) == cost(plan(1, "be", "cd", byes="a"), HISTORY)[1:3]


def test_uneven_tables_cost_most() -> None:
    """4 + 2 instead of 3 + 3 and a needless bye both show in the first part."""
    even = cost(plan(1, "abc", "def"), HISTORY)
    uneven = cost(plan(1, "adef", "bc"), HISTORY)
    resting = cost(plan(1, "ad", "bc", byes="ef"), HISTORY)

    assert (0, 2, 1) == (even.sizes, uneven.sizes, resting.sizes)
    assert even < uneven
    assert even < resting
