"""Thousands of small tournaments under an adversary: all promises hold after every step of all of them."""

from collections import Counter

import pytest
from click.testing import CliRunner

from tests.simulation.__main__ import main
from tests.simulation.bugs import a_fault_is_the_neighbours
from tests.simulation.course import play
from tests.simulation.drawing import draw
from tests.simulation.plan import Deed
from tests.simulation.promises import PROMISES

CHUNK = 100


@pytest.mark.parametrize("first", range(1, 2001, CHUNK))
def test_all_promises_hold(first: int) -> None:
    """A hundred seeds: whatever happens to these tournaments, no promise is broken."""
    for seed in range(first, first + CHUNK):
        course = play(draw(seed))

        assert not course.broken, f"{draw(seed)}\n{course.how}"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_promises_hold_for_long() -> None:
    """Ten thousand further seeds."""
    for seed in range(1_000_000, 1_010_000):
        course = play(draw(seed))

        assert not course.broken, f"{draw(seed)}\n{course.how}"


def test_the_adversary_does_everything() -> None:
    """In 1,000 plans each deed comes up, and so does each size and shape of a tournament."""
    plans = [draw(seed) for seed in range(1, 1001)]
    deeds = Counter(action.deed for plan in plans for action in plan.actions)

    assert set(Deed) == set(deeds)
    assert {"round-robin", "swiss", "all-combinations"} == {plan.kind.value for plan in plans}
    assert {2, 3, 4, 5} == {plan.table_size for plan in plans}
    assert {"classic", "tactic", "advanced"} == {plan.variant.value for plan in plans}
    assert {(0, 1), (500, 2)} <= {(plan.bank_ms, plan.instances) for plan in plans}
    assert 400 < sum(plan.changes_nothing for plan in plans) < 900


def test_each_promise_says_which_it_is() -> None:
    """By its number in the design, from 1 to 12, and in a sentence."""
    assert all(promise.number in range(1, 13) and promise.__doc__ for promise in PROMISES)


def test_the_command_counts_what_it_did() -> None:
    """Three seeds: so many tournaments, and each kind of deed has its line."""
    result = CliRunner().invoke(main, ["--seeds", "3", "--seed", "7"])

    assert 0 == result.exit_code
    assert "tournaments 3," in result.output
    assert all(deed.name.lower() in result.output for deed in Deed)


def test_the_command_shows_a_single_seed() -> None:
    """Alone, a seed is shown with its plan, line by line."""
    result = CliRunner().invoke(main, ["--seed", "5"])

    assert str(draw(5)) in result.output


def test_the_command_ends_with_time() -> None:
    """With no time at all nothing is played, and nothing is wrong."""
    result = CliRunner().invoke(main, ["--seconds", "0"])

    assert (0, True) == (result.exit_code, "tournaments 0," in result.output)


def test_the_command_wants_to_know_how_many() -> None:
    """Without a number it says which options there are: usage, exit code 2."""
    assert 2 == CliRunner().invoke(main, []).exit_code


def test_the_command_reports_a_failure_in_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1, the seed, the smallest plan and how to see it again."""
    a_fault_is_the_neighbours(monkeypatch)
    result = CliRunner().invoke(main, ["--seeds", "100"])

    assert 1 == result.exit_code
    assert "FaultsSitRight" in result.output
    assert "the smallest plan" in result.output
    assert "again: python -m tests.simulation --seed" in result.output
