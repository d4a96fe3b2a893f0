"""The portable shell: Trio tasks that move bytes between sockets and the engine, pass by pass.

One task a connection waits for bytes and hands them over; one task makes the passes. No rule, no clock and
no decision lives here.
"""

import contextlib
import errno
import socket
import time
from collections.abc import Callable

import trio

from referee.server import upkeep
from referee.server.engine import Engine, Outgoing
from referee.server.links import LINGER_S, Link, Phase
from referee.server.news import News
from referee.server.sockets import prepare
from referee.server.stamps import PollTimes, receive

READ_BYTES = 64 * 1024
FINAL_FLUSH_S = 2.0
"""How long the last messages may take to leave, at the end."""

_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Shell:
    """Runs an engine on a listening socket.

    Args:
        engine: The referee.
        listener: A listening socket that does not block; it stays open.
        on_news: Called with what happened, after each pass in which something did.
    """

    def __init__(
        self, engine: Engine, listener: socket.socket, on_news: Callable[[list[News]], None]
    ) -> None:
        self._engine = engine
        self._listener = listener
        self._on_news = on_news
        self._links: dict[int, Link] = {}
        self._polls = PollTimes()
        self._stirred = trio.Event()
        self._parted = trio.Event()
        self._turn = trio.Lock()

    @property
    def port(self) -> int:
        """The TCP port on which bots are awaited."""
        port: int = self._listener.getsockname()[1]
        return port

    async def run(self) -> None:
        """Serve until the tournament is over and everybody has been told, or until cancelled.

        At the end the last messages are given a moment to leave; when cancelled, there is none, and only
        what the sockets have taken still leaves. In any case all of them are closed.
        """
        trio.lowlevel.add_instrument(self._polls)
        try:
            async with trio.open_nursery() as nursery:
                door = trio.CancelScope()
                nursery.start_soon(self._accept, nursery, door)
                nursery.start_soon(self._look_after_journal)
                await self._make_passes(nursery)
                # Who comes from here on waits for the next shell on this listener.
                door.cancel()
                await self._part_from_all()
                nursery.cancel_scope.cancel()
        finally:
            trio.lowlevel.remove_instrument(self._polls)
            for link in list(self._links.values()):
                link.part()

    def stir(self) -> None:
        """Make a pass soon, since something changed in the engine from outside."""
        self._stirred.set()

    def stop(self, message: str, retry_ms: int | None = None) -> None:
        """Tell everybody at once that nothing more comes, or when to come back."""
        self._engine.commit()
        self._engine.suspend(message, retry_ms)
        for outgoing in self._engine.take_outgoing():
            self._links[outgoing.peer].send(outgoing.data)

    # --- passes --------------------------------------------------------------------------------------------

    async def _make_passes(self, nursery: trio.Nursery) -> None:
        while not self._engine.finished:
            await self._wait_for_work()
            self._stirred = trio.Event()
            # The same moment for both: what comes due while sockets are drained was not drained itself.
            async with self._turn:
                now = time.monotonic_ns()
                for number in self._engine.to_drain(now):
                    self._read(self._links[number])
                self._engine.tick(now)
                self._engine.commit()
            self._engine.sent(time.monotonic_ns())
            for outgoing in self._engine.take_outgoing():
                self._send(outgoing, nursery)
            self._tell_news()

    async def _look_after_journal(self) -> None:
        """Keep the journal durable once there is one."""
        while self._engine.director is None:
            await self._stirred.wait()
            await trio.lowlevel.checkpoint()
        await upkeep.keep(self._engine.director.journal, self._turn)

    async def _wait_for_work(self) -> None:
        wake_at = self._engine.wake_at()
        if wake_at is None:
            await self._stirred.wait()
            return
        wait_ns = wake_at - time.monotonic_ns()
        if wait_ns <= 0:
            await trio.lowlevel.checkpoint()
            return
        with trio.move_on_after(wait_ns / 1e9):
            await self._stirred.wait()

    def _tell_news(self) -> None:
        if self._engine.news:
            news, self._engine.news[:] = list(self._engine.news), []
            self._on_news(news)

    # --- connections ---------------------------------------------------------------------------------------

    async def _accept(self, nursery: trio.Nursery, door: trio.CancelScope) -> None:
        with door:
            while True:
                await trio.lowlevel.wait_readable(self._listener)
                try:
                    sock, address = self._listener.accept()
                except OSError as error:
                    if error.errno in _OUT_OF_RESOURCES:
                        await trio.sleep(0.1)
                    continue
                self._take_in(sock, ":".join(map(str, address[:2])), nursery)

    def _take_in(self, sock: socket.socket, where: str, nursery: trio.Nursery) -> None:
        prepare(sock)
        link = Link(sock, self._engine.connected(where, time.monotonic_ns()))
        self._links[link.number] = link
        nursery.start_soon(self._read_all, link)
        self._stirred.set()

    async def _read_all(self, link: Link) -> None:
        """Hand over what a connection brings until it ends."""
        with contextlib.suppress(trio.ClosedResourceError):
            while link.phase is not Phase.CLOSED:
                await trio.lowlevel.wait_readable(link.sock)
                self._read(link)

    def _read(self, link: Link) -> None:
        """Read once, without waiting."""
        if link.phase is Phase.CLOSED:
            return
        try:
            data, arrival = receive(link.sock, READ_BYTES, self._polls)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(link, f"the connection broke ({error.strerror or error})")
            return
        if data:
            self._engine.received(link.number, data, arrival, time.monotonic_ns())
            self._stirred.set()
        else:
            self._lose(link, "the connection was closed by the bot")

    def _lose(self, link: Link, reason: str) -> None:
        link.close()
        del self._links[link.number]
        self._engine.disconnected(link.number, reason, time.monotonic_ns())
        self._stirred.set()
        self._parted.set()

    # --- sending -------------------------------------------------------------------------------------------

    def _send(self, outgoing: Outgoing, nursery: trio.Nursery) -> None:
        link = self._links.get(outgoing.peer)
        if link is None:
            return
        was_idle = not link.unsent
        link.send(outgoing.data)
        if outgoing.then_close:
            link.phase = Phase.ENDING
            nursery.start_soon(self._end, link)
        elif link.unsent > self._engine.limits.send_queue_bytes:
            self._engine.slow_reader(link.number, time.monotonic_ns())
            self._lose(link, "it did not read what it was sent")
        elif link.unsent and was_idle:
            nursery.start_soon(link.flush)

    async def _end(self, link: Link) -> None:
        """Let the last message leave, shut the sending side, wait for the other end to close."""
        with trio.move_on_after(LINGER_S):
            await link.flush()
            link.shut()
            await trio.sleep_forever()
        if link.phase is not Phase.CLOSED:
            self._lose(link, "the referee ended the connection")

    async def _part_from_all(self) -> None:
        """Give the last messages a moment to leave; who was told nothing is cut off."""
        for link in list(self._links.values()):
            if link.phase is Phase.OPEN:
                self._lose(link, "the referee stopped")
        with trio.move_on_after(FINAL_FLUSH_S):
            while self._links:
                self._parted = trio.Event()
                await self._parted.wait()
