"""Control groups (cgroups(7), version 2), where one was delegated to us: they bound the processes of a bot.

The other limits are each process's own, so a bot could evade them, or fill the machine, by having many.
A group can count them; but only systemd or root can give us one, as `systemd-run --user --scope
-p Delegate=yes` does. Without it, everything works but this bound.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import attrs

from referee.local.sandbox import MOST_TASKS

_MEMBERSHIP = Path("/proc/self/cgroup")
_MOUNTS = Path("/proc/self/mounts")
_CONTROLLER = "pids"


@attrs.frozen(kw_only=True)
class Group:
    """The control group of one bot process."""

    path: Path

    @contextlib.contextmanager
    def entrance(self) -> Iterator[int]:
        """Give the descriptor by which a process enters."""
        descriptor = os.open(self.path / "cgroup.procs", os.O_WRONLY)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """End what is left in it (Linux 5.14) and remove it; what is not empty yet stays until the end."""
        with contextlib.suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        with contextlib.suppress(OSError):
            self.path.rmdir()


class Groups:
    """Makes control groups below the one that was delegated to us.

    A group with members may not hand a controller on, so this process moves into a group beside the bots'.

    Args:
        base: The group that was delegated to us.

    Raises:
        OSError: It was not, after all.
    """

    def __init__(self, base: Path) -> None:
        self._base = base
        self._made = 0
        self._own = base / f"take5-{os.getpid()}"
        self._own.mkdir()
        try:
            (self._own / "cgroup.procs").write_text(str(os.getpid()))
            (base / "cgroup.subtree_control").write_text(f"+{_CONTROLLER}")
        except OSError:
            self._move_back()
            raise

    def make(self) -> Group:
        """Make a group for one bot process.

        Raises:
            OSError: It cannot be made.
        """
        self._made += 1
        group = Group(path=self._base / f"take5-{os.getpid()}-{self._made}")
        group.path.mkdir()
        (group.path / "pids.max").write_text(str(MOST_TASKS))
        return group

    def close(self) -> None:
        """Remove all that was made, and go back to where we were."""
        for path in self._base.glob(f"take5-{os.getpid()}-*"):
            Group(path=path).remove()
        with contextlib.suppress(OSError):
            (self._base / "cgroup.subtree_control").write_text(f"-{_CONTROLLER}")
        self._move_back()

    def _move_back(self) -> None:
        with contextlib.suppress(OSError):
            (self._base / "cgroup.procs").write_text(str(os.getpid()))
        with contextlib.suppress(OSError):
            self._own.rmdir()


@contextlib.contextmanager
def groups_if_delegated(*, membership: Path = _MEMBERSHIP, mounts: Path = _MOUNTS) -> Iterator[Groups | None]:
    """Give what makes groups for as long as the context lasts, or None where no group was delegated to us."""
    base = _delegated(membership, mounts)
    groups = None
    if base is not None:
        with contextlib.suppress(OSError):
            groups = Groups(base)
    try:
        yield groups
    finally:
        if groups is not None:
            groups.close()


def _delegated(membership: Path, mounts: Path) -> Path | None:
    """Return our group if it can limit processes, we may write it, and nobody else is in it."""
    try:
        tables = [line.split() for line in mounts.read_text().splitlines()]
        mounted = next(place for _, place, kind, *_ in tables if kind == "cgroup2")
        own = next(line[3:] for line in membership.read_text().splitlines() if line.startswith("0::"))
        base = Path(f"{mounted}{own}")
        able = _CONTROLLER in (base / "cgroup.controllers").read_text().split()
        alone = (base / "cgroup.procs").read_text().split() == [str(os.getpid())]
    except (OSError, StopIteration):
        return None
    return base if able and alone and os.access(base / "cgroup.subtree_control", os.W_OK) else None
