"""The guess how long a tournament takes."""

import pytest

from referee.cli.estimate import deals_of_a_game, first_guess, spoken, time_left
from referee.rules.variants import Rules


@pytest.mark.parametrize(("seats", "fewest", "most"), [(2, 5, 9), (4, 3, 6), (10, 2, 4)])
def test_deals_of_a_game_to_66(seats: int, fewest: int, most: int) -> None:
    """At a table of four a seat takes about 12 bullheads a deal: the worst has 66 after four or five."""
    deals = deals_of_a_game(Rules(), seats)

    assert fewest <= deals <= most


def test_deals_of_a_game_of_fixed_length() -> None:
    """Nothing has to be guessed."""
    assert deals_of_a_game(Rules(target=None, deals=17), 4) == 17


def test_a_tiny_target_takes_one_deal() -> None:
    """A game has at least one deal."""
    assert deals_of_a_game(Rules(target=1), 10) == 1


def test_first_guess() -> None:
    """12 games of 5 deals at 4 seats are 2,400 decisions; three at a time they are 4 waves of 50 tricks."""
    span = first_guess(
        games=12, rules=Rules(target=None, deals=5), seats=4, concurrency=3, processors=2, move_s=0.5
    )

    assert span.quick == pytest.approx(1 + 2400 * 0.001 / 2)
    assert span.slow == pytest.approx(1 + 4 * 50 * 0.5)


def test_time_left() -> None:
    """Thirty seconds for three of twelve games leave ninety for the rest; without a game nothing is known."""
    assert time_left(done=3, planned=12, seconds=30.0) == 90.0
    assert time_left(done=12, planned=12, seconds=30.0) == 0.0
    assert time_left(done=13, planned=12, seconds=30.0) == 0.0
    assert time_left(done=0, planned=12, seconds=30.0) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 s"),
        (8.4, "8 s"),
        (89.0, "89 s"),
        (90.0, "2 min"),
        (5_000.0, "83 min"),
        (9_000.0, "2.5 h"),
        (200_000.0, "2 days"),
    ],
)
def test_spoken(seconds: float, words: str) -> None:
    """A guess is given with no more digits than it deserves."""
    assert spoken(seconds) == words
