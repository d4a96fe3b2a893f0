"""The shell on a real socket of this machine, and bots on the other end of it."""

import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import trio
import trio.lowlevel

from protocol.connection import Connection
from protocol.messages import Closing, Hello, Message
from protocol.states import Role
from referee.server.engine import Engine
from referee.server.readers import Io
from referee.server.shell import Shell
from referee.server.sockets import listen
from tests.notes import begun
from tests.server.network import REQUESTS, answer_to, secret

HOST = "127.0.0.1"
PATIENCE_S = 30
"""A bound that is only reached if something is wrong."""

RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Server:
    """A shell that runs.

    Attributes:
        engine: Its engine.
        shell: The shell.
        news: All news so far.
        done: Set when it has ended.
        scope: Cancels the shell, and nothing else.
    """

    def __init__(
        self,
        engine: Engine,
        io: Io,
        *,
        send_buffer: int | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.engine = engine
        self.news: list[object] = []
        self.done = trio.Event()
        self.scope = trio.CancelScope()
        self._listener = listener = listen(HOST, 0)
        if send_buffer is not None:
            # Those that are accepted have it from the listener.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        self.shell = Shell(engine, listener, self.news.extend, io, tls)
        self.port = self.shell.port

    async def run(self) -> None:
        """Serve until the end."""
        with contextlib.closing(self._listener), self.scope:
            await self.shell.run()
        self.done.set()

    def begin(self) -> None:
        """Open the tournament."""
        setup = self.engine._reception._setup
        self.engine.begin(begun(setup, self.engine.lobby.entrants))
        self.shell.stir()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so."""
        while not condition():
            await trio.lowlevel.checkpoint()


@contextlib.asynccontextmanager
async def serve(engine: Engine, io: Io, **options: Any) -> AsyncIterator[Server]:
    """Run a shell; it is cancelled at the end, and nothing waits for ever."""
    server = Server(engine, io, **options)
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.run)
            yield server
            nursery.cancel_scope.cancel()


class Guest:
    """Whoever connects: a socket and the bot's end of the protocol."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._connection = Connection(Role.BOT)

    async def send(self, data: bytes) -> None:
        """Send any bytes, all of them."""
        while data:
            await trio.lowlevel.wait_writable(self.sock)
            data = data[self.sock.send(data) :]

    def frames(self, *messages: Message) -> bytes:
        """Return the bytes of messages."""
        return b"".join(map(self._connection.send, messages))

    async def say(self, *messages: Message) -> None:
        """Send messages in one piece."""
        await self.send(self.frames(*messages))

    async def hello(self, name: str, **words: object) -> Message:
        """Say hello and return what is answered."""
        await self.say(Hello(**{"name": name, "secret": secret(name), "versions": (1,), **words}))
        message = await self.hear()
        assert message is not None
        return message

    async def hear(self) -> Message | None:
        """Return the next message; None at the end of the stream."""
        while (message := self._connection.next_message()) is None:
            data = await self.read()
            if not data:
                return None
            self._connection.receive(data)
        return message

    async def hear_until(self, kind: type) -> Message:
        """Return the next message of a kind; what comes before it is passed over."""
        while not isinstance(message := await self.hear(), kind):
            assert message is not None, "the connection ended"
        return message

    async def read(self) -> bytes:
        """Return the next bytes; none at the end of the stream."""
        await trio.lowlevel.wait_readable(self.sock)
        return self.sock.recv(65536)

    async def play(self) -> Message:
        """Answer requests until the last message, and return that."""
        while True:
            message = await self.hear()
            assert message is not None, "the connection ended without a last message"
            if isinstance(message, Closing):
                return message
            if isinstance(message, REQUESTS):
                await self.say(answer_to(message))

    def close(self, *, reset: bool = False) -> None:
        """Close the socket; with a reset, if so wished."""
        if reset:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.sock.close()


async def connect(server: Server, *, receive_buffer: int | None = None) -> Guest:
    """Connect to a server."""
    sock = socket.socket()
    sock.setblocking(False)
    if receive_buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with contextlib.suppress(BlockingIOError):
        sock.connect((HOST, server.port))
    await trio.lowlevel.wait_writable(sock)
    return Guest(sock)


@contextlib.contextmanager
def closing(*guests: Guest) -> Iterator[None]:
    """Close these sockets at the end."""
    try:
        yield
    finally:
        for guest in guests:
            guest.close()
