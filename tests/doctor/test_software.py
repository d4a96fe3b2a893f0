"""The verdicts on Python, SQLite and msgpack."""

import platform
import sys

import pytest

from referee.doctor import software
from referee.doctor.findings import Verdict


def test_another_python_is_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may work; nobody has tried."""
    monkeypatch.setattr(platform, "python_implementation", lambda: "PyPy")
    finding = software.python()

    assert finding.verdict is Verdict.NOTE
    assert finding.advice == "use CPython"


def test_cpython_is_as_it_should_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """No advice is needed."""
    monkeypatch.setattr(platform, "python_implementation", lambda: "CPython")
    monkeypatch.setattr(platform, "python_version", lambda: "3.13.1")
    finding = software.python()

    assert (finding.verdict, finding.text, finding.advice) == (Verdict.OK, "CPython 3.13.1", "")


@pytest.mark.parametrize(
    ("version", "has_bug"),
    [
        ((3, 37, 0), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 9), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)
def test_the_wal_reset_bug_is_known_by_its_versions(version: tuple[int, int, int], has_bug: bool) -> None:
    """It was corrected in 3.51.3, and in 3.44.6 and 3.50.7 for those series; it is named."""
    finding = software.sqlite(version)

    assert finding.verdict is Verdict.OK
    assert ("WAL-reset bug" in finding.text) == has_bug


def test_an_sqlite_without_strict_tables_is_a_problem() -> None:
    """3.36 is the last of them; no journal can be made with it."""
    finding = software.sqlite((3, 36, 0))

    assert finding.verdict is Verdict.PROBLEM
    assert finding.text == "journals need SQLite 3.37.0 or newer, and this Python has 3.36.0"
    assert finding.advice == "install a newer Python"


def test_msgpack_without_c_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with MSGPACK_PUREPYTHON, where the module in C was never imported."""
    monkeypatch.setitem(sys.modules, "msgpack._cmsgpack", object())
    packed_in_c = software.msgpack()
    monkeypatch.delitem(sys.modules, "msgpack._cmsgpack")

    assert packed_in_c.verdict is Verdict.OK
    assert software.msgpack().verdict is Verdict.PROBLEM
