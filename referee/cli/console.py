"""The organiser's console: lines typed on the terminal that runs the referee become commands."""

import os
import stat
import sys
from collections.abc import AsyncIterator, Callable

import trio

from referee.server.commands import CommandError, parse
from referee.server.serving import ServedTournament

_CHUNK = 4096
_LONGEST_LINE = 4096
_BACKGROUND_S = 0.5


def execute(tournament: ServedTournament, line: str) -> tuple[bool, str]:
    """Do what a line says; return whether it was done, and the reply."""
    try:
        return True, tournament.execute(parse(line))
    except CommandError as error:
        return False, str(error)


async def attend(current: Callable[[], ServedTournament], say: Callable[[str], None]) -> None:
    """Do what is typed on stdin until it ends; the end of input is no command.

    Args:
        current: Returns the tournament that is being served.
        say: Shows a reply.
    """
    descriptor = _stdin()
    if descriptor is None:
        return
    async for line in _typed(descriptor):
        if line.strip():
            say(execute(current(), line)[1])


def _stdin() -> int | None:
    """Return the descriptor to read from; None if there is none that can be waited for."""
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, ValueError, OSError):
        return None
    return descriptor if _can_wait_for(descriptor) else None


async def _typed(descriptor: int) -> AsyncIterator[str]:
    pending = b""
    while data := await _read(descriptor):
        *lines, pending = (pending + data).split(b"\n")
        # What is longer is no command; its beginning is kept, so that its end is not taken for another.
        pending = pending[: _LONGEST_LINE + 1]
        for line in lines:
            yield line.decode(errors="replace")


async def _read(descriptor: int) -> bytes:
    """Return what was typed; nothing at the end of input."""
    try:
        await trio.lowlevel.wait_readable(descriptor)
        while os.isatty(descriptor) and os.tcgetpgrp(descriptor) != os.getpgrp():
            # In the background (`serve ... &`) what is typed is for the shell, and reading would stop us.
            await trio.sleep(_BACKGROUND_S)
            await trio.lowlevel.wait_readable(descriptor)
        return os.read(descriptor, _CHUNK)
    except OSError:
        # The terminal has gone away.
        return b""


def _can_wait_for(descriptor: int) -> bool:
    """Say whether the system can wait for input there; a plain file or /dev/null is no console."""
    mode = os.fstat(descriptor).st_mode
    return os.isatty(descriptor) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
