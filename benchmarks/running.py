"""What the measurements share: compiled programs, servers and the load generator as processes."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from referee.server.readers import Io

HOME = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).resolve().parent / "load"
PATIENCE_S = 120.0
"""A process that takes longer for one measurement hangs."""

_COMPILE = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra")
_ENDING_S = 10.0


class BenchmarkError(Exception):
    """Something is missing or went wrong; the text is a sentence for people."""


@attrs.frozen(kw_only=True)
class Programs:
    """The compiled programs.

    Attributes:
        bots: The load generator.
        echo: The echo server on epoll.
    """

    bots: Path
    echo: Path


@attrs.frozen(kw_only=True)
class Workshop:
    """What a measurement works with.

    Attributes:
        programs: The compiled programs.
        directory: A place for its files, gone afterwards.
        quick: Whether to be short and rough.
        io: How the referee is to read connections.
    """

    programs: Programs
    directory: Path
    quick: bool
    io: Io

    def path(self, suffix: str) -> Path:
        """Return a name in the directory that is not taken yet."""
        handle, name = tempfile.mkstemp(suffix=suffix, dir=self.directory)
        os.close(handle)
        os.unlink(name)
        return Path(name)


@attrs.frozen(kw_only=True)
class Server:
    """A server that runs.

    Attributes:
        process: Its process.
        port: Where it listens on 127.0.0.1.
    """

    process: "subprocess.Popen[str]"
    port: int


def build(into: Path) -> Programs:
    """Compile the programs into a directory.

    Raises:
        BenchmarkError: There is no C compiler, or it fails.
    """
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise BenchmarkError("the load generator is written in C: install a C compiler (cc, gcc or clang)")
    made = Programs(bots=into / "bots", echo=into / "echo")
    for program, sources in (
        (made.bots, ("bots.c", "figures.c", "message.c", "queue.c")),
        (made.echo, ("echo.c",)),
    ):
        command = [compiler, *_COMPILE, "-o", str(program), *(str(SOURCES / name) for name in sources)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BenchmarkError(f"{compiler} cannot compile {program.name}: {done.stderr.strip()}")
    return made


@contextlib.contextmanager
def workshop(*, quick: bool, io: Io) -> Iterator[Workshop]:
    """Compile the programs, and give them and a directory for a while.

    Raises:
        BenchmarkError: They cannot be compiled.
    """
    with tempfile.TemporaryDirectory(prefix="take5-benchmark-") as name:
        yield Workshop(programs=build(Path(name)), directory=Path(name), quick=quick, io=io)


@contextlib.contextmanager
def referee(shop: Workshop, bots: int, **options: object) -> Iterator[Server]:
    """Run a referee that awaits so many bots; options as in `host.py`, with _ for -, True for a flag."""
    command = python("-m", "benchmarks.host", "--bots", bots)
    words = _as_words({"io": shop.io.value, "journal": shop.path(".journal"), **options})
    with server([*command, *words]) as running:
        yield running


def python(*words: object) -> list[str]:
    """Return the command that runs Python on a module or file of this repository."""
    return [sys.executable, "-P", *map(str, words)]


def environment() -> dict[str, str]:
    """Return an environment in which this repository is imported, whatever is installed."""
    return {**os.environ, "PYTHONPATH": str(HOME)}


@contextlib.contextmanager
def server(command: Sequence[object]) -> Iterator[Server]:
    """Run a server that prints its port, and end it by SIGTERM.

    Raises:
        BenchmarkError: It ends before that.
    """
    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
        process_group=0,  # Ctrl-C is for this process, which ends the others
    )
    assert process.stdout is not None
    try:
        port = process.stdout.readline()
        if not port:
            raise BenchmarkError(f"{command[0]} did not start")
        yield Server(process=process, port=int(port))
    finally:
        end(process)
        process.stdout.close()


def end(process: "subprocess.Popen[str]") -> None:
    """End a process by SIGTERM; do nothing if it has ended."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def generator(program: Path, running: Server, bots: int, **options: object) -> Iterator["Generator"]:
    """Run the load generator against a server; options as in `bots.c`, with _ for -, True for a flag."""
    command = [str(program), "--port", str(running.port), "--bots", str(bots), *_as_words(options)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    )
    watchdog = threading.Timer(PATIENCE_S, process.kill)
    watchdog.start()
    try:
        yield Generator(process, bots)
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def _as_words(options: Mapping[str, object]) -> list[str]:
    words = []
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


class Generator:
    """The load generator while it runs, as so many bots."""

    def __init__(self, process: "subprocess.Popen[str]", bots: int) -> None:
        self._process = process
        self._bots = bots

    def greeted(self) -> float:
        """Wait until all bots have been greeted; return the seconds that it took.

        Raises:
            BenchmarkError: Not all of them were.
        """
        said = self.line()
        if said["greeted"] != self._bots:
            raise BenchmarkError(f"only {said['greeted']} of {self._bots} bots were greeted")
        return float(said["seconds"])

    def line(self) -> dict[str, Any]:
        """Wait for what it says next, see `bots.c`.

        Raises:
            BenchmarkError: It said nothing more.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BenchmarkError("the load generator ended early, or had to be ended since nothing happened")
        said: dict[str, Any] = json.loads(line)
        return said


def load(program: Path, running: Server, bots: int, **options: object) -> dict[str, Any]:
    """Run the load generator to its end; return what it counted, in the window and in all.

    Raises:
        BenchmarkError: It could not play.
    """
    with generator(program, running, bots, **options) as made:
        made.greeted()
        return {**made.line(), **made.line()}
