"""How connections are read: both kinds do the same, and the fast one knows since when a socket was empty."""

import contextlib
import os
import socket
import sys
import time

import pytest
import trio

from referee.server import readers as readers_module
from referee.server.links import Link, Phase
from referee.server.readers import EpollReaders, Io, Readers, available, make_readers

MS = 1_000_000

only_fast = pytest.mark.skipif(Io.FAST not in available(), reason="only Linux has an epoll")


class Reading:
    """Readers of one kind at work, and what they had read.

    Attributes:
        pieces: What was read: the number of the connection and the bytes.
        spans: For each of them, since when at the earliest it can have been there, in ns.
    """

    def __init__(self, io: Io, nursery: trio.Nursery) -> None:
        self.pieces: list[tuple[int, bytes]] = []
        self.spans: list[int] = []
        self.readers: Readers = make_readers(io, self._read, nursery)

    def _read(self, link, moments):
        with contextlib.suppress(BlockingIOError):
            self.pieces.append((link.number, link.sock.recv(64)))
            self.spans.append(moments.known_empty)

    async def until_read(self, count: int) -> list[tuple[int, bytes]]:
        """Wait until so many pieces were read."""
        with trio.fail_after(10):
            while len(self.pieces) < count:
                await self.readers.wait(None)
        return self.pieces


@contextlib.asynccontextmanager
async def reading(io: Io):
    """Give readers that have made their first pass, which needs no reason."""
    async with trio.open_nursery() as nursery:
        found = Reading(io, nursery)
        try:
            await found.readers.wait(None)
            yield found
        finally:
            nursery.cancel_scope.cancel()
            found.readers.close()


@contextlib.contextmanager
def joined(readers: Readers, number: int):
    """Give the far end of a connection that is being read."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    link = Link(ours, number)
    readers.add(link)
    with theirs:
        yield link, theirs
        if link.phase is not Phase.CLOSED:
            readers.drop(link)
            link.close()


def test_the_best_kind_comes_first():
    """Linux has both, and takes the fast one; all others have the portable one."""
    expected = (Io.FAST, Io.PORTABLE) if sys.platform == "linux" else (Io.PORTABLE,)

    assert expected == available()


async def test_all_that_is_ready_is_read_in_one_wait(io):
    """Three connections have something: nobody has to wait for another pass."""
    async with reading(io) as found:
        with (
            joined(found.readers, 1) as (_, one),
            joined(found.readers, 2) as (_, two),
            joined(found.readers, 3) as (_, three),
        ):
            # Tasks begin to wait when they first run.
            await trio.testing.wait_all_tasks_blocked()
            for far in (one, two, three):
                far.send(b"x")
            await found.until_read(1)

            assert [(1, b"x"), (2, b"x"), (3, b"x")] == sorted(found.pieces)


async def test_who_is_dropped_is_read_no_more(io):
    """What comes after that stays in the socket; the others are read as before."""
    async with reading(io) as found:
        with joined(found.readers, 1) as (gone, far), joined(found.readers, 2) as (_, other):
            found.readers.drop(gone)
            gone.close()
            with contextlib.suppress(OSError):
                far.send(b"too late")
            other.send(b"here")

            assert [(2, b"here")] == await found.until_read(1)


async def test_stirring_ends_a_wait_and_only_one(io):
    """A pass is made without anything to read; the next wait is a wait again."""
    async with reading(io) as found:
        found.readers.stir()
        found.readers.stir()
        with trio.fail_after(10):
            await found.readers.wait(None)
        waited = False
        with trio.move_on_after(0.01):
            await found.readers.wait(None)
            waited = True

    assert [] == found.pieces
    assert not waited


async def test_a_wait_ends_when_it_is_time(io):
    """A moment that has passed does not wait; one to come is waited for, and not left early."""
    async with reading(io) as found:
        await found.readers.wait(time.monotonic_ns() - 1)
        until = time.monotonic_ns() + 5 * MS
        await found.readers.wait(until)

        assert time.monotonic_ns() >= until


async def test_other_tasks_get_their_turn_though_there_is_always_something(io):
    """A connection that is never read to its end is always ready; a cancellation still comes through."""
    async with reading(io) as found:
        with joined(found.readers, 1) as (_, far):
            found.readers._read = lambda link, moments: None
            far.send(b"unread for ever")
            with trio.fail_after(10), trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(trio.lowlevel.checkpoint)
                    nursery.cancel_scope.deadline = trio.current_time() + 0.01
                    while True:
                        await found.readers.wait(None)

    assert not scope.cancelled_caught


@only_fast
async def test_what_is_ready_was_not_there_at_the_poll_before():
    """Sent after one poll and read at the next: known to be empty between the two, not before the first."""
    async with reading(Io.FAST) as found:
        with joined(found.readers, 1) as (_, far):
            far.send(b"a")
            await found.until_read(1)
            between = time.monotonic_ns()
            await found.readers.wait(between)  # a poll that finds nothing
            far.send(b"b")
            sent = time.monotonic_ns()
            await found.until_read(2)

    assert found.spans[0] < between <= found.spans[1] <= sent


@only_fast
async def test_polls_that_did_not_watch_tell_nothing():
    """While the passes were held up elsewhere Trio polled, but not the epoll: bytes may have come since."""
    async with reading(Io.FAST) as found:
        with joined(found.readers, 1) as (_, far):
            await found.readers.wait(time.monotonic_ns())
            far.send(b"a")
            sent = time.monotonic_ns()
            await trio.sleep(0.005)  # the poll in here had to wait, and told nothing of this socket
            await found.until_read(1)

    assert found.spans[0] <= sent


@only_fast
async def test_the_epoll_is_given_back():
    """Neither the epoll nor the bell outlives the readers."""
    before = set(os.listdir("/proc/self/fd"))
    readers = EpollReaders(lambda link, moments: None)
    during = set(os.listdir("/proc/self/fd"))
    readers.close()

    assert 2 == len(during - before)
    assert before == set(os.listdir("/proc/self/fd"))


@only_fast
async def test_while_nothing_is_to_read_no_processor_is_used():
    """The bell that was rung is silent again: a wait of 50 ms polls a few times, not all the time."""
    async with reading(Io.FAST) as found:
        polls = 0
        original = found.readers._read_ready

        def counted(patience_s):
            nonlocal polls
            polls += 1
            return original(patience_s)

        found.readers._read_ready = counted
        found.readers.stir()
        with trio.move_on_after(0.05):
            while True:
                await found.readers.wait(None)

    assert polls < 10


def test_the_turn_of_the_others_is_a_short_time_off():
    """Two milliseconds: less than any move limit, more than a pass."""
    assert 2 * MS == readers_module.FAIR_NS
