"""How real processes end by signals, with real bots: draining, a terminal that closes, readers that leave."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest

from tests.e2e.conftest import PATIENCE_S, SAMPLE_BOTS, Play, Start, Stubborn, environment, odd

RESUME = re.compile(r"^to go on: take5-referee (resume \S+)$", re.MULTILINE)


def line_with(stream: TextIO | None, words: str) -> list[str]:
    """Read until there is a line with these words; return all lines up to it."""
    assert stream is not None
    lines: list[str] = []
    for line in stream:
        lines.append(line.rstrip("\n"))
        if words in line:
            return lines
    raise AssertionError(f"{words!r} not in {lines}")


def games_played(standings: str) -> list[int]:
    """Return for each bot in standings that are JSON how many games it has played."""
    return [row["games"] for row in json.loads(standings)["standings"]]


def words_of(command: str, behaviour: str) -> tuple[object, ...]:
    """Return a long run of a command that plays with bots of this machine; the first one behaves so."""
    bots = (odd("one", behaviour), odd("two", "lowest"))
    many = ("--games", 100_000) if command == "run-local" else ()
    return (command, *bots, *many, "--concurrency", 1, "--move-timeout", "60s", "--deals", 1)


@pytest.mark.parametrize("command", ["run-local", "compare"])
def test_sigterm_lets_the_running_game_end_and_starts_no_other(
    start: Start, stubborn: Stubborn, command: str
) -> None:
    """A bot thinks in its first game until it is woken: that game counts, and there is no second one."""
    words = (*words_of(command, "patient"), "--drain", "100s", "--log-format", "json")
    process = start(*words, env=environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE"))
    stubborn.await_lines(1)
    process.send_signal(signal.SIGTERM)
    before = line_with(process.stderr, '"event":"draining","games":1,"seconds":100.0}')
    stubborn.wake()
    _, err = process.communicate(timeout=PATIENCE_S)
    events = [json.loads(line)["event"] for line in (*before, *err.splitlines())]

    assert process.returncode == 130
    assert events.count("game_over") == 1
    assert events.index("draining") < events.index("game_over") < events.index("stopping")
    assert events[-2:] == ["interrupted", "resumable"]
    assert stubborn.are_dead()


def test_what_was_drained_goes_on(start: Start, stubborn: Stubborn) -> None:
    """`resume` takes --drain as well, and nothing was left paused: it plays, and drains again."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    first = start(*words_of("run-local", "patient"), "--drain", "100s", env=env)
    stubborn.await_lines(1)
    first.send_signal(signal.SIGTERM)
    line_with(first.stderr, "stopping as soon as")
    stubborn.wake()
    _, err = first.communicate(timeout=PATIENCE_S)
    found = RESUME.search(err)
    assert found
    second = start(*found[1].split(), "--drain", "100s", "--format", "json", env=env)
    stubborn.await_lines(2)
    second.send_signal(signal.SIGTERM)
    line_with(second.stderr, "stopping as soon as")
    stubborn.wake()
    out, _ = second.communicate(timeout=PATIENCE_S)

    assert second.returncode == 130
    assert games_played(out) == [2, 2]


def test_a_game_that_does_not_end_is_stopped_when_the_time_is_up(start: Start, stubborn: Stubborn) -> None:
    """The bot is never woken; the game stays open in the journal, and nothing is left running."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    words = (*words_of("run-local", "patient"), "--drain", "100ms", "--format", "json")
    process = start(*words, env=env)
    stubborn.await_lines(1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert games_played(out) == [0, 0]
    assert "stopping as soon as 1 running game ends, after 0.1 s at the latest" in err
    assert stubborn.are_dead()


def test_the_last_game_may_end_while_it_drains(start: Start, stubborn: Stubborn) -> None:
    """Then the tournament is complete, and so is the exit code."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    words = ("run-local", odd("one", "patient"), odd("two", "lowest"), "--deals", 1, "--move-timeout", "60s")
    process = start(*words, "--drain", "100s", env=env)
    stubborn.await_lines(1)
    process.send_signal(signal.SIGTERM)
    line_with(process.stderr, "stopping as soon as")
    stubborn.wake()
    _, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 0
    assert "interrupted" not in err


@pytest.mark.parametrize("command", ["run-local", "compare"])
def test_ctrl_c_twice_is_out(start: Start, stubborn: Stubborn, play: Play, command: str) -> None:
    """A bot that ignores SIGTERM has no last second then; nothing is left, the journal is whole."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    process = start(*words_of(command, "hanging"), env=env)
    stubborn.await_lines(1)
    process.send_signal(signal.SIGINT)
    stubborn.await_lines(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    found = RESUME.search(err)

    assert process.returncode == 130
    assert stubborn.are_dead()
    assert found
    assert play("audit", found[1].removeprefix("resume ")).code == 0


# --- the terminal ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Give both ends of a terminal; the first is what the user looks at."""
    ours, theirs = pty.openpty()
    try:
        yield ours, theirs
    finally:
        for descriptor in (ours, theirs):
            with contextlib.suppress(OSError):
                os.close(descriptor)


def in_control(theirs: int, *, hang_up: signal.Handlers = signal.SIG_DFL) -> Callable[[], None]:
    """Return what makes a new process the one whose terminal this is."""

    def prepare() -> None:
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, hang_up)

    return prepare


def test_a_terminal_that_is_closed_stops_the_tournament_in_order(
    start: Start, stubborn: Stubborn, play: Play, tmp_path: Path
) -> None:
    """Nobody reads any more: all is journaled, nothing is left, the exit code is that of Ctrl-C."""
    with terminal() as (ours, theirs):
        process = start(
            *("run-local", odd("one", "breeding"), odd("two", "lowest"), "--games", 100_000),
            *("--journal", tmp_path / "cup.journal"),
            env=environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE", TERM="xterm"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=in_control(theirs),
        )
        stubborn.await_lines(1)
        os.close(theirs)
        os.close(ours)
        code = process.wait(PATIENCE_S)

    assert code == 130
    assert stubborn.are_dead()
    assert play("audit", tmp_path / "cup.journal").code == 0
    assert not (tmp_path / "cup.journal-wal").exists()


def test_under_nohup_it_plays_on_without_its_terminal(
    start: Start, stubborn: Stubborn, tmp_path: Path
) -> None:
    """The display has nowhere to go, and the standings still get into their file."""
    with terminal() as (ours, theirs), (tmp_path / "standings").open("w") as out:
        process = start(
            *(
                "run-local",
                odd("one", "patient"),
                odd("two", "lowest"),
                "--deals",
                1,
                "--move-timeout",
                "60s",
            ),
            env=environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE", TERM="xterm"),
            stdin=theirs,
            stdout=out,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=in_control(theirs, hang_up=signal.SIG_IGN),
        )
        stubborn.await_lines(1)
        os.close(theirs)
        os.close(ours)
        stubborn.wake()
        code = process.wait(PATIENCE_S)

    assert code == 0
    assert "rank  name" in (tmp_path / "standings").read_text()


def test_a_reader_of_stderr_that_left_stops_nothing(start: Start) -> None:
    """As in `take5-referee run-local ... 2>&1 >standings | head -1`."""
    process = start("run-local", *SAMPLE_BOTS[:2], "--deals", 1, "--games", 5)
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.close()
    assert process.stdout is not None
    out = process.stdout.read()

    assert process.wait(PATIENCE_S) == 0
    assert "rank  name" in out
