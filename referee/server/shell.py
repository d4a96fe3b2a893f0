"""The shell: moves bytes between sockets and the engine, pass by pass.

One task makes the passes; how it learns what can be read is the business of `readers`. What a socket does
not take at once, and the end of a connection, which are rare, have a Trio task each. No rule, no clock and no
decision lives here.
"""

import errno
import socket
import ssl
import time
from collections.abc import Callable

import trio

from protocol.errors import PeerError
from referee.play.clock import Arrival
from referee.server import upkeep
from referee.server.engine import Engine, Outgoing
from referee.server.garbage import collected_seldom
from referee.server.limits import NS_PER_S
from referee.server.links import LINGER_BYTES, LINGER_S, Link, Phase
from referee.server.news import News
from referee.server.readers import Io, Readers, available, make_readers
from referee.server.sockets import prepare
from referee.server.stamps import Moments, receive
from referee.server.tls import Tls, TlsBroken

READ_BYTES = 64 * 1024
ACCEPTED_AT_ONCE = 64
"""So many newcomers share a pass, which looks at everybody who is there."""
PAUSE_NS = 1_000_000
"""A send that took so long was held up, before or after the bytes left; the clock runs from its end then."""
FINAL_FLUSH_S = 2.0
"""How long the last messages may take to leave, at the end."""

# Python 3.11 takes 0.1 us to look up a member of an enum, and each read needs two.
_ENDING, _CLOSED = Phase.ENDING, Phase.CLOSED
_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Shell:
    """Runs an engine on a listening socket, and on more of them while it runs.

    Args:
        engine: The referee.
        listener: A listening socket that does not block; it stays open.
        on_news: Called with what happened, after each pass in which something did.
        io: How to read; None for the best that this system has.
        tls: How to encrypt what goes through that listener; None for not at all.
    """

    def __init__(
        self,
        engine: Engine,
        listener: socket.socket,
        on_news: Callable[[list[News]], None],
        io: Io | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.io = io or available()[0]
        self._engine = engine
        self._listener = listener
        self._tls = tls
        self._on_news = on_news
        self._links: dict[int, Link] = {}
        self._doors: dict[socket.socket, trio.CancelScope] = {listener: trio.CancelScope()}
        self._nursery: trio.Nursery | None = None
        self._readers: Readers | None = None
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
        try:
            async with trio.open_nursery() as nursery:
                readers = make_readers(self.io, self._read, nursery)
                self._nursery, self._readers = nursery, readers
                for listener, door in self._doors.items():
                    nursery.start_soon(self._accept, listener, door, nursery, readers)
                with collected_seldom():
                    await self._make_passes(nursery, readers)
                # Who comes from here on waits for the next shell on these listeners.
                for door in self._doors.values():
                    door.cancel()
                await self._part_from_all(readers)
                nursery.cancel_scope.cancel()
        finally:
            for link in self._links.values():
                link.part()
            if self._readers is not None:
                self._readers.close()
            self._nursery = self._readers = None

    def listen(self, listener: socket.socket) -> None:
        """Take in who connects to another listening socket as well; the caller closes it after `ignore`."""
        self._doors[listener] = door = trio.CancelScope()
        if self._nursery is not None and self._readers is not None:
            self._nursery.start_soon(self._accept, listener, door, self._nursery, self._readers)

    def ignore(self, listener: socket.socket) -> None:
        """Take in nobody from a listening socket any more; who is in stays in."""
        self._doors.pop(listener).cancel()

    def stir(self) -> None:
        """Make a pass soon, since something changed in the engine from outside."""
        if self._readers is not None:  # else it begins with a pass anyway
            self._readers.stir()

    def stop(self, message: str, retry_ms: int | None = None) -> None:
        """Tell everybody at once that nothing more comes, or when to come back."""
        self._engine.commit()
        self._engine.suspend(message, retry_ms)
        for outgoing in self._engine.take_outgoing():
            self._links[outgoing.peer].send(outgoing.data)

    # --- passes --------------------------------------------------------------------------------------------

    async def _make_passes(self, nursery: trio.Nursery, readers: Readers) -> None:
        engine = self._engine
        is_looked_after = False
        while not engine.finished:
            await readers.wait(engine.wake_at())
            if self._turn.locked():  # by a checkpoint of the journal
                async with self._turn:
                    self._decide(readers)
            else:
                self._decide(readers)
            sent_at = {}
            before = time.monotonic_ns()
            for outgoing in engine.take_outgoing():
                self._send(outgoing, nursery)
                after = time.monotonic_ns()
                sent_at[outgoing.peer] = before if after - before < PAUSE_NS else after
                before = after
            engine.sent(before, sent_at)
            self._tell_news()
            if engine.director is not None and not is_looked_after:
                is_looked_after = True
                nursery.start_soon(upkeep.keep, engine.director.journal, self._turn)

    def _decide(self, readers: Readers) -> None:
        """Judge what was read, and make it durable."""
        # The same moment for both: what comes due while sockets are drained was not drained itself.
        now = time.monotonic_ns()
        for number in self._engine.to_drain(now):
            self._read(self._links[number], readers.moments)
        self._engine.tick(now)
        self._engine.commit()

    def _tell_news(self) -> None:
        if self._engine.news:
            news, self._engine.news[:] = list(self._engine.news), []
            self._on_news(news)

    # --- connections ---------------------------------------------------------------------------------------

    async def _accept(
        self, listener: socket.socket, door: trio.CancelScope, nursery: trio.Nursery, readers: Readers
    ) -> None:
        context = self._tls if listener is self._listener else None
        with door:
            while True:
                await trio.lowlevel.wait_readable(listener)
                try:
                    for _ in range(ACCEPTED_AT_ONCE):
                        sock, address = listener.accept()
                        self._take_in(sock, ":".join(map(str, address[:2])), readers, context)
                except OSError as error:  # also when nobody else is there
                    if error.errno in _OUT_OF_RESOURCES:
                        await trio.sleep(0.1)

    def _take_in(
        self, sock: socket.socket, where: str, readers: Readers, context: ssl.SSLContext | None
    ) -> None:
        if self._engine.is_full:
            sock.close()
            return
        prepare(sock)
        tls = None if context is None else Tls(context)
        link = Link(sock, self._engine.connected(where, time.monotonic_ns()), tls)
        self._links[link.number] = link
        readers.add(link)
        readers.stir()

    def _read(self, link: Link, moments: Moments) -> None:
        """Read once, without waiting."""
        if link.phase is _CLOSED:
            return
        try:
            data, arrival = receive(link.sock, READ_BYTES, moments)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(link, f"the connection broke ({error.strerror or error})")
            return
        if not data:
            self._lose(link, "the connection was closed by the bot")
        elif link.phase is _ENDING:
            self._drop(link, len(data))
        elif link.tls is None:
            self._engine.received(link.number, data, arrival, time.monotonic_ns())
        else:
            self._decrypt(link, link.tls, data, arrival)

    def _decrypt(self, link: Link, tls: Tls, data: bytes, arrival: Arrival) -> None:
        """Hand over what encrypted bytes say; they arrived when the bytes did."""
        try:
            plain = link.decrypt(tls, data)
        except PeerError as error:
            self._engine.turn_away(link.number, error)
            return
        except TlsBroken as broken:
            self._lose(link, f"its TLS broke ({broken})")
            return
        self._send_rest(link)
        if plain:
            self._engine.received(link.number, plain, arrival, time.monotonic_ns())
        if tls.is_over:
            self._lose(link, "the connection was closed by the bot")

    def _drop(self, link: Link, size: int) -> None:
        """Pass over what comes after the last message, within reason."""
        link.dropped += size
        if link.dropped > LINGER_BYTES:
            self._lose(link, "the referee ended the connection")

    def _lose(self, link: Link, reason: str) -> None:
        if self._readers is not None:
            self._readers.drop(link)
        link.close()
        del self._links[link.number]
        self._engine.disconnected(link.number, reason, time.monotonic_ns())
        self.stir()

    # --- sending -------------------------------------------------------------------------------------------

    def _send(self, outgoing: Outgoing, nursery: trio.Nursery) -> None:
        link = self._links.get(outgoing.peer)
        if link is None:
            return
        link.send(outgoing.data)
        if outgoing.then_close:
            link.phase = Phase.ENDING
            nursery.start_soon(self._end, link)
        elif unsent := link.unsent:
            if unsent > self._engine.limits.send_queue_bytes:
                self._give_up(link)
            else:
                self._send_rest(link)

    def _send_rest(self, link: Link) -> None:
        """See to it that what the socket did not take is sent later."""
        if link.unsent and not link.is_flushing and self._nursery is not None:
            self._nursery.start_soon(self._catch_up, link)

    async def _catch_up(self, link: Link) -> None:
        """Send what the socket did not take at once; who lets it wait for too long is given up."""
        in_time = await link.flush(self._engine.limits.send_deadline_ns / NS_PER_S)
        if not in_time and link.phase is Phase.OPEN:
            self._give_up(link)

    def _give_up(self, link: Link) -> None:
        self._engine.slow_reader(link.number, time.monotonic_ns())
        self._lose(link, "it did not read what it was sent")

    async def _end(self, link: Link) -> None:
        """Let the last message leave, shut the sending side, wait for the other end to close."""
        with trio.move_on_after(LINGER_S):
            await link.flush(LINGER_S)
            link.shut()
            await trio.sleep_forever()
        if link.phase is not Phase.CLOSED:
            self._lose(link, "the referee ended the connection")

    async def _part_from_all(self, readers: Readers) -> None:
        """Give the last messages a moment to leave; who was told nothing is cut off."""
        for link in list(self._links.values()):
            if link.phase is Phase.OPEN:
                self._lose(link, "the referee stopped")
        with trio.move_on_after(FINAL_FLUSH_S):
            while self._links:
                await readers.wait(None)
