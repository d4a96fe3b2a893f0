"""How even a schedule is."""

from referee.tournament.balance import Balance, balance
from tests.tournament.played import plan


def test_balance_by_hand() -> None:
    """Of the ten pairs of five, a-b meets twice, and a-d, a-e, b-d, b-e and c-e never.

    Everybody has a bye or not, sits at one or two tables, and only d and e sit at a small one.
    """
    found = balance([plan(1, "abc", "de"), plan(2, "ab", "cd", byes="e")])

    assert found == Balance(
        rounds=2,
        tables=4,
        meetings={0: 5, 1: 4, 2: 1},
        played=(1, 2),
        byes=(0, 1),
        small_tables=(0, 1),
    )


def test_no_rounds_are_even() -> None:
    """There is nobody to have anything."""
    assert balance([]) == Balance(
        rounds=0, tables=0, meetings={}, played=(0, 0), byes=(0, 0), small_tables=(0, 0)
    )
