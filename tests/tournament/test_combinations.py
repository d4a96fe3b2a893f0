"""All combinations of a small field."""

import math
from collections import Counter

import pytest

from referee.tournament.combinations import all_combinations
from referee.tournament.model import TournamentError
from tests.tournament.played import names, seated, spread_of

FIELDS = [
    (2, 2),
    (5, 2),
    (6, 2),
    (3, 3),
    (5, 3),
    (6, 3),
    (7, 3),
    (9, 3),
    (8, 4),
    (9, 4),
    (10, 5),
    (12, 4),
    (11, 6),
]


@pytest.mark.parametrize(("entrants", "table_size"), FIELDS)
def test_every_table_is_played_once(entrants: int, table_size: int) -> None:
    """C(n, k) distinct tables, numbered in order; nobody sits at two in a round, and who rests has a bye."""
    plans = all_combinations(names(entrants), table_size=table_size, seed="seed")
    tables = [frozenset(at.entrants) for plan in plans for at in plan.tables]

    assert {math.comb(entrants, table_size)} == {len(tables), len(set(tables))}
    assert {table_size} == set(map(len, tables))
    for number, plan in enumerate(plans, 1):
        assert [(number, place) for place in range(1, len(plan.tables) + 1)] == [
            (at.round, at.table) for at in plan.tables
        ]
        assert list(names(entrants)) == sorted([*seated(plan), *plan.byes])


@pytest.mark.parametrize(("entrants", "table_size"), FIELDS)
def test_byes_are_equal_and_seats_nearly(entrants: int, table_size: int) -> None:
    """Everybody rests equally often; nobody has one seat much more often than another."""
    plans = all_combinations(names(entrants), table_size=table_size, seed="seed")
    byes = Counter(name for plan in plans for name in plan.byes)
    seats = Counter(
        (name, seat) for plan in plans for at in plan.tables for seat, name in enumerate(at.entrants)
    )

    assert 0 == spread_of(byes[name] for name in names(entrants))
    for name in names(entrants):
        assert spread_of(seats[name, seat] for seat in range(table_size)) <= 2


@pytest.mark.parametrize(
    ("entrants", "table_size", "rounds"),
    [(6, 2, 5), (5, 3, 10), (6, 3, 10), (7, 3, 18), (8, 4, 35), (10, 5, 126)],
)
def test_rounds_are_as_few_as_can_be(entrants: int, table_size: int, rounds: int) -> None:
    """C(n, k) tables in rounds of n // k tables each, rounded up."""
    assert rounds == len(all_combinations(names(entrants), table_size=table_size, seed="seed"))


@pytest.mark.parametrize(("entrants", "table_size"), [(9, 3), (12, 4), (14, 4), (16, 4)])
def test_rounds_are_not_many_more(entrants: int, table_size: int) -> None:
    """At most three tenths more than there must be."""
    least = math.comb(entrants, table_size) / (entrants // table_size)

    assert len(all_combinations(names(entrants), table_size=table_size, seed="seed")) <= 1.3 * least


def test_a_small_field_sits_at_one_table() -> None:
    """Three at tables of four: one round of one table."""
    [plan] = all_combinations("cab", table_size=4, seed="seed")

    assert {"a", "b", "c"} == set(seated(plan))


def test_the_seed_decides_and_the_order_of_the_entrants_does_not() -> None:
    """The same field in another order gives the same rounds; another seed gives others."""
    plans = all_combinations(names(7), table_size=3, seed="seed")

    assert plans == all_combinations(names(7)[::-1], table_size=3, seed="seed")
    assert plans != all_combinations(names(7), table_size=3, seed="other")


def test_too_many_tables_are_refused() -> None:
    """C(50, 4) is 230,300: the sentence says how many there may be and what to do."""
    with pytest.raises(TournamentError, match=r"230,300 tables, and 100,000 are the most: enter fewer"):
        all_combinations(names(50), table_size=4, seed="seed")


def test_one_entrant_is_refused() -> None:
    """As in every format."""
    with pytest.raises(TournamentError, match="two entrants or more"):
        all_combinations(["a"], table_size=4, seed="seed")
