"""What serves: the tournament at hand, what is shown and kept of it, console and control socket around it."""

import contextlib
import socket
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import click
import trio

from referee.cli import events, journals, log
from referee.cli.cells import plain
from referee.cli.console import attend, execute
from referee.cli.exits import ExitCode, file_problem
from referee.cli.log import Event
from referee.cli.logformat import LogFormat, chosen
from referee.cli.metrics import Metrics
from referee.cli.options import ReportOptions
from referee.cli.organiserview import OrganiserView
from referee.cli.output import OutputFile
from referee.cli.render import render
from referee.cli.tracing import MakeEngine
from referee.director import Director
from referee.journal.journal import Journal
from referee.server import control
from referee.server.engine import Engine
from referee.server.limits import ServerLimits
from referee.server.manager import ServiceManager
from referee.server.news import Joined, Lost, News, RoundOver
from referee.server.readers import Io
from referee.server.serving import Ending, ServedTournament, StartRule
from referee.server.stopping import Stopper
from referee.setup import TournamentSetup

COMMAND = "serve"
REGISTER_FOR_S = 60.0

Secrets = dict[str, set[str]]


@attrs.define(kw_only=True)
class House:
    """All that one run of `serve` has at hand; `tournament` is the one that is being served."""

    listener: socket.socket
    secrets: Secrets | None
    rule: StartRule
    concurrency: int | None
    make_setup: Callable[[int], TournamentSetup]
    report: ReportOptions
    output: OutputFile | None
    view: OrganiserView
    journal_path: Path | None
    extras: dict[str, Any]
    limits: ServerLimits
    make_engine: MakeEngine = Engine
    io: Io | None = None
    metrics: Metrics | None = None
    tls: ssl.SSLContext | None = None
    tournament: ServedTournament | None = None
    served: int = 0
    stopping: bool = False
    manager: ServiceManager = attrs.field(factory=ServiceManager.of)

    def current(self) -> ServedTournament:
        """Return the tournament that is being served."""
        if self.tournament is None:
            self.tournament = self._next()
        return self.tournament

    @property
    def running(self) -> int:
        """How many games are being played."""
        return self.current().running

    def drain(self) -> None:
        """Start no further games."""
        self._begin_to_stop()
        self.current().drain()

    def interrupt(self) -> None:
        """Stop at once, in good order."""
        self._begin_to_stop()
        self.current().interrupt()

    def hurry(self) -> None:
        """Do nothing: nobody is waited for."""

    def _begin_to_stop(self) -> None:
        self.stopping = True
        self.manager.stopping()

    def close_tournament(self) -> None:
        """Print the standings of the tournament that was served, and get ready for the next."""
        director, voided = self.current().director, self.current().voided
        self.tournament = None
        self.rule = _later(self.rule)
        if director is None:
            return
        text = self._final(director)
        click.echo(text, nl=False)
        self._write(text)
        for number, reason in voided.items():
            self.view.say(f"round {number} was voided: {reason}")
        self.view.tell(events.evidence(director))
        director.journal.close()
        self.view.tell(journals.kept_in(director.journal.path))
        if not director.over:
            self.view.tell(journals.how_to_go_on(director.journal.path))

    def go_on(self, journal: Journal, rejoin_for_s: float) -> None:
        """Go on with the tournament of a journal instead of opening a registration."""
        self.current().resume(journal, rejoin_for_s)
        self.view.tell(events.begun(Event.TOURNAMENT_BEGUN, TournamentSetup.of(journal.reading().head)))
        self.view.tell(journals.kept_in(journal.path))
        if self.current().engine.paused:
            self.view.say("it was paused and still is; 'continue' starts games again")

    def journal(self) -> Journal | None:
        """Return the journal of the tournament that is being served, if it has begun."""
        director = None if self.tournament is None else self.tournament.director
        return None if director is None else director.journal

    def render(self, director: Director) -> str:
        """Put standings into the form the user asked for."""
        return render(director.rows(), director.facts(), self.report.format)

    def _final(self, director: Director) -> str:
        """Put standings with ratings into that form; an anchor that did not come is none."""
        rows, anchor = director.rows(), self.report.anchor
        if anchor is not None and anchor not in {row.name for row in rows}:
            self.view.say(f"--anchor {plain(anchor)} did not take part: the mean of all ratings is 0 instead")
            anchor = None
        return render(rows, director.facts(), self.report.format, director.certainty(anchor))

    def _next(self) -> ServedTournament:
        self.served += 1
        return ServedTournament(
            self.listener,
            self.make_setup(self.served),
            concurrency=self.concurrency,
            secrets=self.secrets,
            start=self.rule,
            on_news=self.news,
            say=self.view.say,
            render=self.render,
            make_journal=self._make_journal,
            limits=self.limits,
            make_engine=self.make_engine,
            io=self.io,
            tls=self.tls,
        )

    def _make_journal(self, setup: TournamentSetup) -> Journal:
        """Make the journal of a tournament that begins; a further one gets a name of its own."""
        head = setup.head(COMMAND, self.extras)
        self.view.tell(events.begun(Event.TOURNAMENT_BEGUN, setup))
        create = Journal.create if self.metrics is None else self.metrics.create
        journal = journals.make(self.journal_path, head, number=self.served, create=create)
        self.view.tell(journals.kept_in(journal.path))
        return journal

    def news(self, items: Sequence[News]) -> None:
        """Show and keep what has happened."""
        director = self.current().director
        # Finding out who is here takes a while; thousands who are turned away are not worth it.
        came_or_went = any(isinstance(item, Joined | Lost) for item in items)
        here = self.current().engine.entrants_here() if came_or_went else ()
        for item in items:
            self.view.news([item], director, here)
            if director is not None and isinstance(item, RoundOver):
                self._show_round(director)

    def _show_round(self, director: Director) -> None:
        """Show and keep the standings after a round; those after the last one come with the end."""
        text = self.render(director)
        if not director.complete:
            self.view.tell(events.standings(director, (text.rstrip("\n"),)))
        self._write(text)

    def _write(self, text: str) -> None:
        if self.output is None:
            return
        try:
            self.output.write(text)
        except OSError as error:
            problem = file_problem(f"the output file {self.output.path} cannot be written", error)
            log.tell(log.warning(problem))


def run(house: House, control_path: Path, *, keep_serving: bool, drain_s: float) -> int:
    """Serve one tournament, or one after the other; return the exit code.

    Args:
        house: What serves.
        control_path: The socket for `ctl`.
        keep_serving: Whether to wait for the next tournament after each.
        drain_s: How long games may go on after SIGTERM.

    Raises:
        JournalStopped: The journal could not be written.
    """
    with journals.stopping_well(house.journal):
        return trio.run(_serve, house, control_path, keep_serving, drain_s)


async def _serve(house: House, path: Path, keep_serving: bool, drain_s: float) -> int:
    ending = Ending.COMPLETE
    async with trio.open_nursery() as nursery, contextlib.AsyncExitStack() as stack:
        await nursery.start(Stopper(house, drain_s=drain_s, tell=house.news).obey)
        if chosen() is LogFormat.TEXT:  # replies are for the eyes of who typed, and may hold secrets
            nursery.start_soon(attend, house.current, house.view.answer)
        if house.metrics is not None:
            house.metrics.attach()
        nursery.start_soon(_tick, house)
        try:
            await stack.enter_async_context(control.opened(path, lambda line: execute(house.current(), line)))
        except control.ControlError as error:
            log.tell(log.warning(f"{error}; ctl will not work"))
        house.manager.ready()
        while True:
            tournament = house.current()
            ending = await tournament.run()
            house.close_tournament()
            if ending is Ending.INTERRUPTED or house.stopping or not keep_serving:
                break
            house.view.say("waiting for the next tournament")
        nursery.cancel_scope.cancel()
    if ending is Ending.INTERRUPTED:
        begun = tournament.director is not None
        log.tell(log.interrupted("these are the standings so far" if begun else "nothing has been played"))
        return ExitCode.INTERRUPTED
    return ExitCode.COMPLETE


async def _tick(house: House) -> None:
    while True:
        tournament = house.current()
        engine = tournament.engine
        house.view.tick(tournament.director, engine.entrants_here(), engine.running)
        house.manager.alive(tournament.state)
        if house.metrics is not None:
            house.metrics.look(tournament)
        await trio.sleep(house.manager.every_s)


def _later(rule: StartRule) -> StartRule:
    """Return when the tournaments after the first begin: the moment of the first one has passed."""
    if rule.at is None:
        return rule
    without_any = rule.entrants is None and rule.after_s is None
    return attrs.evolve(rule, at=None, after_s=REGISTER_FOR_S if without_any else rule.after_s)
