"""Reading a journal: while it is written, after the referee was killed, and what is no journal."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.packing import pack
from protocol.parts import ClosedBecause
from referee.audit import audit
from referee.exporting import record
from referee.journal.errors import JournalUnusable
from referee.journal.overview import rounds
from referee.journal.reading import Reading
from referee.journal.steps import StepReader, StepWriter
from referee.journal.tally import standings
from referee.play.steps import Account, Decision, Step
from tests.journal.keeping import begin


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Reading]:
    """Read a journal for a while."""
    reading = Reading.opened(path)
    try:
        yield reading
    finally:
        reading.close()


def test_a_running_tournament_can_be_read_and_goes_on(tmp_path: Path) -> None:
    """A reader sees what was committed when it opened the file, whatever is added; the writer never waits."""
    path = tmp_path / "a.journal"
    evening = begin(path).play(30)
    before = evening.director.rows()
    with opened(path) as reading:
        evening.play(30)

        assert standings(reading) == before
        assert not audit(reading).ended
    with opened(path) as reading:
        assert standings(reading) == evening.director.rows()
    evening.director.journal.close()


def test_a_journal_can_be_closed_while_it_is_read(tmp_path: Path) -> None:
    """Somebody who looks at the standings at that moment does not make the tournament fail."""
    path = tmp_path / "a.journal"
    evening = begin(path).play()
    with opened(path) as reading:
        list(reading.results())
        evening.director.journal.close()
    with opened(path) as reading:
        assert standings(reading) == evening.director.rows()


def test_what_is_left_after_a_kill_can_be_read(tmp_path: Path) -> None:
    """The file and its log, as they lie there when nobody has closed them, hold all that was committed."""
    path, copy = tmp_path / "a.journal", tmp_path / "copy"
    evening = begin(path).play(30)
    copy.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", copy)
    with opened(copy / path.name) as reading:
        assert standings(reading) == evening.director.rows()
        assert audit(reading).unfinished == 2
    evening.director.journal.close()


def test_a_closed_journal_is_one_file_that_reading_leaves_alone(finished_file: Path) -> None:
    """It can be mailed, and read from where nothing can be written."""
    content = finished_file.read_bytes()
    with opened(finished_file) as reading:
        audit(reading)

    assert [path.name for path in finished_file.parent.iterdir()] == [finished_file.name]
    assert finished_file.read_bytes() == content


@pytest.mark.parametrize("name", ["a?b", "50%", "a#b", "ä b"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    """What means something in an address means nothing in a file name."""
    path = tmp_path / name
    evening = begin(path).play(3)
    with opened(path) as reading:
        assert standings(reading) == evening.director.rows()
    evening.director.journal.close()


def test_no_journal() -> None:
    """A file that is not there is named."""
    with pytest.raises(JournalUnusable, match=r"there is no journal nowhere\.journal"):
        Reading.opened(Path("nowhere.journal"))


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "is no journal of take5-referee"), (b"a letter" * 100, "not a database")]
)
def test_another_file(tmp_path: Path, content: bytes, words: str) -> None:
    """A file that is something else is not believed."""
    path = tmp_path / "letter"
    path.write_bytes(content)
    with pytest.raises(JournalUnusable, match=words):
        Reading.opened(path)


def test_a_journal_of_another_version(finished_file: Path, tmp_path: Path) -> None:
    """It says which version it is of, and which this program knows."""
    path = tmp_path / "b.journal"
    shutil.copy(finished_file, path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(JournalUnusable, match="is a journal of version 7, this program knows version 1"):
        Reading.opened(path)


def test_a_journal_with_other_tables(finished_file: Path, tmp_path: Path) -> None:
    """An audit believes only a file that is laid out as the referee lays it out."""
    path = tmp_path / "b.journal"
    shutil.copy(finished_file, path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE INDEX more ON steps (game)")
    with opened(path) as reading, pytest.raises(JournalUnusable, match="not laid out as in a new journal"):
        audit(reading)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE rounds SET byes = '[\"zoe\"]'",
        "UPDATE rounds SET byes = '['",
        "UPDATE seat_results SET faults = '[1]'",
        "UPDATE seat_results SET took = x'00'",
        "UPDATE seat_results SET share = 1e300",
        "UPDATE seatings SET names = '3'",
    ],
)
def test_damage_is_told_in_a_sentence(finished_file: Path, tmp_path: Path, sql: str) -> None:
    """Whatever stands in a column, nobody is shown a traceback."""
    path = tmp_path / "b.journal"
    shutil.copy(finished_file, path)
    with (
        contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db,
        contextlib.suppress(sqlite3.IntegrityError),
    ):
        db.execute(sql)
    with opened(path) as reading:
        for read in (standings, lambda reading: list(rounds(reading)), lambda reading: list(record(reading))):
            with contextlib.suppress(JournalUnusable):
                read(reading)


# --- steps -------------------------------------------------------------------------------------------------


STEP = Step(
    decisions=(
        Decision(seat=0, choice=104, reason=ClosedBecause.ANSWERED, took_ns=123_456_789),
        Decision(seat=1, choice=3, reason=ClosedBecause.GONE, took_ns=None),
    ),
    accounts=(Account(bank_ns=5, was_here=True), Account(bank_ns=0, strikes=1)),
)


def test_steps_come_back_as_they_were() -> None:
    """An account that has not changed is not written again, and is known all the same."""
    writer, reader = StepWriter(2), StepReader(2)
    first, second = writer.pack(STEP), writer.pack(STEP)

    assert [reader.unpack(first), reader.unpack(second)] == [STEP, STEP]
    assert len(second) < len(first)


def test_a_writer_that_goes_on_has_the_same_checksum() -> None:
    """The checksum is over the bytes, whoever wrote them."""
    one = StepWriter(2)
    data = [one.pack(STEP)]

    assert StepWriter(2, before=data).checksum == one.checksum


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"d": [[0, 5, 0, 1], [0, 5, 0]]},
        {"d": [[True, 5, 0, 1]]},
        {"d": [[0, 5, 99, 1]]},
        {"d": [[0, "5", 0, 1]]},
        {"d": [], "a": [[0, 1, 0, 0, 1, True, []]]},
        {"d": [], "a": [[7, 1, 0, 0, True, True, []]]},
        {"d": [], "a": [[0, 1, 0, 0, True, True, [[99, 1]]]]},
    ],
)
def test_bytes_that_are_no_step(values: dict) -> None:
    """Whatever is not as the writer writes is refused."""
    with pytest.raises(ValueError, match="not the bytes of a step"):
        StepReader(2).unpack(pack(values))


# --- the writer beside readers -----------------------------------------------------------------------------


def test_a_checkpoint_is_put_off_in_mid_transaction(tmp_path: Path) -> None:
    """An organiser may say something between two passes; that is no reason to stop the tournament."""
    journal = begin(tmp_path / "a.journal").play(5).director.journal
    while not journal.wants_checkpoint():
        journal.told("test", {})
        journal.commit()
    journal.withdrew("ada", 1, "by the organiser")
    journal.checkpoint()
    put_off = journal.wants_checkpoint()
    journal.commit()
    journal.checkpoint()

    assert put_off
    assert not journal.wants_checkpoint()
    journal.close()
