"""Which bot of an entrant gets a game, and when (promise 7)."""

import pytest

from referee.play.names import GameId
from referee.server.lobby import Lobby

NOW = 1000


def lobby_of(*bots):
    """A lobby with one entrant; each bot as (connected, games, capacity, expected until, retired)."""
    lobby = Lobby(["ada"])
    for number, (connected, games, capacity, expected_until, retired) in enumerate(bots):
        bot = lobby.add_instance("ada", f"secret-{number}", expected_until=expected_until)
        bot.peer = number if connected else None
        bot.capacity, bot.retired = capacity, retired
        bot.games.update({GameId(round=1, table=1, deal_set=1, game=game + 1): 0 for game in range(games)})
    return lobby


HERE, BUSY, BUSIER = (True, 0, 3, 0, False), (True, 1, 3, 0, False), (True, 2, 3, 0, False)
FULL = (True, 1, 1, 0, False)
AWAY, AWAY_IN_GAME = (False, 0, 1, 0, False), (False, 1, 1, 0, False)
EXPECTED = (False, 0, 1, NOW + 1, False)
GIVEN_UP = (False, 0, 1, NOW, False)
RETIRED = (False, 0, 1, 0, True)


@pytest.mark.parametrize(
    ("bots", "chosen"),
    [
        ([BUSIER, HERE, BUSY], 1),
        ([BUSIER, BUSY], 1),
        ([HERE, HERE], 0),
        ([FULL], None),
        ([FULL, AWAY], None),
        ([FULL, GIVEN_UP], None),
        ([FULL, EXPECTED], None),
        ([BUSIER, AWAY], 0),
        ([EXPECTED], None),
        ([EXPECTED, AWAY], None),
        ([GIVEN_UP], 0),
        ([AWAY_IN_GAME], None),
        ([AWAY_IN_GAME, AWAY], 1),
        ([RETIRED, HERE], 1),
        ([RETIRED, AWAY], 1),
    ],
)
def test_the_bot_that_gets_the_next_game(bots, chosen):
    """The least busy that is connected; one that is away only if none is here or waited for."""
    lobby = lobby_of(*bots)
    bot = lobby.choose("ada", NOW)

    assert chosen == (None if bot is None else lobby.instances("ada").index(bot))
    assert (chosen is not None) == lobby.can_seat("ada", NOW)


@pytest.mark.parametrize("bots", [[], [RETIRED], [RETIRED, RETIRED]])
def test_an_entrant_without_a_bot_does_not_hold_its_table_up(bots):
    """No bot will ever come: it can be seated, with nobody."""
    lobby = lobby_of(*bots)

    assert lobby.can_seat("ada", NOW)
    assert lobby.choose("ada", NOW) is None


@pytest.mark.parametrize(
    ("bots", "moment"),
    [
        ([HERE], None),
        ([(True, 0, 1, NOW + 5, False)], None),
        ([(False, 0, 1, NOW + 5, True)], None),
        ([GIVEN_UP], None),
        ([(False, 0, 1, NOW + 7, False), (False, 0, 1, NOW + 5, False)], NOW + 5),
    ],
)
def test_when_somebody_is_no_longer_waited_for(bots, moment):
    """Only who is away, not retired and still expected counts; the first of them."""
    assert moment == lobby_of(*bots).next_give_up(NOW)


def test_name_and_secret_both_count():
    """Found by both together; never once retired, never under another name."""
    lobby = Lobby(["ada", "bob"])
    ada, bob = lobby.add_instance("ada", "a"), lobby.add_instance("bob", "b")

    assert [ada, bob] == [lobby.find("ada", "a"), lobby.find("bob", "b")]
    assert [None] * 4 == [lobby.find(*pair) for pair in (("ada", "b"), ("bob", "a"), ("cyd", "a"), ("", ""))]

    ada.retired = True

    assert lobby.find("ada", "a") is None
    assert [ada, bob] == list(lobby)
    assert ("ada", "bob") == lobby.entrants
