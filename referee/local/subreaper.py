"""Lets this process inherit the orphans among its descendants, where the system can do that: on Linux."""

import ctypes
import sys

_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def adopt_orphans() -> bool:
    """Let descendants whose parents have died become children of this process; tell whether that worked."""
    if sys.platform != "linux":
        return False
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, ctypes.c_ulong)
    prctl.restype = ctypes.c_int
    return int(prctl(_SET_CHILD_SUBREAPER, 1)) == 0
