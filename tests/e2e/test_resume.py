"""Stopped and resumed as a user would do it: a full disk, Ctrl-C, two referees at once."""

import resource
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from referee.journal.reading import Reading
from referee.journal.schema import COMPLETE
from tests.e2e.conftest import PATIENCE_S, Play, Start
from tests.e2e.test_kill_and_resume import grown, guests, local

JOURNAL = "night.journal"
BEGUN = 250_000
"""Bytes of a log that holds more than the tables and the first round."""


def disk_of(blocks: int) -> Callable[[], None]:
    """Let a process write no file beyond so many KiB, as if the disk were full then; needs no rights."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (blocks * 1024, resource.RLIM_INFINITY))

    return limit


def swiss(journal: str, port: int) -> tuple[object, ...]:
    """Return the words for a small tournament that is served to four."""
    size = ("--tournament", "swiss", "--rounds", 2, "--deals", 4, "--table-size", 2)
    return ("serve", "--port", port, "--entrants", 4, *size, "--journal", journal)


def ending(journal: Path) -> str | None:
    """Return how the tournament of a journal ended, None while it goes on."""
    with closing(Reading.opened(journal)) as reading:
        return reading.ending


def test_a_full_disk_stops_a_local_tournament_and_room_lets_it_go_on(
    start: Start, play: Play, tmp_path: Path
) -> None:
    """Exit code 4 and what to do; still no room: 4 again; with room it goes on to its end."""
    codes, last = [], []
    for words in (local(JOURNAL, 1), ("resume", JOURNAL)):
        process = start(*words, preexec_fn=disk_of(230))
        _, err = process.communicate(timeout=PATIENCE_S)
        codes.append(process.returncode)
        last.append(err.splitlines()[-1])
    resumed = play("resume", JOURNAL)

    assert codes == [4, 4]
    for line in last:
        assert "the journal night.journal cannot be written" in line
        assert "make room, then go on by take5-referee resume night.journal" in line
    assert resumed.code == 0, resumed.err
    assert play("audit", JOURNAL).code == 0
    assert ending(tmp_path / JOURNAL) == COMPLETE


@pytest.mark.slow
def test_a_full_disk_stops_a_served_tournament_and_its_bots_come_back(
    start: Start, play: Play, tmp_path: Path, free_port: int
) -> None:
    """The connections just end; the bots try again by themselves and find the referee that goes on."""
    with guests(free_port, "abcd"):
        process = start(*swiss(JOURNAL, free_port), preexec_fn=disk_of(230))
        _, err = process.communicate(timeout=PATIENCE_S)
        resumed = play("resume", JOURNAL)

    assert process.returncode == 4
    assert "make room, then go on by take5-referee resume night.journal" in err.splitlines()[-1]
    assert resumed.code == 0, resumed.err
    assert ending(tmp_path / JOURNAL) == COMPLETE


def test_a_served_tournament_that_was_interrupted_finds_its_bots_again(
    start: Start, play: Play, tmp_path: Path, free_port: int
) -> None:
    """One plain file is left, the command to go on is printed; the bots were told to come back, and do."""
    with guests(free_port, "abcd"):
        process = start(*swiss(JOURNAL, free_port))
        assert grown(tmp_path / f"{JOURNAL}-wal", BEGUN, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
        left = sorted(path.name for path in tmp_path.glob(f"{JOURNAL}*"))
        resumed = play("resume", JOURNAL)

    assert process.returncode == 130
    assert "rank  name" in out
    assert f"to go on: take5-referee resume {JOURNAL}" in err.splitlines()
    assert left == [JOURNAL]
    assert resumed.code == 0, resumed.err
    assert ending(tmp_path / JOURNAL) == COMPLETE


@pytest.mark.slow
def test_a_port_that_was_chosen_by_the_system_is_kept(start: Start, tmp_path: Path) -> None:
    """With --port 0 the bots know only the port that it became: `resume` listens there again."""
    process = start(*swiss(JOURNAL, 0))
    port = port_of(process.stderr.readline())
    with guests(port, "abcd"):
        assert grown(tmp_path / f"{JOURNAL}-wal", BEGUN, process)
        process.kill()
        process.communicate()
        resumed = start("resume", JOURNAL)
        again = port_of(resumed.stderr.readline())
        _, err = resumed.communicate(timeout=PATIENCE_S)

    assert again == port
    assert resumed.returncode == 0, err


def port_of(line: str) -> int:
    """Return the port on which a referee says in its first line that it listens."""
    return int(line.split("port ")[1].split(",")[0])


@pytest.mark.slow
def test_two_resumes_at_once(start: Start, tmp_path: Path) -> None:
    """One goes on, the other is told, whichever was first; and the record is whole."""
    process = start(*local(JOURNAL, 2))
    assert grown(tmp_path / f"{JOURNAL}-wal", BEGUN, process)
    process.kill()
    process.communicate()
    both = [start("resume", JOURNAL) for _ in range(2)]
    ends = [(*process.communicate(timeout=PATIENCE_S), process.returncode) for process in both]

    assert sorted(code for *_, code in ends) == [0, 2]
    (refused,) = [err for _, err, code in ends if code == 2]
    assert "another referee is at work on this journal" in refused
    assert ending(tmp_path / JOURNAL) == COMPLETE
