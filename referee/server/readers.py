"""Which connections have something to read: how the two I/O shells differ, and all they differ in.

The portable one has a task for each connection, which waits for it and reads it. The fast one, for Linux, has
no task but that of the passes: an epoll of its own holds all connections, and Trio waits for the epoll.
"""

import abc
import contextlib
import enum
import os
import select
import sys
import time
from collections.abc import Callable

import trio

from referee.server.links import Link, Phase
from referee.server.stamps import Moments, PollTimes

FAIR_NS = 2_000_000
"""While there is always something to read, the other tasks get their turn after so long."""

LINGER_S = 0.001
"""So long the fast reader waits by itself for what comes next before it lets Trio wait for it. An epoll knows
no shorter time; the other tasks have to wait as long."""
_LINGER_NS = int(LINGER_S * 1e9)


class Io(enum.Enum):
    """The I/O shells."""

    FAST = "fast"
    PORTABLE = "portable"


def available() -> tuple[Io, ...]:
    """Return the I/O shells that this system has, the best one first."""
    has_epoll = sys.platform == "linux" and hasattr(os, "eventfd")
    return (Io.FAST, Io.PORTABLE) if has_epoll else (Io.PORTABLE,)


Read = Callable[[Link, Moments], None]
"""Reads a connection once, without waiting; told what is known of when the bytes came."""


class Readers(abc.ABC):
    """Has connections read when they have something.

    Attributes:
        moments: What is known of when the bytes that are read now came.
    """

    moments: Moments

    @abc.abstractmethod
    def add(self, link: Link) -> None:
        """Have a connection read from now on."""

    @abc.abstractmethod
    def drop(self, link: Link) -> None:
        """Read a connection no more; call it before the socket is closed."""

    @abc.abstractmethod
    def stir(self) -> None:
        """End the wait, though there is nothing to read."""

    @abc.abstractmethod
    async def wait(self, until: int | None) -> None:
        """Wait until connections were read, `stir` was called or it is `until` (ns); None is for ever.

        Always a Trio checkpoint or a short way from the next one.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Give back what the system lent."""


def make_readers(io: Io, read: Read, nursery: trio.Nursery) -> Readers:
    """Return readers of one kind; their tasks, if any, run in `nursery`."""
    return EpollReaders(read) if io is Io.FAST else TaskReaders(read, nursery)


class TaskReaders(Readers):
    """One Trio task a connection: works everywhere."""

    def __init__(self, read: Read, nursery: trio.Nursery) -> None:
        self.moments = self._polls = PollTimes()
        self._read = read
        self._nursery = nursery
        self._stirred = trio.Event()
        self._stirred.set()
        trio.lowlevel.add_instrument(self._polls)

    def add(self, link: Link) -> None:
        """Start the task of a connection."""
        self._nursery.start_soon(self._read_all, link)

    def drop(self, link: Link) -> None:
        """Do nothing: the task ends when the socket is closed."""

    def stir(self) -> None:
        """End the wait."""
        self._stirred.set()

    async def wait(self, until: int | None) -> None:
        """Wait until a task has read, or something else is to be done."""
        left_ns = None if until is None else until - time.monotonic_ns()
        if left_ns is not None and left_ns <= 0:
            await trio.lowlevel.checkpoint()
        else:
            with trio.move_on_after(float("inf") if left_ns is None else left_ns / 1e9):
                await self._stirred.wait()
        self._stirred = trio.Event()

    def close(self) -> None:
        """Look at Trio's polls no more."""
        trio.lowlevel.remove_instrument(self._polls)

    async def _read_all(self, link: Link) -> None:
        """Read a connection whenever it has something, until it ends."""
        with contextlib.suppress(trio.ClosedResourceError):
            while link.phase is not Phase.CLOSED:
                await trio.lowlevel.wait_readable(link.sock)
                self._read(link, self._polls)
                self._stirred.set()


class EpollReaders(Readers):
    """One epoll for all connections, read by the task that waits: no task switch for each of them."""

    def __init__(self, read: Read) -> None:
        self.moments = self._moments = Moments()
        self._read = read
        self._links: dict[int, Link] = {}
        self._epoll = select.epoll()
        self._bell = os.eventfd(1, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._bell, select.EPOLLIN)
        self._polls = PollTimes()
        self._polled = self._rested = time.monotonic_ns()
        trio.lowlevel.add_instrument(self._polls)

    def add(self, link: Link) -> None:
        """Watch a connection."""
        number = link.sock.fileno()
        self._links[number] = link
        self._epoll.register(number, select.EPOLLIN)

    def drop(self, link: Link) -> None:
        """Watch a connection no more."""
        number = link.sock.fileno()
        if self._links.pop(number, None) is not None:
            self._epoll.unregister(number)

    def stir(self) -> None:
        """End the wait."""
        os.eventfd_write(self._bell, 1)

    async def wait(self, until: int | None) -> None:
        """Read what is there; if nothing is, wait for it.

        While there is always something Trio is passed by, but for a turn of the other tasks now and then:
        a wait by way of Trio costs as much as several decisions. So a moment is waited without Trio, too.
        """
        now = time.monotonic_ns()
        if now - self._rested > FAIR_NS:
            await trio.lowlevel.checkpoint()
            now = self._rested = time.monotonic_ns()
        if self._read_ready(0):
            return
        if (until is None or until - now > _LINGER_NS) and self._read_ready(LINGER_S):
            return
        left_ns = None if until is None else until - time.monotonic_ns()
        if left_ns is not None and left_ns <= 0:
            await trio.lowlevel.checkpoint()
            return
        waits_since = time.monotonic_ns()
        with trio.move_on_after(float("inf") if left_ns is None else left_ns / 1e9):
            await trio.lowlevel.wait_readable(self._epoll.fileno())
        self._rested = time.monotonic_ns()
        # Trio's polls tell something only if they were watching the epoll.
        if self._polls.known_empty >= waits_since:
            self._polled = max(self._polled, self._polls.known_empty)
        self._read_ready(0)

    def close(self) -> None:
        """Close the epoll."""
        trio.lowlevel.remove_instrument(self._polls)
        self._epoll.close()
        os.close(self._bell)

    def _read_ready(self, patience_s: float) -> bool:
        """Read what is ready now, or within a time; return whether something was."""
        asked = time.monotonic_ns()
        ready = self._epoll.poll(patience_s, len(self._links) + 1)
        # What is ready now was not at the poll before.
        self._moments.known_empty = self._moments.arrived = self._polled
        self._polled = asked
        links = self._links
        for number, _ in ready:
            link = links.get(number)
            if link is not None:
                self._read(link, self._moments)
            elif number == self._bell:
                os.eventfd_read(self._bell)
        return bool(ready)
