"""What the referee runs on: Python, SQLite, and msgpack in C rather than in Python."""

import importlib.metadata
import platform
import sys

import protocol.packing  # noqa: F401 - imports msgpack, which chooses between C and Python
from referee.doctor.findings import Finding, Verdict
from referee.journal.errors import JournalUnusable
from referee.journal.files import check_sqlite, sqlite_version

_CPYTHON = "CPython"

_WAL_RESET_FIXED = ((3, 44, 6), (3, 50, 7))
"""Backports of the correction, each for its own series; all from `_WAL_RESET_FIXED_FROM` on have it.
Source: https://sqlite.org/wal.html#walresetbug"""

_WAL_RESET_FIXED_FROM = (3, 51, 3)

_C_PART = "msgpack._cmsgpack"


def python() -> Finding:
    """Look at the interpreter; which versions will do is checked when the program is installed."""
    name = f"{platform.python_implementation()} {platform.python_version()}"
    if platform.python_implementation() == _CPYTHON:
        return Finding(check="python", verdict=Verdict.OK, text=name)
    return Finding(
        check="python",
        verdict=Verdict.NOTE,
        text=f"{name}, on which nobody has tested the referee",
        advice="use CPython",
    )


def sqlite(version: tuple[int, int, int] | None = None) -> Finding:
    """Look at the SQLite that keeps the journal.

    Args:
        version: Which one; that of this Python if None.
    """
    known = sqlite_version() if version is None else version
    name = ".".join(map(str, known))
    try:
        check_sqlite(known)
    except JournalUnusable as error:
        return Finding(
            check="sqlite", verdict=Verdict.PROBLEM, text=str(error), advice="install a newer Python"
        )
    if _has_wal_reset_bug(known):
        return Finding(
            check="sqlite",
            verdict=Verdict.OK,
            text=f"{name}; its WAL-reset bug cannot strike: whoever writes a journal checkpoints it as well",
        )
    return Finding(check="sqlite", verdict=Verdict.OK, text=name)


def _has_wal_reset_bug(version: tuple[int, int, int]) -> bool:
    backported = any(version[:2] == fixed[:2] and version >= fixed for fixed in _WAL_RESET_FIXED)
    return version < _WAL_RESET_FIXED_FROM and not backported


def msgpack() -> Finding:
    """Look whether messages are packed by C, as they are unless its wheel was missing or was turned off."""
    name = importlib.metadata.version("msgpack")
    if _C_PART in sys.modules:
        return Finding(check="msgpack", verdict=Verdict.OK, text=f"{name}, in C")
    return Finding(
        check="msgpack",
        verdict=Verdict.PROBLEM,
        text=f"{name}, in Python: several times slower, at the cost of all bots",
        advice="unset MSGPACK_PUREPYTHON, or reinstall msgpack with its C extension",
    )
