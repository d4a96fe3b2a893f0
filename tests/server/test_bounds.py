"""What one connection may cost: needless messages, memory, and work (T5-LIMIT, and promise 10)."""

import gc
import weakref

import msgpack
import pytest

from protocol.connection import Connection
from protocol.errors import ErrorCode
from protocol.framing import frame
from protocol.messages import FROM_REFEREE, Card, Error, Ping, Pong, Row, Welcome
from protocol.requests import ChooseCard, RequestClosed
from protocol.states import Role
from referee.play.clock import Arrival, ClockRules
from referee.play.faults import Fault
from referee.rules.variants import Rules
from referee.server.floor import DEAD_ALARMS
from referee.server.limits import ServerLimits, TokenBucket
from tests.server.network import MS, NAMES, S, World, answer_to, honest, silent

EMPTY_MAP = b"\0\0\0\1\x80"
"""The shortest frame that can be read: a message without a type."""


def test_t5_limit_01_a_hundred_are_free_and_the_next_floods():
    """100 pings in a burst are answered; the 101st ends the connection."""
    world = World()
    ada = world.join("ada")
    world.settle()
    ada.say(*[Ping(echo=number) for number in range(100)])
    world.settle()

    assert list(range(100)) == [message.echo for message in ada.all(Pong)]
    assert [] == ada.codes

    ada.say(Ping(echo=100))
    world.settle()

    assert [ErrorCode.FLOODING] == ada.codes
    assert ada.last(Error).fatal
    assert ada.wire is None

    world.begin()

    assert {"flooding": 1} == world.faults("ada")


def test_t5_limit_01_twenty_a_second_come_back():
    """After 100 at once and a pause of 1 s there is room for 20, and not for one more."""
    world = World()
    ada = world.join("ada")
    world.settle()
    ada.say(*[Ping()] * 100)
    world.run_for(1 * S)
    ada.say(*[Ping()] * 20)
    world.settle()

    assert [] == ada.codes

    ada.say(Ping())
    world.settle()

    assert [ErrorCode.FLOODING] == ada.codes


def test_t5_limit_01_twenty_a_second_may_go_on_for_ever():
    """A ping every 50 ms for five minutes is never too much."""
    world = World()
    ada = world.join("ada")
    world.settle()
    for number in range(6000):
        world.after(number * 50 * MS, lambda: ada.say(Ping()))
    world.run_for(300 * S)

    assert [] == ada.codes


@pytest.mark.parametrize(
    ("needless", "code"),
    [
        (lambda asked: EMPTY_MAP, ErrorCode.UNKNOWN_TYPE),
        (lambda asked: Card(request=999, card=1), ErrorCode.UNKNOWN_REQUEST),
        (lambda asked: answer_to(asked), ErrorCode.REQUEST_CLOSED),
        (lambda asked: Card(request=asked.request - 2, card=1), None),
        (lambda asked: frame(msgpack.packb({"type": "card", "card": 1})), ErrorCode.MISSING_FIELD),
    ],
    ids=["unknown type", "unknown request", "second", "stale", "missing field"],
)
def test_t5_limit_01_what_nobody_needs_is_paid_for(needless, code):
    """100 of a kind, in trick 2, get what they deserve; the 101st floods as well, and costs a strike."""
    world = World()

    def twice(bot, message):
        return honest(bot, message) if getattr(message, "trick", 2) == 1 else ()

    ada, _ = world.everybody(twice)
    world.begin()
    world.settle()
    ada.say(answer_to(ada.asked))
    ada.say(*[needless(ada.asked)] * 100)
    world.settle()

    assert [code] * 100 == ada.codes or ([], None) == (ada.codes, code)

    ada.say(needless(ada.asked))
    world.settle()

    assert ErrorCode.FLOODING is ada.codes[-1]
    assert 1 == world.faults_so_far("ada")["flooding"]


def test_t5_limit_01_wrong_answers_are_paid_for():
    """A bot that offers a card it does not have pays a token each time, until the game is forfeited."""
    limits = ServerLimits(needless_messages=5)
    world = World(limits=limits)

    def never_mine(bot, message):
        if isinstance(message, ChooseCard):
            return [Row(request=message.request, row=0)] * 3
        return honest(bot, message)

    ada = world.join("ada", never_mine)
    world.join("bob")
    world.begin()
    world.settle()

    # Three to each of two requests; the last of them is one too many, and its strike the third.
    assert [ErrorCode.ILLEGAL_CHOICE] * 3 + [ErrorCode.FLOODING] == ada.codes
    assert {"illegal": 6, "flooding": 1, "disconnected": 1} == world.faults("ada")


def test_t5_limit_01_answers_that_count_are_free():
    """40 games at once with 400 answers: nobody ever pays a token."""
    world = World(
        games=40, rounds=1, concurrency=40, limits=ServerLimits(needless_messages=1, games_per_connection=40)
    )
    bots = world.everybody(games=40)
    world.begin()
    world.play()

    assert [[], []] == [bot.codes for bot in bots]
    assert all(len(bot.all(RequestClosed)) >= 400 for bot in bots)


def test_the_bucket():
    """A bucket of 2 that gets one back every 10 ns: full at first, never fuller, and no time is lost."""
    bucket = TokenBucket(2, 10)
    moments = [1000, 1000, 1000, 1009, 1010, 1010, 1025, 1030, 1031, 5000, 5000, 5000]

    assert [
        *(True, True, False),
        *(False, True, False),
        *(True, True, False),
        *(True, True, False),
    ] == [bucket.spend(moment) for moment in moments]


def test_flooding_in_mid_game_is_a_strike_in_each_game():
    """Three games at once: one flood, three strikes, one in each; the bot comes back and plays on."""
    world = World(games=3, rounds=1, concurrency=3)
    ada = world.join("ada", silent, games=3, rejoin_ns=100 * MS)
    world.join("bob", games=3)
    world.begin()
    world.settle()
    ada.policy = honest
    ada.say(*[Ping()] * 101)
    world.play()

    assert {"flooding": 3, "disconnected": 3} == world.faults("ada")
    assert {1} == {message.strikes for message in ada.all(RequestClosed)}
    assert {} == world.faults("bob")


def test_t5_fault_02_a_fatal_error_is_a_strike_in_each_game():
    """Garbage on a connection with two games: `bad_frame`, a strike in each, none in the game after."""
    world = World(games=3, rounds=1, concurrency=2)
    ada = world.join("ada", silent, games=2, rejoin_ns=100 * MS)
    world.join("bob", games=2)
    world.begin()
    world.settle()
    ada.policy = honest
    ada.say(frame(b"\xc1"))
    world.play()
    strikes = {message.game: message.strikes for message in ada.all(RequestClosed)}

    assert [ErrorCode.BAD_FRAME] == ada.codes
    assert {"r1t1g1": 1, "r1t1g2": 1, "r1t1g3": 0} == strikes
    assert {"violation": 2, "disconnected": 2} == world.faults("ada")


def test_a_fatal_error_between_games_is_counted_and_strikes_nowhere():
    """There is no game to lose yet."""
    world = World()
    ada = world.join("ada", rejoin_ns=10 * MS)
    world.join("bob")
    world.settle()
    ada.say(frame(b"\xc1"))
    world.run_for(20 * MS)
    world.begin()
    world.play()

    assert {"violation": 1} == world.faults("ada")
    assert {0} == {message.strikes for message in ada.all(RequestClosed)}


def test_t5_limit_03_a_pong_echoes_and_the_referee_never_pings():
    """With an echo, with the largest, without one; and no message of the referee is a ping."""
    world = World()
    ada = world.join("ada")
    world.settle()
    ada.say(Ping(echo=0), Ping(echo=2**53 - 1), Ping())
    world.settle()

    assert [0, 2**53 - 1, None] == [message.echo for message in ada.all(Pong)]
    assert Ping not in FROM_REFEREE


def test_t5_answer_05_an_id_that_was_never_given_out():
    """`unknown_request` with the id, for all three kinds of answer; the open request is untouched."""
    world = World()
    ada, bob = world.everybody(silent)
    world.begin()
    world.settle()
    last = max(ada.asked.request, bob.asked.request)
    ada.say(Card(request=last + 1, card=ada.asked.choices[0]), Row(request=2**53 - 1, row=0))
    world.settle()
    errors = ada.all(Error)

    assert [ErrorCode.UNKNOWN_REQUEST] * 2 == ada.codes
    assert [last + 1, 2**53 - 1] == [error.request for error in errors]
    assert [False, False] == [error.fatal for error in errors]

    ada.say(answer_to(ada.asked))
    bob.say(answer_to(bob.asked))
    world.settle()

    assert "answered" == ada.last(RequestClosed).reason.value


def test_t5_answer_05_a_guess_of_the_next_id_does_not_count_before_it_is_asked():
    """Ada answers trick 1 and, in the same packet, guesses the ids of trick 2: all of them are errors."""
    world = World()
    ada, bob = world.everybody(silent)
    world.begin()
    world.settle()
    first = max(ada.asked.request, bob.asked.request)
    bob.say(answer_to(bob.asked))
    world.settle()
    guesses = [Card(request=first + step, card=ada.asked.choices[-1]) for step in (1, 2, 3)]
    ada.say(answer_to(ada.asked), *guesses)
    world.settle()
    closed = [message.request for message in ada.all(RequestClosed)]

    assert [1] == closed
    assert {ErrorCode.UNKNOWN_REQUEST} == set(ada.codes)


def test_an_answer_to_the_request_of_another_seat_does_nothing():
    """It was issued, though not to this bot: dropped as stale, and the other seat is still asked."""
    world = World()
    ada, bob = world.everybody(silent)
    world.begin()
    world.settle()
    ada.say(Card(request=bob.asked.request, card=bob.asked.choices[0]))
    world.run_for(10 * MS)

    assert [] == ada.codes
    assert {"stale": 1} == world.faults_so_far("ada")
    assert [] == bob.all(RequestClosed)


def test_a_read_of_thousands_of_messages_is_not_dealt_with_to_the_end(monkeypatch):
    """64 KiB hold 13,107 empty maps; the flood is over after a hundred, and so is the work."""
    world = World()
    ada = world.join("ada")
    world.settle()
    seen = []
    inner = Connection.next_message

    def counted(connection):
        seen.append(connection.role)
        return inner(connection)

    monkeypatch.setattr(Connection, "next_message", counted)
    ada.say(EMPTY_MAP * 13_107)
    world.settle()

    assert [ErrorCode.UNKNOWN_TYPE] * 101 + [ErrorCode.FLOODING] == ada.codes
    assert 101 == seen.count(Role.REFEREE)


@pytest.mark.parametrize("policy", [honest, silent])
def test_a_long_tournament_leaves_nothing_behind(policy):
    """60 games, a bot that drops now and then, and strangers: the engine holds no more than at the start."""
    world = World(NAMES[:4], rounds=30, rules=Rules(target=None, deals=2), concurrency=2)
    world.join("ada", policy, rejoin_ns=5 * MS)
    for name in NAMES[1:4]:
        world.join(name)
    engine = world.engine
    most = {"alarms": 0, "peers": 0, "told": 0, "outbox": 0, "unsent": 0}

    def look():
        floor = engine._floor
        sizes = (floor._alarms, engine._peers, engine._organiser._told, engine._outbox, floor._unsent)
        most.update({key: max(most[key], len(held)) for key, held in zip(most, sizes, strict=True)})

    world.after_pass.append(look)
    world.begin()
    for number in range(20):
        world.after(number * 10 * MS, lambda: world.stranger(b"GET / HTTP/1.1\r\n\r\n"))
        world.after(number * 15 * MS, lambda: world.bots[0].wire and world.drop(world.bots[0]))
    world.play()

    assert 60 == len(world.results)
    assert {"alarms", "peers", "told"} == {key for key, value in most.items() if value}
    assert most["alarms"] <= 6
    assert most["peers"] <= 6
    assert most["told"] <= 4
    assert 0 == len(engine._peers) == len(engine._floor) == len(engine._floor._touched)
    assert [{}] * 4 == [instance.games for instance in engine.lobby]


def test_tables_that_are_over_are_not_remembered_until_their_limit():
    """While one table waits for its limit, another plays 100 games, whose alarms would go off later still."""
    world = World(
        NAMES[:4],
        rounds=1,
        games=100,
        concurrency=2,
        rules=Rules(target=None, deals=1),
        clock=ClockRules(move_ns=200 * S),
    )
    for name in NAMES[:4]:
        world.join(name, silent if name == "ada" else honest)
    most = 0

    def look():
        nonlocal most
        most = max(most, len(world.engine._floor._alarms))

    world.after_pass.append(look)
    world.begin()
    world.play()

    assert 200 == len(world.results)
    assert 60 < most <= 2 * 2 + DEAD_ALARMS + 1


def test_a_slow_reader_is_a_violation_in_each_game_and_its_table_plays_on():
    """The shell says so and ends the connection: one strike, and the others are asked as before."""
    world = World(rounds=1)
    ada = world.join("ada", silent, rejoin_ns=50 * MS)
    world.join("bob")
    world.begin()
    world.settle()
    wire = ada.wire
    ada.policy = honest
    world.engine.slow_reader(wire.number, world.now)
    world.drop(ada)
    world.play()

    assert {Fault.VIOLATION.value: 1, "disconnected": 1} == world.faults("ada")
    assert 2 == len(ada.all(Welcome))


def test_a_connection_that_ended_is_forgotten_whole():
    """Nothing of the engine holds on to it."""
    world = World()
    ada = world.join("ada")
    world.settle()
    peer = weakref.ref(world.engine._peers[ada.wire.number])
    world.drop(ada)
    world.settle()
    gc.collect()

    assert peer() is None


def test_what_is_said_about_a_number_that_is_not_connected_is_ignored():
    """The shell may be a pass behind: bytes or an end of a connection that is gone already change nothing."""
    world = World()
    world.engine.received(77, b"\0\0\0\0", Arrival.at(world.now), world.now)
    world.engine.disconnected(77, "gone", world.now)

    assert [] == world.engine.take_outgoing()
    assert [] == world.engine.news
