"""Where the bot that is checked comes from: started here, or started by somebody elsewhere."""

import abc
import contextlib
import math
import secrets
import socket
from collections.abc import AsyncIterator

import trio

from referee.local.processes import BotProcess, Exit, stop_all
from referee.local.programs import BotProgram
from referee.local.warden import Warden

HOST = "127.0.0.1"
START_UP_S = 30.0
"""How long a bot may take from its start to its connection."""

_GRACE_S = 1.0


class Stage(abc.ABC):
    """Where one situation is played.

    Attributes:
        credentials: Name and secret that the bot was given; None if somebody else has given them.
        start_up_s: Seconds that the bot may take until it connects for the first time.
    """

    credentials: tuple[str, str] | None = None
    start_up_s: float = START_UP_S

    @abc.abstractmethod
    async def begin(self) -> None:
        """Start the bot, again if it has ended; does nothing where somebody else starts it.

        Raises:
            StartFailed: It cannot be started.
        """

    @abc.abstractmethod
    async def accept(self) -> trio.abc.HalfCloseableStream:
        """Wait for the bot's next connection."""

    @abc.abstractmethod
    async def until_ended(self) -> None:
        """Wait until the bot's process has ended; for ever where that cannot be seen."""

    @abc.abstractmethod
    async def stop_listening(self) -> None:
        """Refuse connections."""

    @abc.abstractmethod
    async def listen_again(self) -> None:
        """Take connections again, at the same address."""

    @property
    def output(self) -> str:
        """The end of what the bot wrote to stdout and stderr."""
        return ""

    @property
    def sees_the_end(self) -> bool:
        """Whether `until_ended` can tell anything."""
        return True


class _SocketStage(Stage):
    """Listens on a TCP port."""

    def __init__(self, host: str, port: int) -> None:
        self._listener = _listener(host, port)
        self.host = host
        self.port: int = self._listener.socket.getsockname()[1]

    async def accept(self) -> trio.abc.HalfCloseableStream:
        """Wait for the bot's next connection."""
        stream = await self._listener.accept()
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return stream

    async def stop_listening(self) -> None:
        """Refuse connections."""
        await self._listener.aclose()

    async def listen_again(self) -> None:
        """Take connections again."""
        self._listener = _listener(self.host, self.port)


class ProcessStage(_SocketStage):
    """Runs the bot as a process of this machine, as `run-local` does."""

    def __init__(self, program: BotProgram, warden: Warden, nursery: trio.Nursery) -> None:
        super().__init__(HOST, 0)
        self._secret = secrets.token_hex(16)
        self.credentials = (program.name, self._secret)
        self._program = program
        self._warden = warden
        self._nursery = nursery
        self._process: BotProcess | None = None
        self._own_listener: socket.socket | None = None
        self._ended = trio.Event()
        self._outputs: dict[int, str] = {}

    async def begin(self) -> None:
        """Start the bot, again if it has ended."""
        self._process = await self._warden.start(
            self._program, host=HOST, port=self.port, secret=self._secret, log=None
        )
        if self._process.listener is not None:
            await self._listener.aclose()
            self._own_listener = self._process.listener
            self._listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._own_listener))
        self._ended = trio.Event()
        self._nursery.start_soon(self._watch, self._process, self._ended)

    async def stop_listening(self) -> None:
        """Refuse connections; a listener in the bot's own network stays, as we can open no other there."""
        if self._own_listener is None:
            await super().stop_listening()
        else:
            self._own_listener.shutdown(socket.SHUT_RD)

    async def listen_again(self) -> None:
        """Take connections again."""
        if self._own_listener is None:
            await super().listen_again()
        else:
            self._own_listener.listen()

    async def until_ended(self) -> None:
        """Wait until the process has ended."""
        await self._ended.wait()

    @property
    def output(self) -> str:
        """The end of what it wrote."""
        return "".join(self._outputs.values())

    async def stop(self) -> None:
        """End the bot with all that it forked."""
        await self._listener.aclose()
        if self._process is not None:
            await stop_all([self._process], grace=_GRACE_S)
            self._note(await self._process.ended())
            await self._warden.clear(self._process)

    async def _watch(self, process: BotProcess, ended: trio.Event) -> None:
        self._note(await process.watch())
        await self._warden.clear(process)
        ended.set()

    def _note(self, end: Exit) -> None:
        self._outputs[end.pid] = end.output


class ListeningStage(_SocketStage):
    """Waits for a bot that somebody else has started; it plays one situation after the other."""

    start_up_s = math.inf

    async def begin(self) -> None:
        """Nothing can be done from here."""

    async def until_ended(self) -> None:
        """Wait for ever: the process is elsewhere."""
        await trio.sleep_forever()

    @property
    def sees_the_end(self) -> bool:
        """Never."""
        return False


@contextlib.asynccontextmanager
async def process_stage(program: BotProgram, warden: Warden) -> AsyncIterator[Stage]:
    """Give a stage for one situation, and leave nothing of the bot behind."""
    async with trio.open_nursery() as nursery:
        stage = ProcessStage(program, warden, nursery)
        try:
            yield stage
        finally:
            with trio.CancelScope(shield=True):
                await stage.stop()


def _listener(host: str, port: int) -> trio.SocketListener:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with contextlib.ExitStack() as undo:
        sock = undo.enter_context(socket.socket(family, socket.SOCK_STREAM))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen()
        undo.pop_all()
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))
