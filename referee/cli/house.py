"""What serves: the tournament at hand, what is shown and kept of it, console and control socket around it."""

import contextlib
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import click
import trio

from referee.cli import journals
from referee.cli.cells import plain
from referee.cli.console import attend, execute
from referee.cli.exits import ExitCode, file_problem
from referee.cli.lobbyview import LobbyView
from referee.cli.options import ReportOptions
from referee.cli.output import OutputFile
from referee.cli.render import render
from referee.cli.show import evidence
from referee.cli.tracing import MakeEngine
from referee.director import Director
from referee.journal.journal import Journal
from referee.server import control
from referee.server.engine import Engine
from referee.server.news import News, RoundOver
from referee.server.readers import Io
from referee.server.serving import Ending, ServedTournament, StartRule
from referee.setup import TournamentSetup

COMMAND = "serve"
REGISTER_FOR_S = 60.0
_TICK_S = 1.0

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
    view: LobbyView
    journal_path: Path | None
    extras: dict[str, Any]
    make_engine: MakeEngine = Engine
    io: Io | None = None
    tournament: ServedTournament | None = None
    served: int = 0

    def current(self) -> ServedTournament:
        """Return the tournament that is being served."""
        if self.tournament is None:
            self.tournament = self._next()
        return self.tournament

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
        for line in evidence(director):
            self.view.say(line)
        director.journal.close()
        self.view.say(f"journal: {director.journal.path}")
        if not director.over:
            self.view.say(journals.how_to_go_on(director.journal.path))

    def go_on(self, journal: Journal, rejoin_for_s: float) -> None:
        """Go on with the tournament of a journal instead of opening a registration."""
        self.current().resume(journal, rejoin_for_s)
        self.view.say(f"journal: {journal.path}")
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
            on_news=self._news,
            say=self.view.say,
            render=self.render,
            make_journal=self._make_journal,
            make_engine=self.make_engine,
            io=self.io,
        )

    def _make_journal(self, setup: TournamentSetup) -> Journal:
        """Make the journal of a tournament that begins; a further one gets a name of its own."""
        head = setup.head(COMMAND, self.extras)
        journal = journals.make(self.journal_path, head, number=self.served)
        self.view.say(f"journal: {journal.path}")
        return journal

    def _news(self, items: list[News]) -> None:
        director, here = self.current().director, self.current().engine.entrants_here()
        for item in items:
            self.view.news([item], director, here)
            if director is not None and isinstance(item, RoundOver):
                self._show_round(director)

    def _show_round(self, director: Director) -> None:
        """Show and keep the standings after a round; those after the last one come with the end."""
        text = self.render(director)
        if not director.complete:
            self.view.say(text.rstrip("\n"))
        self._write(text)

    def _write(self, text: str) -> None:
        if self.output is None:
            return
        try:
            self.output.write(text)
        except OSError as error:
            problem = file_problem(f"the output file {self.output.path} cannot be written", error)
            click.echo(f"warning: {problem}", err=True)


def run(house: House, control_path: Path, *, keep_serving: bool) -> int:
    """Serve one tournament, or one after the other; return the exit code.

    Raises:
        JournalStopped: The journal could not be written.
    """
    with journals.stopping_well(house.journal):
        return trio.run(_serve, house, control_path, keep_serving)


async def _serve(house: House, path: Path, keep_serving: bool) -> int:
    ending = Ending.COMPLETE
    async with trio.open_nursery() as nursery, contextlib.AsyncExitStack() as stack:
        nursery.start_soon(_stop_on_signals, house)
        nursery.start_soon(attend, house.current, house.view.answer)
        nursery.start_soon(_tick, house)
        try:
            await stack.enter_async_context(control.opened(path, lambda line: execute(house.current(), line)))
        except control.ControlError as error:
            click.echo(f"warning: {error}; ctl will not work", err=True)
        while True:
            ending = await house.current().run()
            house.close_tournament()
            if ending is Ending.INTERRUPTED or not keep_serving:
                break
            house.view.say("waiting for the next tournament")
        nursery.cancel_scope.cancel()
    if ending is Ending.INTERRUPTED:
        click.echo("interrupted: these are the standings so far", err=True)
        return ExitCode.INTERRUPTED
    return ExitCode.COMPLETE


async def _stop_on_signals(house: House) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            house.current().interrupt()


async def _tick(house: House) -> None:
    while True:
        await trio.sleep(_TICK_S)
        tournament = house.current()
        engine = tournament.engine
        house.view.tick(tournament.director, engine.entrants_here(), engine.running)


def _later(rule: StartRule) -> StartRule:
    """Return when the tournaments after the first begin: the moment of the first one has passed."""
    if rule.at is None:
        return rule
    without_any = rule.entrants is None and rule.after_s is None
    return attrs.evolve(rule, at=None, after_s=REGISTER_FOR_S if without_any else rule.after_s)
