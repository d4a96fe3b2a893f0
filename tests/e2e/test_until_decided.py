"""`--until-decided`: real tournaments that end when their order is no chance any more."""

import random
from pathlib import Path

import pytest

from tests.e2e.conftest import SAMPLE_BOTS, Play, Start
from tests.e2e.test_kill_and_resume import JOURNAL, kill_until_done, record

BOTS = {path.stem: path for path in SAMPLE_BOTS}
UNEQUAL = ("--deals", 1, "--seed", "apart", BOTS["careful"], BOTS["chance"])


def words(journal: str, *more: object) -> tuple[object, ...]:
    """Return the words for a tournament of a good bot and one that plays any card."""
    return ("run-local", "--until-decided", "--journal", journal, *more, *UNEQUAL)


def test_it_ends_long_before_the_budget_and_at_the_same_game_whatever_runs_at_once(play: Play) -> None:
    """The good bot is soon above the other; with one table at a time or four the record is the same."""
    alone = play(*words("alone.journal", "--concurrency", 1))
    together = play(*words("together.journal", "--concurrency", 4))

    assert (0, 0) == (alone.code, together.code)
    assert "the order was decided after" in alone.err
    assert " of at most 1,000 rounds: it has a likelihood of " in alone.err
    assert alone.digest_so_far == together.digest_so_far
    assert record(play, "alone.journal") == record(play, "together.journal")


def test_killed_and_resumed_it_ends_at_the_same_game(start: Start, play: Play, tmp_path: Path) -> None:
    """What is to be decided is in the journal; the record is that of an undisturbed tournament."""
    more = ("--games", 12, "--concurrency", 2)
    assert play(*words("whole.journal", *more)).code == 0

    kills = kill_until_done(start, words(JOURNAL, *more), tmp_path, random.Random(3), 2)

    assert kills >= 1
    assert record(play, JOURNAL) == record(play, "whole.journal")


def test_equals_spend_the_budget(play: Play) -> None:
    """A bot and its copy are never apart: all rounds are played, and it is said what was missing."""
    twins = (f"{name}={BOTS['careful']}" for name in ("ada", "bob"))
    outcome = play("run-local", "--until-decided", "--deal-sets", 1, "--rounds", 12, "--deals", 1, *twins)

    assert 0 == outcome.code
    assert "the order was not decided within 12 rounds: it has a likelihood of " in outcome.err
    assert ", and 99.6% are needed" in outcome.err


def test_only_the_top(play: Play) -> None:
    """The first of three is decided while its two copies of a weak bot are not."""
    weak = (f"{name}={BOTS['chance']}" for name in ("ada", "bob"))
    outcome = play(
        "run-local", "--until-decided", "--top", 1, "--deals", 1, "--seed", "top", BOTS["careful"], *weak
    )

    assert 0 == outcome.code
    assert "it ends once the first place is decided; that is looked at after round " in outcome.err
    assert "the first place was decided after" in outcome.err


def test_a_swiss_is_looked_at_between_rounds(play: Play) -> None:
    """Its rounds wait for each other anyway."""
    swiss = ("--tournament", "swiss", "--rounds", 3, "--games", 20)
    outcome = play(*words("swiss.journal", *swiss))

    assert 0 == outcome.code
    assert "that is looked at after round 1, 2, 3" in outcome.err
    assert "the order was" in outcome.err


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--top", 1), "--top says what --until-decided is to decide: give both, or none."),
        (("--until-decided", "--top", 3), "--top 3: there are only 2 places to decide."),
    ],
)
def test_what_cannot_be_decided(play: Play, more: tuple[object, ...], sentence: str) -> None:
    """One sentence, exit code 2, and no journal."""
    outcome = play("run-local", *more, *UNEQUAL)

    assert (2, "", f"take5-referee: {sentence}") == (outcome.code, outcome.out, outcome.err.strip())
