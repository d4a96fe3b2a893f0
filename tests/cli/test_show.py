"""What is shown around a tournament: its announcement, its evidence, and the output file on the way."""

import hashlib
from pathlib import Path

import pytest

from referee.cli import events
from referee.cli.exits import Failure
from referee.cli.options import Format, ReportOptions
from referee.cli.output import OutputFile
from referee.cli.progress import Look, Progress
from referee.cli.show import Show, announcement
from referee.director import Director
from referee.play.clock import ClockRules
from referee.rules.variants import Rules
from referee.server.news import Joined, RoundOver
from referee.setup import TournamentSetup
from referee.tournament.model import Kind
from tests.notes import begun

NONCE = bytes(range(32))
SETUP = TournamentSetup(
    kind=Kind.ROUND_ROBIN,
    table_size=2,
    rounds=None,
    games=1,
    rules=Rules(jumping_cow=True),
    clock=ClockRules(move_ns=10**9),
    seed="abc",
    nonce=NONCE,
)
ROUND_OVER = RoundOver(number=1)


class Recording(Progress):
    """Keeps what it is to say."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def open(self, look: Look) -> None:
        """Do nothing."""

    def news(self, items: object) -> None:
        """Do nothing."""

    def tick(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def say(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)


def opened(path: Path, progress: Progress) -> tuple[Show, Director]:
    """Return a show of a tournament of two that has just begun, writing to a file."""
    report = ReportOptions(format=Format.TEXT, output=path, quiet=False)
    show, director = Show(report, OutputFile(path), progress), begun(SETUP, ["a", "b"])
    show.open(director, lambda: 0)
    return show, director


def test_the_announcement_says_what_comes_and_binds_the_seed() -> None:
    """Games and time come first, then what proves later that the seed was chosen before the first deal."""
    lines = announcement(begun(SETUP, ["a", "b", "c"]))

    assert lines[0] == (
        "3 bots, round-robin, classic with the jumping cow, tables of up to 2: 3 games in 3 rounds"
    )
    assert lines[1].startswith("this takes about ")
    assert lines[2] == f"commitment to the seed: {hashlib.sha256(NONCE + b'abc').hexdigest()}"


def test_the_evidence_of_an_unfinished_tournament_says_so() -> None:
    """Seed and nonce belong to the commitment, and a digest of some of the games is called one."""
    director = begun(SETUP, ["a", "b"])

    assert list(events.evidence(director).lines) == [
        "seed abc (--seed deals the same cards again)",
        f"nonce {NONCE.hex()} (the commitment is the SHA-256 of its 32 bytes and the seed)",
        f"record digest of the 0 games that were finished {hashlib.sha256(b'').hexdigest()}",
    ]


def test_the_output_file_is_written_after_each_round(tmp_path: Path) -> None:
    """Other news leave it alone."""
    path = tmp_path / "standings.txt"
    show, _ = opened(path, Recording())
    show.news([Joined(entrant="a", address="x", client="y")])
    existed = path.exists()
    show.news([ROUND_OVER])

    assert not existed
    assert path.read_text().splitlines()[1].startswith("rank  name")


def test_ratings_come_with_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a round there are none; at the end there are, in the file too."""
    path = tmp_path / "standings.txt"
    show, _ = opened(path, Recording())
    show.news([ROUND_OVER])
    early = path.read_text()
    show.standings()

    assert "ratings" not in early
    assert "ratings: Elo points" in capsys.readouterr().out
    assert "ratings: Elo points" in path.read_text()


def test_an_output_file_that_fails_on_the_way_is_told_once_and_tried_again(tmp_path: Path) -> None:
    """A full disk does not stop the tournament; once there is room, the file is right."""
    place = tmp_path / "place"
    place.mkdir()
    progress = Recording()
    show, _ = opened(place / "standings.txt", progress)
    said = len(progress.lines)
    place.rename(tmp_path / "elsewhere")
    show.news([ROUND_OVER])
    show.news([ROUND_OVER])
    place.mkdir()
    show.news([ROUND_OVER])

    assert progress.lines[said:] == [
        f"the output file {place / 'standings.txt'} cannot be written: No such file or directory; "
        "trying again after the next round"
    ]
    assert (place / "standings.txt").exists()


def test_an_output_file_that_fails_at_the_end_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The standings have been printed by then, so nothing is lost, but the exit code tells."""
    place = tmp_path / "place"
    place.mkdir()
    show, _ = opened(place / "standings.txt", Recording())
    place.rmdir()
    with pytest.raises(Failure, match="cannot be written: No such file or directory"):
        show.standings()

    assert capsys.readouterr().out.splitlines()[1].startswith("rank  name")
