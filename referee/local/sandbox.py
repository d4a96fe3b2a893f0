"""How a bot is kept from harming others: which kind of sandbox, and the limits in it."""

import enum
import sys
from collections.abc import Iterable
from pathlib import Path

import attrs

from referee.local import confine

MIB = 1024 * 1024
DEFAULT_MEMORY_BYTES = 1024 * MIB
OPEN_FILES = 1024
FILE_BYTES = 64 * MIB
MOST_TASKS = 512
"""Processes and threads of one bot, where a control group can count them; a Java bot needs some fifty."""


class SandboxKind(enum.Enum):
    """What stands between a bot and the rest of the machine."""

    NONE = "none"
    """Nothing but a session of its own: it has the referee's environment and may do what the user may."""

    LIMITS = "limits"
    """The kernel limits what it uses up, and it gains no privileges; it still can read what the user can."""

    BWRAP = "bwrap"
    """The same limits, in namespaces of its own: no network, no processes, no files but its own."""


def default_kind() -> SandboxKind:
    """Return what is used where nobody chose: the best that works everywhere on this system."""
    return SandboxKind.LIMITS if sys.platform == "linux" else SandboxKind.NONE


@attrs.frozen(kw_only=True)
class Sandbox:
    """How bots are started.

    Attributes:
        kind: What stands between them and the machine.
        memory_bytes: Private memory that each of a bot's processes may have (RLIMIT_DATA). Not its address
            space (RLIMIT_AS): Node and Java reserve far more of that than they ever use.
        cpu_s: Seconds of processor time after which a process of a bot is killed; None for no limit.
        env: Further variables of the referee that bots are given.
        paths: Further files and directories that bots may read under bwrap.
        hidden: Files and directories that bots must not see under bwrap, not even in one that they may.
    """

    kind: SandboxKind
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    cpu_s: int | None = None
    env: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    @property
    def is_apart(self) -> bool:
        """Whether a bot has a network of its own, from which it reaches no other listener than its own."""
        return self.kind is SandboxKind.BWRAP

    def address(self, host: str, port: int) -> tuple[str, int]:
        """Return where a bot finds a referee that listens on a host and port of this machine."""
        return (confine.HOST, confine.PORT) if self.is_apart else (host, port)

    def hiding(self, paths: Iterable[Path]) -> "Sandbox":
        """Return the same sandbox, in which some more paths cannot be seen."""
        return attrs.evolve(self, hidden=(*self.hidden, *paths))

    def settings(self) -> dict[str, int]:
        """Return what the launcher is told to limit: its keys and, in bytes, seconds or pieces, how much."""
        if self.kind is SandboxKind.NONE:
            return {}
        limits = {
            "no_new_privs": 1,
            "data": self.memory_bytes,
            "files": OPEN_FILES,
            "file_size": FILE_BYTES,
            "core": 0,
        }
        return limits if self.cpu_s is None else limits | {"cpu": self.cpu_s}


UNCONFINED = Sandbox(kind=SandboxKind.NONE)
"""For what is no stranger's bot, such as a build."""
