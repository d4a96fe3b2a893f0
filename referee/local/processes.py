"""One running bot process: started, watched until it ends, and stopped together with all that it forked.

The process leads a session and a process group of its own, so that a Ctrl-C in the terminal is the
referee's alone and a signal to the group reaches what the bot has forked.
"""

import contextlib
import enum
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from socket import socket

import attrs
import trio

from referee.local.launching import NotConfined, until_running
from referee.local.output import Excerpt, Log, Output
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox
from referee.local.spawn import Spawned, spawn, why_not

KEPT_BYTES = 8 * 1024
"""How much of a bot's output is kept: its beginning and its end."""

START_S = 10.0
"""How long the launcher may take, which as a rule takes a hundredth of a second."""

_SHELL_SIGNAL = 128
"""Like a shell, bwrap tells by an exit code above it that a signal ended the bot."""

_POLL_S = 0.05
_REAP_S = 5.0
"""How long a killed process may take to vanish; only one that hangs in the kernel takes longer."""

_OWN_FAULTS = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGPIPE,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTRAP,
        signal.SIGXCPU,
        signal.SIGXFSZ,
    }
)
"""Signals that a process brings upon itself; the others are sent to it."""


class ExitKind(enum.Enum):
    """How a bot process came to its end. One that never started is a `StartFailed`."""

    ENDED = "ended"
    """It exited with code 0."""

    CRASHED = "crashed"
    """It exited with another code, or by a signal that a fault of its own brought about."""

    KILLED = "killed"
    """It was ended from outside: by us, or by a signal that somebody else sent, the kernel included."""


@attrs.frozen(kw_only=True)
class Exit:
    """The end of a bot process.

    Attributes:
        name: The entrant's name.
        pid: The process id that it had.
        code: Its exit code, None if a signal ended it.
        signal: The signal that ended it, None if it exited.
        output: The beginning and the end of its stdout and stderr, printable.
        kind: How to call it.
    """

    name: str
    pid: int
    code: int | None
    signal: int | None
    output: str
    kind: ExitKind


running: set[int] = set()
"""The pids of the bots that were started and are not reaped yet: our children that have an owner."""


class StartFailed(Exception):
    """A bot could not be started; `reason` is one sentence for the user."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@attrs.define(kw_only=True, eq=False)
class BotProcess:
    """A bot process: running, then perhaps asked to stop, then over.

    Whoever starts one must `watch` it or pass it to `stop_all`: both reap it and close its pipe.

    Attributes:
        program: What runs.
        pid: Its process id, also that of its group and session.
        listener: Where it connects, in the network of its own; None if it has none. Not closed with it.
    """

    program: BotProgram
    pid: int
    listener: socket | None = attrs.field(default=None, init=False)
    _sandbox: Sandbox
    _popen: subprocess.Popen[bytes]
    _output: Output
    _is_asked_to_stop: bool = attrs.field(default=False, init=False)
    _exit: Exit | None = attrs.field(default=None, init=False)

    @classmethod
    async def start(
        cls,
        program: BotProgram,
        *,
        env: Mapping[str, str],
        log: Path | None,
        sandbox: Sandbox,
        group: int | None = None,
        keep: int = KEPT_BYTES,
    ) -> "BotProcess":
        """Start a bot. Returns once its program runs; nothing is read from it before `watch`.

        On Linux the kernel kills it when this process dies, whatever the cause. That wish is bound to
        the thread that forks, so this is for the main thread only; for the same reason it does not use
        `trio.lowlevel.open_process`, which forks on a worker thread that goes away when idle.

        Args:
            program: What to run.
            env: Its whole environment.
            log: A file to append its output to.
            sandbox: What it may use and see.
            group: The open `cgroup.procs` of the control group that it is to join, if any.
            keep: How many bytes of its output to keep.

        Raises:
            StartFailed: If the command cannot be run or the log not be opened.
            RuntimeError: If called on another than the main thread.
        """
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("bots are started on the main thread")
        opened = _open_log(log)
        try:
            spawned = spawn(program, env, sandbox, group)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            if opened is not None:
                opened.close()
            raise StartFailed(why_not(program, error)) from error
        output = Output(spawned.pipe, Excerpt(keep), opened)
        process = cls(
            program=program, pid=spawned.popen.pid, sandbox=sandbox, popen=spawned.popen, output=output
        )
        running.add(process.pid)
        await process._await_program(spawned)
        return process

    async def _await_program(self, spawned: Spawned) -> None:
        """Wait until the launcher has become the program; leave nothing behind if it does not."""
        if spawned.control is None:
            return
        try:
            with trio.fail_after(START_S):
                self.listener = await until_running(spawned.control)
        except OSError as error:
            await self._end_now()
            raise StartFailed(self._why_not(error)) from error
        except NotConfined as error:
            said = (await self._end_now()).output.strip().splitlines()
            reason = said[-1] if said else "nothing was said"
            raise StartFailed(f"{self.program.name} cannot be confined: {reason}") from error
        except trio.TooSlowError as error:
            await self._end_now()
            raise StartFailed(f"{self.program.name} was not started within {START_S:.0f} seconds") from error
        except BaseException:
            await self._end_now()
            raise

    async def _end_now(self) -> Exit:
        self.kill()
        with trio.CancelScope(shield=True):
            await _until_dead(self._popen)
        return self._conclude()

    def _why_not(self, error: OSError) -> str:
        """Word why the program could not be run; under bwrap it may only not be seen."""
        hint = "in the sandbox, where --bot-path shows it more" if self._sandbox.is_apart else ""
        return f"{why_not(self.program, error)} {hint}".rstrip()

    async def watch(self) -> Exit:
        """Read the output until the process ends, and return how it ended.

        What it leaves behind in its process group is killed; what has left the group is not waited for,
        even if it holds the pipe open. If this is cancelled the process lives on.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._output.follow)
            ended = await self.ended()
            nursery.cancel_scope.cancel()
        return ended

    async def ended(self) -> Exit:
        """Wait until the process ends, without reading from it."""
        if self._exit is None:
            await _until_dead(self._popen)
        return self._conclude()

    def terminate(self) -> None:
        """Ask the process and its group to end (SIGTERM)."""
        self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """End the process and its group (SIGKILL)."""
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        # Until it is reaped, even a dead leader keeps its number from being given to another group.
        if self._exit is None:
            self._is_asked_to_stop = self._is_asked_to_stop or not _is_dead(self._popen)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def _conclude(self) -> Exit:
        """Take leave of a process that has ended: kill the rest of its group, reap it, close its pipe."""
        if self._exit is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._exit = self._describe(self._popen.wait(), self._output.finish())
            running.discard(self.pid)
        return self._exit

    def _describe(self, returned: int, output: str) -> Exit:
        if self._sandbox.is_apart and returned > _SHELL_SIGNAL:
            returned = _SHELL_SIGNAL - returned
        return Exit(
            name=self.program.name,
            pid=self.pid,
            code=returned if returned >= 0 else None,
            signal=-returned if returned < 0 else None,
            output=output,
            kind=self._kind(returned),
        )

    def _kind(self, returned: int) -> ExitKind:
        if returned == 0:
            return ExitKind.ENDED
        if self._is_asked_to_stop or (returned < 0 and -returned not in _OWN_FAULTS):
            return ExitKind.KILLED
        return ExitKind.CRASHED


async def stop_all(processes: Sequence[BotProcess], *, grace: float) -> None:
    """End processes with all that is in their groups, and reap them.

    They are asked first (SIGTERM), and killed (SIGKILL) if they are still there after `grace` seconds.
    Runs to its end even if cancelled, as it is needed most when something else has failed; it takes
    at most `grace` seconds and a few more.
    """
    with trio.CancelScope(shield=True):
        for process in processes:
            process.terminate()
        await _all_ended(processes, within=grace)
        for process in processes:
            process.kill()
        await _all_ended(processes, within=_REAP_S)


async def _all_ended(processes: Sequence[BotProcess], *, within: float) -> None:
    with trio.move_on_after(within):
        for process in processes:
            await process.ended()


async def _until_dead(popen: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended, without reaping it where the system can tell that otherwise."""
    descriptor = _open_pidfd(popen.pid)
    if descriptor is None:
        while not _is_dead(popen):  # noqa: ASYNC110 - no event tells of it here
            await trio.sleep(_POLL_S)
        return
    try:
        await trio.lowlevel.wait_readable(descriptor)
    finally:
        os.close(descriptor)


def _is_dead(popen: subprocess.Popen[bytes]) -> bool:
    if popen.returncode is not None:
        return True
    if sys.platform != "linux":
        return popen.poll() is not None
    return os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _open_pidfd(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # Linux before 5.3, a sandbox that forbids it, or no descriptor left: polling will do
        return None


def _open_log(path: Path | None) -> Log | None:
    try:
        return Log(path) if path is not None else None
    except OSError as error:
        raise StartFailed(
            f"the log {path} cannot be written: {error.strerror}; choose another place for it"
        ) from error
