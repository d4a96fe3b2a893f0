"""The abuse of a real referee: every conversation ends as it has to, and nobody well-behaved notices any."""

import pytest

from tests.hostile.abuse import FEWEST_GAMES, HONEST, Outcome, by_guests, by_players, by_strangers, hold
from tests.hostile.abuses import Ending

FEWEST_KINDS = 60
MOST_MEMORY_KIB = 32 * 1024
"""What the referee may have taken more after all of it; a leak of what is sent here would be far beyond."""


@pytest.fixture(scope="module")
def abused(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Serve a tournament that is abused."""
    return hold(tmp_path_factory.mktemp("abused"), FEWEST_GAMES, seconds=0)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Serve the same tournament to well-behaved bots alone."""
    return hold(tmp_path_factory.mktemp("undisturbed"), FEWEST_GAMES, seconds=None)


def test_every_conversation_ends_as_it_has_to(abused: Outcome) -> None:
    """With its code and sentence, in order and not by a reset; none waits for ever."""
    acts = [*by_strangers(), *by_guests(), *by_players()]

    assert [] == abused.report.wrong
    assert len(acts) == abused.report.held >= FEWEST_KINDS
    assert len(acts) == len({act.name for act in acts})


def test_the_well_behaved_have_no_fault_and_lose_no_connection(abused: Outcome) -> None:
    """Nothing is charged to them, not even a late answer."""
    assert ({name: {} for name in HONEST}, 0) == (abused.faults, abused.report.drops)


def test_their_record_is_that_of_an_undisturbed_tournament(abused: Outcome, undisturbed: Outcome) -> None:
    """All their games, to the byte."""
    assert abused.record == undisturbed.record
    assert FEWEST_GAMES == sum('"event":"game"' in line for line in abused.record)


def test_the_referee_keeps_its_composure(abused: Outcome) -> None:
    """It ends well, holds no file or memory for those who have gone, and does not say too much."""
    before, after = abused.report.memory_kib
    refusals = [line for line in abused.lines if "was turned away" in line]

    assert 0 == abused.exit_code
    assert not [line for line in abused.lines if "Traceback" in line]
    assert after - before < MOST_MEMORY_KIB
    assert abused.report.open_files[1] <= abused.report.open_files[0]
    assert 3 == len(refusals)
    assert all(line.isprintable() for line in abused.lines)


def test_an_ending_fits_by_code_and_words() -> None:
    """So that the conversations above can go wrong."""
    ending = Ending(code="bad_frame", words="map")

    assert ending.fits({"type": "error", "code": "bad_frame", "message": "no map"})
    assert not ending.fits({"type": "error", "code": "bad_field", "message": "no map"})
    assert not ending.fits({"type": "error", "code": "bad_frame", "message": "nothing"})
    assert not ending.fits({})
    assert Ending(code="").fits({})
    assert not Ending(code="").fits({"type": "closing", "reason": "finished"})
