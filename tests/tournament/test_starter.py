"""The cyclic starter: one round that is turned."""

from collections import Counter
from itertools import combinations

import pytest

from referee.tournament.sizes import table_sizes
from referee.tournament.starter import cycle_length, find_starter


@pytest.mark.parametrize(
    ("entrants", "table_size"), [(5, 2), (6, 2), (7, 4), (8, 4), (10, 4), (11, 3), (21, 10)]
)
def test_a_starter_is_one_legal_round(entrants: int, table_size: int) -> None:
    """All positions once, at tables of the right sizes; at pairs of an odd field the first rests."""
    starter = find_starter(entrants, table_size)
    resting = [] if starter.resting is None else [starter.resting]
    places = [place for table in starter.tables for place in table]

    assert list(range(entrants)) == sorted(places + resting)
    assert table_sizes(entrants, table_size) == tuple(sorted(map(len, starter.tables), reverse=True))
    assert bool(resting) == (table_size == 2 and entrants % 2 == 1)


def test_turning_moves_everybody_but_the_one_that_stands_still() -> None:
    """Modulo 7, after 3 turns 5 is at 1, and 7, which is not a number modulo 7, is where it was."""
    starter = find_starter(8, 4)

    assert (7, 1, 7) == (starter.modulus, starter.turn(5, 3), starter.turn(7, 3))


@pytest.mark.parametrize(
    ("entrants", "table_size", "expected"),
    [(4, 4, 1), (3, 4, 1), (2, 2, 1), (5, 4, 5), (8, 4, 7), (7, 4, 7), (6, 2, 5), (7, 2, 7), (30, 4, 30)],
)
def test_the_length_of_a_cycle(entrants: int, table_size: int, expected: int) -> None:
    """One round where one table holds all; else the entrants, less one if the table size divides them."""
    assert expected == cycle_length(entrants, table_size)


@pytest.mark.parametrize(
    ("entrants", "table_size", "meetings"),
    [(8, 4, 3), (9, 3, 2), (12, 4, 3), (16, 4, 3), (7, 4, 3), (20, 4, 3), (24, 4, 3), (28, 4, 3), (31, 4, 3)],
)
def test_all_differences_occur_equally_often(entrants: int, table_size: int, meetings: int) -> None:
    """The fields whose exact balance is found: each difference, up to sign, so many times in a cycle.

    Of an even modulus, here the 8 of nine entrants, one half is its own negative: once at the tables is twice
    in a cycle.
    """
    starter = find_starter(entrants, table_size)
    modulus = starter.modulus
    counts = Counter(
        min((one - other) % modulus, (other - one) % modulus)
        for table in starter.tables
        for one, other in combinations([place for place in table if place < modulus], 2)
    )
    if modulus % 2 == 0:
        counts[modulus // 2] *= 2

    assert dict.fromkeys(range(1, modulus // 2 + 1), meetings) == counts
