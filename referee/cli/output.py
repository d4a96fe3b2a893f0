"""The file of `--output`: always whole, whoever reads it and whenever the program is stopped."""

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from referee.cli.exits import file_problem


class OutputFile:
    """A file that is replaced as a whole, never changed in place.

    Args:
        path: Where it is; a symbolic link is followed, so that the link stays.

    Raises:
        click.UsageError: It will not be possible to write it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = path.resolve()
        try:
            self._check()
        except OSError as error:
            raise click.UsageError(
                file_problem(f"the output file {path} cannot be written", error)
            ) from error

    def write(self, text: str) -> None:
        """Replace the content; on return it is on disk.

        Raises:
            OSError: It cannot be written; the old content is still there.
        """
        self.write_lines((text.encode(),))

    def write_lines(self, lines: Iterable[bytes]) -> None:
        """Do the same for a content that comes bit by bit, and may be longer than memory.

        Raises:
            OSError: It cannot be written; the old content is still there.
        """
        handle, name = tempfile.mkstemp(dir=self._target.parent, prefix=f".{self._target.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(lines)
                file.flush()
                os.fchmod(file.fileno(), self._mode())
                os.fsync(file.fileno())
            os.replace(name, self._target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _sync_directory(self._target.parent)

    def _check(self) -> None:
        if self._target.exists() and not self._target.is_file():
            raise OSError(f"{self._target} is no regular file")
        handle, name = tempfile.mkstemp(dir=self._target.parent, prefix=f".{self._target.name[:100]}.")
        os.close(handle)
        os.unlink(name)

    def _mode(self) -> int:
        """Return the permissions of the file it replaces, or those of any new file."""
        try:
            return self._target.stat().st_mode & 0o777
        except FileNotFoundError:
            mask = os.umask(0)
            os.umask(mask)
            return 0o666 & ~mask


def _sync_directory(directory: Path) -> None:
    """Make a renaming last; a file system that cannot do that has done what it can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
