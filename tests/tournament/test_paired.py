"""Comparisons: who meets in a pair of games, and what a pair comes to."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.dealsets import Series, Sets, Turning
from referee.tournament.model import GameScore, SeatScore, TournamentError
from referee.tournament.paired import Pairs, paired_round
from referee.tournament.sequential import Question, Verdict

RIVALS = ("old", "new")
PAIRED = Series(sets=Sets.PAIRED, count=1, turning=Turning.SEATS, rivals=RIVALS)


def seated(number, opponents, size):
    """Who sits where in both games of a round."""
    (table,) = paired_round(number, [*opponents, *RIVALS], RIVALS, table_size=size).tables
    return [PAIRED.seated(table.entrants, game) for game in (1, 2)]


def score(number, game, **totals):
    """A game of a round, with the bullheads of each entrant."""
    seats = tuple(SeatScore(entrant=name, bullheads=(total,)) for name, total in totals.items())
    return GameScore(round=number, table=1, game=game, seats=seats)


def pairs(*, by_lot=True):
    """A comparison without a pair."""
    return Pairs(RIVALS, Question(), is_drawn_by_lot=by_lot)


def test_the_rivals_take_the_same_seat_against_the_same_opponents():
    """The seat moves on with the round; with three seats it comes round in the fourth."""
    assert [
        [("old", "x", "y"), ("new", "x", "y")],
        [("x", "old", "y"), ("x", "new", "y")],
        [("x", "y", "old"), ("x", "y", "new")],
        [("old", "x", "y"), ("new", "x", "y")],
    ] == [seated(number, "xy", 3) for number in (1, 2, 3, 4)]


def test_opponents_who_are_more_than_fit_take_turns():
    """Three for two seats: x y, z x, y z; who is left over rests."""
    rounds = [paired_round(number, ["x", "y", "z", *RIVALS], RIVALS, table_size=3) for number in (1, 2, 3)]

    assert [{"x", "y"}, {"x", "z"}, {"y", "z"}] == [
        set(plan.tables[0].entrants) - set(RIVALS) for plan in rounds
    ]
    assert [("z",), ("y",), ("x",)] == [plan.byes for plan in rounds]


def test_without_opponents_the_rivals_meet():
    """One table of both, which a rotated set turns."""
    (table,) = paired_round(7, RIVALS, RIVALS, table_size=2).tables

    assert RIVALS == table.entrants


@given(st.integers(1, 50), st.integers(2, 10), st.integers(0, 12))
def test_both_games_differ_in_one_seat_only(number, size, more):
    """Whatever the field: everybody sits once or rests, and the games are alike but for the rivals."""
    field = [f"bot-{place:02}" for place in range(size - 1 + more)]
    plan = paired_round(number, [*field, *RIVALS], RIVALS, table_size=size)
    one, two = seated(number, field, size)

    assert sorted([*plan.tables[0].entrants, *plan.byes]) == sorted([*field, *RIVALS])
    assert size == len(one) == len(two)
    assert [RIVALS] == [pair for pair in zip(one, two, strict=True) if pair[0] != pair[1]]


@pytest.mark.parametrize(
    ("entrants", "words"),
    [(("old", "x"), "both of its rivals"), (("old", "new", "x"), "tables of 3 need 2 opponents, not 1")],
)
def test_what_cannot_be_compared(entrants, words):
    """A rival is missing, or an opponent."""
    with pytest.raises(TournamentError, match=words):
        paired_round(1, entrants, RIVALS, table_size=3)


def test_a_pair_is_the_share_of_the_new_less_that_of_the_old():
    """The new one beats one of two, the old one none: a half, whichever game ends first."""
    games = [score(1, 1, old=9, x=1, y=2), score(1, 2, new=2, x=1, y=3)]
    straight, backwards = pairs(), pairs()
    for one, other in zip(games, reversed(games), strict=True):
        straight.add(one)
        backwards.add(other)

    assert 0.5 == straight.state().mean == backwards.state().mean


def test_rivals_who_meet_change_hands():
    """The new one wins with the good hand and ties with the bad one: (1 + 1/2) / 2 against (0 + 1/2) / 2."""
    met = pairs()
    met.add(score(1, 1, new=1, old=9))
    met.add(score(1, 2, old=5, new=5))

    assert float(Fraction(3, 4) - Fraction(1, 4)) == met.state().mean


def test_only_the_longest_finished_prefix_counts():
    """Rounds 2 and 3 are over and round 1 is not: nothing counts; then all of it does."""
    waiting = pairs()
    for number in (2, 3):
        waiting.add(score(number, 1, old=2, x=1))
        waiting.add(score(number, 2, new=0, x=1))
    waiting.add(score(1, 2, new=0, x=1))
    before = waiting.state()
    waiting.add(score(1, 1, old=2, x=1))

    assert (0, 2, None) == (before.pairs, before.beyond, before.mean)
    assert (3, 0, 1.0) == (waiting.state().pairs, waiting.state().beyond, waiting.state().mean)


def test_where_nothing_is_left_to_chance_equal_pairs_count_once_and_a_hundred_on_end_are_enough():
    """The second pair differs in one deal of an opponent; from then on all are as the second."""
    drafted, dealt = pairs(by_lot=False), pairs()
    for number in range(1, 103):
        assert not drafted.over
        for comparison in (drafted, dealt):
            comparison.add(score(number, 1, old=2, x=1 if number == 1 else 2))
            comparison.add(score(number, 2, new=0, x=1))

    assert drafted.over
    assert (2, 100, Verdict.UNDECIDED) == (
        drafted.state().pairs,
        drafted.state().repeated,
        drafted.state().verdict,
    )
    assert (Verdict.BETTER, 0) == (dealt.state().verdict, dealt.state().repeated)
