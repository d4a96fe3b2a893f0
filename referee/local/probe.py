"""Whether bots can be started as somebody wants it: a trial, before anything depends on it."""

import os
import shutil
import sys
from pathlib import Path

from referee.local import bubblewrap
from referee.local.environment import bot_environment, search_path
from referee.local.processes import BotProcess, Exit, ExitKind, StartFailed
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind

_TRIAL = ("-I", "-S", "-c", "pass")


class SandboxRefused(Exception):
    """This machine cannot start bots like that; the text is one sentence for the user."""


async def probe(sandbox: Sandbox) -> None:
    """Start a program in such a sandbox, if it is one that not every machine has.

    Raises:
        SandboxRefused: It cannot be had here.
    """
    if sandbox.kind is SandboxKind.NONE:
        return
    if sys.platform != "linux":
        raise SandboxRefused(f"{sandbox.kind.value} is for Linux; use none")
    if not sandbox.is_apart:
        return
    if shutil.which(bubblewrap.PROGRAM, path=search_path(os.environ)) is None:
        raise SandboxRefused("bwrap is not installed; install the package bubblewrap, or use limits")
    try:
        ended = await _try(sandbox)
    except StartFailed as failure:
        reason = failure.reason.partition(": ")[2]
        raise SandboxRefused(
            f"bwrap does not work on this machine ({reason}); it needs bubblewrap 0.8 or newer and the right "
            "to make user namespaces; an administrator can grant it, or use limits"
        ) from failure
    if ended.kind is not ExitKind.ENDED:
        raise SandboxRefused(f"bwrap could not run a trial program ({ended.output.strip()}); use limits")


async def _try(sandbox: Sandbox) -> Exit:
    program = BotProgram(name="trial", command=(sys.executable, *_TRIAL), cwd=Path.cwd(), source="trial")
    host, port = sandbox.address("", 0)
    env = bot_environment(os.environ, sandbox, host=host, port=port, name="trial", secret="")
    process = await BotProcess.start(program, env=env, log=None, sandbox=sandbox)
    if process.listener is not None:
        process.listener.close()
    return await process.watch()
