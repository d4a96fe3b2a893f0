"""The verdicts on open files, time stamps, the place of the journal and processors."""

import socket
from pathlib import Path

import pytest

from referee.doctor import system
from referee.doctor.findings import Verdict
from referee.journal import place
from referee.server import stamps


@pytest.mark.parametrize(
    ("allowed", "verdict", "text"),
    [
        (1064, Verdict.OK, "1064: enough for 1000 bots that are served, or 200 on this machine"),
        (1063, Verdict.NOTE, "1063: enough for 999 bots that are served, or 199 on this machine"),
        (128, Verdict.NOTE, "128: enough for 64 bots that are served, or 12 on this machine"),
        (127, Verdict.PROBLEM, "127: enough for 63 bots that are served, or 12 on this machine"),
        (10, Verdict.PROBLEM, "10: enough for 0 bots that are served, or 0 on this machine"),
    ],
)
def test_open_files(allowed: int, verdict: Verdict, text: str) -> None:
    """64 are the referee's own; a served bot takes one, a bot of this machine five."""
    finding = system.open_files(allowed)

    assert (finding.verdict, finding.text) == (verdict, text)
    assert bool(finding.advice) == (verdict is not Verdict.OK)


def test_time_stamps_are_really_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that is never asked for them gives none, and that is seen; asked, Linux gives them."""
    asked = system.time_stamps()
    monkeypatch.setattr(system, "ask_for_stamps", lambda _: None)

    assert asked.verdict is (Verdict.OK if stamps._SO_TIMESTAMPNS is not None else Verdict.NOTE)
    assert system.time_stamps().verdict is Verdict.NOTE


def test_without_a_loopback_interface_there_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bot of this machine could connect either."""

    def refuse(*_: object) -> None:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(socket, "create_server", refuse)
    finding = system.time_stamps()

    assert finding.verdict is Verdict.PROBLEM
    assert finding.text == "no connection within this machine: Cannot assign requested address"


def test_a_stamp_that_cannot_be_right_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute old is no byte that was just sent."""
    monkeypatch.setattr(system, "_age_of_a_byte", lambda: 60_000_000_000)

    assert system.time_stamps().verdict is Verdict.NOTE


def test_a_journal_may_not_be_on_a_network_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it may be, on a share it may not, with the same sentence as from `run-local`."""
    here = system.journal(tmp_path)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/share {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(place, "_MOUNTS", mounts)
    there = system.journal(tmp_path)

    assert here.verdict is Verdict.OK
    assert there.verdict is Verdict.PROBLEM
    assert "is on a network file system (nfs4), where a journal is not safe" in there.text


def test_a_directory_without_rights_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal can be put elsewhere."""
    monkeypatch.setattr(system.os, "access", lambda *_: False)

    assert system.journal(tmp_path).verdict is Verdict.NOTE


def test_busy_processors_are_noted() -> None:
    """Up to 0.7 programs on each are fine: 1.4 on two, and no more."""
    assert system.processors(1.4, 2).verdict is Verdict.OK
    assert system.processors(1.5, 2).verdict is Verdict.NOTE
    assert system.processors(1.5, 2).text == "2, load 1.5"
