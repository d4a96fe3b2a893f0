"""Starts a program in a session of its own, its output in a pipe; on Linux by way of the launcher."""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping

import attrs

from referee.local import confine
from referee.local.bubblewrap import wrap
from referee.local.output import printable
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox


@attrs.frozen(kw_only=True)
class Spawned:
    """A process that was started.

    Attributes:
        popen: The process.
        pipe: The non-blocking file descriptor from which its stdout and stderr are read.
        control: Where the launcher tells how far it got; None where the program itself was started.
    """

    popen: subprocess.Popen[bytes]
    pipe: int
    control: socket.socket | None


def spawn(program: BotProgram, env: Mapping[str, str], sandbox: Sandbox, group: int | None) -> Spawned:
    """Start a program.

    On Linux this starts the launcher, which becomes the program; elsewhere the program itself.

    Args:
        program: What to run.
        env: Its whole environment, in whose PATH it is looked for.
        sandbox: What it may use and see.
        group: The open `cgroup.procs` of the control group that it is to join, if any.

    Raises:
        OSError: If it cannot be run.
        ValueError: If a word of the command holds a zero byte.
    """
    with contextlib.ExitStack() as undo:
        reading, writing = os.pipe()
        undo.callback(os.close, reading)
        with contextlib.ExitStack() as childs:
            childs.callback(os.close, writing)
            command, control, passed = list(program.command), None, []
            if sys.platform == "linux":
                control, other = socket.socketpair(type=socket.SOCK_SEQPACKET)
                undo.callback(control.close)
                childs.callback(other.close)
                command = _launch(program, env, sandbox, other.fileno(), group)
                passed = [other.fileno(), *([] if group is None else [group])]
            with _sigterm_blocked() if sandbox.is_apart else contextlib.nullcontext():
                popen = subprocess.Popen(
                    command,
                    cwd=None if sandbox.is_apart else program.cwd,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=writing,
                    stderr=writing,
                    start_new_session=True,
                    pass_fds=passed,
                )
        undo.pop_all()
    os.set_blocking(reading, False)
    return Spawned(popen=popen, pipe=reading, control=control)


def _launch(
    program: BotProgram, env: Mapping[str, str], sandbox: Sandbox, control: int, group: int | None
) -> list[str]:
    """Return the command of the launcher, within bwrap where that is wanted."""
    settings = {"control": control} | sandbox.settings()
    if group is not None:
        settings["group"] = group
    # Under bwrap the parent is another one, which itself dies with us and takes along all that is inside.
    settings |= {"listen": 1} if sandbox.is_apart else {"parent": os.getpid()}
    words = [f"{key}={value}" for key, value in settings.items()]
    launcher = [sys.executable, "-I", "-S", confine.__file__, *words, "--", *program.command]
    return wrap(program, env, sandbox, launcher) if sandbox.is_apart else launcher


@contextlib.contextmanager
def _sigterm_blocked() -> Iterator[None]:
    """Have what is started meanwhile begin with SIGTERM blocked, as only bwrap itself is to keep it.

    A signal to the group of a bot is meant for the bot. If it ended bwrap, which is in that group, then the
    bot would be killed at once and had no time to end by itself.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def why_not(program: BotProgram, error: Exception) -> str:
    """Word why a program could not be run, in one sentence for the user."""
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
