"""Builds bots from their sources, several at once; only when somebody asked for it."""

import math
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from referee.local.environment import build_environment
from referee.local.processes import BotProcess, Exit, ExitKind, StartFailed, stop_all
from referee.local.programs import Build
from referee.local.sandbox import UNCONFINED

OUTPUT_BYTES = 64 * 1024
"""How much of a build's output is kept."""

_GRACE_S = 2.0


@attrs.frozen(kw_only=True)
class BuildResult:
    """What became of one build.

    Attributes:
        name: The name of the bot.
        ok: Whether its artifact is there now.
        seconds: How long the build took; 0 if nothing had to be done.
        output: What it wrote, printable; of much only the beginning and the end.
    """

    name: str
    ok: bool
    seconds: float
    output: str


async def build_all(
    builds: Sequence[Build],
    *,
    jobs: int,
    on_line: Callable[[str], None],
    force: bool = False,
    env: Mapping[str, str] | None = None,
) -> list[BuildResult]:
    """Build bots whose artifact is missing. A build that fails stops no other; cancelling this stops all.

    Args:
        builds: What to build.
        jobs: How many builds run at once, at least 1.
        on_line: Called with one line for people as a build begins and as it ends.
        force: Whether to build also what has been built.
        env: The environment in which to build; that of this process, less our own variables, if None.

    Returns:
        One result for each build, in the order of `builds`.

    Raises:
        ValueError: If `jobs` is below 1.
    """
    if jobs < 1:
        raise ValueError("jobs is at least 1")
    site = _Site(
        workers=trio.CapacityLimiter(jobs),
        env=build_environment(os.environ) if env is None else env,
        on_line=on_line,
    )
    results: dict[int, BuildResult] = {}

    async def build_one(place: int, build: Build) -> None:
        results[place] = await site.provide(build, force=force)

    async with trio.open_nursery() as nursery:
        for place, build in enumerate(builds):
            nursery.start_soon(build_one, place, build)
    return [results[place] for place in range(len(builds))]


@attrs.define(kw_only=True, eq=False)
class _Site:
    """Where the builds of one call run: they share the workers, and one artifact has one build at a time."""

    workers: trio.CapacityLimiter
    env: Mapping[str, str]
    on_line: Callable[[str], None]
    turns: dict[Path, trio.Lock] = attrs.field(factory=lambda: defaultdict(trio.Lock))

    async def provide(self, build: Build, *, force: bool) -> BuildResult:
        """See to it that the artifact is there."""
        async with self.turns[build.artifact], self.workers:
            if not build.is_due() and not force:
                return BuildResult(name=build.program.name, ok=True, seconds=0.0, output="")
            result = await self._run(build)
        self.on_line(
            f"{result.name}: {'built' if result.ok else 'not built'} after {math.ceil(result.seconds)} s"
        )
        return result

    async def _run(self, build: Build) -> BuildResult:
        name = build.program.name
        self.on_line(f"{name}: building")
        begun = trio.current_time()
        try:
            ended = await self._watch(build)
            output, ok = _judge(ended, build.artifact)
            if ok:
                # Tools that find nothing to do leave it as old as it was, and then it would be due for ever.
                os.utime(build.artifact)
        except StartFailed as failure:
            output, ok = failure.reason, False
        return BuildResult(name=name, ok=ok, seconds=trio.current_time() - begun, output=output)

    async def _watch(self, build: Build) -> Exit:
        program = attrs.evolve(build.program, command=build.command, cwd=build.cwd)
        process = await BotProcess.start(
            program, env=self.env, log=None, sandbox=UNCONFINED, keep=OUTPUT_BYTES
        )
        try:
            return await process.watch()
        finally:
            await stop_all([process], grace=_GRACE_S)


def _judge(ended: Exit, artifact: Path) -> tuple[str, bool]:
    """Return the output and whether the build did what it was for."""
    if ended.kind is ExitKind.ENDED and not artifact.exists():
        return f"{ended.output}\n[the build succeeded, but did not make {artifact}]".lstrip(), False
    return ended.output, ended.kind is ExitKind.ENDED
