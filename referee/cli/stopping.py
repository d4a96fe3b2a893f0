"""The option of how long games may go on after SIGTERM."""

from collections.abc import Callable

from referee.cli.durations import NS_PER_MS, Duration
from referee.cli.settings import Function, setting

DRAIN = "5s"
"""A service manager or a container engine gives at least ten seconds before it sends SIGKILL."""

_MS_PER_S = 1_000


def drain_option() -> Callable[[Function], Function]:
    """Declare `--drain`; a command gets it as `drain`, in nanoseconds."""
    return setting(
        "--drain",
        metavar="TIME",
        type=Duration("0", "24h"),
        default=DRAIN,
        show_default=True,
        help="On SIGTERM let running games finish for so long, then stop as on Ctrl-C.",
    )


def in_seconds(duration: int) -> float:
    """Return a duration of an option, which is in nanoseconds, in seconds."""
    return duration / NS_PER_MS / _MS_PER_S
