"""How often a bot process is started again."""

import pytest

from referee.local.lives import FAILED_STARTS, IDLE_DEATHS, RESTARTS_PER_GAME, Lives
from referee.local.news import Then
from referee.play.names import GameId

ONE, TWO, THREE = (GameId(round=1, table=1, deal_set=game, game=game) for game in (1, 2, 3))
NOT_INTRODUCED = {"introduced": False, "games": (), "played": 0}


def in_game(*games):
    """A death in these games."""
    return {"introduced": True, "games": games, "played": 0}


def idle(played=0):
    """A death between games, after so many games in all."""
    return {"introduced": True, "games": (), "played": played}


R, D, G = Then.RESTARTED, Then.DEFAULTS, Then.GIVEN_UP


@pytest.mark.parametrize(
    ("deaths", "then"),
    [
        ([NOT_INTRODUCED] * 2, [R, G]),
        ([NOT_INTRODUCED, idle(), NOT_INTRODUCED, NOT_INTRODUCED], [R, R, R, G]),
        ([{**NOT_INTRODUCED, "games": (ONE,)}] * 2, [R, G]),
        ([in_game(ONE)] * 2, [R, D]),
        ([in_game(ONE), in_game(TWO), in_game(THREE)], [R, R, R]),
        ([in_game(ONE), in_game(ONE), in_game(TWO), in_game(TWO)], [R, D, R, D]),
        ([in_game(ONE, TWO), in_game(TWO, THREE)], [R, D]),
        ([in_game(ONE, TWO), in_game(THREE), in_game(TWO)], [R, R, R]),
        ([in_game(ONE), idle(), in_game(ONE)], [R, R, D]),
        ([idle()] * 3, [R, R, G]),
        ([idle(), idle(), in_game(ONE), idle(), idle(), idle()], [R, R, R, R, R, G]),
        ([idle(0), idle(0), idle(1), idle(1), idle(1)], [R, R, R, R, G]),
        ([idle(1), idle(2), idle(3), idle(4), idle(5)], [R, R, R, R, R]),
    ],
    ids=[
        "never says hello",
        "hello once in between",
        "restarted in a game but says no hello",
        "twice in a game",
        "once in each game",
        "twice in each of two games",
        "twice in one of several at once",
        "the count of a game that was left is forgotten",
        "idle in between does not wipe a game",
        "three times idle",
        "a game wipes idle deaths",
        "a finished game wipes idle deaths",
        "once after each game for ever",
    ],
)
def test_what_follows_each_death(deaths, then):
    """One more chance in each game, two failed starts, three idle deaths in a row: no more than that."""
    lives = Lives()

    assert then == [lives.died(**death) for death in deaths]


def test_the_numbers_that_users_are_told():
    """Once a game, as promised."""
    assert (1, 2, 3) == (RESTARTS_PER_GAME, FAILED_STARTS, IDLE_DEATHS)
