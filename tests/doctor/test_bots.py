"""The verdicts on bubblewrap and on toolchains."""

from pathlib import Path

import pytest

from referee.doctor import bots
from referee.doctor.findings import Verdict


def script(directory: Path, text: str) -> str:
    """Return a program with these lines."""
    file = directory / "bwrap"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_a_sandbox_that_is_not_there_is_noted() -> None:
    """Most tournaments need none."""
    finding = bots.sandbox("/nowhere/bwrap")

    assert finding.verdict is Verdict.NOTE
    assert finding.advice.endswith("install bubblewrap")


def test_a_sandbox_is_tried_not_only_found(tmp_path: Path) -> None:
    """One says its version and then cannot do it, as on a host that forbids user namespaces."""
    works = bots.sandbox(script(tmp_path, 'echo "bubblewrap 0.9.0"'))
    refuses = 'if [ "$1" = --version ]; then echo 9; else echo "bwrap: no permissions" >&2; exit 1; fi'
    forbidden = bots.sandbox(script(tmp_path, refuses))

    assert (works.verdict, works.text) == (Verdict.OK, "bubblewrap 0.9.0, tried")
    assert forbidden.verdict is Verdict.NOTE
    assert forbidden.text == "installed, but it does not work here: bwrap: no permissions"


def test_toolchains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two bots one can be built; of the other it is said what it lacks, and only that."""
    tools = tmp_path / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    for name in ("here", "also"):
        (tools / name).touch(mode=0o755)
    for name, needs in (("one", '["here", "also"]'), ("two", '["here", "missing-tool"]')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text(f'command = ["./x"]\nneeds = {needs}\n')
    finding = bots.toolchains(tmp_path)

    assert (finding.verdict, finding.text) == (Verdict.NOTE, "sample bots that can be built: one")
    assert finding.advice == "install what is missing if you want it: two needs missing-tool"


def test_all_toolchains_are_there(tmp_path: Path) -> None:
    """A bot that needs nothing lacks nothing."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "bot.toml").write_text('command = ["./x"]\n')

    assert bots.toolchains(tmp_path).verdict is Verdict.OK
