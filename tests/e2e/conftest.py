"""What the tests of whole tournaments share: the installed program, run as a user would run it."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest

from referee.cli.settings import variable
from referee.server.readers import available

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).parent / "take5-referee"
ODD = ROOT / "tests" / "e2e" / "bots" / "odd.py"
SAMPLE_BOTS = tuple(sorted(path for path in (ROOT / "sample_bots").iterdir() if path.suffix == ".py"))

PATIENCE_S = 100
"""A bound that is only reached if something is wrong."""


def odd(name: str, behaviour: str) -> str:
    """Return the BOT argument for a bot that behaves in some way."""
    return f"{name}={ODD} {behaviour}"


@attrs.frozen(kw_only=True)
class Outcome:
    """What a run came to."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """What was printed with --format json."""
        return json.loads(self.out)

    @property
    def standings(self) -> dict[str, dict[str, Any]]:
        """The lines of the standings by name."""
        return {row["name"]: row for row in self.report["standings"]}

    @property
    def points(self) -> dict[str, Fraction]:
        """The points by name."""
        return {name: Fraction(row["points"]) for name, row in self.standings.items()}

    @property
    def digest(self) -> str:
        """The record digest of a complete run."""
        (line,) = [line for line in self.err.splitlines() if line.startswith("record digest ")]
        return line.removeprefix("record digest ")

    @property
    def digest_so_far(self) -> str:
        """How many games a run that ended early came to, and their digest."""
        (line,) = [line for line in self.err.splitlines() if line.startswith("record digest of ")]
        return line


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of somebody who has activated nothing."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("TAKE5_", "VIRTUAL_ENV"))}
    return kept | {"PATH": "/usr/local/bin:/usr/bin:/bin"} | extra


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(params=available(), ids=lambda io: io.value)
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Start the program in a foreign directory; what still runs at the end of the test is killed.

    Each test runs with every kind of I/O there is here.
    """
    io = {variable("io"): request.param.value}
    started: list[subprocess.Popen[str]] = []

    def begin(*words: object, env: dict[str, str] | None = None, **streams: Any) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [PROGRAM, *(str(word) for word in words)],
            env=(environment() if env is None else env) | io,
            cwd=tmp_path,
            text=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


Play = Callable[..., Outcome]


@pytest.fixture
def free_port() -> int:
    """Return a port on which nobody listens at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def play(start: Start) -> Play:
    """Run the program to its end."""

    def run(*words: object, env: dict[str, str] | None = None) -> Outcome:
        process = start(*words, env=env)
        out, err = process.communicate(timeout=PATIENCE_S)
        return Outcome(code=process.returncode, out=out, err=err)

    return run


class Stubborn:
    """The pipe into which odd bots write the pids of what is hard to end: their children or themselves."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self.pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._pidfds: list[int] = []

    def await_lines(self, total: int) -> None:
        """Wait until so many lines have come since the beginning."""
        while len(self._pidfds) < total:
            assert select.select([self.pipe], [], [], PATIENCE_S)[0]
            # Each line is written at once, and so is read whole.
            for pid in os.read(self.pipe, 4096).split():
                self._pidfds.append(os.pidfd_open(int(pid)))

    def wake(self) -> None:
        """Let the last one go on that waits for SIGUSR1."""
        signal.pidfd_send_signal(self._pidfds[-1], signal.SIGUSR1)

    def are_dead(self) -> bool:
        """Say whether all that are known have ended, now."""
        assert self._pidfds
        return len(select.select(self._pidfds, [], [], 0)[0]) == len(self._pidfds)

    def close(self) -> None:
        """End what is left."""
        for pidfd in self._pidfds:
            if not select.select([pidfd], [], [], 0)[0]:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.close(pidfd)
        os.close(self.pipe)


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[Stubborn]:
    """Watch over what is hard to end."""
    watched = Stubborn(tmp_path / "stubborn")
    yield watched
    watched.close()
