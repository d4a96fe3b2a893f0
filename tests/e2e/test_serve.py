"""Tournaments served to real processes, as an organiser and the authors of bots would run them."""

import contextlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.server.readers import available

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).parent / "take5-referee"
GUEST = ROOT / "tests" / "e2e" / "bots" / "guest.py"
SAMPLE_BOTS = ROOT / "sample_bots"

PATIENCE_S = 100
"""A bound that is only reached if something is wrong."""


def environment(**extra: str) -> dict[str, str]:
    """Return the environment without any settings of a referee or a bot."""
    return {key: value for key, value in os.environ.items() if not key.startswith("TAKE5_")} | extra


class Process:
    """A process and the lines that it writes on one of its streams, as they come."""

    def __init__(self, words: list[object], *, watch: str, **options: Any) -> None:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen([str(word) for word in words], text=True, **streams | options)
        self.lines: list[str] = []
        self._watched = getattr(self.process, watch)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._watched:
            self.lines.append(line.rstrip("\n"))

    def says(self, pattern: str, *, count: int = 1) -> re.Match[str]:
        """Wait for so many lines with something in them; return the last match."""
        found: list[re.Match[str]] = []

        def enough() -> bool:
            found[:] = [match for line in list(self.lines) if (match := re.search(pattern, line))]
            return len(found) >= count

        await_that(enough, lambda: f"{pattern!r} not in {self.lines}")
        return found[count - 1]

    def ends(self) -> int:
        """Wait for its end; return its exit code."""
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code

    def clear(self) -> None:
        """End what is left of it."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


class Referee(Process):
    """A referee that serves; its stderr is watched, its stdout is a file."""

    def __init__(self, directory: Path, *words: object, **options: Any) -> None:
        self.door = directory / "control.sock"
        self._printed = directory / "stdout"
        limits = ("--port", 0, "--control", self.door, "--move-timeout", "200ms", "--deals", 1)
        with self._printed.open("w") as stdout:
            super().__init__(
                [PROGRAM, "serve", *limits, *words],
                watch="stderr",
                **{"stdout": stdout, "cwd": directory, "env": environment(), **options},
            )
        self.port = int(self.says(r"bots connect by TCP to 127\.0\.0\.1, port (\d+), ")[1])

    @property
    def printed(self) -> str:
        """What it has written on stdout."""
        return self._printed.read_text()

    def ctl(self, *words: object) -> tuple[int, str]:
        """Say something by a second command; return its exit code and what it wrote."""
        done = subprocess.run(
            [PROGRAM, "ctl", "--socket", self.door, *map(str, words)],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.returncode, done.stdout + done.stderr


def await_that(condition: Callable[[], bool], otherwise: Callable[[], str]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, otherwise()
        time.sleep(0.01)


Start = Callable[..., Any]


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    """Keep a list of processes; what still runs at the end is killed."""
    started: list[Process] = []
    yield started
    for process in reversed(started):
        process.clear()


@pytest.fixture(params=available(), ids=lambda io: io.value)
def serve(request: pytest.FixtureRequest, processes: list[Process], tmp_path: Path) -> Start:
    """Start a referee; each test runs with every kind of I/O there is here."""

    def begin(*words: object, **options: Any) -> Referee:
        processes.append(Referee(tmp_path, "--io", request.param.value, *words, **options))
        return processes[-1]

    return begin


@pytest.fixture
def visit(processes: list[Process], tmp_path: Path) -> Start:
    """Start a bot in a terminal of its own, so to speak."""

    def begin(referee: Referee, name: str, *program: object) -> Process:
        env = environment(
            TAKE5_HOST="127.0.0.1",
            TAKE5_PORT=str(referee.port),
            TAKE5_NAME=name,
            TAKE5_SECRET=f"secret of {name}",
            PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        )
        processes.append(Process([sys.executable, *program], watch="stdout", env=env, cwd=tmp_path))
        return processes[-1]

    return begin


def closing(guest: Process) -> str:
    """Return the reason with which a guest was closed."""
    return json.loads(guest.lines[-1])["reason"]


# --- a whole tournament ------------------------------------------------------------------------------------


def test_a_swiss_with_all_that_happens_in_a_room(serve: Start, visit: Start, tmp_path: Path) -> None:
    """Of twelve two are killed and come back in mid-game, one is late, one leaves, one never answers.

    All that stayed have played three rounds; the late one two. The one that leaves after its first game is in
    round 2 as well if that has begun by then. During the registration a browser, a TLS client and somebody
    silent come to the port.
    """
    output = tmp_path / "standings.json"
    swiss = ("--tournament", "swiss", "--rounds", 3, "--strikes", 6, "--register-for", "10m")
    referee = serve(*swiss, "--format", "json", "--output", output, stdin=subprocess.PIPE)
    samples = [
        visit(referee, f"{path.stem}{copy}", path)
        for path, copy in [*((path, 1) for path in sorted(SAMPLE_BOTS.glob("*.py"))), *_two_more()]
    ]
    paced = {name: visit(referee, name, GUEST, "paced") for name in ("phoenix", "lazarus")}
    leaver, mute = visit(referee, "leaver", GUEST, "leaving"), visit(referee, "mute", GUEST, "silent")
    with contextlib.closing(socket.create_connection(("127.0.0.1", referee.port))):
        browser, tls = (
            _said_to(referee.port, b"GET / HTTP/1.1\r\n\r\n"),
            _said_to(referee.port, _client_hello()),
        )
        referee.says("; 11 here: ")
        status = referee.ctl("status")
        started = referee.ctl("start")

    assert b"This looks like HTTP" in browser
    assert b"This looks like TLS" in tls
    assert (0, "registration: 11 entrants are there") == (status[0], status[1].splitlines()[0])
    assert (0, "the tournament begins with 11 entrants\n") == started

    for name, guest in paced.items():
        guest.says('"choose_card"')
        guest.process.kill()
        paced[name] = visit(referee, name, GUEST, "paced")
    late = visit(referee, "late", GUEST, "paced")
    for guest in paced.values():
        game = json.loads(guest.says('"game_start"').string)

        assert game["resumed"]

    await_that(output.exists, lambda: "no standings after a round")
    between = json.loads(output.read_text())

    assert not between["tournament"]["complete"]
    assert None is between["tournament"]["seed"]

    assert 0 == referee.ends()
    report = json.loads(referee.printed)
    games = {row["name"]: row["games"] for row in report["standings"]}

    assert report == json.loads(output.read_text())
    assert report["tournament"]["complete"]
    assert "{" == referee.lines[referee.lines.index("round 1 is over") + 1]
    assert games.pop("leaver") in {1, 2}
    assert 2 == games.pop("late")
    assert (10, {3}) == (len(games), set(games.values()))
    assert [0] * 7 == [sample.ends() for sample in samples]
    guests = [*paced.values(), late, mute, leaver]
    assert [0] * 5 == [guest.ends() for guest in guests]
    assert ["finished"] * 4 + ["left"] == [closing(guest) for guest in guests]
    for guest in guests[:4]:
        assert "tournament_end" == json.loads(guest.lines[-2])["type"]
    assert not any("Traceback" in line for line in referee.lines)


def _two_more() -> Iterator[tuple[Path, int]]:
    yield SAMPLE_BOTS / "steady.py", 2
    yield SAMPLE_BOTS / "simple.py", 2


def _said_to(port: int, data: bytes) -> bytes:
    """Return what the referee says to somebody who says something else."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as stranger:
        stranger.sendall(data)
        return b"".join(iter(lambda: stranger.recv(4096), b""))


def _client_hello() -> bytes:
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="x")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


# --- the organiser's other ways ----------------------------------------------------------------------------


def test_the_end_of_input_starts_nothing_and_ctrl_c_before_the_start_ends_it(
    serve: Start, visit: Start
) -> None:
    """Two are there and stdin is at its end: still registration. Ctrl-C: they are told, exit code 130."""
    referee = serve("--register-for", "10m", stdin=subprocess.PIPE)
    referee.process.stdin.close()
    guests = [visit(referee, name, GUEST, "lowest") for name in ("ada", "bob")]
    for guest in guests:
        guest.says('"waiting"')
    referee.says("; 2 here: ada, bob")
    code, status = referee.ctl("status")
    referee.process.send_signal(signal.SIGINT)

    assert (0, "registration: 2 entrants are there") == (code, status.splitlines()[0])
    assert 130 == referee.ends()
    assert "" == referee.printed
    assert "interrupted: nothing has been played" == referee.lines[-1]
    assert [0, 0] == [guest.ends() for guest in guests]
    assert ["suspended"] * 2 == [closing(guest) for guest in guests]
    assert not referee.door.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_tournament_prints_what_there_is(
    serve: Start, visit: Start, number: signal.Signals
) -> None:
    """Standings so far on stdout, a sentence on stderr, bots told, exit code 130."""
    referee = serve("--entrants", 2, "--games", 1000, "--format", "json")
    guests = [visit(referee, name, GUEST, "paced") for name in ("ada", "bob")]
    for guest in guests:
        guest.says('"choose_card"')
    referee.process.send_signal(number)

    assert 130 == referee.ends()
    assert not json.loads(referee.printed)["tournament"]["complete"]
    assert "interrupted: these are the standings so far" == referee.lines[-1]
    assert [0, 0] == [guest.ends() for guest in guests]
    assert ["suspended"] * 2 == [closing(guest) for guest in guests]


def test_sigterm_lets_the_running_games_end(serve: Start, visit: Start) -> None:
    """Whatever began has ended, nothing began any more, and bots are told to come back."""
    referee = serve("--entrants", 2, "--games", 1000, "--format", "json", "--drain", "90s")
    guests = [visit(referee, name, GUEST, "paced") for name in ("ada", "bob")]
    for guest in guests:
        guest.says('"choose_card"')
    referee.process.send_signal(signal.SIGTERM)

    assert 130 == referee.ends()
    referee.says("stopping as soon as 1 running game ends, after 90 s at the latest; Ctrl-C stops at once")
    (games,) = {row["games"] for row in json.loads(referee.printed)["standings"]}
    for guest in guests:
        assert 0 == guest.ends()
        heard = [json.loads(line)["type"] for line in guest.lines]
        assert games == heard.count("game_start") == heard.count("game_end")
        assert "suspended" == closing(guest)


def test_a_tournament_that_ends_while_it_drains_is_the_last(serve: Start, visit: Start) -> None:
    """Also with --keep-serving: it is complete, nobody waits for a next one, and the exit code is 0."""
    referee = serve("--entrants", 2, "--keep-serving", "--format", "json", "--drain", "90s")
    guests = [visit(referee, name, GUEST, "paced") for name in ("ada", "bob")]
    for guest in guests:
        guest.says('"choose_card"')
    referee.process.send_signal(signal.SIGTERM)

    assert 0 == referee.ends()
    assert json.loads(referee.printed)["tournament"]["complete"]
    assert "waiting for the next tournament" not in referee.lines
    assert ["finished"] * 2 == [closing(guest) for guest in guests if guest.ends() == 0]


def test_a_reader_of_stderr_that_left_stops_nothing(serve: Start, visit: Start) -> None:
    """As in `take5-referee serve 2>&1 >standings | head -2`: it is played to its end all the same."""
    referee = serve("--entrants", 2)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, referee.process.stderr.fileno())
    os.close(nowhere)
    guests = [visit(referee, name, GUEST, "lowest") for name in ("ada", "bob")]

    assert [0, 0] == [guest.ends() for guest in guests]
    assert 0 == referee.process.wait(PATIENCE_S)
    assert "rank  name" in referee.printed


def test_what_is_typed_is_done_and_answered(serve: Start, visit: Start) -> None:
    """`start` with nobody there is refused; with two it begins, and the console shows the standings."""
    referee = serve("--register-for", "10m", "--games", 3, stdin=subprocess.PIPE)

    def type_in(line: str) -> None:
        referee.process.stdin.write(f"{line}\n")
        referee.process.stdin.flush()

    type_in("strat")
    referee.says("'strat' is no command; did you mean 'start'\\?")
    type_in("start")
    referee.says("no entrants are there; a tournament needs at least two")
    guests = [visit(referee, name, GUEST, "paced") for name in ("ada", "bob")]
    referee.says("; 2 here: ada, bob")
    type_in("start")
    referee.says("the tournament begins with 2 entrants")
    type_in("standings")
    referee.says(r"^ *1 +ada +")

    assert 0 == referee.ends()
    assert ["finished"] * 2 == [closing(guest) for guest in guests if guest.ends() == 0]


def test_two_tournaments_for_bots_that_come_back_at_once(serve: Start, visit: Start) -> None:
    """With --keep-serving: two complete reports with other seeds, on the same port; then Ctrl-C ends it."""
    referee = serve("--keep-serving", "--entrants", 2, "--format", "json", "--seed", "cup")
    guests = [visit(referee, name, GUEST, "returning") for name in ("ada", "bob")]
    referee.says("waiting for the next tournament", count=2)
    referee.process.send_signal(signal.SIGINT)
    code = referee.ends()
    first, rest = json.JSONDecoder().raw_decode(referee.printed)
    second, _ = json.JSONDecoder().raw_decode(referee.printed[rest:].lstrip())

    assert 130 == code
    assert [("cup", True), ("cup/2", True)] == [
        (report["tournament"]["seed"], report["tournament"]["complete"]) for report in (first, second)
    ]
    for guest in guests:
        assert 0 == guest.ends()
        heard = [json.loads(line)["type"] for line in guest.lines]
        assert heard.count("tournament_end") >= 2


def test_two_referees_do_not_get_in_each_others_way(serve: Start, tmp_path: Path) -> None:
    """The port of the first is refused to a second; its control socket too, though that one serves on."""
    first = serve("--register-for", "10m")
    second = subprocess.run(
        [PROGRAM, "serve", "--port", str(first.port)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    third = serve("--register-for", "10m")

    assert (1, "") == (second.returncode, second.stdout)
    assert second.stderr.endswith(
        "Address already in use; is another referee running? choose another --port.\n"
    )
    third.says("warning: .* another referee answers there; ctl will not work")
    first.process.send_signal(signal.SIGINT)
    assert 130 == first.ends()


def test_without_a_terminal_it_runs_by_its_options_alone(serve: Start, visit: Start, tmp_path: Path) -> None:
    """Without any stdin: two that come begin and end it."""
    referee = serve("--entrants", 2, stdin=None, preexec_fn=lambda: os.close(0))
    guests = [visit(referee, name, GUEST, "lowest") for name in ("ada", "bob")]

    assert 0 == referee.ends()
    assert ["finished"] * 2 == [closing(guest) for guest in guests if guest.ends() == 0]
    assert not any("Traceback" in line for line in referee.lines)


def test_what_passes_with_a_bot_is_written_down_where_wanted(
    serve: Start, visit: Start, tmp_path: Path
) -> None:
    """Of one bot, without its secret, from hello to closing."""
    referee = serve("--entrants", 2, "--trace", tmp_path / "trace", "--trace-bot", "ada")
    guests = [visit(referee, name, GUEST, "lowest") for name in ("ada", "bob")]

    assert [0, 0, 0] == [process.ends() for process in (referee, *guests)]
    lines = (tmp_path / "trace").read_text("utf-8").splitlines()
    kinds = [found[1] for line in lines if (found := re.search(r' s  ada#\d+ [<>] \{"type": "(\w+)"', line))]
    assert ("hello", "closing", 10) == (kinds[0], kinds[-1], kinds.count("card"))
    assert not any("bob#" in line or "secret of ada" in line for line in lines)
