"""`take5-referee check`: plays the referee's side of named situations against a bot."""

import contextlib
import fnmatch
import functools
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import click
import trio

from referee.check import reporting
from referee.check.running import MakeStage, Tell, check
from referee.check.situations import SITUATIONS, Situation
from referee.check.stages import HOST, ListeningStage, Stage, process_stage
from referee.check.verdicts import Result
from referee.cli.cells import plain
from referee.cli.durations import NS_PER_MS, Duration
from referee.cli.exits import ExitCode
from referee.cli.sandboxing import check_possible, sandbox_options
from referee.cli.selection import build, cores, find, remarks
from referee.cli.settings import WholeNumber
from referee.cli.suggestions import did_you_mean
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox
from referee.local.warden import warden

MOST_JOBS = 64
MOST_PORT = 65535
AT_ONCE_PER_CORE = 2
"""Most of a situation is waiting."""


@click.command(
    "check",
    epilog="Exit codes: 0 the bot failed in nothing, 1 the check could not be done, 2 wrong usage, "
    "3 the bot failed, 130 interrupted.",
)
@click.option("--listen", is_flag=True, help="Wait for a bot that is started elsewhere.")
@click.option("--host", metavar="ADDRESS", default=HOST, show_default=True, help="Where --listen listens.")
@click.option("--port", metavar="N", type=WholeNumber(0, MOST_PORT), default=0, help="The port of --listen.")
@click.option("--only", metavar="NAME", multiple=True, help="Play this situation only; * and ? are allowed.")
@click.option("--list", "list_only", is_flag=True, help="List the situations, and play none.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    show_default=True,
    help="How the results are written.",
)
@click.option("--verbose", is_flag=True, help="Show all that was said, to its last byte.")
@click.option(
    "--move-timeout",
    "move_ns",
    metavar="TIME",
    type=Duration("100ms", "1m"),
    default="2s",
    show_default=True,
    help="The time for a decision that the bot is told.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=WholeNumber(1, MOST_JOBS),
    show_default=f"{AT_ONCE_PER_CORE} for each processor",
    help="Situations that are played at once.",
)
@click.option("--build", "build_first", is_flag=True, help="Build the bot first, if it needs it.")
@sandbox_options
@click.argument("bot", metavar="[BOT]", required=False)
def command(
    *,
    listen: bool,
    host: str,
    port: int,
    only: tuple[str, ...],
    list_only: bool,
    format_: str,
    verbose: bool,
    move_ns: int,
    jobs: int | None,
    build_first: bool,
    sandbox: Sandbox,
    bot: str | None,
) -> int:
    """Play the referee's side of named situations against a BOT and say what it does wrong.

    A BOT is given as for run-local. It is started anew for each situation; one that is started elsewhere
    (--listen) comes back for the next one by itself, or is started again by you when it has ended.
    """
    situations = _chosen(only)
    if list_only:
        for situation in situations:
            click.echo(f"{situation.name:20}  {situation.requirement:14}  {situation.title}")
        return ExitCode.COMPLETE
    if listen == (bot is not None):
        raise click.UsageError("name one BOT, or give --listen to wait for one that is started elsewhere")
    report = _Report(format_, verbose=verbose)
    move_ms = move_ns // NS_PER_MS
    if bot is None:
        checking = functools.partial(_check_listening, situations, host, port, move_ms, report.tell)
    else:
        check_possible(sandbox)
        program = _program(bot, build_first=build_first)
        at_once = jobs or AT_ONCE_PER_CORE * cores()
        checking = functools.partial(
            _check_program, situations, program, sandbox, move_ms, at_once, report.tell
        )
    complete = trio.run(_until_stopped, checking)
    report.end(bot or "(started elsewhere)")
    if not complete:
        return ExitCode.INTERRUPTED
    return ExitCode.COMPLETE if reporting.passed(report.results) else ExitCode.CHECK_FAILED


class _Report:
    """Writes results to stdout: text as they come, the other forms at the end.

    Attributes:
        results: What is known so far.
    """

    def __init__(self, format_: str, *, verbose: bool) -> None:
        self._format = format_
        self._verbose = verbose
        self.results: list[Result] = []

    def tell(self, result: Result) -> None:
        """Take a result."""
        self.results.append(result)
        if self._format == "text":
            for line in reporting.text(result, whole=self._verbose):
                click.echo(line)

    def end(self, bot: str) -> None:
        """Take that there are no more."""
        if self._format == "text":
            click.echo(reporting.summary(self.results))
        else:
            write = reporting.as_json if self._format == "json" else reporting.as_junit
            click.echo(write(bot, self.results), nl=False)


def _chosen(only: Sequence[str]) -> list[Situation]:
    """Return the situations that are wanted, in their order.

    Raises:
        click.UsageError: A name or pattern means none of them.
    """
    names = [situation.name for situation in SITUATIONS]
    for pattern in only:
        if not fnmatch.filter(names, pattern):
            raise click.UsageError(f"there is no situation {pattern!r}{did_you_mean(pattern, names)}")
    wanted = {name for pattern in only or ["*"] for name in fnmatch.filter(names, pattern)}
    return [situation for situation in SITUATIONS if situation.name in wanted]


def _program(bot: str, *, build_first: bool) -> BotProgram:
    """Return the bot that can be started, built first if that is wanted."""
    selection = find([bot])
    if build_first and selection.to_build:
        build(selection.to_build, say=_say)
        selection = find([bot])
    if not selection.programs:
        reasons = " ".join(line.removeprefix("skipped: ") for line in remarks(selection))
        raise click.UsageError(f"{reasons or bot}: it cannot be started")
    return selection.programs[0]


async def _until_stopped(checking: Callable[[], Awaitable[None]]) -> bool:
    """Check to the end, or until SIGINT or SIGTERM; return whether it was the end."""
    complete = False
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def check_all() -> None:
                nonlocal complete
                await checking()
                complete = True
                nursery.cancel_scope.cancel()

            nursery.start_soon(check_all)
            async for _ in signals:
                nursery.cancel_scope.cancel()
    return complete


async def _check_program(
    situations: Sequence[Situation],
    program: BotProgram,
    sandbox: Sandbox,
    move_ms: int,
    jobs: int,
    tell: Tell,
) -> None:
    with warden(sandbox) as keeper:
        await check(situations, lambda: process_stage(program, keeper), move_ms=move_ms, jobs=jobs, tell=tell)


async def _check_listening(
    situations: Sequence[Situation], host: str, port: int, move_ms: int, tell: Tell
) -> None:
    stage = ListeningStage(host, port)
    _say(f"waiting for the bot at {stage.host}, port {stage.port}; start it, and again whenever it has ended")
    await check(situations, _always(stage), move_ms=move_ms, jobs=1, tell=tell)


def _always(stage: Stage) -> MakeStage:
    """Return what gives the same stage for each situation."""

    @contextlib.asynccontextmanager
    async def give() -> AsyncIterator[Stage]:
        yield stage

    return give


def _say(line: str) -> None:
    click.echo(plain(line), err=True)
