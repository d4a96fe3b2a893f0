"""`take5-referee compare`: is one bot of this machine better than another?"""

import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from referee.cli import journals, log
from referee.cli.duel import Duel, check_format, kept, question_of
from referee.cli.exits import ExitCode
from referee.cli.iokind import io_option
from referee.cli.options import GameOptions, ReportOptions, game_options
from referee.cli.output import OutputFile
from referee.cli.playing import fit_to_descriptors, play
from referee.cli.progress import Progress, make_progress
from referee.cli.run_local import prepare
from referee.cli.sandboxing import check_possible, sandbox_options
from referee.cli.selection import Say, cores, find, remarks
from referee.cli.settings import WholeNumber, setting, unknown_variables
from referee.cli.shapes import DEFAULT_TABLE_SIZE
from referee.cli.startable import Startable, concurrency_option, log_dir_option
from referee.cli.stopping import drain_option, in_seconds
from referee.director import Director
from referee.journal.head import Head
from referee.journal.journal import Journal
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox
from referee.rules.decks import NONCE_BYTES
from referee.rules.variants import RulesError
from referee.server.readers import Io
from referee.setup import TournamentSetup
from referee.tournament.model import Kind, TournamentError
from referee.tournament.paired import GAMES_OF_A_PAIR
from referee.tournament.sequential import Question
from referee.tournament.sizes import LARGEST_TABLE, SMALLEST_TABLE

COMMAND = "compare"
DEFAULT_MOST_GAMES = 10_000
MOST_GAMES = 1_000_000


@click.command(
    COMMAND,
    epilog="Every option can also be set by a variable, --max-games for instance by "
    "TAKE5_REFEREE_MAX_GAMES, and in the file of --config. Exit codes: 0 B is better, 1 the run failed, "
    "2 wrong usage, 3 B was not shown to be better, 4 the journal cannot be written, 130 interrupted.",
)
@setting(
    "--against",
    metavar="BOT",
    multiple=True,
    help="An opponent of both; several are given one by one. The rest of the table are copies.",
)
@setting(
    "--table-size",
    metavar="N",
    type=WholeNumber(SMALLEST_TABLE, LARGEST_TABLE),
    show_default=f"2, or {DEFAULT_TABLE_SIZE} with --against",
    help="Seats at a table, 2 to 10.",
)
@setting(
    "--smallest",
    metavar="SHARE",
    type=float,
    default=Question().smallest,
    show_default=True,
    help="The smallest difference of interest, in the share of opponents that are beaten.",
)
@setting(
    "--alpha",
    metavar="P",
    type=float,
    default=Question().alpha,
    show_default=True,
    help="How often equals may be called different, each way.",
)
@setting(
    "--beta",
    metavar="P",
    type=float,
    default=Question().beta,
    show_default=True,
    help="How often a difference as large as --smallest may be missed.",
)
@setting(
    "--max-games",
    metavar="N",
    type=WholeNumber(GAMES_OF_A_PAIR, MOST_GAMES),
    default=DEFAULT_MOST_GAMES,
    show_default=True,
    help="Give up after so many games.",
)
@concurrency_option
@log_dir_option
@drain_option()
@sandbox_options
@journals.journal_option()
@io_option
@game_options
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
def command(
    *,
    game: GameOptions,
    report: ReportOptions,
    against: tuple[str, ...],
    table_size: int | None,
    smallest: float,
    alpha: float,
    beta: float,
    max_games: int,
    concurrency: int | None,
    log_dir: Path | None,
    drain: int,
    sandbox: Sandbox,
    journal_path: Path | None,
    io: Io,
    one: str,
    other: str,
) -> int:
    """Find out whether bot B is better than bot A, in as few games as that takes.

    Both play the same deals from the same seat against the same opponents; without --against they meet each
    other and change hands. The verdict goes to stdout, everything else to stderr.
    """
    for sentence in unknown_variables(click.get_current_context().command, os.environ):
        log.tell(log.warning(sentence))
    question = _question(smallest, alpha, beta)
    check_format(report.format)
    output = None if report.output is None else OutputFile(report.output)
    progress = make_progress(quiet=report.quiet)
    check_possible(sandbox)
    size = table_size or (DEFAULT_TABLE_SIZE if against else SMALLEST_TABLE)
    programs = _programs((one, other, *_opponents(one, against, size)), progress.say)
    prepare(log_dir)
    setup = _setup(game, programs, size, max_games, concurrency or cores())
    startable = Startable(programs=programs, sandbox=sandbox, log_dir=log_dir)
    journal = journals.make(journal_path, setup.head(COMMAND, startable.extras() | kept(question)))
    with journals.closing(journal):
        try:
            director = Director(setup, [program.name for program in programs], journal)
            fit_to_descriptors(director, progress.say)
        except (RulesError, TournamentError, click.UsageError) as error:
            journal.discard()
            raise click.UsageError(str(error)) from error
        duel = Duel(director, question, report, output, progress)
        return _play(duel, director, startable, progress, io, drain_s=in_seconds(drain))


def go_on(
    head: Head,
    journal: Journal,
    report: ReportOptions,
    output: OutputFile | None,
    kind: str | None,
    io: Io,
    *,
    drain_s: float,
) -> int:
    """Go on with a comparison that was stopped, its bots perhaps in a sandbox of another kind.

    Returns:
        The exit code.

    Raises:
        click.UsageError: The verdict cannot be written, or the bots not be started like that.
    """
    check_format(report.format)
    progress = make_progress(quiet=report.quiet)
    with journal.reading().believing():
        startable = Startable.again(head.extras, kind)
    check_possible(startable.sandbox)
    director = Director.restored(TournamentSetup.of(head), journal)
    fit_to_descriptors(director, progress.say)
    duel = Duel(director, question_of(head), report, output, progress)
    return _play(duel, director, startable, progress, io, drain_s=drain_s)


def _play(
    duel: Duel, director: Director, startable: Startable, progress: Progress, io: Io, *, drain_s: float
) -> int:
    if duel.decided:  # the referee was stopped just then
        director.finish_now()
    local = startable.tournament(director, on_news=duel.news, io=io)
    duel.stop_by(local.finish_now)
    code = play(local, duel, progress, drain_s=drain_s)
    return duel.code() if code == ExitCode.COMPLETE else code


def _question(smallest: float, alpha: float, beta: float) -> Question:
    try:
        return Question(smallest=smallest, alpha=alpha, beta=beta)
    except TournamentError as error:
        raise click.UsageError(f"{error}.") from error


def _opponents(one: str, against: Sequence[str], table_size: int) -> Iterator[str]:
    """Give the opponents: as many as fit or were named; where none was, A's copies fill a larger table."""
    seats = table_size - 1
    if not against and table_size == SMALLEST_TABLE:
        return
    field = against or (one,)
    for number in range(max(seats, len(field))):
        yield field[number % len(field)]


def _programs(arguments: Sequence[str], say: Say) -> Sequence[BotProgram]:
    selection = find(arguments)
    for line in remarks(selection):
        say(line)
    if len(selection.programs) < len(arguments):
        raise click.UsageError("not all of the bots can play, so there is nothing to compare")
    return selection.programs


def _setup(
    game: GameOptions, programs: Sequence[BotProgram], table_size: int, max_games: int, concurrency: int
) -> TournamentSetup:
    one, other, *field = (program.name for program in programs)
    return TournamentSetup(
        kind=Kind.COMPARISON,
        table_size=table_size,
        rounds=max_games // GAMES_OF_A_PAIR,
        games=GAMES_OF_A_PAIR,
        deal_sets=None if field else 1,
        rivals=(one, other),
        rules=game.rules,
        clock=game.clock,
        seed=game.seed_for(1),
        nonce=secrets.token_bytes(NONCE_BYTES),
        concurrency=concurrency,
    )
