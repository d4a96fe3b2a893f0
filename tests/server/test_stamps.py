"""When bytes arrived: the kernel's stamps, and what is known of polls where there are none."""

import socket
import sys
import time

import pytest
import trio

from referee.play.clock import Arrival
from referee.server import stamps
from referee.server.sockets import prepare
from referee.server.stamps import PollTimes, receive

MS = 1_000_000
S = 1000 * MS

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux stamps what it receives")


@pytest.fixture
def pair():
    """Two ends of a TCP connection on this machine; the first one is prepared as the referee's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    prepare(ours)
    with ours, theirs:
        yield ours, theirs


class Clock:
    """Stands in for the module `time`; both clocks are turned by hand."""

    def __init__(self):
        self.monotonic, self.wall = 100 * S, 1_700_000_000 * S

    def monotonic_ns(self):
        """The time that never jumps."""
        return self.monotonic

    def time_ns(self):
        """The time on the wall."""
        return self.wall

    def turn(self, ns):
        """Let time pass."""
        self.monotonic += ns
        self.wall += ns


@pytest.fixture
def clock(monkeypatch):
    """A clock of our own in the place of the real one."""
    clock = Clock()
    monkeypatch.setattr(stamps, "time", clock)
    return clock


class StampedSocket:
    """A socket that has one piece of data with a stamp (or none) in it."""

    def __init__(self, data, stamp_ns=None):
        self._data, self._stamp_ns = data, stamp_ns

    def recvmsg(self, size, ancillary_size):
        """Return data and stamp as the kernel does."""
        assert ancillary_size >= socket.CMSG_SPACE(16)
        if self._stamp_ns is None:
            return self._data[:size], [], 0, None
        payload = stamps._TIMESPEC.pack(*divmod(self._stamp_ns, S))
        return self._data[:size], [(socket.SOL_SOCKET, stamps._SO_TIMESTAMPNS, payload)], 0, None

    def recv(self, size):
        """Return data only."""
        return self._data[:size]


def polled(polls, clock, *, timeout, waits_ns):
    """Let a poll pass that takes so long."""
    polls.before_io_wait(timeout)
    clock.turn(waits_ns)
    polls.after_io_wait(timeout)


@on_linux
def test_real_bytes_arrive_between_sending_and_reading(pair):
    """The time is that of the arrival, however late they are read."""
    ours, theirs = pair
    polls = PollTimes()
    before = time.monotonic_ns()
    theirs.sendall(b"answer")
    while True:
        try:
            data, arrival = receive(ours, 100, polls)
            break
        except BlockingIOError:
            continue
    after = time.monotonic_ns()

    assert b"answer" == data
    # The two clocks of the machine tick apart by no more than this.
    assert before - 1 * MS <= arrival.latest <= after
    assert arrival.earliest <= arrival.latest


@on_linux
def test_the_end_of_the_stream_and_nothing_to_read(pair):
    """No bytes at the end; BlockingIOError where there is nothing yet."""
    ours, theirs = pair
    with pytest.raises(BlockingIOError):
        receive(ours, 100, PollTimes())
    theirs.close()
    ours.setblocking(True)

    assert b"" == receive(ours, 100, PollTimes())[0]


@on_linux
def test_a_stamp_is_turned_into_a_moment_of_the_monotonic_clock(clock):
    """Stamped 80 ms ago, read by a referee whose last poll returned 200 ms ago: it arrived 80 ms ago."""
    polls = PollTimes()
    polled(polls, clock, timeout=1, waits_ns=5 * MS)
    clock.turn(120 * MS)
    stamp = clock.wall
    clock.turn(80 * MS)
    polled(polls, clock, timeout=0, waits_ns=0)
    data, arrival = receive(StampedSocket(b"x", stamp), 100, polls)

    assert b"x" == data
    assert Arrival(clock.monotonic - 80 * MS, clock.monotonic - 200 * MS) == arrival


@on_linux
@pytest.mark.parametrize("step_ns", [3600 * S, 300 * MS, -300 * MS, -3600 * S])
def test_a_stepped_wall_clock_is_bounded_by_what_is_possible(clock, step_ns):
    """It jumps between arrival and reading: never before the socket was known empty, nor after now."""
    polls = PollTimes()
    polled(polls, clock, timeout=1, waits_ns=5 * MS)
    known_empty = clock.monotonic
    stamp = clock.wall
    clock.turn(50 * MS)
    clock.wall += step_ns
    polled(polls, clock, timeout=0, waits_ns=0)
    arrival = receive(StampedSocket(b"x", stamp), 100, polls)[1]

    assert (known_empty if step_ns > 0 else clock.monotonic) == arrival.latest
    assert known_empty == arrival.earliest


def test_without_a_stamp_the_poll_decides(clock):
    """A poll that had to wait: the bytes came when it returned, and were not there when it began."""
    polls = PollTimes()
    clock.turn(7 * MS)
    asked = clock.monotonic
    polled(polls, clock, timeout=1, waits_ns=30 * MS)
    arrival = receive(StampedSocket(b"x"), 100, polls)[1]

    assert Arrival.at(asked + 30 * MS) == arrival
    assert asked == polls.known_empty


def test_without_a_stamp_a_poll_that_did_not_wait_leaves_the_doubt_to_the_bot(clock):
    """The loop was busy for 200 ms: the bytes may have come right after the poll before."""
    polls = PollTimes()
    polled(polls, clock, timeout=1, waits_ns=30 * MS)
    before = clock.monotonic
    clock.turn(200 * MS)
    polled(polls, clock, timeout=1, waits_ns=50_000)
    arrival = receive(StampedSocket(b"x"), 100, polls)[1]

    assert Arrival.at(before) == arrival
    assert before == polls.known_empty


def test_a_system_without_stamps(monkeypatch, clock):
    """Plain `recv` is used; asking for stamps does nothing."""
    monkeypatch.setattr(stamps, "_ANCILLARY_BYTES", 0)
    monkeypatch.setattr(stamps, "_SO_TIMESTAMPNS", None)
    polls = PollTimes()
    polled(polls, clock, timeout=1, waits_ns=30 * MS)
    stamps.ask_for_stamps(object())

    assert (b"ab", Arrival.at(clock.monotonic)) == receive(StampedSocket(b"abc"), 2, polls)


def test_a_system_that_refuses_to_stamp_is_put_up_with():
    """A kernel or a sandbox may say no to the option."""

    class Refusing:
        def setsockopt(self, *args):
            raise OSError(92, "Protocol not available")

    assert stamps.ask_for_stamps(Refusing()) is None


async def test_trio_tells_of_its_polls():
    """As an instrument it notes each poll: the last one returned after this test had begun."""
    begun = time.monotonic_ns()
    polls = PollTimes()
    trio.lowlevel.add_instrument(polls)
    try:
        await trio.lowlevel.checkpoint()
        await trio.lowlevel.checkpoint()
    finally:
        trio.lowlevel.remove_instrument(polls)

    assert begun <= polls.known_empty <= polls.arrived <= polls.returned <= time.monotonic_ns()
