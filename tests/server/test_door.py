"""How many connections may be there, in all and from one address, and who still counts (promise 10)."""

import pytest

from protocol.errors import ErrorCode, PeerError
from protocol.messages import Ping, Pong, Waiting, Welcome
from referee.server.door import Door, source_of
from referee.server.limits import ServerLimits
from tests.server.network import NAMES, S, World

HTTP = b"GET / HTTP/1.1\r\n\r\n"


def refusal(door, number, source):
    """Return why a connection is not taken in."""
    with pytest.raises(PeerError) as caught:
        door.enter(number, source)
    return caught.value


@pytest.mark.parametrize(
    ("host", "source"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("somewhere", "somewhere"),
        ("", ""),
    ],
)
def test_where_a_connection_comes_from(host, source):
    """An IPv4 address, however written; for IPv6 the network, in which one machine has all addresses."""
    assert source == source_of(host)


def test_two_of_an_address_may_wait_and_any_number_be_inside():
    """The third that waits is refused; once one of the two is let in there is room again."""
    door = Door(ServerLimits(connections_per_address=2))
    door.enter(1, "a")
    door.enter(2, "a")
    error = refusal(door, 3, "a")
    door.enter(4, "b")
    door.let_in(1)
    door.enter(5, "a")
    door.let_in(5)
    door.let_in(2)
    door.enter(6, "a")

    assert (ErrorCode.TOO_MANY_CONNECTIONS, "fatal") == (error.code, error.severity.value)
    assert "No more than 2 connections from your address may wait to be let in; try again later." == (
        error.sentence
    )


def test_in_all_those_inside_count_and_those_turned_away_do_not():
    """With room for three: two inside, one new. One of them is turned away, or ends, and there is room."""
    door = Door(ServerLimits(connections=3))
    for number in (1, 2, 3):
        door.enter(number, "a")
    door.let_in(1)
    door.let_in(2)

    assert "The referee holds no more than 3 connections; try again later." == refusal(door, 4, "b").sentence

    door.turn_away(3)
    door.enter(4, "b")
    refusal(door, 5, "b")
    door.forget(1)
    door.enter(5, "b")


def test_those_turned_away_are_bounded_by_themselves():
    """Two may read why; the door is full until one of them is gone."""
    door = Door(ServerLimits(being_turned_away=2))
    full = []
    for number in (1, 2):
        full.append(door.is_full)
        door.enter(number, "a")
        door.turn_away(number)
    full.append(door.is_full)
    door.forget(1)

    assert [False, False, True, False] == [*full, door.is_full]


def test_nothing_is_left_of_what_is_gone():
    """Whatever became of it; and to forget what was never there does nothing."""
    door = Door(ServerLimits())
    for number in range(30):
        door.enter(number, f"source {number % 3}")
    for number in range(10):
        door.let_in(number)
        door.turn_away(number + 10)
    for number in range(31):
        door.forget(number)

    assert [{}, {}, set(), set()] == [door._new, door._new_by_source, door._inside, door._turned_away]


def test_a_thousand_that_say_nothing_keep_only_their_own_address_out():
    """256 of the address are held for ten seconds, the others refused; a bot from elsewhere comes in."""
    world = World()
    silent = [world.stranger() for _ in range(1000)]
    ada = world.join("ada")
    world.settle()
    ada.say(Ping(echo=1))
    world.run_for(10 * S - 1)
    codes = [bot.codes for bot in silent]
    world.run_for(1)

    assert 744 == codes.count([ErrorCode.TOO_MANY_CONNECTIONS])
    assert 256 == codes.count([])
    assert [[ErrorCode.HANDSHAKE_TIMEOUT]] * 256 == [bot.codes for bot in silent[:256]]
    assert [Welcome, Waiting, Pong] == [type(message) for message in ada.heard]


def test_refused_connections_that_linger_take_no_room(monkeypatch):
    """With room for two, five browsers have been refused and are still there: two bots are let in."""
    world = World(limits=ServerLimits(connections=2))
    monkeypatch.setattr(world, "_hang_up", lambda wire: None)
    browsers = []
    for _ in range(5):
        browsers.append(world.stranger(HTTP))
        world.settle()
    bots = [world.join(name) for name in NAMES[:2]]
    world.settle()
    third = world.stranger()
    world.settle()

    assert [[ErrorCode.FRAME_TOO_LARGE]] * 5 == [bot.codes for bot in browsers]
    assert [[], [], [ErrorCode.TOO_MANY_CONNECTIONS]] == [bot.codes for bot in (*bots, third)]


def test_a_full_door_is_open_again_once_they_have_gone(monkeypatch):
    """The shell asks before it takes a number for a connection."""
    world = World(limits=ServerLimits(being_turned_away=3))
    hang_up = world._hang_up
    wires = []
    monkeypatch.setattr(world, "_hang_up", wires.append)
    for _ in range(3):
        world.stranger(HTTP)
    world.settle()
    full = world.engine.is_full
    hang_up(wires[0])
    world.settle()

    assert (True, False) == (full, world.engine.is_full)
