"""`take5-referee serve`: a tournament for bots on other machines."""

import contextlib
import errno
import os
import socket
from pathlib import Path

import attrs
import click

from referee.cli import journals, log
from referee.cli.bounds import bearable, limit_options
from referee.cli.cells import plain
from referee.cli.ctl import DEFAULT_PORT, HIGHEST_PORT
from referee.cli.doors import how_to_connect, is_loopback
from referee.cli.durations import Duration
from referee.cli.encryption import TlsFiles, tls_options
from referee.cli.exits import EXIT_CODES_HELP, Failure, file_problem
from referee.cli.house import REGISTER_FOR_S, House, Secrets, run
from referee.cli.iokind import io_option
from referee.cli.lobbyview import make_view
from referee.cli.metrics import Metrics, Place, metrics_option, served
from referee.cli.moments import Moment
from referee.cli.options import ReportOptions, TournamentOptions, tournament_options
from referee.cli.output import OutputFile
from referee.cli.settings import WholeNumber, setting, unknown_variables
from referee.cli.stopping import drain_option, in_seconds
from referee.cli.tracing import TraceOptions, trace_options
from referee.journal.head import Head
from referee.journal.journal import Journal
from referee.play.clock import NS_PER_MS
from referee.rules.variants import MOST_PLAYERS
from referee.server import control, secretsfile
from referee.server.limits import ServerLimits
from referee.server.readers import Io
from referee.server.serving import StartRule
from referee.server.sockets import listen
from referee.setup import TournamentSetup

DEFAULT_HOST = "127.0.0.1"
GRACE_NS = 50 * NS_PER_MS
MOST_ENTRANTS = 1000
MOST_TABLES = 1024

_NS_PER_S = 1e9
_TICK_S = 1.0

_ADVICE = {
    errno.EADDRINUSE: "; is another referee running? choose another --port",
    errno.EACCES: "; choose a --port above 1023",
}


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
@drain_option()
@metrics_option()
@tls_options
@limit_options
@journals.journal_option()
@io_option
@trace_options
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
    drain: int,
    metrics: Place | None,
    journal_path: Path | None,
    io: Io,
    limits: ServerLimits,
    tls: TlsFiles | None,
    trace: TraceOptions,
) -> int:
    """Serve a tournament for bots on other machines.

    Bots join until the registration ends: by the options below, or when you type start. Standings go to
    stdout, everything else to stderr. To listen elsewhere than on this machine takes --secrets or --open.
    """
    for sentence in unknown_variables(click.get_current_context().command, os.environ):
        log.tell(log.warning(sentence))
    _check_size(tournament)
    journals.check(journal_path)
    listed = _secrets(host, secrets_path, is_open=is_open)
    context = None if tls is None else tls.context()
    rule = _start_rule(entrants, start_at, register_for)
    output = None if report.output is None else OutputFile(report.output)
    view = make_view(quiet=report.quiet)
    with (
        trace.engine(view.say) as make_engine,
        served(metrics) as shown,
        contextlib.closing(_listen(host, port)) as listener,
    ):
        where = listener.getsockname()
        house = House(
            listener=listener,
            make_engine=make_engine,
            io=io,
            secrets=listed,
            rule=rule,
            concurrency=concurrency,
            make_setup=lambda number: tournament.setup(MOST_ENTRANTS, number=number),
            report=report,
            output=output,
            view=view,
            metrics=shown,
            journal_path=journal_path,
            extras={
                "host": host,
                "port": where[1],
                "secrets": None if secrets_path is None else str(secrets_path.absolute()),
                "control": None if control_path is None else str(control_path.absolute()),
                "limits": attrs.asdict(limits),
                "tls": None if tls is None else tls.names(),
            },
            limits=bearable(limits, view.say),
            tls=context,
        )
        view.tell(how_to_connect(where[0], where[1], is_open=listed is None, has_tls=context is not None))
        door = control_path or control.default_path(where[1])
        return run(house, door, keep_serving=keep_serving, drain_s=in_seconds(drain))


def go_on(
    head: Head,
    journal: Journal,
    report: ReportOptions,
    output: OutputFile | None,
    *,
    rejoin_for_s: float,
    drain_s: float,
    io: Io,
    metrics: Metrics | None,
) -> int:
    """Go on with a served tournament that was stopped; return the exit code.

    Raises:
        click.UsageError: Its secrets file cannot be read any more.
        Failure: The port it was on cannot be had.
        JournalStopped: The journal could not be written.
    """
    extras = head.extras
    with journal.reading().believing():
        host, port, control_name = extras["host"], extras["port"], extras["control"]
        limits = ServerLimits(**extras["limits"])
        names = extras["tls"]
        tls = None if names is None else TlsFiles(**{field: Path(name) for field, name in names.items()})
        secrets_path = None if extras["secrets"] is None else Path(extras["secrets"])
    listed = _secrets(host, secrets_path, is_open=secrets_path is None)
    context = None if tls is None else tls.context()
    view = make_view(quiet=report.quiet)
    with contextlib.closing(_listen(host, port)) as listener:
        house = House(
            listener=listener,
            io=io,
            secrets=listed,
            rule=StartRule(),
            concurrency=head.concurrency,
            make_setup=lambda _: TournamentSetup.of(head),
            report=report,
            output=output,
            view=view,
            journal_path=None,
            metrics=metrics,
            extras=extras,
            limits=bearable(limits, view.say),
            tls=context,
        )
        where = listener.getsockname()
        house.view.tell(
            how_to_connect(where[0], where[1], is_open=listed is None, has_tls=context is not None)
        )
        house.go_on(journal, rejoin_for_s)
        path = control.default_path(where[1]) if control_name is None else Path(control_name)
        return run(house, path, keep_serving=False, drain_s=drain_s)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except (OSError, UnicodeError) as error:
        raise Failure(_cannot_listen(host, port, error)) from error


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


def _check_size(options: TournamentOptions) -> None:
    most = MOST_PLAYERS[options.rules.variant]
    if options.size_for(MOST_ENTRANTS) > most:
        raise click.UsageError(f"the {options.rules.variant.value} variant is for tables of 2 to {most}")


def _cannot_listen(host: str, port: int, error: OSError | UnicodeError) -> str:
    what = f"the referee cannot listen on {plain(host)}, port {port}"
    if not isinstance(error, OSError):
        return f"{what}: this is no address"
    return file_problem(what, error) + _ADVICE.get(
        error.errno or 0, "; is --host an address of this machine?"
    )
