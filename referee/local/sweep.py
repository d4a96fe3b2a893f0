"""Ends whatever descendants of this process are left, also those that left their group, session and parent.

On Linux a process may adopt the orphans among its descendants. Then none can get away, and all can be
found in /proc by the chain of their parents. Elsewhere nothing is done: `stop_all` has ended the groups.
"""

import contextlib
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import attrs

from referee.local.subreaper import adopt_orphans

ROUNDS = 200
PAUSE_S = 0.01
"""So often, and with such pauses, processes are ended that bring forth others while they are."""

_PROC = Path("/proc")


@attrs.frozen(kw_only=True)
class _Process:
    """A process as /proc shows it; `started` tells it from a later one that was given the same pid."""

    pid: int
    parent: int
    is_zombie: bool
    started: int


def become_subreaper() -> bool:
    """Adopt the orphans among our descendants from now on, so that `sweep` finds them.

    Returns:
        Whether this system can do that.
    """
    return adopt_orphans()


def sweep(*, spare: Iterable[int] = ()) -> frozenset[int]:
    """Kill and reap the descendants of this process, and never anything else.

    Reaps behind the back of `subprocess`: call it when no child is wanted any more, or name those that are.
    Takes a few milliseconds as a rule, and at most some two seconds if bots fork as fast as they die.

    Args:
        spare: Pids of children to leave alone, with what descends from them by an unbroken chain of parents.

    Returns:
        The pids of those that could not be ended: some that hang in the kernel, or any on Linux before 5.3.
    """
    spared = frozenset(spare)
    for _ in range(ROUNDS):
        if not end_descendants(spared):
            return frozenset()
        time.sleep(PAUSE_S)
    return frozenset(process.pid for process in _descendants(os.getpid(), spared))


def end_descendants(spared: Collection[int]) -> bool:
    """Kill or reap once whatever is below this process, but for the spared and what is below these.

    Returns:
        Whether there was anything; then there may be more.
    """
    if sys.platform != "linux" or not (_PROC / "self" / "stat").exists():
        return False
    left = _descendants(os.getpid(), spared)
    for process in left:
        _end(process)
    return bool(left)


def _descendants(ancestor: int, spared: Collection[int]) -> list[_Process]:
    """Return all below `ancestor` but the spared and what is below these, parents before their children."""
    children = defaultdict(list)
    for process in _all_processes():
        if process.pid not in spared:
            children[process.parent].append(process)
    found: list[_Process] = list(children[ancestor])
    for process in found:  # grows while it is walked
        found.extend(children[process.pid])
    return found


def _end(process: _Process) -> None:
    if not process.is_zombie:
        _kill(process)
    elif process.parent == os.getpid():
        with contextlib.suppress(ChildProcessError):  # somebody else reaped it
            os.waitpid(process.pid, os.WNOHANG)


def _kill(process: _Process) -> None:
    """Kill a process, but not another one that may have been given its pid since we looked."""
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(process.pid)
        try:
            now = _look_up(process.pid)
            if now is not None and now.started == process.started:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def _all_processes() -> Iterator[_Process]:
    for entry in os.listdir(_PROC):
        process = _look_up(int(entry)) if entry.isdecimal() else None
        if process is not None:
            yield process


def _look_up(pid: int) -> _Process | None:
    """Read /proc/PID/stat (proc_pid_stat(5)); None if there is no such process."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text("ascii", "replace")
    except OSError:
        return None
    # The second field is the program's name in parentheses, in which anything may stand.
    fields = stat.rpartition(")")[2].split()
    return _Process(pid=pid, parent=int(fields[1]), is_zombie=fields[0] == "Z", started=int(fields[19]))
