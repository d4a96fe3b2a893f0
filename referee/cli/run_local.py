"""`take5-referee run-local`: a tournament of bots that are programs of this machine."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import click

from referee.cli import journals, log
from referee.cli.deciding import DEFAULT_BUDGET, Deciding, aim_of, kept, until_decided_options
from referee.cli.exits import EXIT_CODES_HELP, file_problem
from referee.cli.iokind import io_option
from referee.cli.options import (
    ReportOptions,
    TournamentOptions,
    check_anchor,
    tournament_options,
)
from referee.cli.output import OutputFile
from referee.cli.playing import fit_to_descriptors, play
from referee.cli.progress import Progress, make_progress
from referee.cli.sandboxing import check_possible, sandbox_options
from referee.cli.selection import Say, build, cores, find, remarks
from referee.cli.settings import setting, unknown_variables
from referee.cli.show import Show
from referee.cli.startable import Startable, concurrency_option, log_dir_option
from referee.cli.stopping import drain_option, in_seconds
from referee.cli.suggestions import did_you_mean
from referee.cli.tracing import TraceOptions, trace_options
from referee.director import Director
from referee.local.news import LocalNews
from referee.local.programs import BotProgram, Selection
from referee.local.sandbox import Sandbox
from referee.local.tournament import LocalTournament
from referee.rules.variants import RulesError
from referee.server.readers import Io
from referee.setup import TournamentSetup
from referee.tournament.model import TournamentError

COMMAND = "run-local"
FEWEST_BOTS = 2


@click.command(
    "run-local",
    epilog="Every option can also be set by a variable, --table-size for instance by "
    f"TAKE5_REFEREE_TABLE_SIZE, and in the file of --config. {EXIT_CODES_HELP}",
)
@tournament_options(grace_ns=0)
@until_decided_options
@concurrency_option
@setting("--build", "build_first", is_flag=True, help="Build first the bots that need it or have changed.")
@log_dir_option
@drain_option()
@sandbox_options
@journals.journal_option()
@io_option
@trace_options
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
def command(
    *,
    tournament: TournamentOptions,
    report: ReportOptions,
    until_decided: bool,
    top: int | None,
    concurrency: int | None,
    build_first: bool,
    log_dir: Path | None,
    drain: int,
    sandbox: Sandbox,
    journal_path: Path | None,
    io: Io,
    trace: TraceOptions,
    bots: tuple[str, ...],
) -> int:
    """Play a tournament of bots that are programs of this machine.

    A BOT is an executable file, a directory with a bot.toml, or NAME=COMMAND. Whatever else a pattern such as
    sample_bots/* sweeps in is skipped. Standings go to stdout, everything else to stderr.
    """
    for sentence in unknown_variables(click.get_current_context().command, os.environ):
        log.tell(log.warning(sentence))
    output = None if report.output is None else OutputFile(report.output)
    progress = make_progress(quiet=report.quiet)
    check_possible(sandbox)
    programs = _programs(bots, build_first=build_first, say=progress.say)
    check_anchor(report.anchor, (program.name for program in programs))
    _check_traced(trace, programs)
    prepare(log_dir)
    startable = Startable(programs=programs, sandbox=sandbox, log_dir=log_dir)
    aim = aim_of(until_decided=until_decided, top=top, entrants=len(programs))
    if aim is not None and tournament.rounds is None:
        tournament = attrs.evolve(tournament, rounds=DEFAULT_BUDGET)
    setup = _settled(tournament.setup(len(programs), concurrency=concurrency or cores()), programs)
    with trace.engine(progress.say) as make_engine:
        with journals.stopping_well(lambda: None):
            journal = journals.make(journal_path, setup.head(COMMAND, startable.extras() | kept(aim)))
        show = Show(report, output, progress)
        with journals.closing(journal):
            try:
                director = Director(setup, [program.name for program in programs], journal)
                fit_to_descriptors(director, progress.say)
            except (RulesError, TournamentError, click.UsageError) as error:
                journal.discard()
                raise click.UsageError(str(error)) from error
            deciding = None if aim is None else Deciding(director, aim, progress.say)
            watch = watching(show, deciding)
            local = startable.tournament(director, on_news=watch, make_engine=make_engine, io=io)
            return play_until_decided(local, deciding, show, progress, drain_s=in_seconds(drain))


def watching(show: Show, deciding: Deciding | None) -> Callable[[Sequence[LocalNews]], None]:
    """Return what takes in the news of a tournament: what is shown of it, and what may end it."""

    def watch(items: Sequence[LocalNews]) -> None:
        show.news(items)
        if deciding is not None:
            deciding.news(items)

    return watch


def play_until_decided(
    local: LocalTournament, deciding: Deciding | None, show: Show, progress: Progress, *, drain_s: float
) -> int:
    """Play a tournament to its end, or until it is decided if that is wanted; return the exit code."""
    if deciding is not None:
        deciding.open(stop=local.finish_now, play_on=local.play_on)
    return play(local, show, progress, drain_s=drain_s)


def _programs(arguments: Sequence[str], *, build_first: bool, say: Say) -> Sequence[BotProgram]:
    """Return the bots that can be started, at least two, built first if that is wanted."""
    selection = find(arguments)
    if build_first and (builds := (*selection.to_build, *selection.changed())):
        build(builds, say=say)
        selection = find(arguments)
    for line in remarks(selection):
        say(line)
    if len(selection.programs) < FEWEST_BOTS:
        raise click.UsageError(_too_few(selection))
    return selection.programs


def _too_few(selection: Selection) -> str:
    usable = f"only {selection.programs[0].name}" if selection.programs else "none"
    hint = "; --build builds those that need it" if selection.to_build else ""
    return f"a tournament needs two bots, but of what was given {usable} can play{hint}"


def _check_traced(trace: TraceOptions, programs: Sequence[BotProgram]) -> None:
    names = [program.name for program in programs]
    if trace.bot is not None and trace.bot not in names:
        raise click.UsageError(f"there is no bot {trace.bot!r} to trace{did_you_mean(trace.bot, names)}")


def prepare(log_dir: Path | None) -> None:
    """Make the directory for what bots write, if there is to be one.

    Raises:
        click.UsageError: It cannot be made.
    """
    if log_dir is None:
        return
    try:
        log_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(file_problem(f"the log directory {log_dir} cannot be made", error)) from error


def _settled(setup: TournamentSetup, programs: Sequence[BotProgram]) -> TournamentSetup:
    try:
        return setup.settled([program.name for program in programs])
    except TournamentError as error:
        raise click.UsageError(str(error)) from error
