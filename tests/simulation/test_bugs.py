"""The simulator finds bugs: each of those that are put in on purpose, by the promise that it breaks."""

import itertools

import attrs
import pytest

from tests.simulation.bugs import BUGS, Bug, a_fault_is_the_neighbours
from tests.simulation.course import Course, play
from tests.simulation.drawing import draw
from tests.simulation.plan import Deed, Plan
from tests.simulation.shrinking import breaks, shrunk

MOST_SEEDS = 400


def first_broken() -> tuple[Plan, Course]:
    """Play from seed 1 on to the first that breaks a promise."""
    for seed in itertools.islice(itertools.count(1), MOST_SEEDS):
        course = play(draw(seed))
        if course.broken:
            return draw(seed), course
    raise AssertionError("the bug was not found")


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.__name__)
def test_a_deliberate_bug_is_found(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a few hundred seeds, by a promise that the bug does break."""
    bug(monkeypatch)
    plan, course = first_broken()

    assert course.broken in BUGS[bug], f"{plan}\n{course.how}"


def test_a_failing_plan_shrinks_to_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault on the wrong account needs one action of one of two bots in one plain game."""
    a_fault_is_the_neighbours(monkeypatch)
    plan, course = first_broken()
    smallest = shrunk(plan, breaks(course.broken))

    assert "FaultsSitRight" == course.broken == play(smallest).broken
    assert (1, 2, 1, 1) == (len(smallest.actions), len(smallest.entrants), smallest.games, smallest.deals)
    assert 4 == len(str(smallest).splitlines())


def test_shrinking_keeps_what_is_needed() -> None:
    """Of a plan that fails for two of its actions together exactly these two stay."""
    plan = next(plan for plan in map(draw, itertools.count(1)) if len(plan.actions) >= 5)
    needed = {plan.actions[1], plan.actions[4]}
    smallest = shrunk(plan, lambda smaller: needed <= set(smaller.actions))

    assert needed == set(smallest.actions)


def test_a_plan_says_one_line_an_action() -> None:
    """Head, entrants, actions: what somebody needs who reads it."""
    plan = draw(1)
    lines = str(plan).splitlines()

    assert 1 + len(plan.entrants) + len(plan.actions) == len(lines)
    assert lines[0].startswith("seed 1: ")


def test_a_seed_is_always_the_same_tournament() -> None:
    """Played twice: the same steps and deeds, so that a failure can be looked at again."""
    plans = [plan for plan in map(draw, range(1, 60)) if plan.actions][:5]

    assert [play(plan) for plan in plans] == [play(attrs.evolve(plan)) for plan in plans]
    assert {deed for plan in plans for deed in play(plan).done} <= set(Deed)
