"""Round-robin schedules."""

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.history import at_small_tables
from referee.tournament.model import RoundPlan, TournamentError
from referee.tournament.round_robin import cycle_rounds, meeting_histogram, meetings, schedule
from referee.tournament.sizes import table_sizes
from tests.tournament.played import names, plan, seated, spread_of

Rounds = tuple[RoundPlan, ...]


def drawn(entrants: int, table_size: int, rounds: int | None = None, seed: str = "seed") -> Rounds:
    """The schedule of a field of so many."""
    return schedule(names(entrants), table_size=table_size, rounds=rounds, seed=seed)


def assert_legal(rounds: Rounds, entrants: int, table_size: int) -> None:
    """Everybody once a round at tables of the right sizes, all numbered from 1."""
    assert list(range(1, len(rounds) + 1)) == [each.number for each in rounds]
    for each in rounds:
        assert list(names(entrants)) == sorted([*seated(each), *each.byes])
        assert table_sizes(entrants, table_size) == tuple(
            sorted((len(at.entrants) for at in each.tables), reverse=True)
        )
        assert [(each.number, place) for place in range(1, len(each.tables) + 1)] == [
            (at.round, at.table) for at in each.tables
        ]


def seat_counts(rounds: Rounds) -> Counter[tuple[str, int]]:
    """How often each entrant has each seat."""
    return Counter(
        (name, seat) for each in rounds for at in each.tables for seat, name in enumerate(at.entrants)
    )


@settings(max_examples=20, deadline=None)
@given(entrants=st.integers(2, 16), table_size=st.integers(2, 10), rounds=st.integers(1, 9))
def test_any_number_of_rounds_is_legal_and_fair(entrants: int, table_size: int, rounds: int) -> None:
    """Legal rounds as many as asked; byes and visits to small tables differ by at most one."""
    given_rounds = drawn(entrants, table_size, rounds)
    byes = Counter(name for each in given_rounds for name in each.byes)
    visits = Counter(name for each in given_rounds for name in at_small_tables(each))

    assert rounds == len(given_rounds)
    assert_legal(given_rounds, entrants, table_size)
    assert spread_of(byes[name] for name in names(entrants)) <= 1
    assert spread_of(visits[name] for name in names(entrants)) <= 1


@settings(max_examples=20, deadline=None)
@given(entrants=st.integers(2, 15), table_size=st.integers(2, 10))
def test_a_cycle_is_equal_for_everybody(entrants: int, table_size: int) -> None:
    """Equal numbers of games and of visits to small tables; each seat equally often, give or take one."""
    rounds = drawn(entrants, table_size)
    games = Counter(name for each in rounds for name in seated(each))
    visits = Counter(name for each in rounds for name in at_small_tables(each))
    seats = seat_counts(rounds)

    assert cycle_rounds(entrants, table_size) == len(rounds)
    assert_legal(rounds, entrants, table_size)
    assert 0 == spread_of(games[name] for name in names(entrants))
    assert 0 == spread_of(visits[name] for name in names(entrants))
    for seat in range(table_size):
        assert spread_of(seats[name, seat] for name in names(entrants)) <= 2


@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 8, 11, 40])
def test_pairs_meet_exactly_once_in_a_cycle_of_two(entrants: int) -> None:
    """The circle method: every pair once; with an odd field everybody rests once."""
    rounds = drawn(entrants, 2)
    rested = Counter(name for each in rounds for name in each.byes)

    assert {1: entrants * (entrants - 1) // 2} == meeting_histogram(rounds)
    assert dict.fromkeys(names(entrants), entrants % 2) == {name: rested[name] for name in names(entrants)}


def test_part_of_a_circle_repeats_nothing_and_more_than_one_repeats_evenly() -> None:
    """Eight in pairs: three rounds have 12 pairs once; 17 rounds are two cycles and three rounds more."""
    assert {0: 16, 1: 12} == meeting_histogram(drawn(8, 2, 3))
    assert {2: 16, 3: 12} == meeting_histogram(drawn(8, 2, 17))


@pytest.mark.parametrize(
    ("entrants", "table_size", "rounds", "times"),
    [(8, 4, 7, 3), (9, 3, 8, 2), (12, 4, 11, 3), (16, 4, 15, 3), (20, 4, 19, 3), (7, 4, 7, 3)],
)
def test_exact_balance(entrants: int, table_size: int, rounds: int, times: int) -> None:
    """One cycle in which every pair meets equally often: a balanced design."""
    cycle = drawn(entrants, table_size)

    assert rounds == len(cycle)
    assert {times: entrants * (entrants - 1) // 2} == meeting_histogram(cycle)


@pytest.mark.parametrize(("entrants", "rounds"), [(24, 23), (28, 27), (31, 31)])
def test_exact_balance_of_larger_fields(entrants: int, rounds: int) -> None:
    """The same for fields that take longer to search."""
    cycle = drawn(entrants, 4)

    assert rounds == len(cycle)
    assert {3: entrants * (entrants - 1) // 2} == meeting_histogram(cycle)


def test_the_best_balance_where_none_is_exact() -> None:
    """30 at tables of 4 and 3 have 1,260 meetings of 435 pairs: 45 meet twice and 390 three times."""
    assert {2: 45, 3: 390} == meeting_histogram(drawn(30, 4))


@pytest.mark.parametrize(("entrants", "table_size", "rounds"), [(9, 3, 4), (16, 4, 5)])
def test_everybody_meets_everybody_exactly_once(entrants: int, table_size: int, rounds: int) -> None:
    """These rounds are an affine plane, found by annealing."""
    assert {1: entrants * (entrants - 1) // 2} == meeting_histogram(drawn(entrants, table_size, rounds))


def test_twenty_five_meet_exactly_once_in_six_rounds() -> None:
    """The affine plane of order 5."""
    assert {1: 300} == meeting_histogram(drawn(25, 5, 6))


def test_rounds_beyond_a_cycle_fill_up_what_is_missing() -> None:
    """(16, 4) in 20 rounds is a cycle of three meetings each and a plane of one: four meetings for all."""
    assert {4: 120} == meeting_histogram(drawn(16, 4, 20))


@pytest.mark.parametrize(("entrants", "table_size"), [(10, 4), (13, 4), (10, 5), (15, 7), (21, 10)])
def test_meetings_of_a_cycle_are_nearly_even(entrants: int, table_size: int) -> None:
    """Where the numbers do not come out, pairs still meet within two of each other."""
    assert spread_of(meeting_histogram(drawn(entrants, table_size))) <= 2


def test_seats_go_round_also_when_one_table_holds_all() -> None:
    """Three at one table for six rounds have every seat twice each."""
    assert {2} == set(seat_counts(drawn(3, 4, 6)).values())


def test_the_histogram_counts_pairs_that_never_meet() -> None:
    """Four entrants, one round: a and b, c and d meet; four pairs do not; one who rests is in no pair met."""
    assert {0: 4, 1: 2} == meeting_histogram([plan(1, "ab", "cd")])
    assert {0: 2, 1: 1} == meeting_histogram([plan(1, "ab", byes="c")])
    assert {frozenset("ab"): 2} == meetings([plan(1, "ab"), plan(2, "ba")])


@pytest.mark.parametrize(("entrants", "table_size", "rounds"), [(9, 2, None), (10, 4, None), (10, 4, 14)])
def test_the_schedule_depends_on_the_seed_and_not_on_the_order(
    entrants: int, table_size: int, rounds: int | None
) -> None:
    """Shuffled entrants give the very same schedule; another seed gives another one."""
    shuffled = random.Random(3).sample(names(entrants), entrants)

    assert drawn(entrants, table_size, rounds) == schedule(
        shuffled, table_size=table_size, rounds=rounds, seed="seed"
    )
    assert drawn(entrants, table_size, rounds) != drawn(entrants, table_size, rounds, seed="other")


@pytest.mark.parametrize(
    ("entrants", "table_size", "rounds", "message"),
    [
        (["a"], 4, None, "two entrants or more, not 1"),
        (["a", "b", "a"], 4, None, "same name"),
        (["a", "b"], 1, None, "2 to 10, not 1"),
        (["a", "b"], 2, 0, "one round or more, not 0"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_in_one_sentence(
    entrants: list[str], table_size: int, rounds: int | None, message: str
) -> None:
    """Too few entrants, equal names, table sizes and rounds out of range."""
    with pytest.raises(TournamentError, match=message):
        schedule(entrants, table_size=table_size, rounds=rounds, seed="seed")


def test_everybody_has_as_many_games_at_any_moment() -> None:
    """After any number of rounds nobody has played more than one round more than another."""
    played: Counter[str] = Counter()
    for each in drawn(11, 2):
        played.update(seated(each))

        assert spread_of(played[name] for name in names(11)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("table_size", range(2, 11))
@pytest.mark.parametrize("entrants", range(2, 41))
def test_every_field_up_to_forty(entrants: int, table_size: int) -> None:
    """A cycle of any field at any table size is legal, and no pair meets much more often than another."""
    rounds = drawn(entrants, table_size)
    games = Counter(name for each in rounds for name in seated(each))

    assert_legal(rounds, entrants, table_size)
    assert 0 == spread_of(games[name] for name in names(entrants))
    assert spread_of(meeting_histogram(rounds)) <= 4


@pytest.mark.slow
def test_a_large_field_is_scheduled_within_the_budget() -> None:
    """64 at tables of four: 63 rounds whose meetings differ by two at most from the mean of 3."""
    histogram = meeting_histogram(drawn(64, 4, 63))
    mean = Fraction(sum(times * pairs for times, pairs in histogram.items()), 64 * 63 // 2)

    assert mean == 3
    assert max(abs(times - 3) for times in histogram) <= 2
