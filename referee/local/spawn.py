"""Starts a program with its output in a pipe, leading a session of its own and dying with its parent."""

import errno
import os
import subprocess
from collections.abc import Mapping

from referee.local.controls import dying_with
from referee.local.output import printable
from referee.local.programs import BotProgram


def spawn(program: BotProgram, env: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a program; it runs when this returns.

    Args:
        program: What to run.
        env: Its whole environment, in whose PATH it is looked for.

    Returns:
        The process, and the non-blocking file descriptor from which its stdout and stderr are read.

    Raises:
        OSError: If it cannot be run, mostly since it does not exist or is not executable.
        ValueError: If a word of the command holds a zero byte.
        subprocess.SubprocessError: If the child failed between fork and exec.
    """
    reading, writing = os.pipe()
    try:
        popen = subprocess.Popen(
            program.command,
            cwd=program.cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
            preexec_fn=dying_with(os.getpid()),
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    os.set_blocking(reading, False)
    return popen, reading


def why_not(program: BotProgram, error: Exception) -> str:
    """Word why `spawn` has failed, in one sentence for the user."""
    begun = f"{program.name} cannot be started: {printable(os.fsencode(program.command[0]))}"
    match getattr(error, "errno", None):
        case errno.ENOENT:
            return f"{begun} or its interpreter does not exist"
        case errno.EACCES:
            return f"{begun} is not executable; chmod +x may help"
        case errno.ENOEXEC:
            return f"{begun} is no program that this machine can run; a script begins with a #! line"
        case errno.EMFILE | errno.ENFILE:
            return f"{begun} finds too many open files; run fewer bots at once or raise `ulimit -n`"
    return f"{begun} fails with: {error}"
