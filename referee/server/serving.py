"""One served tournament: registration of bots from anywhere, play, and the organiser's commands."""

import enum
import socket
import ssl
import time
from collections.abc import Callable, Mapping

import attrs
import trio

from protocol.errors import ErrorCode, PeerError
from referee.director import Director
from referee.journal.errors import JournalUnusable
from referee.journal.journal import Journal
from referee.rules.variants import RulesError
from referee.server import secretsfile
from referee.server.admission import OPEN_ENTRANTS, Admission, Listed, Open, unknown_entrant
from referee.server.commands import Command, CommandError, Verb, help_text
from referee.server.engine import Engine
from referee.server.limits import NS_PER_S, ServerLimits
from referee.server.lobby import Lobby, hashed
from referee.server.news import News
from referee.server.readers import Io
from referee.server.shell import Shell
from referee.setup import TournamentSetup
from referee.tournament.model import Kind, TournamentError

FEWEST_ENTRANTS = 2

RETRY_MS = 1000
"""When a begun tournament is suspended, bots are asked to try again after so long: it may be resumed."""

_LOOK_AGAIN_S = 1.0
"""The start may be due by the clock on the wall, which can be set, and goes on while a laptop sleeps."""


class Ending(enum.Enum):
    """How a served tournament ended."""

    COMPLETE = "complete"
    CUT_SHORT = "cut short"
    """The organiser said finish."""
    INTERRUPTED = "interrupted"
    """The referee was stopped."""


@attrs.frozen(kw_only=True)
class StartRule:
    """When the registration ends by itself: as soon as one of these holds and two entrants are there.

    Attributes:
        entrants: So many are there.
        at: This moment has come; seconds since the epoch.
        after_s: So many seconds of registration have passed.
    """

    entrants: int | None = None
    at: float | None = None
    after_s: float | None = None

    def opens(self, entrants: int, since: float, now: float) -> bool:
        """Say whether play can begin, `since` being when the registration began."""
        enough = self.entrants is not None and entrants >= self.entrants
        return entrants >= FEWEST_ENTRANTS and (enough or self.time_is_up(since, now))

    def time_is_up(self, since: float, now: float) -> bool:
        """Say whether only too few entrants keep the tournament from beginning."""
        due = self.due(since)
        return due is not None and now >= due

    def due(self, since: float) -> float | None:
        """Return when the registration ends by time, in seconds since the epoch; None for never."""
        after = None if self.after_s is None else since + self.after_s
        return min((time for time in (self.at, after) if time is not None), default=None)


class ServedTournament:
    """Serves one tournament on a listener that it does not close.

    Args:
        listener: Where bots come in.
        setup: What is played; table size and concurrency are fitted to the field when it begins.
        concurrency: Tables at once; None for all tables of a round.
        secrets: For each name the hashes of its secrets; None for an open tournament. Who is added by the
            organiser is added here.
        start: When the registration ends by itself.
        on_news: Called with what happened.
        say: Tells the organiser something.
        render: Puts standings into words, for the organiser.
        make_journal: Makes the journal when play begins.
        limits: The bounds on what one connection may cost.
        make_engine: Makes the referee; another than the usual one writes down what is said.
        io: How connections are read; None for the best that there is.
        tls: How to encrypt connections; None for not at all.

    Attributes:
        director: The tournament; None during registration.
        engine: The referee.
    """

    def __init__(
        self,
        listener: socket.socket,
        setup: TournamentSetup,
        *,
        concurrency: int | None,
        secrets: dict[str, set[str]] | None,
        start: StartRule,
        on_news: Callable[[list[News]], None],
        say: Callable[[str], None],
        render: Callable[[Director], str],
        make_journal: Callable[[TournamentSetup], Journal],
        limits: ServerLimits,
        make_engine: Callable[[TournamentSetup, Lobby, Admission, ServerLimits], Engine] = Engine,
        io: Io | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.director: Director | None = None
        self._setup = setup
        self._concurrency = concurrency
        self._secrets = secrets
        self._start_rule = start
        self._say = say
        self._render = render
        self._make_journal = make_journal
        self._on_news = on_news
        self._lobby = Lobby(())
        self.engine = make_engine(setup, self._lobby, self._admission(limits), limits)
        self._shell = Shell(self.engine, listener, self._take_news, io, tls)
        self._since = time.time()
        self._changed = trio.Event()
        self._scope = trio.CancelScope()
        self._reasons: dict[int, str] = {}
        self._removed: set[str] = set()

    @property
    def voided(self) -> Mapping[int, str]:
        """The rounds that were voided and played again, each with the organiser's reason."""
        return self._reasons

    async def run(self) -> Ending:
        """Register, play, end; return how."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._register)
                await self._shell.run()
                nursery.cancel_scope.cancel()
        if self.director is None or not self.engine.finished:
            return Ending.INTERRUPTED
        return Ending.COMPLETE if self.director.complete else Ending.CUT_SHORT

    @property
    def state(self) -> str:
        """How far things are, in one line."""
        paused = "; paused, 'continue' starts games again" if self.engine.paused else ""
        if self.director is None:
            return f"registration: {_count(len(self.engine.entrants_here()))} there{paused}"
        director = self.director
        return (
            f"round {director.round} of {director.rounds}: {director.games_done} of {director.games_planned}"
            f" games done, {self.engine.running} tables being played{paused}"
        )

    @property
    def running(self) -> int:
        """How many games are being played."""
        return self.engine.running

    def drain(self) -> None:
        """Start no further games, nor begin the tournament, since the referee is about to stop."""
        self.engine.drain()

    def interrupt(self) -> None:
        """Stop at once; everybody connected is told."""
        if not self.engine.finished:
            retry_ms = None if self.director is None else RETRY_MS
            self._shell.stop("The organiser stopped the referee.", retry_ms)
        self._scope.cancel()

    def execute(self, command: Command) -> str:
        """Do what the organiser says; return the reply.

        Raises:
            CommandError: it cannot be done now.
        """
        reply = self._do(command)
        self._shell.stir()
        return reply

    def resume(self, journal: Journal, rejoin_for_s: float) -> None:
        """Go on with the tournament of a journal instead of opening a registration; call before `run`.

        Args:
            journal: The journal.
            rejoin_for_s: For so long games wait for the bots that were there before.

        Raises:
            JournalUnusable: The journal contradicts itself.
        """
        until = time.monotonic_ns() + int(rejoin_for_s * NS_PER_S)
        stored = journal.reading()
        director = Director.restored(TournamentSetup.of(stored.head), journal)
        for name, proof in stored.bots():
            self._lobby.add_known(name, proof, expected_until=until)
        for instance in self._lobby:
            instance.retired = director.is_withdrawn(instance.entrant)
        unknown = {entrant.name for entrant in stored.entrants()} - set(self._lobby.entrants)
        if unknown:
            raise JournalUnusable(
                f"{journal.path} is damaged: it has no secret of {', '.join(sorted(unknown))}"
            )
        self._reasons = stored.reasons_to_void()
        self.director = director
        self.engine.begin(director)

    # --- registration --------------------------------------------------------------------------------------

    def _admission(self, limits: ServerLimits) -> Admission:
        if self._secrets is None:
            return Open(self._lobby, self._enter, limits.names_per_address)
        return Listed(self._lobby, self._secrets, self._enter)

    def _enter(self, name: str) -> None:
        """Take in an entrant that comes for the first time; late ones as the format allows."""
        if name in self._removed:
            raise unknown_entrant(name)
        if self.director is None:
            return
        try:
            self.director.enter(name)
        except TournamentError as error:
            raise PeerError.fatal(ErrorCode.REGISTRATION_CLOSED, f"Too late: {error}.") from None

    async def _register(self) -> None:
        waiting_said = False
        while self.director is None:
            now, there = time.time(), self.engine.entrants_here()
            if self._start_rule.opens(len(there), self._since, now):
                self._begin(there)
                return
            overdue = self._start_rule.time_is_up(self._since, now)
            if overdue and not waiting_said:
                self._say(f"it is time, but {_count(len(there))} there: waiting for at least two")
                waiting_said = True
            due = self._start_rule.due(self._since)
            self._changed = trio.Event()
            with trio.move_on_after(_LOOK_AGAIN_S if due is not None and not overdue else float("inf")):
                await self._changed.wait()

    def _begin(self, there: list[str]) -> None:
        """Begin with those who are connected; the names of the others are free again."""
        size = min(self._setup.table_size, len(there))
        # Late entrants may make further tables.
        tables = OPEN_ENTRANTS if self._setup.kind is Kind.SWISS else -(-len(there) // size)
        fitted = self._setup.fitted(table_size=size, concurrency=self._concurrency or tables)
        setup = fitted.settled(there)
        self.director = self._make_director(setup, there)
        for name in sorted(set(self._lobby.entrants) - set(there)):
            self._lobby.forget(name)
            self._say(f"{name} is not connected and is left out")
        self.engine.begin(self.director)
        self._shell.stir()

    def _make_director(self, setup: TournamentSetup, there: list[str]) -> Director:
        """Begin in a new journal, in which nobody is without the secrets it is known by."""
        journal = self._make_journal(setup)
        for instance in self._lobby:
            if instance.entrant in there:
                journal.bound(instance.entrant, instance.proof)
        try:
            return Director(setup, there, journal)
        except (TournamentError, RulesError):
            journal.discard()
            raise

    # --- commands ------------------------------------------------------------------------------------------

    def _do(self, command: Command) -> str:
        match command.verb:
            case Verb.START:
                return self._start_now()
            case Verb.PAUSE:
                self._unfinished()
                self.engine.pause()
                return "no further games start; those being played go on; 'continue' starts games again"
            case Verb.CONTINUE:
                self.engine.go_on()
                return "games start again"
            case Verb.STATUS:
                return "\n".join(self._status())
            case Verb.STANDINGS:
                return self._render(self._begun()).rstrip("\n")
            case Verb.REMOVE:
                return self._remove(command.name, command.reason)
            case Verb.ADD:
                return self._add(command.name)
            case Verb.VOID:
                return self._void(command.round, command.reason)
            case Verb.FINISH:
                self._unfinished()
                self._begun()
                self.engine.finish_now()
                return "the tournament ends now; games that were being played do not count"
            case Verb.HELP:
                return help_text()

    def _unfinished(self) -> None:
        if self.engine.finished:
            raise CommandError("the tournament is over")

    def _begun(self) -> Director:
        if self.director is None:
            raise CommandError("the tournament has not begun; 'start' begins it")
        return self.director

    def _start_now(self) -> str:
        if self.director is not None:
            raise CommandError("the tournament has begun already")
        there = self.engine.entrants_here()
        if len(there) < FEWEST_ENTRANTS:
            raise CommandError(f"{_count(len(there))} there; a tournament needs at least two")
        try:
            self._begin(there)
        except (TournamentError, RulesError) as error:
            raise CommandError(str(error)) from error
        return f"the tournament begins with {len(there)} entrants"

    def _remove(self, name: str, reason: str) -> str:
        if name not in self._lobby.entrants:
            raise CommandError(f"there is no entrant {name!r}")
        self._removed.add(name)
        self.engine.remove(name, reason, time.monotonic_ns())
        return f"{name} is out"

    def _add(self, name: str) -> str:
        try:
            secretsfile.check_name(name)
        except secretsfile.SecretsFileError as error:
            raise CommandError(str(error)) from error
        if name in self._lobby.entrants:
            raise CommandError(f"'{name}' is an entrant already")
        if self.director is not None:
            try:
                self.director.check_late_entry()
            except TournamentError as error:
                raise CommandError(f"too late: {error}") from error
        self._removed.discard(name)
        if self._secrets is None:
            return f"everybody may come in: let {name} connect with a secret of its own choice"
        secret = secretsfile.new_secret()
        self._secrets.setdefault(name, set()).add(hashed(secret))
        return f"let {name} connect with the secret {secret} (shown only now, and in no file)"

    def _void(self, number: int, reason: str) -> str:
        self._unfinished()
        try:
            self.engine.void_round(number, reason)
        except TournamentError as error:
            raise CommandError(str(error)) from error
        self._reasons[number] = reason
        return f"round {number} is played again, with other cards"

    def _status(self) -> list[str]:
        lines = [self.state]
        now = time.monotonic_ns()
        for instance in self._lobby:
            where = "not connected" if instance.peer is None else f"from {self.engine.address(instance.peer)}"
            if instance.retired:
                where = "gone for good"
            elif instance.peer is None and instance.expected_until > now:
                left = (instance.expected_until - now) // NS_PER_S + 1
                where = f"not connected, waited for {left} s more"
            games = ", ".join(map(str, sorted(instance.games))) or "no game"
            client = f" ({instance.client})" if instance.client else ""
            lines.append(f"  {instance.entrant}{client}: {where}, {games}")
        return lines

    def _take_news(self, news: list[News]) -> None:
        self._on_news(news)
        self._changed.set()


def _count(entrants: int) -> str:
    return "one entrant is" if entrants == 1 else f"{entrants or 'no'} entrants are"
