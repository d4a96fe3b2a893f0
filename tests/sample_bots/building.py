"""Sample bots that are built, in a copy, once a session; and why one of them cannot be."""

import os
import re
import shutil
from pathlib import Path

import attrs
import trio

from referee.local.builds import build_all
from referee.local.environment import search_path
from referee.local.manifests import FILE_NAME
from referee.local.programs import select
from referee.local.sources import PRODUCTS

from .playing import FOLDER

LANGUAGES = tuple(sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE_NAME}")))

OFFLINE = re.compile(
    "no such host|dial tcp|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|Could not resolve|Temporary failure|"
    "needs msgpack-c|Could not transfer|spurious network error"
)
"""How the tools of the languages say that they did not get a package."""


@attrs.frozen(kw_only=True)
class Built:
    """A bot that was built, or the sentence that says why it was not."""

    command: tuple[str, ...] = ()
    directory: Path | None = None
    lacking: str = ""
    seconds: float = 0.0


def build(name: str, place: Path) -> Built:
    """Copy the sources of a bot and build it there, as `take5-referee build` does.

    Raises:
        AssertionError: The tools and packages are there, but the build fails.
    """
    directory = place / name
    shutil.copytree(FOLDER / name, directory, ignore=shutil.ignore_patterns(*PRODUCTS))
    selection = select([str(directory)], search_path=search_path(os.environ))
    if selection.skipped:
        return Built(lacking=f"the sample bot {name} {selection.skipped[0].reason}")
    seconds = 0.0
    if selection.to_build:
        (result,) = trio.run(build_one, selection.to_build)
        if not result.ok and OFFLINE.search(result.output):
            return Built(lacking=f"the sample bot {name} is built of packages that cannot be had now")
        assert result.ok, result.output
        seconds = result.seconds
        selection = select([str(directory)], search_path=search_path(os.environ))
    (program,) = selection.programs
    return Built(command=program.command, directory=directory, seconds=seconds)


async def build_one(builds):
    """Run one build."""
    return await build_all(builds, jobs=1, on_line=lambda _: None)
