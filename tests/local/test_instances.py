import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.local.instances import instances_needed


@pytest.mark.parametrize(
    ("concurrency", "tables_per_round", "games_at_once", "expected"),
    [
        (1, 1, 1, 1),
        (2, 8, 1, 1),  # one round has more tables than run at once
        (4, 1, 1, 4),  # one table a round: four rounds run at once
        (5, 2, 1, 3),  # two rounds and a half
        (5, 2, 2, 2),  # three games at once, two for each process
        (8, 1, 64, 1),
    ],
)
def test_instances_by_hand(concurrency, tables_per_round, games_at_once, expected):
    """The processes cover ceil(ceil(concurrency / tables) / games at once) games."""
    actual = instances_needed(
        concurrency=concurrency, tables_per_round=tables_per_round, games_at_once=games_at_once
    )

    assert actual == expected


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 100))
def test_instances_suffice_and_none_is_idle(concurrency, tables_per_round, games_at_once):
    """All concurrent tables find their bots, and with one process fewer they would not."""
    count = instances_needed(
        concurrency=concurrency, tables_per_round=tables_per_round, games_at_once=games_at_once
    )

    assert count * games_at_once * tables_per_round >= concurrency
    assert (count - 1) * games_at_once * tables_per_round < concurrency


@pytest.mark.parametrize("values", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_instances_of_nothing(values):
    """A count below one is a mistake of the caller."""
    with pytest.raises(ValueError, match="at least 1"):
        instances_needed(concurrency=values[0], tables_per_round=values[1], games_at_once=values[2])
