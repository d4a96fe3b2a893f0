"""From the BOT arguments to bots that can be started, with a line for whatever is not as it was asked."""

import os
import shlex
from collections.abc import Callable, Iterator, Sequence

import click
import trio

from referee.cli import log
from referee.cli.cells import plain
from referee.cli.exits import Failure
from referee.local.builds import BuildResult, build_all
from referee.local.environment import search_path
from referee.local.programs import Build, Selection, UsageProblem, select

TAIL_LINES = 30
"""So many lines of a failed build are shown."""

Say = Callable[[str], None]


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def find(arguments: Sequence[str]) -> Selection:
    """Find out which bots the arguments name.

    Raises:
        click.UsageError: One of them cannot be meant as it is.
    """
    try:
        return select(arguments, search_path=search_path(os.environ))
    except UsageProblem as problem:
        raise click.UsageError(plain(f"{problem}.")) from problem


def remarks(selection: Selection) -> Iterator[str]:
    """Say in one line each what is skipped, has to be built first or again, or is renamed."""
    for skipped in selection.skipped:
        yield plain(f"skipped: {skipped.source} {skipped.reason}")
    for build in selection.to_build:
        source = build.program.source
        yield plain(f"skipped: {source} needs building first: take5-referee build {shlex.quote(source)}")
    for build in selection.changed():
        source = build.program.source
        yield plain(
            f"warning: {source} has changed since it was built: take5-referee build {shlex.quote(source)}"
        )
    for renamed in selection.renamed:
        yield plain(f"renamed: {renamed.source} plays as {renamed.name}, since {renamed.wanted} is taken")


def build(builds: Sequence[Build], *, say: Say) -> None:
    """Build some bots, as many at once as there are processors.

    Args:
        builds: What to build.
        say: Gets a line as a build begins and ends.

    Raises:
        Failure: One of them could not be built; its output has been said.
    """

    async def build_them() -> list[BuildResult]:
        return await build_all(builds, jobs=cores(), on_line=say)

    failed = [result for result in trio.run(build_them) if not result.ok]
    for result in failed:
        for line in result.output.splitlines()[-TAIL_LINES:]:
            log.tell(log.note(f"    {plain(line)}"))
    if failed:
        raise Failure(f"could not build {', '.join(result.name for result in failed)}: see the output above")
