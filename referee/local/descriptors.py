"""Open files: how many tables the system's limit (`ulimit -n`) lets run at once."""

import contextlib
import sys

PER_BOT = 5
"""The pipe of a bot process, its pidfd, its log, its connection, and a listener in a network of its own."""

RESERVE = 64
"""For the standard streams, the listener, the event loop, imports, and processes that are being started."""

_PLENTY = 65_536
"""More than most need, and less than what makes programs slow that close all files they may have."""


def affordable_concurrency(wanted: int, *, bots: int, tables_per_round: int, descriptors: int) -> int:
    """Return at how many tables at once the bots can play.

    Every further round that runs side by side needs one more process of each bot (see `instances`), here
    reckoned as if a process could play but one game at once.

    Args:
        wanted: Tables that would run at once.
        bots: How many bots there are.
        tables_per_round: Tables of one round.
        descriptors: Files that this process may have open.

    Returns:
        At most `wanted`; 0 if not even one process of each bot can be run.
    """
    rounds_at_once = (descriptors - RESERVE) // (bots * PER_BOT)
    return max(0, min(wanted, rounds_at_once * tables_per_round))


def allowed_descriptors() -> int:
    """Return how many files this process may have open, after raising its limit as far as it may."""
    if sys.platform == "win32":
        return _PLENTY
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _PLENTY if hard == resource.RLIM_INFINITY else min(hard, _PLENTY)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Some systems allow less than the hard limit says; then the old limit stands.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _PLENTY if soft == resource.RLIM_INFINITY else soft
