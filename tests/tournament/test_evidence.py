"""The evidence for ratings: pairs, units, groups, and games that are identical."""

import random

import pytest

from referee.tournament.evidence import Evidence, Involvement, PairTotal
from referee.tournament.model import TournamentError
from tests.tournament.played import game, seat


def test_pairs_are_added_up_over_games() -> None:
    """Two games at a table of three and one of two: a-b 2 + 1 + 2 half points, at tables of 3 + 3 + 2."""
    found = Evidence("cba")
    found.add(game(1, 1, seat("c", 9), seat("a", 1), seat("b", 2)))
    found.add(game(1, 1, seat("a", 2), seat("b", 2), seat("c", 1), game=2))
    found.add(game(2, 1, seat("b", 7), seat("a", 5)))

    assert {
        (0, 1): PairTotal(5, 3, 8),
        (0, 2): PairTotal(2, 2, 6),
        (1, 2): PairTotal(2, 2, 6),
    } == found.totals
    assert (("a", "b", "c"), 3, 3, 3, 5) == (
        found.names,
        found.games,
        found.distinct,
        found.units,
        found.freedom,
    )


def test_a_deal_set_is_one_unit() -> None:
    """The two rotations of set 1 are one unit and set 2 is another; deals are counted by entrant."""
    found = Evidence("ab")
    found.add(game(1, 1, seat("a", 1, 1), seat("b", 2, 2)), deal_set=1)
    found.add(game(1, 1, seat("b", 1), seat("a", 2), game=2), deal_set=1)
    found.add(game(1, 1, seat("a", 1), seat("b", 2), game=3), deal_set=2)

    assert [{(0, 1): (2, 2)}, {(0, 1): (2, 1)}] == found.groups
    assert (2, 2, [Involvement(2, 4), Involvement(2, 4)]) == (
        found.units,
        found.freedom,
        found.involvements,
    )


def test_identical_games_count_once() -> None:
    """The second game with the same seats and moves does not count; with the seats changed it does."""
    found = Evidence("ab")
    counted = [
        found.add(game(1, 1, seat("a", 1), seat("b", 2)), identity="x"),
        found.add(game(2, 1, seat("a", 1), seat("b", 2)), identity="x"),
        found.add(game(3, 1, seat("b", 1), seat("a", 2)), identity="x"),
        found.add(game(4, 1, seat("a", 1), seat("b", 2)), identity="y"),
        found.add(game(5, 1, seat("a", 1), seat("b", 2))),
        found.add(game(6, 1, seat("a", 1), seat("b", 2))),
    ]

    assert [True, False, True, True, True, True] == counted
    assert (6, 5, 5, PairTotal(8, 5, 10)) == (found.games, found.distinct, found.units, found.totals[0, 1])


def test_forfeits_lose_and_absentees_never_met() -> None:
    """Two forfeited seats tie; where one alone was present nothing counts."""
    found = Evidence("abc")
    found.add(game(1, 1, seat("a", 1, forfeited=True), seat("b", 9), seat("c", 0, forfeited=True)))
    counted = found.add(game(2, 1, seat("a", 1), seat("b", 1, no_show=True)))

    assert not counted
    assert {
        (0, 1): PairTotal(0, 1, 3),
        (0, 2): PairTotal(1, 1, 3),
        (1, 2): PairTotal(2, 1, 3),
    } == found.totals


def test_a_stranger_is_refused() -> None:
    """Nothing of a game with somebody who is not among the entrants is entered."""
    found = Evidence("ab")
    with pytest.raises(TournamentError, match="x is not among"):
        found.add(game(1, 1, seat("a", 1), seat("x", 2)))

    assert (0, 0, {}) == (found.games, found.units, found.totals)


def test_units_beyond_the_bound_are_merged_the_same_in_any_order() -> None:
    """Of 500 deal sets of two games at most 20 groups stay, the same in any order; so do the totals."""
    chance = random.Random(1)
    games = [
        (game(1, 1, seat("a", chance.randrange(9)), seat("b", 4), game=number), number // 2)
        for number in range(1_000)
    ]
    straight, mixed = Evidence("ab", most_groups=20), Evidence("ab", most_groups=20)
    for score, deal_set in games:
        straight.add(score, deal_set=deal_set)
    chance.shuffle(games)
    for score, deal_set in games:
        mixed.add(score, deal_set=deal_set)

    assert (500, 20) == (straight.units, len(straight.groups))
    assert straight.groups == mixed.groups
    assert straight.totals == mixed.totals
    assert straight.totals[0, 1][:2] == (
        sum(group[0, 1][0] for group in straight.groups),
        sum(group[0, 1][1] for group in straight.groups),
    )


@pytest.mark.parametrize(("field", "most"), [(2, 1_024), (12, 1_024), (40, 641), (1_000, 200)])
def test_large_fields_keep_fewer_groups(field: int, most: int) -> None:
    """At most 1,024 groups, at least 200, and in between about half a million sums of pairs."""
    found = Evidence(f"bot{number}" for number in range(field))
    for number in range(2_000):
        found.add(game(1, 1, seat("bot0", 1), seat("bot1", 2), game=number))

    assert most * 0.8 < len(found.groups) <= most
