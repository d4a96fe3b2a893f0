"""What a trace writes down, and what it does not."""

import re

from protocol.framing import frame
from protocol.packing import pack
from referee.server.admission import Expected
from referee.server.limits import ServerLimits
from referee.server.lobby import Lobby
from referee.server.tracing import Trace, TracedEngine

from .network import World, secret, tournament

HELLO = frame(pack({"type": "hello", "name": "ada", "secret": "s3cret", "versions": [1]}))
PING = frame(pack({"type": "ping", "echo": 5}))
PONG = frame(pack({"type": "pong", "echo": 5}))


class Written:
    """A trace of what is fed to it, and its lines without their moments."""

    def __init__(self, bot=None, *, with_hex=False):
        self.raw = []
        self.trace = Trace(self.raw.append, bot=bot, with_hex=with_hex)

    @property
    def lines(self):
        """The lines, with the moment of each cut off."""
        return [re.sub(r"^ *-?\d+\.\d{3} s  ", "", line) for line in self.raw]


def test_both_directions_are_written_down():
    """Decoded, with name, number of the connection and direction; then how it ended."""
    written = Written()
    written.trace.came(7, HELLO, 0)
    written.trace.came(7, PING, 0)
    written.trace.went(7, PONG, 0)
    written.trace.ended(7, "the connection was closed by the bot", 0)

    assert [
        'ada#7 > {"type": "hello", "name": "ada", "secret": "(hidden)", "versions": [1]}',
        'ada#7 > {"type": "ping", "echo": 5}',
        'ada#7 < {"type": "pong", "echo": 5}',
        "ada#7 - the connection was closed by the bot",
    ] == written.lines


def test_bytes_are_shown_if_wanted_but_never_those_of_hello():
    """They hold the secret."""
    written = Written(with_hex=True)
    written.trace.came(1, HELLO + PING, 0)

    assert 3 == len(written.raw)
    assert " " * 14 + PING.hex(" ") == written.raw[2]
    assert b"s3cret".hex(" ") not in "".join(written.raw)


def test_a_secret_is_hidden_in_whatever_message_it_comes():
    """In a second hello, and in one with a misspelled type."""
    written = Written(with_hex=True)
    misspelled = frame(pack({"type": "helo", "name": "ada", "secret": "s3cret"}))
    written.trace.came(1, HELLO + HELLO + misspelled, 0)

    assert ['ada#1 > {"type": "helo", "name": "ada", "secret": "(hidden)"}'] == written.lines[2:]
    assert not [line for line in written.raw if "s3cret" in line or b"s3cret".hex(" ") in line]


def test_only_the_bot_that_is_wanted_is_followed():
    """Also of strangers that never say who they are nothing is written."""
    written = Written("bob")
    written.trace.came(1, HELLO + PING, 0)
    written.trace.went(1, PONG, 0)
    written.trace.went(2, PONG, 0)
    written.trace.came(3, b"GET / HTTP/1.1", 0)
    written.trace.ended(1, "gone", 0)
    written.trace.ended(3, "gone", 0)

    assert [] == written.raw


def test_messages_are_put_together_from_pieces():
    """However the network tears them."""
    written = Written()
    for place in range(len(HELLO)):
        written.trace.came(1, HELLO[place : place + 1], 0)

    assert 1 == len(written.raw)


def test_what_is_no_frame_ends_the_direction_with_a_sentence():
    """The other direction goes on."""
    written = Written()
    written.trace.came(1, HELLO + b"\0\0\0\0", 0)
    written.trace.came(1, PING, 0)
    written.trace.went(1, PONG, 0)

    assert [
        "ada#1 > A frame of length 0 holds no message.",
        'ada#1 < {"type": "pong", "echo": 5}',
    ] == written.lines[1:]


def test_nothing_steers_the_terminal():
    """Names and texts come from anywhere."""
    written = Written()
    written.trace.came(1, frame(pack({"type": "hello", "name": "\x1b[31m", "secret": "x", "y": "\x1b"})), 0)

    assert "\x1b" not in written.raw[0]


def test_a_traced_engine_plays_the_same_and_writes_it_down():
    """A whole tournament of two: the conversation of ada from hello to the end, and nothing of bob."""
    lobby, written = Lobby(["ada", "bob"]), Written("ada")
    for name in ("ada", "bob"):
        lobby.add_instance(name, secret(name))
    world = World(["ada", "bob"])
    world.engine = TracedEngine(written.trace, tournament(), lobby, Expected(lobby), ServerLimits())
    plain = World(["ada", "bob"])
    for one in (world, plain):
        one.everybody()
        one.begin()
        one.play()

    kinds = re.findall(r'ada#1 ([<>]) \{"type": "(\w+)"', "\n".join(written.lines))
    assert world.director.digest == plain.director.digest
    assert [(">", "hello"), ("<", "welcome"), ("<", "waiting"), ("<", "game_start")] == kinds[:4]
    assert [("<", "game_end"), ("<", "tournament_end"), ("<", "closing")] == kinds[-3:]
    assert kinds.count((">", "card")) == 10
    assert all(line.startswith("ada#1 ") for line in written.lines)
