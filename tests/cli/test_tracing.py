"""The options that write conversations down: what they refuse, and what a failing file costs."""

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from referee.cli.tracing import TraceOptions
from referee.server.engine import Engine
from referee.server.tracing import TracedEngine
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]


def test_without_a_trace_the_engine_is_the_plain_one() -> None:
    """So that it costs nothing."""
    with TraceOptions(path=None, bot=None, with_hex=False).engine(print) as make_engine:
        assert make_engine is Engine


@pytest.mark.parametrize("words", [["--trace-bot", "first"], ["--trace-hex"]])
def test_half_of_the_options_is_refused(referee: Referee, tmp_path: Path, words: list[str]) -> None:
    """In one sentence that says what is missing."""
    outcome = referee("run-local", "--journal", tmp_path / "j", *words, *two_bots(tmp_path))

    assert outcome.code == 2
    assert "--trace-bot and --trace-hex need --trace FILE, or --trace - for stderr" in outcome.err
    assert not (tmp_path / "j").exists()


def test_a_bot_that_does_not_play_cannot_be_traced(referee: Referee, tmp_path: Path) -> None:
    """With the name that was probably meant."""
    words = ("--trace", tmp_path / "t", "--trace-bot", "fisrt")
    outcome = referee("run-local", *words, *two_bots(tmp_path))

    assert outcome.code == 2
    assert "there is no bot 'fisrt' to trace; did you mean first?" in outcome.err


def test_a_file_that_cannot_be_written_is_told_at_once(referee: Referee, tmp_path: Path) -> None:
    """Before anything is played."""
    words = ("--journal", tmp_path / "j", "--trace", tmp_path / "no" / "t")
    outcome = referee("run-local", *words, *two_bots(tmp_path))

    assert (2, "") == (outcome.code, outcome.out)
    assert "/no/t cannot be written: No such file or directory" in outcome.err
    assert not (tmp_path / "j").exists()


def test_a_full_disk_ends_the_trace_and_nothing_else() -> None:
    """It is told once."""
    said: list[str] = []
    with TraceOptions(path="/dev/full", bot=None, with_hex=False).engine(said.append) as make_engine:
        trace = make_engine.args[0]  # type: ignore[attr-defined]
        trace._write("one")
        trace._write("two")

    assert said == ["the trace /dev/full ends here, since it cannot be written: No space left on device"]
    assert make_engine.func is TracedEngine  # type: ignore[attr-defined]


def test_an_unwritable_file_is_wrong_usage() -> None:
    """As an error of click, which the console script makes a sentence of."""
    options = TraceOptions(path="/no/such/place", bot=None, with_hex=False)

    with pytest.raises(click.UsageError), options.engine(print):
        pass


def two_bots(directory: Path) -> list[Path]:
    """Return two programs that could be started."""
    bots = [directory / "first", directory / "second"]
    for bot in bots:
        bot.write_text("#!/bin/sh\nexit 1\n")
        bot.chmod(0o755)
    return bots
