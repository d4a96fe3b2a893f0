"""`take5-referee doctor`: its lines, its JSON form, its exit code."""

import json
from collections.abc import Callable

import pytest

from referee.doctor import jitter, software, system
from referee.doctor.findings import Finding, Verdict
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]
QUIET = jitter.Jitter(samples=9, median=1, p99=2, worst=3)
CHECKS = [
    *("python", "sqlite", "msgpack", "open files", "time stamps"),
    *("journal", "bwrap", "toolchains", "processors", "timer"),
]


@pytest.fixture
def fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make nothing be wrong with this machine, whatever it is."""
    monkeypatch.setattr(jitter, "measure", lambda _: QUIET)
    for module, name in ((software, "python"), (software, "msgpack"), (system, "open_files")):
        finding = Finding(check=name.replace("_", " "), verdict=Verdict.OK, text="as it should be")
        monkeypatch.setattr(module, name, lambda finding=finding: finding)


def test_each_thing_has_a_line_and_a_fit_machine_exit_code_0(fit: None, referee: Referee) -> None:
    """The verdict comes first, so that problems are seen at the left margin."""
    shown = referee("doctor")
    lines = [line for line in shown.out.splitlines() if not line.startswith(" ")]

    assert (shown.code, shown.err) == (0, "")
    assert [line[9:21].strip() for line in lines] == CHECKS
    assert {line.split()[0] for line in lines} <= {"ok", "note"}


def test_a_problem_is_exit_code_3_with_what_to_do(
    fit: None, referee: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The advice stands below it; control characters in what a system says are escaped."""
    bad = Finding(check="msgpack", verdict=Verdict.PROBLEM, text="\x1b[31mslow", advice="reinstall it")
    monkeypatch.setattr(software, "msgpack", lambda: bad)
    shown = referee("doctor")
    lines = shown.out.splitlines()
    at = lines.index("problem  msgpack      \\x1b[31mslow")

    assert shown.code == 3
    assert lines[at + 1].strip() == "-> reinstall it"


def test_the_limit_decides(fit: None, referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    """2 ms late is fit for 40 ms, and unfit for 7; the variable of --move-timeout counts as everywhere."""
    late = jitter.Jitter(samples=1, median=1, p99=1, worst=2_000_000)
    monkeypatch.setattr(jitter, "measure", lambda _: late)
    monkeypatch.setenv("TAKE5_REFEREE_MOVE_TIMEOUT", "40ms")
    by_variable = referee("doctor").code

    assert by_variable == 0
    assert referee("doctor", "--move-timeout", "7ms").code == 3


def test_as_json(fit: None, referee: Referee) -> None:
    """One object with everything, times in milliseconds."""
    shown = referee("doctor", "--json", "--move-timeout", "2s")
    report = json.loads(shown.out)

    assert shown.code == 0
    assert (report["format"], report["fit"], report["move_timeout_ms"]) == (1, True, 2000)
    assert [check["check"] for check in report["checks"]] == CHECKS
    assert set(report["checks"][0]) == {"check", "verdict", "text", "advice"}
    assert report["timer_ms"] == {"samples": 9, "median": 0.000001, "p99": 0.000002, "worst": 0.000003}


def test_it_is_really_measured(referee: Referee) -> None:
    """In 20 ms at least one nap of a millisecond, and it took that long."""
    report = json.loads(referee("doctor", "--json", "--measure", "20ms", "--move-timeout", "1h").out)

    assert 1 <= report["timer_ms"]["samples"] <= 20
    assert report["checks"][-1]["verdict"] == "ok"
