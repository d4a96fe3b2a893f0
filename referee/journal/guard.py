"""What the disk does to a journal that is being written, turned into a sentence."""

import sqlite3
from pathlib import Path
from types import TracebackType

from referee.journal.errors import JournalFailed


class Guard:
    """Watches over whatever is done under it: `with guard: ...`.

    After a failure nothing more is done: SQLite may have taken the transaction back, and what came after it
    must not be kept without it. It is a class since it is entered several times a pass, for which a generator
    takes microseconds.

    Args:
        path: The journal.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failure: str | None = None

    def __enter__(self) -> None:
        """Begin.

        Raises:
            JournalFailed: There was a failure before.
        """
        if self._failure is not None:
            raise JournalFailed(self._failure)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End; bugs of ours, which no room on the disk would mend, go through as they are.

        Raises:
            JournalFailed: The disk did not do what it was told to.
        """
        if not isinstance(error, (sqlite3.Error, OSError)):
            return
        if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
            return
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_ERROR:  # SQL that makes no sense
            return
        self._failure = f"the journal {self._path} cannot be written ({error}); {self._advice(code)}"
        raise JournalFailed(self._failure) from error

    def _advice(self, code: int | None) -> str:
        """Say what to do, by SQLite's error code."""
        if code is not None and code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return f"it is damaged: take5-referee audit {self._path} says more"
        return (
            f"all that anybody was told is in it: make room, then go on by take5-referee resume {self._path}"
        )
