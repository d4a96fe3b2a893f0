"""`take5-referee run-local`: a tournament of bots that are programs of this machine."""

import functools
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import attrs
import click
import trio

from referee.cli.exits import EXIT_CODES_HELP, ExitCode, Failure, file_problem
from referee.cli.options import ReportOptions, TournamentOptions, WholeNumber, tournament_options
from referee.cli.output import OutputFile
from referee.cli.progress import Progress, make_progress
from referee.cli.selection import Say, build, cores, find, remarks
from referee.cli.settings import setting, unknown_variables
from referee.cli.show import Show
from referee.director import Director, TournamentSetup
from referee.local.descriptors import affordable_concurrency, allowed_descriptors
from referee.local.programs import BotProgram, Selection
from referee.local.tournament import Ending, LocalTournament
from referee.rules.decks import NONCE_BYTES
from referee.rules.variants import RulesError
from referee.tournament.model import TournamentError

MOST_TABLES = 1024
FEWEST_BOTS = 2

_TICK_S = 0.25


@click.command(
    "run-local",
    epilog="Every option can also be set by a variable, --table-size for instance by "
    f"TAKE5_REFEREE_TABLE_SIZE, and in the file of --config. {EXIT_CODES_HELP}",
)
@tournament_options(grace_ns=0)
@setting(
    "--concurrency",
    metavar="N",
    type=WholeNumber(1, MOST_TABLES),
    show_default="one for each processor",
    help="Tables that run at once.",
)
@setting("--build", "build_first", is_flag=True, help="Build first the bots that need it.")
@setting(
    "--log-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep there what each bot writes to stdout and stderr.",
)
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
def command(
    *,
    tournament: TournamentOptions,
    report: ReportOptions,
    concurrency: int | None,
    build_first: bool,
    log_dir: Path | None,
    bots: tuple[str, ...],
) -> int:
    """Play a tournament of bots that are programs of this machine.

    A BOT is an executable file, a directory with a bot.toml, or NAME=COMMAND. Whatever else a pattern such as
    sample_bots/* sweeps in is skipped. Standings go to stdout, everything else to stderr.
    """
    for sentence in unknown_variables(click.get_current_context().command, os.environ):
        click.echo(f"warning: {sentence}", err=True)
    output = None if report.output is None else OutputFile(report.output)
    progress = make_progress(quiet=report.quiet)
    programs = _programs(bots, build_first=build_first, say=progress.say)
    _prepare(log_dir)
    show = Show(report, output, progress)
    setup = _setup(tournament, len(programs), concurrency or cores())
    make = functools.partial(LocalTournament, programs, log_dir=log_dir, on_news=show.news)
    try:
        local = make(setup)
    except (RulesError, TournamentError) as error:
        raise click.UsageError(str(error)) from error
    affordable = _affordable(local.director)
    if affordable < setup.concurrency:
        progress.say(f"tables at once: {affordable}, since no more files may be open (ulimit -n)")
        local = make(attrs.evolve(setup, concurrency=affordable))
    return _run(local, show, progress)


def _programs(arguments: Sequence[str], *, build_first: bool, say: Say) -> Sequence[BotProgram]:
    """Return the bots that can be started, at least two, built first if that is wanted."""
    selection = find(arguments)
    if build_first and selection.to_build:
        build(selection.to_build, say=say)
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


def _prepare(log_dir: Path | None) -> None:
    if log_dir is None:
        return
    try:
        log_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(file_problem(f"the log directory {log_dir} cannot be made", error)) from error


def _setup(options: TournamentOptions, entrants: int, concurrency: int) -> TournamentSetup:
    return TournamentSetup(
        kind=options.kind,
        table_size=options.size_for(entrants),
        rounds=options.rounds,
        games=options.games,
        rules=options.rules,
        clock=options.clock,
        seed=options.seed_for(1),
        nonce=secrets.token_bytes(NONCE_BYTES),
        concurrency=concurrency,
    )


def _affordable(director: Director) -> int:
    """Return how many tables can run at once with as many open files as the system allows."""
    bots = len(director.rows())
    useful = min(director.setup.concurrency, director.games_planned)
    affordable = affordable_concurrency(
        useful, bots=bots, tables_per_round=director.tables_per_round, descriptors=allowed_descriptors()
    )
    if not affordable:
        raise click.UsageError(f"{bots} bots need more open files than the system allows; raise ulimit -n")
    return director.setup.concurrency if affordable == useful else affordable


def _run(local: LocalTournament, show: Show, progress: Progress) -> int:
    """Play the tournament and print what came of it, also if it was interrupted."""
    show.open(local.director, lambda: local.running)
    try:
        ending = trio.run(_play, local, progress)
    finally:
        show.close()
    show.standings()
    show.evidence()
    if ending is Ending.COMPLETE:
        return ExitCode.COMPLETE
    click.echo("interrupted: these are the standings so far", err=True)
    return ExitCode.INTERRUPTED


async def _play(local: LocalTournament, progress: Progress) -> Ending:
    """Play the tournament while its progress is shown."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_tick, progress)
        try:
            return await local.run()
        except OSError as error:
            problem = error
        finally:
            nursery.cancel_scope.cancel()
    raise Failure(file_problem("the referee cannot listen for its bots", problem)) from problem


async def _tick(progress: Progress) -> None:
    while True:
        progress.tick()
        await trio.sleep(_TICK_S)
