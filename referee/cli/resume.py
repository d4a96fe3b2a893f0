"""`take5-referee resume`: goes on with a tournament that was stopped, from its journal."""

from collections.abc import Sequence
from pathlib import Path

import click

from referee.cli import compare, duel, house, journals, log, run_local, serve
from referee.cli.archive import opened
from referee.cli.deciding import Deciding, aim_kept
from referee.cli.durations import Duration
from referee.cli.exits import EXIT_CODES_HELP, ExitCode
from referee.cli.iokind import io_option
from referee.cli.metrics import Place, metrics_option, served
from referee.cli.options import ReportOptions, check_anchor, report_options
from referee.cli.output import OutputFile
from referee.cli.playing import fit_to_descriptors
from referee.cli.progress import make_progress
from referee.cli.sandboxing import check_possible, sandbox_option_again
from referee.cli.settings import setting
from referee.cli.show import Show
from referee.cli.startable import Startable
from referee.cli.stopping import drain_option, in_seconds
from referee.director import Director
from referee.journal.errors import JournalUnusable
from referee.journal.head import Head
from referee.journal.journal import Journal
from referee.journal.reading import Reading
from referee.server.readers import Io
from referee.setup import TournamentSetup
from referee.tournament.model import Kind

REJOIN_FOR = "60s"


@click.command("resume", epilog=EXIT_CODES_HELP)
@report_options
@setting(
    "--rejoin-for",
    metavar="TIME",
    type=Duration("0", "24h"),
    default=REJOIN_FOR,
    show_default=True,
    help="For so long served games wait for bots that were there before.",
)
@drain_option()
@metrics_option()
@sandbox_option_again
@io_option
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.argument("names", metavar="[BOT...]", nargs=-1)
def command(
    *,
    report: ReportOptions,
    rejoin_for: int,
    drain: int,
    metrics: Place | None,
    kind: str | None,
    io: Io,
    path: Path,
    names: tuple[str, ...],
) -> int:
    """Go on with a tournament that was stopped, where it stopped, in mid-trick.

    What is played, and by whom, is in the JOURNAL and cannot be changed. BOT names may be given to make sure
    that it is the tournament you mean.
    """
    head = _check(path, names)
    if head is None:
        log.tell(log.note(f"this tournament is over; take5-referee standings {path} shows how it ended"))
        return _code(path)
    if head.command == compare.COMMAND and report.anchor is not None:
        raise click.UsageError("--anchor is for ratings, and a comparison has none: leave it away.")
    output = None if report.output is None else OutputFile(report.output)
    if head.command == house.COMMAND:
        spans = {"rejoin_for_s": in_seconds(rejoin_for), "drain_s": in_seconds(drain)}
        return _go_on_serving(head, path, report, output, io, metrics, **spans)
    if metrics is not None:
        raise click.UsageError("--metrics is for tournaments that are served: leave it away")
    journal = journals.open_again(path)
    with journals.closing(journal):
        if head.command == run_local.COMMAND:
            return _go_on_locally(head, journal, report, output, kind, io, drain_s=in_seconds(drain))
        if head.command == compare.COMMAND:
            return compare.go_on(head, journal, report, output, kind, io, drain_s=in_seconds(drain))
        raise click.UsageError(f"{path} is damaged: no command of this program is {head.command!r}")


def _check(path: Path, names: Sequence[str]) -> Head | None:
    """Return the head of a journal that can be gone on with; None if its tournament is over.

    Raises:
        click.UsageError: It cannot be used, or is not that of the bots that were named.
    """
    try:
        stored = Reading.opened(path)
        known = sorted(entrant.name for entrant in stored.entrants())
        head, ending = stored.head, stored.ending
        stored.check_file()
        stored.close()
    except JournalUnusable as error:
        raise click.UsageError(str(error)) from error
    if not known:
        raise click.UsageError(f"{path} was stopped before its tournament began; start a new one")
    if names and sorted(names) != known:
        raise click.UsageError(
            f"{path} is a tournament of {', '.join(known)}, and its bots cannot be changed;"
            " leave the names away, or start a new tournament"
        )
    return head if ending is None else None


def _code(path: Path) -> ExitCode:
    """Return the exit code of a tournament that is over: for a comparison, that of its verdict."""
    with opened(path) as reading:
        if reading.head.kind is Kind.COMPARISON:
            return duel.code_for(duel.stored(reading))
    return ExitCode.COMPLETE


def _go_on_serving(
    head: Head,
    path: Path,
    report: ReportOptions,
    output: OutputFile | None,
    io: Io,
    metrics: Place | None,
    **spans: float,
) -> int:
    with served(metrics) as shown:
        journal = journals.open_again(path, open_=Journal.open if shown is None else shown.open)
        with journals.closing(journal):
            return serve.go_on(head, journal, report, output, io=io, metrics=shown, **spans)


def _go_on_locally(
    head: Head,
    journal: Journal,
    report: ReportOptions,
    output: OutputFile | None,
    kind: str | None,
    io: Io,
    *,
    drain_s: float,
) -> int:
    progress = make_progress(quiet=report.quiet)
    show = Show(report, output, progress)
    with journal.reading().believing():
        startable = Startable.again(head.extras, kind)
    check_possible(startable.sandbox)
    check_anchor(report.anchor, (program.name for program in startable.programs))
    director = Director.restored(TournamentSetup.of(head), journal)
    fit_to_descriptors(director, progress.say)
    aim = aim_kept(head.extras)
    deciding = None if aim is None else Deciding(director, aim, progress.say)
    watch = run_local.watching(show, deciding)
    local = startable.tournament(director, on_news=watch, io=io)
    return run_local.play_until_decided(local, deciding, show, progress, drain_s=drain_s)
