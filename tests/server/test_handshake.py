"""From a connection to a bot that is in, or is turned away (T5-HELLO, and what else comes to the port)."""

import json

import attrs
import msgpack
import pytest

from protocol.errors import ErrorCode
from protocol.framing import frame
from protocol.messages import Closing, Error, GameEnd, GameStart, Hello, Ping, Waiting, Welcome
from protocol.parts import WaitingFor
from referee.server.limits import ServerLimits
from referee.server.news import Refused
from referee.tournament.model import Kind
from tests.server.network import MS, NAMES, START, Later, S, World, honest, secret, silent, slow

HELLO = frame(msgpack.packb({"type": "hello", "name": "ada", "secret": secret("ada"), "versions": [1]}))


def word_of(bot):
    """The one message a bot has heard."""
    (message,) = bot.heard
    return message


def test_t5_hello_01_before_welcome_every_error_ends_the_connection():
    """What is merely `bad_field` or unknown later on is fatal in a first message, and nobody is let in."""
    world = World()
    false_secret = {"type": "hello", "name": "ada", "secret": 7, "versions": [1]}
    wrong = world.stranger(frame(msgpack.packb(false_secret)))
    unknown = world.stranger(frame(msgpack.packb({"type": "bonjour"})))
    early = world.stranger(frame(msgpack.packb({"type": "ping"})))
    hasty = world.stranger(HELLO + frame(msgpack.packb({"type": "ping"})))
    twice = world.stranger(HELLO, HELLO)
    world.settle()

    assert [
        (ErrorCode.BAD_FIELD, True),
        (ErrorCode.UNKNOWN_TYPE, True),
        (ErrorCode.UNEXPECTED_MESSAGE, True),
        (ErrorCode.UNEXPECTED_MESSAGE, True),
        (ErrorCode.UNEXPECTED_MESSAGE, True),
    ] == [(bot.codes[0], word_of(bot).fatal) for bot in (wrong, unknown, early, hasty, twice)]
    assert [None, None] == [instance.peer for instance in world.engine.lobby]


def test_t5_hello_02_a_connection_that_says_nothing_is_ended_after_ten_seconds():
    """Nothing at 9.999 s; the error at 10 s, and the connection is gone."""
    world = World()
    mute = world.stranger()
    world.run_for(10 * S - 1 * MS)

    assert [] == mute.heard

    world.run_for(1 * MS)

    assert [ErrorCode.HANDSHAKE_TIMEOUT] == mute.codes
    assert mute.wire is None


def test_t5_hello_02_bytes_that_trickle_in_do_not_extend_it():
    """A hello of which a byte comes every 400 ms is not whole after 10 s: out; one at 100 ms a byte is in."""
    world = World()
    slow_one, quick_one = world.stranger(), world.stranger()
    for bot, wait_ns in ((slow_one, 400 * MS), (quick_one, 100 * MS)):
        for place, byte in enumerate(bot.frames(Hello(name="ada", secret=secret("ada"), versions=(1,)))):
            world.after(place * wait_ns, lambda bot=bot, byte=byte: bot.wire and bot.say(bytes([byte])))
    world.run_for(11 * S)

    assert [ErrorCode.HANDSHAKE_TIMEOUT] == slow_one.codes
    assert ["welcome", "waiting"] == quick_one.types


def test_t5_hello_02_a_hello_that_waited_for_a_busy_referee_counts():
    """It arrives after 9.9 s, the referee stalls from 9.8 s to 10.1 s: it is read before it is judged."""
    world = World()
    bot = world.stranger()
    bot.hello = Hello(name="ada", secret=secret("ada"), versions=(1,))
    world.after(9_800 * MS, lambda: world.stall(300 * MS))
    world.after(9_900 * MS, lambda: bot.say(bot.hello))
    world.lagging = True
    world.run_for(11 * S)

    assert ["welcome", "waiting"] == bot.types


def test_t5_hello_03_a_version_in_common_is_needed_and_named():
    """[2] alone is refused in a sentence that names 1; of [1, 2] and [2, 1] it is 1."""
    world = World(NAMES[:3])
    newer = world.join("ada", versions=(2,))
    both, swapped = world.join("bob", versions=(1, 2)), world.join("cyd", versions=(2, 1))
    world.settle()

    assert [ErrorCode.UNSUPPORTED_VERSION] == newer.codes
    assert "version 1 " in word_of(newer).message
    assert (1, 1) == (both.last(Welcome).version, swapped.last(Welcome).version)


def test_t5_hello_04_a_wrong_name_and_a_wrong_secret_look_the_same():
    """The same code and the same sentence, but for the name that was sent."""
    world = World()
    nobody, liar = world.join("zoe"), world.join("ada", secret=secret("bob"))
    world.run_for(1 * S)

    assert word_of(liar) == attrs.evolve(
        word_of(nobody), message=word_of(nobody).message.replace("zoe", "ada")
    )
    assert Error(code="unknown_entrant", message=word_of(nobody).message, fatal=True) == word_of(nobody)


def test_t5_hello_04_a_secret_with_odd_characters_is_just_wrong():
    """Any text may be tried as a secret, also an empty one and one that is not ASCII."""
    world = World()
    bots = [world.join("ada", secret=text) for text in ("", "ä" * 128, "🐄")]
    world.run_for(1 * S)

    assert [[ErrorCode.UNKNOWN_ENTRANT]] * 3 == [bot.codes for bot in bots]


@pytest.mark.parametrize(("offered", "given"), [(1, 1), (2, 2), (64, 3)])
def test_t5_hello_05_never_more_games_at_once_than_the_limit_says(offered, given):
    """Six games of two could run at once; a bot that offers 1, 2 or 64 gets that many, and 3 at most here."""
    limits = ServerLimits(games_per_connection=3)
    world = World(games=6, concurrency=6, limits=limits)
    bots = world.everybody(slow(5 * MS), games=offered)
    most = 0

    def count():
        nonlocal most
        most = max(most, len(bots[0].all(GameStart)) - len(bots[0].all(GameEnd)))

    world.after_pass.append(count)
    world.begin()
    world.play()

    assert [given, given] == [bot.last(Welcome).limits.games for bot in bots]
    assert given == most
    assert 6 == len(world.results)


def test_t5_hello_05_welcome_says_the_same_on_return():
    """All but the open games stays as it was."""
    world = World(kind=Kind.SWISS, rounds=3)
    ada, _ = world.everybody(silent, games=2, events=True)
    world.begin()
    world.settle()
    world.drop(ada)
    ada.connect()
    world.settle()
    first, second = ada.all(Welcome)

    assert ((), ("r1t1g1",)) == (first.open_games, second.open_games)
    assert attrs.evolve(first, open_games=second.open_games) == second
    assert "swiss" == first.tournament.format.value
    assert (1000, 0, 0, 3, 65536, 2) == attrs.astuple(first.limits)


def test_t5_hello_06_waiting_tells_why():
    """Before the beginning `registration`; with a bye, in Swiss, `round`; once each."""
    world = World(NAMES[:3], kind=Kind.SWISS, rounds=2)
    bots = world.everybody(slow(5 * MS))
    world.begin()
    world.play()
    reasons = {bot.name: [message.reason for message in bot.all(Waiting)] for bot in bots}
    resting = {plan.byes[0] for plan in world.director.plans}

    assert 2 == len(resting)
    for name, told in reasons.items():
        # A round of one table: who has a bye waits for the end of the round.
        assert [WaitingFor.REGISTRATION] + [WaitingFor.ROUND] * (name in resting) == told


def test_t5_hello_06_waiting_for_a_table():
    """With one table at a time the other two of four wait for it, and it is said once."""
    world = World(NAMES[:4])
    bots = world.everybody(silent)
    world.begin()
    world.run_for(900 * MS)
    told = sorted([message.reason.value for message in bot.all(Waiting)] for bot in bots)

    assert [["registration"], ["registration"], ["registration", "table"], ["registration", "table"]] == told


def test_t5_hello_06_the_same_reason_is_told_once():
    """Three games end at the other table while one bot rests: it is told once that it waits."""
    world = World(NAMES[:3], rounds=1, games=3)
    bots = world.everybody(slow(5 * MS))
    world.begin()
    world.play()
    (resting,) = (bot for bot in bots if bot.all(GameStart) == [])

    assert ["registration", "table"] == [message.reason.value for message in resting.all(Waiting)]


def test_a_bot_that_comes_before_the_beginning_again_is_told_again():
    """Each connection hears what it waits for."""
    world = World()
    ada = world.join("ada")
    world.settle()
    world.drop(ada)
    ada.connect()
    world.settle()

    assert ["welcome", "waiting"] * 2 == ada.types


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "looks like HTTP"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "looks like TLS"),
        (json.dumps({"type": "hello"}).encode(), "looks like JSON"),
        (HELLO[4:], "looks like msgpack without a length"),
        (HELLO[:4][::-1] + HELLO[4:], "looks like a little-endian length"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "looks like text"),
        (b"\xff\xff\xff\xff", "Is the length missing"),
    ],
)
def test_something_else_on_the_port_gets_a_helpful_sentence(data, says):
    """One fatal error that guesses what it was, one piece of news, and bots come in as before."""
    world = World()
    guest = world.stranger(data)
    ada = world.join("ada")
    world.settle()

    assert [ErrorCode.FRAME_TOO_LARGE] == guest.codes
    assert says in word_of(guest).message
    assert [Refused] == [type(item) for item in world.news if "looks" in str(item) or "missing" in str(item)]
    assert ["welcome", "waiting"] == ada.types


@pytest.mark.parametrize(
    "data",
    [
        b"\0\0\0\0",
        b"\0\0\0\1\xc0",
        frame(b"\x91\x01"),
        frame(b"\x81\x01\x01"),
        frame(b"\x81\xa4type"),
        frame(b"\xdf\xff\xff\xff\xff"),
        frame(b"\x81\xa1x" + b"\x91" * 3000 + b"\xc0"),
        HELLO[:4] + b"\xc1" * (len(HELLO) - 4),
    ],
)
def test_a_payload_that_is_no_map_is_refused(data):
    """Empty, nil, array, a key that is no text, torn off, 4 billion pairs, nested, garbage: `bad_frame`."""
    world = World()
    guest = world.stranger(data)
    world.settle()

    assert [ErrorCode.BAD_FRAME] == guest.codes
    assert guest.wire is None


def test_a_first_frame_of_more_than_4_kib_is_refused_a_later_one_is_not():
    """5 KiB of unknown fields: `frame_too_large` in a hello, ignored in a ping."""
    world = World()
    stuffing = {f"x{number}": "x" * 512 for number in range(10)}
    big_hello = world.stranger(frame(msgpack.packb({"type": "hello", **stuffing})))
    ada = world.join("ada")
    world.settle()
    ada.say(frame(msgpack.packb({"type": "ping", "echo": 7, **stuffing})))
    world.settle()

    assert [ErrorCode.FRAME_TOO_LARGE] == big_hello.codes
    assert (7, "pong") == (ada.heard[-1].echo, ada.types[-1])


def test_too_many_connections():
    """Of three where two are allowed, the third is told to try later; once one has gone there is room."""
    world = World(NAMES[:3], limits=ServerLimits(connections=2))
    ada, _, cyd = world.everybody()
    world.settle()

    assert [ErrorCode.TOO_MANY_CONNECTIONS] == cyd.codes
    assert cyd.wire is None

    world.drop(ada)
    world.settle()
    cyd.connect()
    world.settle()

    assert ["error", "welcome", "waiting"] == cyd.types


def test_bytes_after_the_last_message_are_ignored():
    """Whoever was refused may go on sending: nothing is read, answered, or counted."""
    world = World()
    wire = world.stranger(b"GET / HTTP/1.1\r\n\r\n" + HELLO * 50).wire
    world.carry_to_referee(wire, HELLO)
    ada = world.join("ada", lambda bot, message: (Ping(),) if isinstance(message, Closing) else ())
    world.settle()

    assert 1 == len([item for item in world.news if isinstance(item, Refused)])
    assert ["welcome", "waiting"] == ada.types


def test_half_a_hello_and_gone():
    """A connection that ends in mid-frame leaves nothing behind that anybody waits for."""
    world = World()
    guest = world.stranger(HELLO[:20])
    world.settle()
    world.drop(guest)
    world.run_for(20 * S)

    assert [] == guest.heard
    assert world.engine.wake_at() is None
    assert [] == world.news


def test_a_hello_and_gone_in_the_same_moment():
    """The hello is read together with the end of the connection: nobody is let in."""
    world = World()
    ada = world.join("ada")
    world.drop(ada, delivered=True)
    world.settle()

    assert [] == ada.heard
    assert world.engine.lobby.instances("ada")[0].peer is None


def test_an_offer_made_on_return_counts():
    """A bot that comes back may offer more games than before, and wants events now."""
    world = World()
    ada = world.join("ada")
    world.settle()
    ada.hello = Hello(name="ada", secret=secret("ada"), versions=(1,), games=5, events=True)
    world.drop(ada)
    ada.connect()
    world.settle()
    instance = world.engine.lobby.instances("ada")[0]

    assert (5, True) == (instance.capacity, instance.wants_events)
    assert [1, 5] == [message.limits.games for message in ada.all(Welcome)]


def test_time_before_the_hello_is_not_charged_to_a_move():
    """Everybody takes 9 s to say hello, and has 1 s a move: nobody loses anything."""
    world = World()
    bots = [world.stranger(), world.stranger()]
    for bot, name in zip(bots, NAMES[:2], strict=True):
        bot.hello = Hello(name=name, secret=secret(name), versions=(1,))
        bot.policy = honest
        world.after(9 * S, lambda bot=bot: bot.say(bot.hello))
    world.run_for(9 * S)
    world.begin()
    world.play()

    assert [{}, {}] == [world.faults(name) for name in NAMES[:2]]
    assert START + 10 * S >= world.now


def test_a_late_answer_of_a_dead_connection_goes_nowhere():
    """What a bot meant to send on a connection that broke is not sent on its next one."""
    world = World()
    ada = world.join("ada", lambda bot, message: [Later(10 * MS, Ping())] * (message.TYPE == "welcome"))
    world.settle()
    world.drop(ada)
    world.run_for(1 * S)

    assert ["welcome", "waiting"] == ada.types
