"""A tournament of bots on this machine, from the first process to the last."""

import contextlib
import enum
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import trio

from referee.director import Director
from referee.local.bots import LocalBot, Ready, Surroundings
from referee.local.bubblewrap import own_files
from referee.local.instances import instances_needed
from referee.local.news import BotEnded, BotNotStarted, LocalNews
from referee.local.processes import stop_all
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox
from referee.local.warden import Warden, warden
from referee.server.admission import Admission, Expected
from referee.server.engine import Engine
from referee.server.limits import ServerLimits
from referee.server.lobby import Lobby
from referee.server.news import Joined, News
from referee.server.readers import Io
from referee.server.shell import Shell
from referee.server.sockets import listen
from referee.server.stopping import Stopper
from referee.setup import TournamentSetup

HOST = "127.0.0.1"
GOODBYE_S = 1.0
"""How long bots have to end by themselves once they are told that all is over, and again after SIGTERM."""


class Ending(enum.Enum):
    """How a tournament ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"


class LocalTournament:
    """Plays one tournament.

    Args:
        programs: The bots; their names are the entrants.
        director: The tournament, new or restored.
        sandbox: How bots are started.
        log_dir: Where the output of bots is kept; None for nowhere.
        on_news: Called with what happened.
        make_engine: Makes the referee; another than the usual one writes down what is said.
        io: How connections are read; None for the best that there is.

    Attributes:
        director: The tournament, for those who show it.
    """

    def __init__(
        self,
        programs: Sequence[BotProgram],
        director: Director,
        *,
        sandbox: Sandbox,
        log_dir: Path | None,
        on_news: Callable[[Sequence[LocalNews]], None],
        make_engine: Callable[[TournamentSetup, Lobby, Admission, ServerLimits], Engine] = Engine,
        io: Io | None = None,
    ) -> None:
        self.director = director
        self._programs = programs
        lobby = Lobby([program.name for program in programs])
        self._engine = make_engine(director.setup, lobby, Expected(lobby), ServerLimits.for_local_bots())
        self._log_dir = log_dir
        self._sandbox = sandbox.hiding(self._private())
        self._io = io
        self._on_news = on_news
        self._bots: list[LocalBot] = []
        self._news_came = trio.Event()
        self._playing = trio.CancelScope()
        self._shell: Shell | None = None

    @property
    def running(self) -> int:
        """How many tables are being played."""
        return self._engine.running

    def finish_now(self) -> None:
        """Play nothing more: games that are being played are abandoned, what was played counts."""
        if self._engine.director is None:  # not even begun, or not yet gone on with
            self.director.finish_now()
        else:
            self._engine.finish_now()
        if self._shell is not None:
            self._shell.stir()

    def play_on(self) -> None:
        """Start games that the director held back until now."""
        self._engine.look_again()
        if self._shell is not None:
            self._shell.stir()

    def drain(self) -> None:
        """Start no further games."""
        self._engine.drain()

    def interrupt(self) -> None:
        """Stop at once: the bots are told, given a moment to end, and then ended."""
        if self._shell is not None and not self._engine.finished:
            self._shell.stop("The organiser stopped the tournament.")
        self._playing.cancel()

    def hurry(self) -> None:
        """Give the bots no moment to end."""
        for bot in self._bots:
            if bot.process is not None:
                bot.process.kill()

    def _private(self) -> Iterator[Path]:
        """Give what no bot should see of others: the journal and its companions, logs, other bots' files."""
        journal = self.director.journal.path.absolute()
        yield from (journal.with_name(journal.name + suffix) for suffix in ("", "-wal", "-shm"))
        if self._log_dir is not None:
            yield self._log_dir.absolute()
        for program in self._programs:
            yield from own_files(program)

    async def run(self, *, drain_s: float = 0.0) -> Ending:
        """Play to the end, or until a signal says otherwise; leaves no process behind.

        Args:
            drain_s: How long games may go on after SIGTERM.

        Raises:
            OSError: the referee cannot listen.
            JournalFailed: the journal cannot be written; nothing that is not in it was revealed.
        """
        with warden(self._sandbox) as keeper, contextlib.closing(listen(HOST, 0)) as listener:
            shell = self._shell = Shell(self._engine, listener, self._take_news, self._io)
            stopper = Stopper(self, drain_s=drain_s, tell=self._publish)
            async with trio.open_nursery() as watch:
                await watch.start(stopper.obey)
                await self._serve(shell, keeper)
                watch.cancel_scope.cancel()
        return Ending.COMPLETE if self._engine.finished else Ending.INTERRUPTED

    async def _serve(self, shell: Shell, keeper: Warden) -> None:
        """Play until all is over or it is interrupted, and clean up."""
        try:
            with self._playing:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._play, shell, keeper, nursery)
                    await shell.run()
                    await self._let_bots_end()
                    nursery.cancel_scope.cancel()
        finally:
            await stop_all([bot.process for bot in self._bots if bot.process is not None], grace=GOODBYE_S)

    async def _play(self, shell: Shell, keeper: Warden, nursery: trio.Nursery) -> None:
        """Start one process of each bot, wait until all are there or given up, start the rest, begin."""
        around = Surroundings(
            host=HOST,
            port=shell.port,
            warden=keeper,
            log_dir=self._log_dir,
            tell=self._tell_of_process,
            stir=shell.stir,
            listen=shell.listen,
            ignore=shell.ignore,
        )
        wanted = [program for program in self._programs if not self.director.is_withdrawn(program.name)]
        first = [self._start(program, 1, around, nursery) for program in wanted]
        while any(bot.ready is Ready.NOT_YET for bot in first):
            self._news_came = trio.Event()
            await self._news_came.wait()
        for bot in first:
            if bot.ready is Ready.HERE:
                for number in range(2, self._copies(bot) + 1):
                    self._start(bot.program, number, around, nursery)
        self._engine.begin(self.director)
        shell.stir()

    def _start(
        self, program: BotProgram, number: int, around: Surroundings, nursery: trio.Nursery
    ) -> LocalBot:
        bot = LocalBot(program, number, self._engine, around)
        self._bots.append(bot)
        nursery.start_soon(bot.live)
        return bot

    def _copies(self, bot: LocalBot) -> int:
        director = self.director
        games_open = director.tables_per_round * director.setup.games * director.rounds_at_once
        return instances_needed(
            concurrency=min(director.setup.concurrency, games_open),
            tables_per_round=director.tables_per_round,
            games_at_once=bot.instance.capacity,
        )

    async def _let_bots_end(self) -> None:
        """Wait a moment for the bots, which have been told that all is over, to end by themselves."""
        with trio.move_on_after(GOODBYE_S):
            for bot in self._bots:
                if bot.process is not None:
                    await bot.process.ended()

    def _take_news(self, news: list[News]) -> None:
        if any(isinstance(item, Joined) for item in news):
            for bot in self._bots:
                bot.look()
        self._publish(list(news))

    def _tell_of_process(self, item: BotEnded | BotNotStarted) -> None:
        if not self._engine.finished:
            self._publish([item])

    def _publish(self, news: Sequence[LocalNews]) -> None:
        self._on_news(news)
        self._news_came.set()
