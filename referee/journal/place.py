"""Where a journal may be: a lock of its own, the rights of its file, and no network file system."""

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import Self

from referee.journal.errors import JournalTaken, JournalUnusable

_NETWORK = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "lustre",
    "gpfs",
    "beegfs",
    "glusterfs",
    "fuse.ceph",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
}

_MOUNTS = Path("/proc/self/mounts")
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Lock:
    """Keeps a second referee from the same journal. The lock is a file beside it, held as long as we live.

    The database file itself is never opened by hand: closing it would drop the locks that SQLite holds.

    Args:
        journal: The journal, under whichever name: a symbolic link to it has the same lock.
    """

    def __init__(self, journal: Path) -> None:
        self._path = beside(journal, ".lock")
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, *args: object) -> None:
        self.release()

    def take(self) -> None:
        """Take the lock.

        Raises:
            JournalTaken: Another referee has it.
            JournalUnusable: It cannot be made.
        """
        # Whoever releases a lock removes its file: one that was opened just before is the lock of nothing.
        while self._descriptor is None:
            descriptor = self._take_file()
            if self._is_there(descriptor):
                self._descriptor = descriptor
            else:
                os.close(descriptor)

    def _take_file(self) -> int:
        """Open the file of the lock and lock it."""
        import fcntl

        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise JournalUnusable(f"the lock {self._path} cannot be made: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise JournalTaken(
                f"another referee is at work on this journal ({self._path} is locked); stop it first"
            ) from error
        return descriptor

    def _is_there(self, descriptor: int) -> bool:
        """Say whether an open file is still the one that others find."""
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back and remove its file."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = None


def beside(journal: Path, suffix: str) -> Path:
    """Return a file that belongs to a journal; as with SQLite's own, the journal's real name counts."""
    real = journal.resolve()
    return real.with_name(real.name + suffix)


def check_new(path: Path) -> None:
    """See that a new journal can probably be made at a place, long before it is.

    Raises:
        JournalTaken: There is something of that name.
        JournalUnusable: Its directory is not fit for it.
    """
    check_file_system(path)
    if os.path.lexists(path):
        raise _taken(path)
    directory = path.resolve().parent
    if not directory.is_dir():
        raise JournalUnusable(f"the journal {path} cannot be made: there is no directory {directory}")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise JournalUnusable(f"the journal {path} cannot be made: {directory} may not be written to")


def check_file_system(path: Path) -> None:
    """Refuse a network file system, on which SQLite's locks and shared memory cannot be trusted.

    Raises:
        JournalUnusable: the directory is on one.
    """
    if sys.platform != "linux":
        return
    directory = path.resolve().parent
    kind = _file_system(directory)
    if kind in _NETWORK:
        raise JournalUnusable(
            f"{directory} is on a network file system ({kind}), where a journal is not safe;"
            " choose a place on this machine with --journal"
        )


def _file_system(directory: Path) -> str:
    """Return the kind of file system that a directory is on: that of the longest mount point above it.

    Of two at the same point the later one hides the other, as a share does that is mounted when it is used.
    """
    best, kind = 0, ""
    with contextlib.suppress(OSError):
        for line in _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            _, mount, name, *_ = line.split(" ")
            point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), mount))
            if (directory == point or point in directory.parents) and len(point.parts) >= best:
                best, kind = len(point.parts), name
    return kind


def make_file(path: Path) -> None:
    """Make an empty file that only its owner can read.

    Raises:
        JournalTaken: There is one already.
        JournalUnusable: It cannot be made.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        raise JournalUnusable(f"the journal {path} cannot be made: {error.strerror}") from error


def remove_files(path: Path) -> None:
    """Remove a journal."""
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix).unlink(missing_ok=True)


def _taken(path: Path) -> JournalTaken:
    return JournalTaken(
        f"{path} is there already; `take5-referee resume {path}` goes on with it, --journal names another"
    )
