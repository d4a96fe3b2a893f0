"""False time-outs: what the referee's own slowness may not cost anybody (T5-CLOCK-01, -04, -05)."""

import pytest

from protocol.messages import Ping
from protocol.parts import ClosedBecause
from protocol.requests import RequestClosed
from referee.play.clock import ClockRules
from tests.server.network import MS, NAMES, REQUESTS, START, Later, S, World, answer_to, honest, silent

HALF_A_PING = b"\0\0\0\x06\x81\xa4"


def first_trick(world, ada_does, *, stall_at=950, stall_ms=200):
    """Let bob answer at once and ada do things at moments (ms: items); the referee stalls in between.

    Returns:
        What ada was told about the request of trick 1.
    """
    ada = world.join("ada", silent)
    world.join("bob")
    world.begin()
    world.settle()
    asked = ada.asked
    world.after(stall_at * MS, lambda: world.stall(stall_ms * MS))
    for moment, item in ada_does.items():
        data = item if isinstance(item, bytes) else None
        message = answer_to(asked) if item == "answer" else Ping()
        world.after(moment * MS, lambda data=data, message=message: ada.say(data or message))
    world.run_until(lambda: ada.all(RequestClosed) != [])
    return ada.all(RequestClosed)[0]


@pytest.mark.parametrize("lagging", [False, True], ids=["reads first", "judges first"])
def test_a_stall_costs_nobody_an_answer_that_has_arrived(lagging):
    """The referee sleeps from 950 to 1150 ms; the answer arrives at 999 ms, the limit is 1000 ms."""
    world = World()
    world.lagging = lagging
    closed = first_trick(world, {999: "answer"})

    assert (ClosedBecause.ANSWERED, 999) == (closed.reason, closed.took_ms)
    assert {} == world.faults_so_far("ada")


@pytest.mark.parametrize("lagging", [False, True], ids=["reads first", "judges first"])
@pytest.mark.parametrize(
    ("arrival", "reason"),
    [(1000, ClosedBecause.ANSWERED), (1001, ClosedBecause.LATE), (1149, ClosedBecause.LATE)],
)
def test_an_answer_alone_is_judged_by_its_own_arrival(lagging, arrival, reason):
    """In a stall as well, what arrives by itself has an exact time: 1000 ms is in time and 1001 is not."""
    world = World()
    world.lagging = lagging

    assert reason is first_trick(world, {arrival: "answer"}).reason


def test_a_hundred_tricks_at_the_edge_with_a_referee_that_stalls_all_the_time():
    """Every answer arrives at 990 ms of 1000; the referee sleeps 200 ms in every 300: nobody is late."""
    world = World(games=10, rounds=1)

    def edge(bot, message):
        if isinstance(message, REQUESTS):
            yield Later(990 * MS, answer_to(message))

    def sleep():
        world.stall(200 * MS)
        if not world.engine.finished:
            world.after(300 * MS, sleep)

    world.everybody(edge)
    world.begin()
    world.after(1 * MS, sleep)
    world.play()
    delay = max(result.referee_delay_ns for result in world.results)

    assert [{}, {}] == [world.faults(name) for name in ("ada", "bob")]
    assert {990} == {closed.took_ms for bot in world.bots for closed in bot.all(RequestClosed)}
    assert 100 * MS < delay <= 200 * MS


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ({980: "answer", 1050: "ping"}, ClosedBecause.ANSWERED),
        ({980: "answer", 1050: HALF_A_PING}, ClosedBecause.ANSWERED),
        ({1050: "answer", 1060: "ping"}, ClosedBecause.ANSWERED),
        ({980: "ping", 1050: "answer"}, ClosedBecause.LATE),
        ({1050: "answer"}, ClosedBecause.LATE),
    ],
    ids=[
        "in time, then a ping",
        "in time, then half a frame",
        "late, then a ping",
        "a ping, then late",
        "late alone",
    ],
)
def test_t5_clock_05_only_frames_that_came_with_others_are_in_doubt(does, reason):
    """All of it is read at 1150 ms in one piece, of which only the end has a time."""
    world = World()

    assert reason is first_trick(world, does).reason


def test_t5_clock_05_the_doubt_is_the_bots_three_times_a_game():
    """Every answer comes at 1050 ms with a ping behind it, both in a stall: three are let pass."""
    world = World(clock=ClockRules(move_ns=1 * S, strikes=0), games=2, rounds=1)

    def late(bot, message):
        if isinstance(message, REQUESTS):
            world.after(950 * MS, lambda: world.stall(200 * MS))
            yield Later(1050 * MS, answer_to(message))
            yield Later(1060 * MS, Ping())

    ada = world.join("ada", late)
    world.join("bob")
    world.begin()
    world.play()
    for game in ("r1t1g1", "r1t1g2"):
        reasons = [closed.reason for closed in ada.all(RequestClosed) if closed.game == game]

        assert [ClosedBecause.ANSWERED] * 3 == reasons[:3]
        assert {ClosedBecause.LATE} == set(reasons[3:])


def test_t5_clock_05_a_referee_that_is_on_time_has_no_doubts():
    """Without a stall the same answers, 50 ms late with a ping behind, are late from the first."""
    world = World()
    closed = first_trick(world, {1050: "answer", 1060: "ping"}, stall_ms=0)

    assert ClosedBecause.LATE is closed.reason


def test_t5_clock_04_nothing_but_a_valid_answer_moves_a_deadline():
    """A frame that trickles, pings, wrong answers, a new connection: the request closes at 1 s and 1 ns."""
    world = World()
    ada = world.join("ada", silent)
    world.join("bob")
    world.begin()
    world.settle()
    for number in range(1, 9):
        world.after(
            number * 90 * MS, lambda number=number: ada.say(b"\0\0\0\x08\x81\xa4type"[number - 1 : number])
        )
    world.after(800 * MS, lambda: world.drop(ada))
    world.after(810 * MS, ada.connect)
    world.after(820 * MS, lambda: ada.say(Ping()))
    world.run_until(lambda: ada.all(RequestClosed) != [])

    assert START + 1 * S + 1 == world.now
    assert ClosedBecause.LATE is ada.all(RequestClosed)[0].reason


def test_t5_clock_01_the_clock_runs_from_the_sending_and_not_from_the_stalled_pass():
    """The request waits 200 ms for a referee that stalls before it sends: took_ms counts from the sending."""
    world = World()
    ada, _ = world.everybody()
    world.settle()
    world.stall(200 * MS)
    world.engine.begin(world.director)
    world._stirred = True
    world.run_until(lambda: ada.all(RequestClosed) != [])

    assert START + 200 * MS == world.now
    assert 0 == ada.all(RequestClosed)[0].took_ms


def test_t5_clock_01_the_time_under_way_counts():
    """A wire of 30 ms each way: an answer at once took 60 ms; `took_ms` is rounded down."""
    world = World()
    ada = world.join("ada", honest)
    ada.wire.weather = type(ada.wire.weather)(delay=lambda: 30 * MS + 400_000)
    world.join("bob")
    world.run_for(1 * S)
    world.begin()
    world.run_until(lambda: ada.all(RequestClosed) != [])

    assert 60 == ada.all(RequestClosed)[0].took_ms


def test_a_late_answer_to_the_last_request_is_not_taken_for_the_next():
    """It arrives in a stall, after the deadline: late, and what is asked next is still to be answered."""
    world = World()
    closed = first_trick(world, {1100: "answer"})
    ada = world.bots[0]
    world.settle()

    assert ClosedBecause.LATE is closed.reason
    assert ada.asked.request > closed.request
    assert 1 == len(ada.all(RequestClosed))


def test_a_deadline_that_comes_closer_is_not_slept_through():
    """With 5 s in the bank two tables would sleep for 6 s; a bot of the second drops, its bank stops: 1 s."""
    world = World(NAMES[:4], concurrency=2, clock=ClockRules(move_ns=1 * S, bank_ns=5 * S))
    bots = world.everybody(silent)
    world.begin()
    world.settle()
    second = next(bot for bot in bots if bot.asked.game == "r1t2g1")

    assert START + 6 * S + 1 == world.engine.wake_at()

    world.run_for(100 * MS)
    world.drop(second)
    world.settle()

    assert START + 1 * S + 1 == world.engine.wake_at()

    world.run_for(901 * MS)

    assert {"disconnected": 1, "gone": 1} == world.faults_so_far(second.name)


@pytest.mark.parametrize("wait_ms", [0, 999])
def test_the_engine_is_woken_for_every_deadline(wait_ms):
    """Whatever a silent bot's neighbour does, and whenever, the wake-up is never later than the deadline."""
    world = World(rounds=1)
    world.join("ada", silent)

    def later(bot, message):
        if isinstance(message, REQUESTS):
            yield Later(wait_ms * MS, answer_to(message))

    world.join("bob", later)
    world.begin()
    world.settle()
    latest = []

    def look():
        for running in world.engine._floor._tables.values():
            deadline = running.table.wake_at()
            if deadline is not None:
                latest.append(world.engine.wake_at() <= deadline)

    world.after_pass.append(look)
    world.play()

    assert {True} == set(latest)
