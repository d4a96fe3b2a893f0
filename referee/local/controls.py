"""Two process controls of the Linux kernel (prctl) that leave no child behind; elsewhere they do nothing."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_CANNOT_BE_RUN = 127


def _find_prctl() -> Callable[[int, int], int] | None:
    """Look prctl up once, at import: between fork and exec is no time for loading libraries."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, ctypes.c_ulong)
    prctl.restype = ctypes.c_int

    def call(option: int, value: int) -> int:
        return int(prctl(option, value))

    return call


_prctl = _find_prctl()


def dying_with(parent: int) -> Callable[[], None] | None:
    """Return what a new child must call so that the kernel kills it when its parent dies in any way.

    The signal comes when the thread that forked ends, so fork on the main thread.

    Args:
        parent: The pid of the process that is about to fork.
    """
    if _prctl is None:
        return None
    prctl = _prctl

    def arm() -> None:
        prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel knew of our wish
            os._exit(_CANNOT_BE_RUN)

    return arm


def adopt_orphans() -> bool:
    """Let descendants whose parents have died become children of this process; tell whether that worked."""
    return _prctl is not None and _prctl(_SET_CHILD_SUBREAPER, 1) == 0
