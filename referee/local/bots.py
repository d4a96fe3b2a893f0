"""One bot of this machine: an instance of the lobby and its process, started as often as allowed."""

import contextlib
import enum
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import trio

from referee.local.lives import Lives
from referee.local.news import BotEnded, BotNotStarted, Then
from referee.local.processes import BotProcess, Exit, StartFailed, stop_all
from referee.local.programs import BotProgram
from referee.local.warden import Warden
from referee.server.engine import Engine

START_UP_S = 30.0
"""How long a bot may take from its start to its hello; it has nothing to do with the clock of a move."""

_NS_PER_S = 1_000_000_000


class Ready(enum.Enum):
    """Whether a bot has to be waited for before play begins."""

    NOT_YET = "not yet"
    HERE = "here"
    NEVER = "never"


@attrs.frozen(kw_only=True)
class Surroundings:
    """What all bots of a tournament share.

    Attributes:
        host: Where the referee listens.
        port: Where the referee listens.
        warden: Starts bots.
        log_dir: Where the output of bots is kept; None for nowhere.
        tell: Takes news of processes.
        stir: Makes the shell look at the engine.
        listen: Makes the shell take in who connects to a further listener.
        ignore: Makes it take in nobody there any more.
    """

    host: str
    port: int
    warden: Warden
    log_dir: Path | None
    tell: Callable[[BotEnded | BotNotStarted], None]
    stir: Callable[[], None]
    listen: Callable[[socket.socket], None]
    ignore: Callable[[socket.socket], None]


class LocalBot:
    """A bot that this process starts: not started -> running <-> restarted -> given up or stopped.

    Attributes:
        program: What is run.
        instance: The bot as the lobby knows it.
        ready: Whether it has to be waited for.
        process: The process that runs now, if one does.
    """

    def __init__(self, program: BotProgram, number: int, engine: Engine, surroundings: Surroundings) -> None:
        secret = secrets.token_hex(16)
        self.program = program
        self.ready = Ready.NOT_YET
        self.process: BotProcess | None = None
        self.instance = engine.lobby.add_instance(program.name, secret)
        self._number = number
        self._secret = secret
        self._engine = engine
        self._around = surroundings
        self._lives = Lives()
        self._introduced = trio.Event()
        self._silent = False

    def look(self) -> None:
        """Notice that the bot has introduced itself."""
        if self.instance.peer is not None and not self._introduced.is_set():
            self.ready = Ready.HERE
            self._introduced.set()

    async def live(self) -> None:
        """Start the process, and again when it dies, until it is given up or the tournament is over."""
        then = Then.RESTARTED
        while then is not Then.GIVEN_UP:
            then = await self._one_life()
            if self._engine.finished:
                return
        self.ready = Ready.NEVER
        if self.instance.retired:
            return
        self._engine.retire(self.instance, "its bot does not run", time.monotonic_ns())
        self._around.stir()

    async def _one_life(self) -> Then:
        self._introduced = trio.Event()
        self.instance.expected_until = time.monotonic_ns() + int(START_UP_S * _NS_PER_S)
        try:
            self.process = await self._around.warden.start(
                self.program,
                host=self._around.host,
                port=self._around.port,
                secret=self._secret,
                log=self._log(),
            )
        except StartFailed as failure:
            then = self._died(introduced=False)
            self._around.tell(
                BotNotStarted(name=self.program.name, reason=failure.reason, output="", then=then)
            )
            return then
        ended = await self._until_dead(self.process)
        self.process = None
        if self.instance.retired:  # it took its leave: its end is no news, and it is not wanted back
            return Then.GIVEN_UP
        if self._silent:
            reason = f"it did not say hello within {START_UP_S:.0f} seconds"
            self._tell_not_started(reason, ended.output, Then.GIVEN_UP)
            return Then.GIVEN_UP
        in_game = bool(self.instance.games)
        then = self._died(introduced=self._introduced.is_set())
        self._around.tell(BotEnded(name=self.program.name, exit=ended, then=then, in_game=in_game))
        if then is Then.DEFAULTS:
            self._engine.give_up_games(self.instance, time.monotonic_ns())
            self._around.stir()
        return then

    async def _until_dead(self, process: BotProcess) -> Exit:
        """Let a process play until it ends, and clear away what it leaves."""
        self._silent = False
        with self._taking_in(process):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._end_if_silent, process)
                ended = await process.watch()
                nursery.cancel_scope.cancel()
        await self._around.warden.clear(process)
        return ended

    @contextlib.contextmanager
    def _taking_in(self, process: BotProcess) -> Iterator[None]:
        """Have connections from the network of a bot's own taken in, if it has one."""
        if process.listener is None:
            yield
            return
        with process.listener as listener:
            self._around.listen(listener)
            try:
                yield
            finally:
                self._around.ignore(listener)

    async def _end_if_silent(self, process: BotProcess) -> None:
        """Stop a process that does not introduce itself in time: to wait as long again would help nobody."""
        with trio.move_on_after(START_UP_S):
            await self._introduced.wait()
            return
        self._silent = True
        await stop_all([process], grace=1.0)

    def _died(self, *, introduced: bool) -> Then:
        bot = self.instance
        return self._lives.died(introduced=introduced, games=tuple(bot.games), played=bot.played)

    def _tell_not_started(self, reason: str, output: str, then: Then) -> None:
        self._around.tell(BotNotStarted(name=self.program.name, reason=reason, output=output, then=then))

    def _log(self) -> Path | None:
        suffix = "" if self._number == 1 else f".{self._number}"
        return self._around.log_dir and self._around.log_dir / f"{self.program.name}{suffix}.log"
