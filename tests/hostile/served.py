"""A referee that serves in a process of its own, for those who abuse it, with and without pytest."""

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = [str(Path(sys.executable).parent / "take5-referee")]
PATIENCE_S = 100
"""A bound that is only reached if something is wrong."""


def environment() -> dict[str, str]:
    """Return the environment without any settings of a referee or a bot, and with this very program."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TAKE5_")}
    return kept | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


class Referee:
    """`take5-referee serve`, or `resume`, in a directory; what it writes is kept in files there.

    Attributes:
        port: Where it listens.
        lines: What it has said on stderr.
    """

    def __init__(self, directory: Path, *words: object, command: str = "serve") -> None:
        self._directory = directory
        self._door = directory / "control.sock"
        options = [command, *(("--port", 0, "--control", self._door) if command == "serve" else ()), *words]
        with (directory / "stdout").open("w") as stdout:
            self._process = subprocess.Popen(
                [*PROGRAM, *map(str, options)],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                text=True,
                cwd=directory,
                env=environment(),
            )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = int(self.says(r"bots connect by .*, port (\d+), ")[1])

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.lines.append(line.rstrip("\n"))

    @property
    def printed(self) -> str:
        """What it has written on stdout."""
        return (self._directory / "stdout").read_text()

    @property
    def memory_kib(self) -> int:
        """Its resident memory; 0 where the system does not tell."""
        status = Path(f"/proc/{self._process.pid}/status")
        found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
        return int(found[1]) if found else 0

    @property
    def open_files(self) -> int:
        """How many files and sockets it has open; 0 where the system does not tell."""
        files = Path(f"/proc/{self._process.pid}/fd")
        return len(os.listdir(files)) if files.exists() else 0

    def says(self, pattern: str) -> re.Match[str]:
        """Wait for a line with something in it."""
        found: list[re.Match[str]] = []

        def it_has() -> bool:
            found[:] = [match for line in list(self.lines) if (match := re.search(pattern, line))]
            assert found or self._process.poll() is None, f"it has ended: {self.lines}"
            return bool(found)

        await_that(it_has, lambda: f"{pattern!r} not in {self.lines}")
        return found[0]

    def ctl(self, *words: object) -> str:
        """Say something as the organiser; return the reply."""
        done = subprocess.run(
            [*PROGRAM, "ctl", "--socket", str(self._door), *map(str, words)],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.stdout + done.stderr

    def ends(self) -> int:
        """Wait for its end; return its exit code."""
        code = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code

    def clear(self) -> None:
        """End what is left of it."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._reader.join(PATIENCE_S)
        assert self._process.stderr is not None
        self._process.stderr.close()


@contextlib.contextmanager
def serving(directory: Path, *words: object, command: str = "serve") -> Iterator[Referee]:
    """Run a referee; it is killed at the end if it still runs."""
    referee = Referee(directory, *words, command=command)
    try:
        yield referee
    finally:
        referee.clear()


def run(directory: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command of the program to its end."""
    return subprocess.run(
        [*PROGRAM, *map(str, words)],
        cwd=directory,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def new_secrets(directory: Path, *names: str) -> dict[str, str]:
    """Make secrets in `secrets.txt` of a directory; return them by name."""
    return dict(line.split() for line in run(directory, "secret", "new", *names).stdout.splitlines())


def await_that(condition: Callable[[], bool], otherwise: Callable[[], str]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, otherwise()
        time.sleep(0.01)
