"""`take5-referee serve`: a tournament for bots on other machines."""

import contextlib
import errno
import os
import secrets
import signal
import socket
import sys
from pathlib import Path

import attrs
import click
import trio

from referee.cli.cells import plain
from referee.cli.console import attend, execute
from referee.cli.ctl import DEFAULT_PORT, HIGHEST_PORT
from referee.cli.doors import how_to_connect, is_loopback
from referee.cli.durations import Duration
from referee.cli.exits import EXIT_CODES_HELP, ExitCode, Failure, file_problem
from referee.cli.lobbyview import LobbyView
from referee.cli.moments import Moment
from referee.cli.options import ReportOptions, TournamentOptions, WholeNumber, tournament_options
from referee.cli.output import OutputFile
from referee.cli.render import render
from referee.cli.settings import setting, unknown_variables
from referee.cli.show import evidence
from referee.director import Director, TournamentSetup
from referee.play.clock import NS_PER_MS
from referee.rules.decks import NONCE_BYTES
from referee.rules.variants import MOST_PLAYERS
from referee.server import control, secretsfile
from referee.server.news import News, RoundOver
from referee.server.serving import Ending, ServedTournament, StartRule
from referee.server.sockets import listen

DEFAULT_HOST = "127.0.0.1"
GRACE_NS = 50 * NS_PER_MS
REGISTER_FOR_S = 60.0
MOST_ENTRANTS = 1000
MOST_TABLES = 1024

_NS_PER_S = 1e9
_TICK_S = 1.0

_ADVICE = {
    errno.EADDRINUSE: "; is another referee running? choose another --port",
    errno.EACCES: "; choose a --port above 1023",
}

Secrets = dict[str, set[str]]


@click.command(
    "serve",
    epilog="While it runs, type help. Every option can also be set by a variable, --table-size for instance "
    f"by TAKE5_REFEREE_TABLE_SIZE, and in the file of --config. {EXIT_CODES_HELP}",
)
@setting("--host", metavar="ADDRESS", default=DEFAULT_HOST, show_default=True, help="Where to listen.")
@setting(
    "--port",
    metavar="N",
    type=WholeNumber(0, HIGHEST_PORT),
    default=DEFAULT_PORT,
    show_default=True,
    help="The TCP port; 0 for any that is free.",
)
@setting(
    "--secrets",
    "secrets_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Let in only those with a secret from this file; see `take5-referee secret new`.",
)
@setting(
    "--open",
    "is_open",
    is_flag=True,
    help="Let everybody in; the first secret with a name owns it.",
)
@setting(
    "--entrants", metavar="N", type=WholeNumber(2, MOST_ENTRANTS), help="Begin once so many have joined."
)
@setting("--start-at", metavar="TIME", type=Moment(), help="Begin at 18:30, or 2026-11-30T18:30.")
@setting(
    "--register-for",
    metavar="TIME",
    type=Duration("0", "24h"),
    show_default="60s, if neither --entrants nor --start-at is given",
    help="Begin after so long.",
)
@setting(
    "--concurrency",
    metavar="N",
    type=WholeNumber(1, MOST_TABLES),
    show_default="all tables of a round",
    help="Tables that run at once.",
)
@setting("--keep-serving", is_flag=True, help="After a tournament wait for the next one.")
@setting(
    "--control",
    "control_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    show_default="by the port",
    help="The socket for `take5-referee ctl`.",
)
@tournament_options(grace_ns=GRACE_NS)
def command(
    *,
    tournament: TournamentOptions,
    report: ReportOptions,
    host: str,
    port: int,
    secrets_path: Path | None,
    is_open: bool,
    entrants: int | None,
    start_at: float | None,
    register_for: int | None,
    concurrency: int | None,
    keep_serving: bool,
    control_path: Path | None,
) -> int:
    """Serve a tournament for bots on other machines.

    Bots join until the registration ends: by the options below, or when you type start. Standings go to
    stdout, everything else to stderr. To listen elsewhere than on this machine takes --secrets or --open.
    """
    for sentence in unknown_variables(click.get_current_context().command, os.environ):
        click.echo(f"warning: {sentence}", err=True)
    _check_size(tournament)
    listed = _secrets(host, secrets_path, is_open=is_open)
    rule = _start_rule(entrants, start_at, register_for)
    output = None if report.output is None else OutputFile(report.output)
    view = LobbyView(sys.stderr, quiet=report.quiet)
    try:
        listener = listen(host, port)
    except (OSError, UnicodeError) as error:
        raise Failure(_cannot_listen(host, port, error)) from error
    with contextlib.closing(listener):
        house = House(
            listener=listener,
            secrets=listed,
            rule=rule,
            concurrency=concurrency,
            options=tournament,
            report=report,
            output=output,
            view=view,
        )
        where = listener.getsockname()
        view.say(how_to_connect(where[0], where[1], is_open=listed is None))
        return trio.run(_serve, house, control_path or control.default_path(where[1]), keep_serving)


@attrs.define(kw_only=True)
class House:
    """All that one run of `serve` has at hand; `tournament` is the one that is being served."""

    listener: socket.socket
    secrets: Secrets | None
    rule: StartRule
    concurrency: int | None
    options: TournamentOptions
    report: ReportOptions
    output: OutputFile | None
    view: LobbyView
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
        text = self.render(director)
        click.echo(text, nl=False)
        self._write(text)
        for number, reason in voided.items():
            self.view.say(f"round {number} was voided: {reason}")
        for line in evidence(director):
            self.view.say(line)

    def render(self, director: Director) -> str:
        """Put standings into the form the user asked for."""
        return render(director.rows(), director.facts(), self.report.format)

    def _next(self) -> ServedTournament:
        self.served += 1
        return ServedTournament(
            self.listener,
            _setup(self.options, self.served),
            concurrency=self.concurrency,
            secrets=self.secrets,
            start=self.rule,
            on_news=self._news,
            say=self.view.say,
            render=self.render,
        )

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


async def _serve(house: House, path: Path, keep_serving: bool) -> int:
    """Serve one tournament, or one after the other."""
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


def _secrets(host: str, path: Path | None, *, is_open: bool) -> Secrets | None:
    """Return the secrets to ask for; None where everybody may come in."""
    if path is not None and is_open:
        raise click.UsageError("--secrets and --open exclude each other: set only one.")
    if path is None:
        if not is_open and not is_loopback(host):
            raise click.UsageError(
                f"listening on {host} lets other machines in: give --secrets FILE to let in only those you"
                " know, or --open to let in everybody"
            )
        return None
    try:
        return secretsfile.read(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error if isinstance(error, OSError) else OSError("it is not text")
        raise click.UsageError(file_problem(f"the secrets file {path} cannot be read", reason)) from error
    except secretsfile.SecretsFileError as error:
        raise click.UsageError(str(error)) from error


def _start_rule(entrants: int | None, at: float | None, register_for: int | None) -> StartRule:
    by_default = REGISTER_FOR_S if entrants is None and at is None else None
    after = by_default if register_for is None else register_for / _NS_PER_S
    return StartRule(entrants=entrants, at=at, after_s=after)


def _later(rule: StartRule) -> StartRule:
    """Return when the tournaments after the first begin: the moment of the first one has passed."""
    if rule.at is None:
        return rule
    without_any = rule.entrants is None and rule.after_s is None
    return attrs.evolve(rule, at=None, after_s=REGISTER_FOR_S if without_any else rule.after_s)


def _check_size(options: TournamentOptions) -> None:
    most = MOST_PLAYERS[options.rules.variant]
    if options.size_for(MOST_ENTRANTS) > most:
        raise click.UsageError(f"the {options.rules.variant.value} variant is for tables of 2 to {most}")


def _setup(options: TournamentOptions, number: int) -> TournamentSetup:
    """Return what the tournament of this number is made from; none has the cards of another."""
    return TournamentSetup(
        kind=options.kind,
        table_size=options.size_for(MOST_ENTRANTS),
        rounds=options.rounds,
        games=options.games,
        rules=options.rules,
        clock=options.clock,
        seed=options.seed_for(number),
        nonce=secrets.token_bytes(NONCE_BYTES),
    )


def _cannot_listen(host: str, port: int, error: OSError | UnicodeError) -> str:
    what = f"the referee cannot listen on {plain(host)}, port {port}"
    if not isinstance(error, OSError):
        return f"{what}: this is no address"
    return file_problem(what, error) + _ADVICE.get(
        error.errno or 0, "; is --host an address of this machine?"
    )
