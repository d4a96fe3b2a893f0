"""Deal sets: how many games there are, which share their decks, and who sits where in each."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.dealsets import Series, Sets, Turning

TABLE = ("ada", "bob", "cyd")
ROTATED = Series(sets=Sets.ROTATED, count=2, turning=Turning.SEATS)


def test_a_single_game_is_a_set_of_its_own():
    """Five games are five sets, in which everybody keeps the same seat."""
    series = Series(sets=Sets.SINGLE, count=5, turning=Turning.SEATS)

    assert (5, 5) == (series.games(3), series.games(4))
    assert [1, 2, 3, 4, 5] == [series.deal_set(3, game) for game in range(1, 6)]
    assert {TABLE} == {series.seated(TABLE, game) for game in range(1, 6)}


def test_a_rotated_set_has_a_game_for_each_seat():
    """Two sets at a table of three: games 1 to 3 and 4 to 6; at a table of four, 1 to 4 and 5 to 8."""
    assert (6, 8) == (ROTATED.games(3), ROTATED.games(4))
    assert [1, 1, 1, 2, 2, 2] == [ROTATED.deal_set(3, game) for game in range(1, 7)]
    assert [1, 1, 1, 1, 2, 2, 2, 2] == [ROTATED.deal_set(4, game) for game in range(1, 9)]


def test_everybody_moves_one_seat_on_with_each_game():
    """Who sat last sits first next; the second set begins as the first did."""
    assert [
        ("ada", "bob", "cyd"),
        ("cyd", "ada", "bob"),
        ("bob", "cyd", "ada"),
        ("ada", "bob", "cyd"),
    ] == [ROTATED.seated(TABLE, game) for game in range(1, 5)]


def test_in_the_advanced_variant_nobody_moves():
    """The rules move the opener with the number of the game, so the seats stay."""
    series = Series(sets=Sets.ROTATED, count=2, turning=Turning.OPENER)

    assert 6 == series.games(3)
    assert {TABLE} == {series.seated(TABLE, game) for game in range(1, 7)}


@given(st.integers(2, 10), st.integers(1, 5), st.integers(0, 3))
def test_in_each_set_everybody_has_each_seat_once(entrants, count, voided):
    """Also in a round that is played again, whose numbers go on."""
    series = Series(sets=Sets.ROTATED, count=count, turning=Turning.SEATS)
    names = [f"bot-{number}" for number in range(entrants)]
    games = range(1 + voided * series.games(entrants), 1 + (voided + 1) * series.games(entrants))
    sat = Counter(
        (series.deal_set(entrants, game), name, seat)
        for game in games
        for seat, name in enumerate(series.seated(names, game))
    )

    assert {1} == set(sat.values())
    assert count * entrants * entrants == len(sat)
