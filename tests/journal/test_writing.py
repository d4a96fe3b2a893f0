"""The writing side of a journal: made whole or not at all, committed once, one plain file at the end."""

import os
import random
import resource
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.journal import files
from referee.journal.errors import JournalFailed, JournalTaken, JournalUnusable
from referee.journal.journal import CHECKPOINT_COMMITS, Journal
from referee.journal.reading import Reading
from referee.journal.schema import APPLICATION_ID, VERSION
from referee.play.faults import Fault
from tests.journal.keeping import begin, setup

ROOT = Path(__file__).parents[2]
PAGE = 4096
WRITE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    db.execute("INSERT INTO log (at, kind, data) VALUES ('', 'foreign', '{}')")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("written")
"""
"""Tries to write into a journal that is somebody else's; a process of its own, as locks are by process."""


def create(path: Path) -> Journal:
    """Make a new journal."""
    return Journal.create(path, setup().head("test", {}))


def intrude(path: Path) -> str:
    """Let another process write; return what became of it."""
    words = [sys.executable, "-c", WRITE, str(path)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def told(path: Path) -> list[str]:
    """Return the kinds of what a journal's log holds, as another connection sees it."""
    with closing(Reading.opened(path)) as reading:
        return [event.kind for event in reading.log()]


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as if the disk were full then; needs no rights."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- making it ---------------------------------------------------------------------------------------------


def test_what_a_new_journal_is(tmp_path: Path) -> None:
    """Ours by its application id, of this version, readable for its owner only, all its tables STRICT."""
    path = tmp_path / "a.journal"
    journal = create(path)
    while_open = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in os.listdir(tmp_path)}
    journal.close()
    with closing(sqlite3.connect(path)) as db:
        ((application,),) = db.execute("PRAGMA application_id")
        ((version,),) = db.execute("PRAGMA user_version")
        strict = {bool(row[5]) for row in db.execute("PRAGMA table_list") if not row[1].startswith("sqlite_")}

    assert (application, version) == (APPLICATION_ID, VERSION) == (0x54354A31, 1)
    assert strict == {True}
    assert while_open == dict.fromkeys(
        ["a.journal", "a.journal-shm", "a.journal-wal", "a.journal.lock"], 0o600
    )


def test_a_word_is_no_number_in_it(tmp_path: Path) -> None:
    """STRICT tables refuse what is of the wrong type, at once."""
    journal = create(tmp_path / "a.journal")
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER column"):
        journal.entered("ada", "first")  # type: ignore[arg-type]
    journal.abandon()


def test_what_refers_to_nothing_is_refused(tmp_path: Path) -> None:
    """Foreign keys are on: a fault of somebody who never entered has no place."""
    journal = create(tmp_path / "a.journal")
    with pytest.raises(sqlite3.IntegrityError):
        journal.strayed("nobody", Fault.STALE)
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        journal._write("INSERT INTO stray_faults VALUES (?, ?, ?)", (7, "stale", 1))
    journal.abandon()


def test_an_existing_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    """Nothing of it is touched, and no lock is left beside it."""
    path = tmp_path / "a.journal"
    path.write_text("precious")
    with pytest.raises(JournalTaken, match="is there already"):
        create(path)

    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["a.journal"]


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """It is one sentence."""
    with pytest.raises(JournalUnusable, match="cannot be made: No such file or directory"):
        create(tmp_path / "nowhere" / "a.journal")


def test_an_sqlite_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both versions are named, and nothing is made."""
    monkeypatch.setattr(files.sqlite3, "sqlite_version_info", (3, 36, 0))
    monkeypatch.setattr(files.sqlite3, "sqlite_version", "3.36.0")
    for attempt in (create, Journal.open, Reading.opened):
        with pytest.raises(JournalUnusable, match=r"need SQLite 3\.37\.0 or newer.*has 3\.36\.0"):
            attempt(tmp_path / "a.journal")

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("pages", [0, 1, 3, 20, 39, 40, 41])
def test_a_journal_that_does_not_fit_leaves_nothing_behind(tmp_path: Path, pages: int) -> None:
    """Wherever the disk is full: one sentence, no file that the next attempt would stumble over."""
    path = tmp_path / "a.journal"
    with (
        files_up_to(pages * PAGE),
        pytest.raises(JournalUnusable, match=r"a\.journal cannot be (made|opened) \("),
    ):
        create(path)
    left = os.listdir(tmp_path)
    create(path).close()

    assert left == []


def test_what_is_no_journal_is_not_opened(tmp_path: Path) -> None:
    """Nothing at all, an empty file, a database of somebody else: one sentence each, unchanged, no lock."""
    (tmp_path / "empty").touch()
    with closing(sqlite3.connect(tmp_path / "other")) as db:
        db.execute("CREATE TABLE t (a)")
    (tmp_path / "text").write_text("no database" * 1000)
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    for name in ("nothing", *before):
        with pytest.raises(JournalUnusable, match=r"there is no journal|is no journal of|cannot be opened"):
            Journal.open(tmp_path / name)

    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


# --- committing --------------------------------------------------------------------------------------------


def test_nothing_is_there_before_its_commit(tmp_path: Path) -> None:
    """What was added is seen by others from the commit on, and all of it at once."""
    path = tmp_path / "a.journal"
    journal = create(path)
    journal.told("one", {})
    journal.told("two", {})
    before = told(path)
    journal.commit()
    after = told(path)
    journal.told("three", {})
    journal.abandon()

    assert (before, after, told(path)) == ([], ["one", "two"], ["one", "two"])


def test_a_pass_without_news_costs_no_commit(tmp_path: Path) -> None:
    """The log does not grow for nothing."""
    journal = create(tmp_path / "a.journal")
    journal.commit()
    log = tmp_path / "a.journal-wal"
    before = log.stat().st_size
    for _ in range(1000):
        journal.commit()
    after = log.stat().st_size
    journal.close()

    assert before == after


def test_a_full_disk_is_a_failure_and_the_last_word(tmp_path: Path) -> None:
    """What did not fit is gone, what was there stays, and nothing follows that could be there without it.

    Even with room again: SQLite may have taken the transaction back, and what came later would be a rest.
    """
    path = tmp_path / "a.journal"
    journal = create(path)
    journal.told("fits", {})
    journal.commit()
    with files_up_to((tmp_path / "a.journal-wal").stat().st_size):
        journal.told("does not fit", {"data": "x" * 10 * PAGE})
        with pytest.raises(
            JournalFailed, match=r"cannot be written \(.*make room, then go on by take5-referee resume"
        ):
            journal.commit()
    for attempt in (lambda: journal.told("later", {}), journal.commit, journal.checkpoint, journal.flush):
        with pytest.raises(JournalFailed, match="make room"):
            attempt()
    with pytest.raises(JournalFailed, match="make room"):
        journal.close()
    journal.close()
    with closing(Journal.open(path)) as again:
        session = again.session

    assert told(path) == ["fits"]
    assert session == 2
    assert os.listdir(tmp_path) == ["a.journal"]


def test_a_damaged_file_asks_for_no_room(tmp_path: Path) -> None:
    """Room on the disk would not mend it."""
    path = tmp_path / "a.journal"
    create(path).close()
    data = bytearray(path.read_bytes())
    data[PAGE:] = bytes(len(data) - PAGE)
    path.write_bytes(data)

    with pytest.raises((JournalUnusable, JournalFailed), match=r"damaged|malformed") as failure:
        Journal.open(path)
    assert "make room" not in str(failure.value)


@pytest.mark.parametrize(
    "sql",
    ["INSERT INTO nowhere VALUES (1)", "INSERT INTO log VALUES (1)", "INSERT INTO log (at) VALUES (?, ?)"],
)
def test_our_own_mistakes_are_not_called_a_full_disk(tmp_path: Path, sql: str) -> None:
    """SQL that makes no sense is a bug: it is raised as it is, with its traceback."""
    journal = create(tmp_path / "a.journal")
    with pytest.raises(sqlite3.Error) as error:
        journal._write(sql, ())
    journal.abandon()

    assert not isinstance(error.value, JournalFailed)


# --- SQLite's locks, checkpoints ---------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [Journal.flush, Journal.checkpoint, Journal.wants_checkpoint])
def test_upkeep_keeps_others_out(tmp_path: Path, keep: Callable[[Journal], object]) -> None:
    """In mid-transaction no other process gets in, before and after; between two it could, by SQLite's rules.

    To open and close the database by hand would let it in, and two writers would tear the file.
    """
    path = tmp_path / "a.journal"
    journal = create(path)
    journal.told("one", {})
    journal.commit()
    keep(journal)
    journal.told("two", {})
    first = intrude(path)
    keep(journal)
    second = intrude(path)
    journal.commit()
    journal.close()

    assert (first, second) == ("database is locked", "database is locked")
    assert told(path) == ["one", "two"]


def test_a_flush_reaches_the_log_under_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a symbolic link as well: the log is beside the file, not beside the link."""
    (tmp_path / "disk").mkdir()
    create(tmp_path / "disk" / "a.journal").close()
    (tmp_path / "link.journal").symlink_to(tmp_path / "disk" / "a.journal")
    flushed: list[str] = []
    monkeypatch.setattr(os, "fdatasync", lambda fd: flushed.append(os.readlink(f"/proc/self/fd/{fd}")))
    journal = Journal.open(tmp_path / "link.journal")
    journal.told("one", {})
    journal.commit()
    journal.flush()
    journal.close()

    assert flushed == [str(tmp_path / "disk" / "a.journal-wal")]


def test_a_flush_without_a_log_is_none(tmp_path: Path) -> None:
    """In memory there is nothing to flush."""
    journal = Journal.in_memory(setup().head("test", {}))
    journal.flush()
    journal.close()


def test_a_checkpoint_waits_for_what_is_being_added(tmp_path: Path) -> None:
    """In mid-transaction it does nothing, and is wanted as before."""
    journal = create(tmp_path / "a.journal")
    for _ in range(CHECKPOINT_COMMITS):
        journal.told("one", {})
        journal.commit()
    wanted = journal.wants_checkpoint()
    journal.told("two", {})
    journal.checkpoint()
    still = journal.wants_checkpoint()
    journal.commit()
    journal.checkpoint()
    done = journal.wants_checkpoint()
    journal.close()

    assert (wanted, still, done) == (True, True, False)


def test_the_log_stays_small_in_a_long_run(tmp_path: Path) -> None:
    """Thousands of commits, checkpointed when wanted: the log is never longer than what lies between two."""
    path = tmp_path / "a.journal"
    journal, rng, longest, checkpoints = create(path), random.Random(1), 0, 0
    for number in range(4000):
        journal.told("one", {"data": "x" * rng.randrange(400)})
        journal.commit()
        if journal.wants_checkpoint():
            journal.checkpoint()
            checkpoints += 1
        if number % 50 == 0:
            longest = max(longest, (tmp_path / "a.journal-wal").stat().st_size)
    size = path.stat().st_size
    journal.close()

    # Each commit changes two or three pages, each with a head of 24 bytes.
    assert checkpoints == 4000 // CHECKPOINT_COMMITS
    assert longest <= 3 * CHECKPOINT_COMMITS * (PAGE + 24) + 32
    assert size > 100 * PAGE


def test_a_reader_does_not_stop_the_writer(tmp_path: Path) -> None:
    """Somebody looks at one moment for long: commits and checkpoints go on, and it sees its moment."""
    path = tmp_path / "a.journal"
    journal = create(path)
    journal.told("before", {})
    journal.commit()
    with closing(Reading.opened(path)) as reading:
        first = [event.kind for event in reading.log()]
        journal.told("after", {})
        journal.commit()
        journal.checkpoint()
        second = [event.kind for event in reading.log()]
    journal.close()

    assert (first, second, told(path)) == (["before"], ["before"], ["before", "after"])


# --- the end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("passes", [None, 7], ids=["finished", "interrupted"])
def test_a_closed_journal_is_one_plain_file(tmp_path: Path, passes: int | None) -> None:
    """No log, no lock, no mark that a log is needed: it can be mailed."""
    evening = begin(tmp_path / "a.journal").play(passes)
    evening.close()
    header = (tmp_path / "a.journal").read_bytes()[:20]

    assert os.listdir(tmp_path) == ["a.journal"]
    assert header[18:20] == b"\1\1", (
        "versions for writing and reading: 1 with a rollback journal, 2 with a log"
    )


def test_closing_twice_does_nothing(tmp_path: Path) -> None:
    """Neither does abandoning or closing after the other."""
    journal = create(tmp_path / "a.journal")
    journal.told("one", {})
    journal.close()
    journal.close()
    journal.abandon()
    other = create(tmp_path / "b.journal")
    other.told("one", {})
    other.abandon()
    other.abandon()
    other.close()

    assert told(tmp_path / "a.journal") == ["one"]
    assert told(tmp_path / "b.journal") == []


def test_an_abandoned_journal_keeps_what_was_committed_and_no_more(tmp_path: Path) -> None:
    """And nobody has to wait for it."""
    path = tmp_path / "a.journal"
    evening = begin(path).play(5)
    steps = len(list(evening.director.journal.reading().rows("SELECT id FROM steps")))
    evening.director.journal.told("never", {})
    evening.director.journal.abandon()
    journal = Journal.open(path)
    found = len(list(journal.reading().rows("SELECT id FROM steps")))
    journal.close()

    assert found == steps > 0
    assert told(path) == []


def test_a_discarded_journal_is_gone(tmp_path: Path) -> None:
    """With all that belongs to it."""
    journal = create(tmp_path / "a.journal")
    journal.told("one", {})
    journal.discard()
    journal.close()

    assert os.listdir(tmp_path) == []


def test_a_close_beside_a_reader_loses_nothing(tmp_path: Path) -> None:
    """The log may have to stay then, and what it holds is read with it."""
    path = tmp_path / "a.journal"
    journal = create(path)
    journal._db.execute("PRAGMA busy_timeout = 0")
    journal.told("one", {})
    with closing(Reading.opened(path)) as reading:
        list(reading.log())
        journal.close()

    assert told(path) == ["one"]
    with closing(Journal.open(path)):
        pass
    assert os.listdir(tmp_path) == ["a.journal"]


def test_sessions_are_counted(tmp_path: Path) -> None:
    """Each run of the referee that committed something has a number of its own; request ids depend on it."""
    path = tmp_path / "a.journal"
    sessions = []
    journal = create(path)
    for _ in range(3):
        sessions.append(journal.session)
        journal.close()
        journal = Journal.open(path)
    sessions.append(journal.session)
    journal.abandon()
    journal = Journal.open(path)
    sessions.append(journal.session)
    journal.close()

    assert sessions == [1, 2, 3, 4, 4], "the fourth never committed, so nobody was ever told an id of it"
