"""What is done under the guard of a journal: which errors become sentences, and which are bugs."""

import sqlite3
from pathlib import Path

import pytest

from referee.journal.errors import JournalFailed
from referee.journal.guard import Guard


def operational(code: int) -> sqlite3.OperationalError:
    """Return an error as SQLite raises it, with a code."""
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "bug",
    [
        KeyError("x"),
        sqlite3.ProgrammingError("closed"),
        sqlite3.IntegrityError("twice"),
        operational(sqlite3.SQLITE_ERROR),
    ],
)
def test_bugs_go_through_and_do_no_harm(bug: Exception) -> None:
    """They are no matter of the disk, so what comes after them is done."""
    guard, done = Guard(Path("a.journal")), []
    with pytest.raises(type(bug)) as raised, guard:
        raise bug
    with guard:
        done.append("later")

    assert bug is raised.value
    assert ["later"] == done


@pytest.mark.parametrize(
    ("trouble", "advice"),
    [
        (OSError("gone"), "make room, then go on by take5-referee resume a.journal"),
        (operational(sqlite3.SQLITE_FULL), "make room, then go on by take5-referee resume a.journal"),
        (operational(sqlite3.SQLITE_CORRUPT), "it is damaged: take5-referee audit a.journal says more"),
    ],
)
def test_trouble_with_the_disk_is_a_sentence_and_the_last_word(trouble: Exception, advice: str) -> None:
    """It says what happened and what to do, and nothing more is done afterwards."""
    guard, done = Guard(Path("a.journal")), []
    with pytest.raises(JournalFailed) as raised, guard:
        raise trouble
    with pytest.raises(JournalFailed) as again, guard:
        done.append("later")

    assert f"the journal a.journal cannot be written ({trouble})" in str(raised.value)
    assert str(raised.value).endswith(advice)
    assert trouble is raised.value.__cause__
    assert str(raised.value) == str(again.value)
    assert [] == done
