"""What the tests of bot processes share: tiny bots, and the environment in which they run."""

import os
import select
import textwrap
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import trio

from referee.local.environment import build_environment
from referee.local.processes import BotProcess
from referee.local.programs import BotProgram
from referee.local.sandbox import UNCONFINED, Sandbox, SandboxKind
from tests.sandboxes import bwrap_works

BWRAP = pytest.param(
    SandboxKind.BWRAP,
    marks=pytest.mark.skipif(not bwrap_works(), reason="bwrap is missing, or may not make namespaces here"),
)
"""The sandbox that not every machine has."""

PATIENCE_S = 30
"""A bound that is only reached if something is wrong."""


@pytest.fixture
def make_file(tmp_path: Path) -> Callable[..., Path]:
    """Write an executable file (or with another mode) into tmp_path and return its path."""

    def make(name: str, text: str, mode: int = 0o755) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        path.chmod(mode)
        return path

    return make


@pytest.fixture
def start_bot(tmp_path: Path) -> Callable[..., Awaitable[BotProcess]]:
    """Start a bot from a shell script, or from any other command."""

    async def start(
        *command: str, name: str = "bot", log: Path | None = None, sandbox: Sandbox = UNCONFINED
    ) -> BotProcess:
        words = command if len(command) > 1 else ("sh", "-c", *command)
        program = BotProgram(name=name, command=words, cwd=tmp_path, source=name)
        return await BotProcess.start(program, env=build_environment(os.environ), log=log, sandbox=sandbox)

    return start


class Gate:
    """A named pipe from which a bot reads a line before it goes on."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDWR)

    def open(self) -> None:
        """Let one bot go on."""
        os.write(self._fd, b"go\n")

    def close(self) -> None:
        """Close our end."""
        os.close(self._fd)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """The named pipe `gate` in the directory in which the bots of `start_bot` run."""
    gate = Gate(tmp_path / "gate")
    yield gate
    gate.close()


class Mailbox:
    """A named pipe into which bots write lines, so that a test can wait for what they have to say."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._read = b""

    async def line(self) -> str:
        """Wait for the next line."""
        with trio.fail_after(PATIENCE_S):
            while b"\n" not in self._read:
                await trio.lowlevel.wait_readable(self._fd)
                self._read += os.read(self._fd, 4096)
        line, _, self._read = self._read.partition(b"\n")
        return line.decode()

    def close(self) -> None:
        """Close our end."""
        os.close(self._fd)


@pytest.fixture
def mailbox(tmp_path: Path) -> Iterator[Mailbox]:
    """The named pipe `mailbox` in the directory in which the bots of `start_bot` run."""
    box = Mailbox(tmp_path / "mailbox")
    yield box
    box.close()


def wait_for_death(pidfd: int) -> bool:
    """Wait until the process behind a pidfd has ended, be it our child or not; close the pidfd."""
    ready, _, _ = select.select([pidfd], [], [], PATIENCE_S)
    os.close(pidfd)
    return bool(ready)
