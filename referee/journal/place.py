"""Where a journal may be: a lock of its own, the rights of its file, and no network file system."""

import contextlib
import os
import sys
from pathlib import Path
from typing import Self

from referee.journal.errors import JournalUnusable

_NETWORK = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "fuse.sshfs",
    "fuse.s3fs",
    "glusterfs",
}


class Lock:
    """Keeps a second referee from the same journal. The lock is a file beside it, held as long as we live.

    The database file itself is never opened by hand: closing it would drop the locks that SQLite holds.
    """

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + ".lock")
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, *args: object) -> None:
        self.release()

    def take(self) -> None:
        """Take the lock.

        Raises:
            JournalUnusable: another referee has it, or it cannot be made.
        """
        import fcntl

        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise JournalUnusable(f"the lock {self._path} cannot be made: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise JournalUnusable(
                f"another referee is at work on this journal ({self._path} is locked); stop it first"
            ) from error
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back and remove its file."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = None


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
    """Return the kind of file system that a directory is on: that of the longest mount point above it."""
    best, kind = -1, ""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines():
            _, mount, name, *_ = line.split(" ")
            point = Path(mount.replace("\\040", " "))
            if (directory == point or point in directory.parents) and len(point.parts) > best:
                best, kind = len(point.parts), name
    return kind


def make_file(path: Path) -> None:
    """Make an empty file that only its owner can read.

    Raises:
        JournalUnusable: there is one already, or it cannot be made.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise JournalUnusable(
            f"{path} is there already; `take5-referee resume {path}` goes on with it, --journal names another"
        ) from None
    except OSError as error:
        raise JournalUnusable(f"the journal {path} cannot be made: {error.strerror}") from error
