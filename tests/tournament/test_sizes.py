"""How a field is split into tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.model import TournamentError
from referee.tournament.sizes import table_sizes


@pytest.mark.parametrize(
    ("entrants", "table_size", "expected"),
    [
        (9, 4, (3, 3, 3)),
        (10, 4, (4, 3, 3)),
        (12, 4, (4, 4, 4)),
        (5, 4, (3, 2)),
        (4, 3, (2, 2)),
        (7, 2, (2, 2, 2)),
        (3, 2, (2,)),
        (3, 4, (3,)),
        (11, 10, (6, 5)),
        (2, 10, (2,)),
        (1, 4, ()),
        (0, 2, ()),
    ],
)
def test_sizes_worked_by_hand(entrants: int, table_size: int, expected: tuple[int, ...]) -> None:
    """As few tables as will do, as even as can be, larger ones first; one rests only where it must."""
    actual = table_sizes(entrants, table_size)

    assert expected == actual


@given(entrants=st.integers(2, 2_000), table_size=st.integers(2, 10))
def test_sizes_always_seat_everybody_evenly(entrants: int, table_size: int) -> None:
    """No table of one or above the limit, sizes within one, no table too many, a bye only at pairs."""
    sizes = table_sizes(entrants, table_size)
    resting = 1 if table_size == 2 and entrants % 2 else 0

    assert entrants - resting == sum(sizes)
    assert 2 <= min(sizes) <= max(sizes) <= min(table_size, min(sizes) + 1)
    assert (len(sizes) - 1) * table_size < entrants - resting
    assert sorted(sizes, reverse=True) == list(sizes)


@pytest.mark.parametrize("table_size", [-1, 0, 1, 11])
def test_a_table_size_out_of_range_is_refused(table_size: int) -> None:
    """Sizes below two and above ten are answered with the range."""
    with pytest.raises(TournamentError, match=f"2 to 10, not {table_size}"):
        table_sizes(8, table_size)
