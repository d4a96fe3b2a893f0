"""Ratings, by another method and at the edges."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.evidence import Evidence
from referee.tournament.model import TournamentError
from referee.tournament.ratings import Anchor, ratings
from tests.tournament.played import game, seat


def met(*results: tuple[str, str, int, int], entrants: str = "abcdef") -> Evidence:
    """Games of two: the two names, then wins of the first and ties, each a game."""
    found = Evidence(entrants)
    number = 0
    for one, other, wins, ties in results:
        for mine, theirs in [(1, 2)] * wins + [(1, 1)] * ties:
            number += 1
            found.add(game(number, 1, seat(one, mine), seat(other, theirs)))
    return found


def test_three_wins_of_four_are_nearly_191_points() -> None:
    """Odds of three to one are 400 log10(3) = 190.8 points; the prior of half a game takes off some.

    With a gap of d the gains 3 + 1/4 must be 4 / (1 + e^-d) + 1/2 / (1 + e^(-d/2)): d = 1.0413.
    """
    found = ratings(met(("a", "b", 3, 0), ("b", "a", 1, 0), entrants="ab"))
    gap = (found["a"] - found["b"]) * math.log(10) / 400

    assert 3.25 == pytest.approx(4 / (1 + math.exp(-gap)) + 0.5 / (1 + math.exp(-gap / 2)))
    assert 0 == pytest.approx(found["a"] + found["b"])


def test_whoever_wins_everything_stays_finite() -> None:
    """Ten wins of ten come to a gap of some hundred points, and fifty to more."""
    few = ratings(met(("a", "b", 10, 0), entrants="ab"))
    many = ratings(met(("a", "b", 50, 0), entrants="ab"))

    assert 400 < few["a"] - few["b"] < many["a"] - many["b"] < 2_000


def test_all_ties_are_equal() -> None:
    """Nobody is above anybody."""
    found = ratings(met(("a", "b", 0, 3), ("b", "c", 0, 3), entrants="abc"))

    assert pytest.approx({"a": 0, "b": 0, "c": 0}) == found


@pytest.mark.parametrize("entrants", ["", "a", "abc"])
def test_without_games_nobody_is_rated(entrants: str) -> None:
    """An empty field, one entrant, three who never played: no ratings, and no numbers that are none."""
    assert dict.fromkeys(entrants) == ratings(Evidence(entrants))


def test_those_whom_no_game_connects_are_not_rated() -> None:
    """Three hang together; d and e played only each other; f nobody."""
    found = ratings(met(("a", "b", 1, 0), ("b", "c", 1, 0), ("d", "e", 1, 0)))

    assert ["d", "e", "f"] == [name for name, elo in found.items() if elo is None]
    assert found["a"] > found["b"] > found["c"]


def test_an_anchor_keeps_its_rating_and_decides_who_is_rated() -> None:
    """With d at 1500 only d and e are rated, e as far below as without the anchor."""
    evidence = met(("a", "b", 1, 0), ("b", "c", 1, 0), ("d", "e", 1, 0))
    found = ratings(evidence, anchor=Anchor(name="d", elo=1500))
    alone = ratings(met(("d", "e", 1, 0), entrants="de"))

    assert (None, 1500) == (found["a"], pytest.approx(found["d"]))
    assert found["e"] == pytest.approx(1500 - (alone["d"] - alone["e"]))


def test_an_anchor_that_never_played_leaves_nobody_rated() -> None:
    """There is nothing to compare with."""
    found = ratings(met(("a", "b", 1, 0)), anchor=Anchor(name="f"))

    assert dict.fromkeys("abcdef") == found


def test_an_anchor_that_is_no_entrant_is_refused() -> None:
    """The sentence says what to do."""
    with pytest.raises(TournamentError, match="x is not among the entrants: anchor the ratings to one"):
        ratings(met(("a", "b", 1, 0)), anchor=Anchor(name="x"))


def by_minorising(evidence: Evidence) -> list[float]:
    """The strengths by the old way of Zermelo (1929), one at a time, on plain floats."""
    field = len(evidence.names)
    games = [[0] * field for _ in range(field)]
    won = [0.25] * field
    for (one, other), total in evidence.totals.items():
        games[one][other] = games[other][one] = total.games
        won[one] += total.halves / 2
        won[other] += total.games - total.halves / 2
    strengths = [1.0] * field
    for _ in range(3_000):
        for one in range(field):
            rest = sum(games[one][other] / (strengths[one] + strengths[other]) for other in range(field))
            strengths[one] = won[one] / (rest + 0.5 / (strengths[one] + 1))
    return [400 * math.log10(strength) for strength in strengths]


RESULTS = st.lists(
    st.tuples(st.permutations("abcd"), st.lists(st.integers(0, 3), min_size=2, max_size=4)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=30, deadline=None)
@given(RESULTS)
def test_ratings_agree_with_another_method(results: list[tuple[list[str], list[int]]]) -> None:
    """At tables of any size the gaps are those of Zermelo's iteration."""
    evidence = Evidence("abcd")
    for number, (order, totals) in enumerate(results, 1):
        evidence.add(game(number, 1, *map(seat, order, totals)))
    found = ratings(evidence)
    expected = by_minorising(evidence)
    rated = [place for place, name in enumerate("abcd") if found[name] is not None]
    centre = sum(expected[place] for place in rated) / len(rated)

    assert [pytest.approx(expected[place] - centre, abs=0.01) for place in rated] == [
        found["abcd"[place]] for place in rated
    ]
