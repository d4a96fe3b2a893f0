"""The sequential comparison: its order, its edges, and how often it errs."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.model import TournamentError
from referee.tournament.sequential import Comparison, PairedTest, Question, Verdict

NOTHING = Fraction(0)
THIRD = Fraction(1, 3)


def differences(gap: float, chance: random.Random) -> Iterator[Fraction]:
    """Pairs at tables of four: A and B share half the luck of their hands, and the opponents most of theirs.

    Shares differ with a standard deviation of 0.38; a gap of 0.43 deviations of a total makes a mean of 0.12.
    """
    while True:
        shared, opponents = chance.gauss(0, math.sqrt(0.5)), [chance.gauss(0, 1) for _ in range(3)]
        first = shared + chance.gauss(0, math.sqrt(0.5))
        second = shared + chance.gauss(gap, math.sqrt(0.5))
        again = [math.sqrt(0.7) * other + chance.gauss(0, math.sqrt(0.3)) for other in opponents]
        beaten = sum(second > other for other in again) - sum(first > other for other in opponents)
        yield Fraction(beaten, 3)


def compare(pairs: Iterator[Fraction], question: Question | None = None, *, most: int = 5_000) -> Comparison:
    """Take in pairs in order until it is decided."""
    test = PairedTest(question)
    for place in range(most):
        test.add(place, next(pairs))
        if test.verdict is not Verdict.UNDECIDED:
            break
    return test.state()


def verdicts(gap: float, *, runs: int) -> tuple[Counter[Verdict], float]:
    """How often each verdict comes, and after how many pairs on average."""
    chance = random.Random(f"gap {gap}")
    found = [compare(differences(gap, chance)) for _ in range(runs)]
    return Counter(one.verdict for one in found), sum(one.pairs for one in found) / runs


def test_equals_and_betters_by_and_large() -> None:
    """Of 20 comparisons of equals at most 6 say otherwise; of 20 of a B better by 0.12 none misses it."""
    equal, _ = verdicts(0, runs=20)
    better, _ = verdicts(0.43, runs=20)

    assert equal[Verdict.NO_DIFFERENCE_SHOWN] >= 14
    assert {Verdict.BETTER: 20} == better


@pytest.mark.slow
def test_equals_are_told_apart_as_seldom_as_alpha_says() -> None:
    """Of 1,500 comparisons of equals about 5 % say better and 5 % worse, after about 370 pairs, 740 games."""
    found, pairs = verdicts(0, runs=1_500)

    assert 0.025 <= found[Verdict.BETTER] / 1_500 <= 0.065
    assert 0.025 <= found[Verdict.WORSE] / 1_500 <= 0.065
    assert 320 <= pairs <= 420


@pytest.mark.slow
def test_the_smallest_difference_is_missed_as_seldom_as_beta_says() -> None:
    """Of 1,500 comparisons with B better by about 0.06 some 5 % show no difference, and none says worse."""
    found, _ = verdicts(0.212, runs=1_500)

    assert found[Verdict.NO_DIFFERENCE_SHOWN] / 1_500 <= 0.065
    assert found[Verdict.WORSE] == 0


@pytest.mark.slow
def test_twice_the_smallest_difference_takes_about_two_hundred_games() -> None:
    """B better by 0.12 is found after about 100 pairs, 200 games; worse by as much likewise."""
    better, pairs = verdicts(0.43, runs=1_000)
    worse, pairs_worse = verdicts(-0.43, runs=1_000)

    assert better[Verdict.BETTER] >= 995
    assert worse[Verdict.WORSE] >= 995
    assert 80 <= pairs <= 120
    assert 80 <= pairs_worse <= 120


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([0.0, 0.8]))
def test_the_verdict_does_not_depend_on_which_pair_ends_first(chance: random.Random, gap: float) -> None:
    """Pairs that come in any order give the verdict, the estimate and the count of those in order."""
    pairs = differences(gap, random.Random(7))
    found = [next(pairs) for _ in range(120)]
    order = list(range(120))
    chance.shuffle(order)
    straight, mixed = PairedTest(), PairedTest()
    for place, difference in enumerate(found):
        straight.add(place, difference)
    for place in order:
        mixed.add(place, found[place])

    assert straight.state() == mixed.state()


def test_a_pair_counts_only_once_all_before_it_have_ended() -> None:
    """Pairs 2 and 3 wait for pair 1."""
    test = PairedTest()
    test.add(2, THIRD)
    test.add(1, THIRD)
    waiting = test.state()
    test.add(0, -THIRD)

    assert (0, 2, None) == (waiting.pairs, waiting.beyond, waiting.mean)
    assert (3, 0, pytest.approx(1 / 9)) == (test.state().pairs, test.state().beyond, test.state().mean)


def test_a_decision_stays_and_later_pairs_do_not_count() -> None:
    """Wins throughout are decided; losses after that are beyond and change neither verdict nor estimate."""
    decided = compare(iter([Fraction(1)] * 50))
    test = PairedTest()
    for place in range(decided.pairs):
        test.add(place, Fraction(1))
    for place in range(decided.pairs, decided.pairs + 100):
        test.add(place, Fraction(-1))

    assert (Verdict.BETTER, 10, 1.0) == (decided.verdict, decided.pairs, decided.mean)
    assert (Verdict.BETTER, 10, 100, 1.0) == (
        test.state().verdict,
        test.state().pairs,
        test.state().beyond,
        test.state().mean,
    )


def test_identical_bots_show_no_difference_after_some_pairs() -> None:
    """Ties throughout: -n 0.0036 / (2 v) with v = 1.25 / (n + 5) is below -log(19) = -2.944 from n = 43."""
    found = compare(iter([NOTHING] * 100))

    assert (Verdict.NO_DIFFERENCE_SHOWN, 43, 0) == (found.verdict, found.pairs, found.mean)
    assert found.low < 0 < found.high


def test_identical_pairs_count_once() -> None:
    """A hundred repetitions of one pair are one pair, which decides nothing."""
    test = PairedTest()
    for place in range(100):
        test.add(place, Fraction(1), identity="same")

    assert Comparison(
        verdict=Verdict.UNDECIDED, pairs=1, repeated=99, beyond=0, mean=1.0, low=None, high=None
    ) == (test.state())


def test_before_the_first_pair() -> None:
    """Nothing is known, and nothing is nan."""
    assert Comparison(
        verdict=Verdict.UNDECIDED, pairs=0, repeated=0, beyond=0, mean=None, low=None, high=None
    ) == (PairedTest().state())


def test_the_bar_follows_the_spread_and_the_number() -> None:
    """Differences of 1 and -1 in turn: variance (100 + 1.25) / 105, so 1.96 root(0.9643 / 100) = 0.1925.

    Wins of one in turn with losses of one are neither better nor worse, but more than 0.06 apart in a bar.
    """
    test = PairedTest()
    for place in range(100):
        test.add(place, Fraction((-1) ** place))

    assert (Verdict.UNDECIDED, 0) == (test.state().verdict, test.state().mean)
    assert pytest.approx(0.1925, abs=1e-4) == test.state().high


def test_a_place_is_entered_once() -> None:
    """Counted or waiting, a second result for it is refused, with the number that people see."""
    test = PairedTest()
    test.add(0, NOTHING)
    test.add(5, NOTHING)
    with pytest.raises(TournamentError, match="pair 1 of the schedule"):
        test.add(0, NOTHING)
    with pytest.raises(TournamentError, match="pair 6 of the schedule"):
        test.add(5, NOTHING)


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"smallest": 0.0}, "smallest difference"),
        ({"smallest": math.nan}, "smallest difference"),
        ({"alpha": 0.5}, "alpha is a chance of error"),
        ({"beta": 0.0}, "beta is a chance of error"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(numbers: dict[str, float], says: str) -> None:
    """One sentence names the number and its range."""
    with pytest.raises(TournamentError, match=says):
        Question(**numbers)


def test_a_larger_smallest_difference_is_decided_sooner() -> None:
    """Ties throughout, asked for 0.2 and for 0.02."""
    large = compare(iter([NOTHING] * 1_000), Question(smallest=0.2))
    small = compare(iter([NOTHING] * 1_000), Question(smallest=0.02))

    assert large.pairs < 43 < small.pairs
