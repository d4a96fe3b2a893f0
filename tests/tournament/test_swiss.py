"""Swiss rounds: legal always, fair, and with as few repeats as there need be."""

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.cost import cost
from referee.tournament.history import History, at_small_tables
from referee.tournament.model import RoundPlan, TournamentError
from referee.tournament.sizes import table_sizes
from referee.tournament.swiss import default_rounds, pair_round, size_warning
from tests.tournament.played import names, plan, results, seated, spread_of, swiss


def assert_legal(drawn: RoundPlan, active: list[str] | tuple[str, ...], table_size: int) -> None:
    """Everybody once, sizes as they must be, tables numbered from 1, the round on each."""
    assert sorted(active) == sorted([*seated(drawn), *drawn.byes])
    assert table_sizes(len(active), table_size) == tuple(
        sorted((len(at.entrants) for at in drawn.tables), reverse=True)
    )
    assert list(range(1, len(drawn.tables) + 1)) == [at.table for at in drawn.tables]
    assert {drawn.number} >= {at.round for at in drawn.tables}


@settings(max_examples=20, deadline=None)
@given(data=st.data(), entrants=st.integers(2, 40), table_size=st.integers(2, 10))
def test_every_round_is_legal_whoever_comes_and_goes(
    data: st.DataObject, entrants: int, table_size: int
) -> None:
    """Four rounds with withdrawals and late entries in between seat everybody active exactly once."""
    plans: list[RoundPlan] = []
    for number in range(1, 5):
        active = data.draw(st.lists(st.sampled_from(names(entrants)), min_size=1, unique=True))
        history = History.of(plans, [score for drawn in plans for score in results(drawn)])
        plans.append(pair_round(number, active, history, table_size=table_size, seed="seed"))

        assert_legal(plans[-1], active, table_size)


@pytest.mark.parametrize(("entrants", "table_size"), [(5, 2), (6, 4), (10, 4), (11, 3)])
def test_there_is_always_a_next_round(entrants: int, table_size: int) -> None:
    """Long after everybody has met everybody, rounds are legal still and say why some meet again."""
    plans, _ = swiss(names(entrants), 9, table_size=table_size)

    for drawn in plans:
        assert_legal(drawn, names(entrants), table_size)
    assert any("meet again, since" in note for note in plans[-1].notes)


def test_repeats_are_spread_before_anybody_meets_a_third_time() -> None:
    """Six at tables of two have five rounds without a repeat; in ten rounds every pair meets twice."""
    plans, _ = swiss(names(6), 5, table_size=2)
    _, history = swiss(names(6), 10, table_size=2)

    assert [()] * 5 == [drawn.notes for drawn in plans]
    assert {2} == set(history.meetings.values())
    assert 15 == len(history.meetings)


@pytest.mark.parametrize(
    ("entrants", "table_size", "rounds"), [(16, 4, 3), (20, 4, 4), (40, 4, 7), (30, 3, 8), (20, 2, 12)]
)
def test_no_avoidable_repeat(entrants: int, table_size: int, rounds: int) -> None:
    """Where a round without repeats is there to be found, nobody meets again."""
    _, history = swiss(names(entrants), rounds, table_size=table_size)

    assert {1} == set(history.meetings.values())


def test_sixty_four_at_tables_of_four_play_eleven_rounds_without_a_repeat() -> None:
    """The field in which the usual greedy walk leaves 41 repeats has none."""
    plans, history = swiss(names(64), 11, table_size=4)

    assert {1} == set(history.meetings.values())
    assert 11 * 16 * 6 == len(history.meetings)
    assert [()] * 11 == [drawn.notes for drawn in plans]


@pytest.mark.slow
@pytest.mark.parametrize("table_size", [2, 4])
def test_a_thousand_play_eleven_rounds_without_a_repeat(table_size: int) -> None:
    """The largest field that is promised: legal, no repeats, nothing to note."""
    plans, history = swiss(names(1_000), 11, table_size=table_size)

    assert {1} == set(history.meetings.values())
    assert_legal(plans[-1], names(1_000), table_size)


def test_those_with_like_points_meet() -> None:
    """After one round of two, winners meet winners: the squared differences of the second round are all 0."""
    plans, _ = swiss(names(16), 2, table_size=2)
    history = History.of(plans[:1], results(plans[0]))

    assert 0 == cost(plans[1], history).spread


@pytest.mark.parametrize("table_size", [2, 4])
def test_the_leader_is_at_the_first_table(table_size: int) -> None:
    """Tables are numbered from the top of the standings down."""
    _, history = swiss(names(16), 3, table_size=table_size)
    drawn = pair_round(4, names(16), history, table_size=table_size, seed="seed")
    tops = [max(history.points[name] for name in at.entrants) for at in drawn.tables]

    assert sorted(tops, reverse=True) == tops


def test_byes_go_round_from_the_bottom() -> None:
    """Seven at tables of two: in seven rounds everybody rests once, the first to rest being at the bottom."""
    plans, history = swiss(names(7), 7, table_size=2)
    before = History.of(plans[:1], results(plans[0]))
    rested = plans[1].byes[0]

    assert dict.fromkeys(names(7), 1) == history.byes
    assert (
        min(points for name, points in before.points.items() if name not in plans[0].byes)
        == (before.points[rested])
    )


def test_a_second_bye_comes_only_after_everybody_had_one_and_says_so() -> None:
    """In the sixth round of five somebody rests again, and the note gives the reason."""
    plans, history = swiss(names(5), 6, table_size=2)
    [rested] = plans[5].byes

    assert 1 == spread_of(history.byes[name] for name in names(5))
    assert f"round 6: {rested} has another bye, since everybody has had one" in plans[5].notes


@pytest.mark.parametrize(("entrants", "table_size"), [(23, 4), (31, 4), (41, 4), (14, 3)])
def test_small_tables_are_shared_out(entrants: int, table_size: int) -> None:
    """Nobody is at a small table twice before everybody has been, as long as nobody needs to meet again."""
    plans, history = swiss(names(entrants), 3, table_size=table_size)
    visits = Counter(name for drawn in plans for name in at_small_tables(drawn))

    assert {1} == set(history.meetings.values())
    assert spread_of(visits[name] for name in names(entrants)) <= 1


def test_seats_are_shared_out() -> None:
    """In four rounds at full tables hardly anybody has a seat more than twice."""
    _, history = swiss(names(64), 4, table_size=4)

    assert sum(count - 1 for count in history.seats.values()) < 64
    assert max(history.seats.values()) <= 2


def test_a_late_entrant_starts_with_no_points_and_meets_the_bottom() -> None:
    """Somebody who joins in the fourth round sits with entrants of the lower half."""
    _, history = swiss(names(16), 3, table_size=2)
    drawn = pair_round(4, [*names(16), "late", "later"], history, table_size=2, seed="seed")
    ranked = sorted(names(16), key=lambda name: history.points[name])
    [opponents] = [at.entrants for at in drawn.tables if "late" in at.entrants]

    assert set(opponents) <= {"late", "later", *ranked[:8]}


def test_the_withdrawn_are_not_paired() -> None:
    """Who is not active is in no table and has no bye, though the history knows it."""
    _, history = swiss(names(9), 2, table_size=3)
    drawn = pair_round(3, names(9)[:7], history, table_size=3, seed="seed")

    assert_legal(drawn, names(9)[:7], 3)


def test_few_who_are_left_are_told_so() -> None:
    """One alone rests and nobody at all is an empty round; both come with a sentence."""
    alone = pair_round(3, ["a"], History(), table_size=4, seed="seed")
    nobody = pair_round(3, [], History(), table_size=2, seed="seed")

    assert ((), ("a",)) == (alone.tables, alone.byes)
    assert ("round 3: only a is left, who has a bye, since a table needs two",) == alone.notes
    assert ("round 3: nobody is left, since a table needs two",) == nobody.notes


def test_the_note_on_repeats_names_pairs_and_the_reason() -> None:
    """Two who have met and have nobody else: both the pair and the want of others are named."""
    history = History(meetings={frozenset("ab"): 1})
    drawn = pair_round(2, "ab", history, table_size=2, seed="seed")

    [note] = drawn.notes
    assert note.startswith("round 2: a and b meet again, since ")
    assert note.endswith(" needs 1 opponents and has none left whom it has not met")


def test_a_second_visit_to_a_small_table_is_noted() -> None:
    """Seven at 4 + 3: a, b and c were small; d, e, f, g met, so somebody must go again to avoid repeats."""
    history = History.of([plan(1, "defg", "abc")], [])
    drawn = pair_round(2, "abcdefg", history, table_size=4, seed="seed")
    again = sorted(set("abc") & set(at_small_tables(drawn)))

    assert again
    assert (
        f"round 2: {', '.join(again)} visit a smaller table again before everybody has, "
        "since meeting new opponents comes first"
    ) in drawn.notes


def test_a_name_given_twice_is_refused() -> None:
    """An entrant can be active only once."""
    with pytest.raises(TournamentError, match="named twice"):
        pair_round(1, ["a", "b", "a"], History(), table_size=2, seed="seed")


@pytest.mark.parametrize(("entrants", "table_size"), [(9, 2), (23, 4)])
def test_the_round_depends_on_the_seed_and_not_on_the_order(entrants: int, table_size: int) -> None:
    """Shuffled entrants give the very same round; another seed gives another one."""
    _, history = swiss(names(entrants), 1, table_size=table_size)
    shuffled = random.Random(5).sample(names(entrants), entrants)
    drawn = pair_round(2, names(entrants), history, table_size=table_size, seed="one")

    assert drawn == pair_round(2, shuffled, history, table_size=table_size, seed="one")
    assert drawn != pair_round(2, names(entrants), history, table_size=table_size, seed="two")


def test_equal_points_of_awkward_denominators_are_ties() -> None:
    """Points such as 1/3 and 1/7 are compared exactly: the two with equal points meet."""
    third, seventh = Fraction(1, 3), Fraction(1, 7)
    history = History(points={"a": third, "b": seventh, "c": third, "d": seventh})
    drawn = pair_round(2, "abcd", history, table_size=2, seed="seed")

    assert {frozenset("ac"), frozenset("bd")} == {frozenset(at.entrants) for at in drawn.tables}


def test_points_too_fine_for_the_matching_are_rounded_not_refused() -> None:
    """Denominators of broken-off games whose common multiple is astronomic still give the evident pairs."""
    primes = (99_989, 99_991, 100_003, 100_019, 100_043, 100_049)
    points = {
        name: level + Fraction(1, prime)
        for name, level, prime in zip("abcdef", (9, 9, 5, 5, 1, 1), primes, strict=True)
    }
    drawn = pair_round(9, "abcdef", History(points=points), table_size=2, seed="seed")

    assert {frozenset("ab"), frozenset("cd"), frozenset("ef")} == {
        frozenset(at.entrants) for at in drawn.tables
    }


@pytest.mark.parametrize(
    ("entrants", "table_size", "expected"),
    [
        (1_000, 4, 7),
        (64, 4, 5),
        (16, 4, 4),
        (12, 4, 3),
        (8, 2, 5),
        (5, 2, 4),
        (4, 2, 3),
        (4, 4, 3),
        (2, 2, 3),
    ],
)
def test_default_rounds(entrants: int, table_size: int, expected: int) -> None:
    """The logarithm plus two, less where that would force repeats, and three at least."""
    assert expected == default_rounds(entrants, table_size)


def test_many_rounds_for_a_small_field_are_warned_of() -> None:
    """R(k - 1) > 0.7 (n - 1): for 11 at tables of two, 7 rounds are no more than 7, and 8 are."""
    assert size_warning(11, 2, 7) is None
    assert size_warning(11, 2, 8) == (
        "8 rounds at tables of 2 are many for a Swiss of 11: a round-robin suits so small a field better"
    )
