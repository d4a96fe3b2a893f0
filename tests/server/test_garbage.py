"""Python's garbage collection while a referee works."""

import gc

import pytest

from referee.server.garbage import collected_seldom


@pytest.fixture
def threshold():
    """Put back what the test changes."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("before", "meanwhile"),
    [((700, 10, 10), (20_000, 10, 10)), ((50_000, 5, 5), (50_000, 5, 5)), ((0, 10, 10), (0, 10, 10))],
)
@pytest.mark.usefixtures("threshold")
def test_collections_are_rarer_for_a_while(before, meanwhile):
    """Who has asked for still fewer, or for none, keeps that; afterwards all is as it was."""
    gc.set_threshold(*before)
    with collected_seldom():
        assert meanwhile == gc.get_threshold()

    assert before == gc.get_threshold()


@pytest.mark.usefixtures("threshold")
def test_it_is_put_back_after_an_error_too():
    """An exception goes through."""
    gc.set_threshold(700, 10, 10)
    with pytest.raises(KeyError), collected_seldom():
        raise KeyError

    assert (700, 10, 10) == gc.get_threshold()
