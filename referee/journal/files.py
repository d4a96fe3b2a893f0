"""Opening the file: what SQLite must be able to do, and whether the file is ours."""

import contextlib
import sqlite3
from pathlib import Path

from referee.journal.errors import JournalUnusable
from referee.journal.schema import APPLICATION_ID, OLDEST_SQLITE, SCHEMA, VERSION


def sqlite_version() -> tuple[int, int, int]:
    """Return the version of the SQLite of this Python."""
    return sqlite3.sqlite_version_info


def check_sqlite(version: tuple[int, int, int] | None = None) -> None:
    """Refuse an SQLite that is too old.

    Args:
        version: Which one; that of this Python if None.

    Raises:
        JournalUnusable: it is.
    """
    known = sqlite_version() if version is None else version
    if known < OLDEST_SQLITE:
        wanted, had = (".".join(map(str, numbers)) for numbers in (OLDEST_SQLITE, known))
        raise JournalUnusable(f"journals need SQLite {wanted} or newer, and this Python has {had}")


def make(path: Path) -> sqlite3.Connection:
    """Open a new journal for writing and lay out its tables.

    Raises:
        JournalUnusable: it cannot be done.
    """
    return _connect(path, new=True)


def open_again(path: Path) -> sqlite3.Connection:
    """Open a journal that is there for writing.

    Raises:
        JournalUnusable: it cannot be done, or the file is no journal of this version.
    """
    return _connect(path, new=False)


def _connect(path: Path, *, new: bool) -> sqlite3.Connection:
    with contextlib.ExitStack() as undo:
        try:
            db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
            undo.callback(db.close)
            _prepare(db, path, new=new)
        except sqlite3.Error as error:
            raise JournalUnusable(f"the journal {path} cannot be opened ({error})") from error
        undo.pop_all()
    return db


def _prepare(db: sqlite3.Connection, path: Path, *, new: bool) -> None:
    if not new:
        check_is_journal(db, path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("PRAGMA foreign_keys = ON")
    if new:
        db.executescript(SCHEMA)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {VERSION}")


def check_is_journal(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is no journal of this version.

    Raises:
        JournalUnusable: it is not.
        sqlite3.Error: it is no database at all.
    """
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise JournalUnusable(f"{path} is no journal of take5-referee")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise JournalUnusable(
            f"{path} is a journal of version {version}, this program knows version {VERSION}"
        )


def layout(db: sqlite3.Connection) -> list[tuple[str | int | None, ...]]:
    """Return how the tables and indexes of a database are laid out.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    return list(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"))


def layout_made() -> list[tuple[str | int | None, ...]]:
    """Return how those of a new journal are laid out."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.executescript(SCHEMA)
        return layout(db)
