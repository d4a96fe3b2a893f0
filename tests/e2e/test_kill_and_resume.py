"""`kill -9` of real referees with real bots: whatever the moment, what is resumed has the same record."""

import contextlib
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import PATIENCE_S, PROGRAM, SAMPLE_BOTS, Play, Start, environment

STEADY = next(path for path in SAMPLE_BOTS if path.stem == "steady")
JOURNAL = "night.journal"


def grown(log: Path, size: int, process: "subprocess.Popen[str]") -> bool:
    """Wait until the log of a journal has a size; say whether the process still runs."""
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            if log.stat().st_size >= size:
                return True
        assert time.monotonic() < deadline
        time.sleep(0.002)
    return False


def kill_until_done(
    start: Start, first: tuple[object, ...], directory: Path, rng: random.Random, most: int
) -> int:
    """Run a tournament, kill its referee at random moments, at most so often; return the kills."""
    words, log, kills = first, directory / f"{JOURNAL}-wal", 0
    while kills < most:
        process = start(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not grown(log, rng.randrange(150_000, 900_000), process):
            assert process.returncode == 0
            return kills
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        kills += 1
        words = ("resume", JOURNAL)
    process = start(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    # The rest of a long tournament, on a machine that may be busy.
    assert process.wait(6 * PATIENCE_S) == 0

    return kills


def record(play: Play, journal: str) -> str:
    """Return the canonical record that a journal holds, once it has passed its audit."""
    audited = play("audit", journal)

    assert audited.code == 0, audited.err

    return play("export", journal).out


def local(journal: str, games: int) -> tuple[object, ...]:
    """Return the words for a tournament of the sample bots."""
    return ("run-local", "--seed", "night", "--games", games, "--journal", journal, *SAMPLE_BOTS)


def test_a_local_tournament_killed_twice(start: Start, play: Play, tmp_path: Path) -> None:
    """Killed with all its bots, resumed, killed, resumed: the record is that of an undisturbed one."""
    assert play(*local("whole.journal", 3)).code == 0

    kills = kill_until_done(start, local(JOURNAL, 3), tmp_path, random.Random(1), 2)

    assert kills == 2
    assert record(play, JOURNAL) == record(play, "whole.journal")


@pytest.mark.slow
def test_a_large_local_tournament_killed_dozens_of_times(start: Start, play: Play, tmp_path: Path) -> None:
    """The same with 500 games and up to forty kills."""
    assert play(*local("whole.journal", 50)).code == 0

    kills = kill_until_done(start, local(JOURNAL, 50), tmp_path, random.Random(2), 40)

    assert kills >= 24
    assert record(play, JOURNAL) == record(play, "whole.journal")


@contextlib.contextmanager
def guests(port: int, names: str) -> Iterator[None]:
    """Let bots of this machine come by themselves, and come back by themselves."""
    bots = [
        subprocess.Popen(
            [STEADY],
            env=environment(
                TAKE5_HOST="127.0.0.1",
                TAKE5_PORT=str(port),
                TAKE5_NAME=name,
                TAKE5_SECRET=f"secret of {name}",
                PATH=f"{PROGRAM.parent}:/usr/bin:/bin",
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in names
    ]
    try:
        yield
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()


def served(journal: str, port: int, games: int) -> tuple[object, ...]:
    """Return the words for a tournament that is served to six."""
    swiss = ("--tournament", "swiss", "--rounds", 3, "--games", games, "--seed", "night")
    return ("serve", "--port", port, "--entrants", 6, *swiss, "--journal", journal)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("games", "most", "least"), [(4, 2, 2), pytest.param(60, 30, 24, marks=pytest.mark.slow)]
)
def test_a_served_tournament_killed_again_and_again(
    start: Start, play: Play, tmp_path: Path, free_port: int, games: int, most: int, least: int
) -> None:
    """The bots come back by themselves each time, and the record is that of the undisturbed tournament."""
    with guests(free_port, "abcdef"):
        assert play(*served("whole.journal", free_port, games)).code == 0
    with guests(free_port, "abcdef"):
        kills = kill_until_done(start, served(JOURNAL, free_port, games), tmp_path, random.Random(3), most)

    assert kills >= least
    assert record(play, JOURNAL) == record(play, "whole.journal")
