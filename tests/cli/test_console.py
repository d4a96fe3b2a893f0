"""The console: lines on stdin become commands, whatever stdin is, and its end is no command."""

import contextlib
import os
import pty
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from referee.cli import console


class Listener:
    """Notes what it is told to do; knows one command."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, tournament: object, line: str) -> tuple[bool, str]:
        """Take a line."""
        self.lines.append(line)
        return True, f"<{line}>"


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the lines that are done."""
    listener = Listener()
    monkeypatch.setattr(console, "execute", listener)
    return listener.lines


def attending(said: list[str]) -> Callable[[], Any]:
    """Return what attends to stdin, and notes what is said."""
    return lambda: console.attend(lambda: None, said.append)


@contextlib.contextmanager
def stdin_from(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let stdin be a descriptor."""
    with os.fdopen(descriptor) as file:
        monkeypatch.setattr(sys, "stdin", file)
        yield


async def test_each_line_is_done_and_answered(done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty lines are passed over; the end of input, and an unfinished line, do nothing."""
    said: list[str] = []
    reading, writing = os.pipe()
    with stdin_from(reading, monkeypatch):
        os.write(writing, b"status\n\n  \nremove ada \xffbad\nfini")
        os.close(writing)
        await attending(said)()

    assert ["status", "remove ada \ufffdbad"] == done
    assert ["<status>", "<remove ada \ufffdbad>"] == said


async def test_many_lines_at_once_are_all_done(done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand pasted lines, torn where reads end, arrive whole and in order."""
    lines = [f"remove bot{number:04} for a reason" for number in range(2000)]
    reading, writing = os.pipe()
    with stdin_from(reading, monkeypatch):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(attending([]))
            stream = trio.lowlevel.FdStream(writing)
            await stream.send_all("".join(f"{line}\n" for line in lines).encode())
            await stream.aclose()

    assert lines == done


async def test_an_endless_line_is_one_line(done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end is not taken for a command of its own, and no more than a line of it is kept."""
    reading, writing = os.pipe()
    with stdin_from(reading, monkeypatch):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(attending([]))
            stream = trio.lowlevel.FdStream(writing)
            await stream.send_all(b"x" * 100_000 + b" finish\nstatus\n")
            await stream.aclose()

    assert ["x" * 20, "status"] == [line[:20] for line in done]
    assert len(done[0]) < 10_000


@pytest.mark.parametrize("stdin", [None, "closed", "file", "/dev/null"])
async def test_what_is_no_console_is_left_alone(
    done: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stdin: str | None
) -> None:
    """No stdin at all, a closed one, a plain file, nothing: it runs by its options alone."""
    path = tmp_path / "commands"
    await trio.Path(path).write_text("finish\n")
    with open(path if stdin != "/dev/null" else stdin) as file:  # noqa: ASYNC230
        if stdin == "closed":
            file.close()
        monkeypatch.setattr(sys, "stdin", None if stdin is None else file)
        await attending([])()

    assert [] == done


@pytest.mark.parametrize("in_front", [True, False])
async def test_what_is_typed_at_a_terminal_is_read_only_in_the_foreground(
    done: list[str], monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock, in_front: bool
) -> None:
    """After `serve ... &` the terminal is the shell's, and reading from it would stop the referee."""
    monkeypatch.setattr(os, "tcgetpgrp", lambda descriptor: os.getpgrp() + (0 if in_front else 1))
    ours, theirs = pty.openpty()
    with stdin_from(theirs, monkeypatch):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(attending([]))
            os.write(ours, b"status\n")
            await trio.sleep(5)
            nursery.cancel_scope.cancel()
    os.close(ours)

    assert (["status"] if in_front else []) == done


async def test_a_terminal_that_goes_away_is_an_end(done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux says EIO then; the tournament goes on."""
    ours, theirs = pty.openpty()
    monkeypatch.setattr(os, "tcgetpgrp", lambda descriptor: os.getpgrp())
    with stdin_from(theirs, monkeypatch):
        os.close(ours)
        await attending([])()

    assert [] == done
