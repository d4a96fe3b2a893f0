"""The journal from the command line: where it is made, and what `resume` says instead of going on."""

import datetime
import os
import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from referee.cli import journals
from referee.journal.errors import JournalFailed, JournalTaken, JournalUnusable
from referee.journal.journal import Journal
from referee.journal.place import Lock
from tests.cli.conftest import Outcome
from tests.journal.keeping import begin, setup

Referee = Callable[..., Outcome]
ROOT = Path(__file__).parents[2]
BOTS = (ROOT / "sample_bots" / "simple.py", ROOT / "sample_bots" / "greedy.py")


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def half_past_six(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it be half past six."""

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Clock":
            return cls(2026, 11, 30, 18, 30, 0, tzinfo=tz)

    monkeypatch.setattr(journals.datetime, "datetime", Clock)


def head() -> object:
    """Return the head of some tournament."""
    return setup().head("run-local", {"bots": [], "log_dir": None})


# --- names -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("half_past_six")
def test_names_of_one_moment() -> None:
    """Three referees that start in one second, one of them still at work, get three journals."""
    made = [journals.make(None, head()) for _ in range(2)]
    made[0].close()
    made.append(journals.make(None, head()))
    for journal in made:
        journal.close()

    assert [str(journal.path) for journal in made] == [
        "take5-2026-11-30-183000.journal",
        "take5-2026-11-30-183000-2.journal",
        "take5-2026-11-30-183000-3.journal",
    ]


@pytest.mark.usefixtures("half_past_six")
def test_a_name_that_another_referee_is_about_to_take() -> None:
    """It has the lock and not yet the file: the next name is taken."""
    with Lock(Path("take5-2026-11-30-183000.journal")):
        journal = journals.make(None, head())
        journal.close()

    assert str(journal.path) == "take5-2026-11-30-183000-2.journal"


def test_further_tournaments_of_one_referee_have_names_of_their_own() -> None:
    """The first has the name that was given, the others the next that is free: none ends the evening."""
    Path("club-2.db").touch()
    made = [journals.make(Path("club.db"), head(), number=number) for number in (1, 2, 3)]
    for journal in made:
        journal.close()

    assert [str(journal.path) for journal in made] == ["club.db", "club-3.db", "club-4.db"]


def test_a_name_that_was_given_is_taken_or_refused() -> None:
    """No other one is chosen instead."""
    Path("a.journal").touch()
    with pytest.raises(JournalTaken):
        journals.make(Path("a.journal"), head())

    assert os.listdir() == ["a.journal"]


@pytest.mark.parametrize("command", ["run-local", "serve"])
@pytest.mark.parametrize(
    ("name", "words"),
    [("there.journal", "there.journal is there already"), ("no/where.journal", "cannot be made: ")],
)
def test_a_journal_that_cannot_be_made_is_said_at_once(
    referee: Referee, command: str, name: str, words: str
) -> None:
    """Before any bot is started or let in: exit code 2, one sentence, and nothing is left."""
    Path("there.journal").touch()
    bots = BOTS if command == "run-local" else ()
    outcome = referee(command, "--journal", name, *bots)

    assert outcome.code == 2
    assert words in outcome.err.splitlines()[-1]
    assert "Traceback" not in outcome.err
    assert os.listdir() == ["there.journal"]


@pytest.mark.usefixtures("half_past_six")
def test_a_check_leaves_nothing_and_knows_better_than_to_insist() -> None:
    """Without a name, one that is taken by now is no obstacle."""
    journals.check(None)
    Path("take5-2026-11-30-183000.journal").touch()
    journals.check(None)
    with pytest.raises(click.UsageError, match="is there already"):
        journals.check(Path("take5-2026-11-30-183000.journal"))

    assert os.listdir() == ["take5-2026-11-30-183000.journal"]


@pytest.mark.parametrize("blocks", [0, 10, 40])
def test_no_room_for_a_journal(referee: Referee, blocks: int) -> None:
    """Nothing has begun yet, so it is exit code 2; the name stays free."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (blocks * 4096, before[1]))
    try:
        outcome = referee("run-local", "--journal", "a.journal", *BOTS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "a.journal cannot be" in outcome.err
    assert os.listdir() == []


def test_a_tournament_that_cannot_be_leaves_no_journal(
    referee: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too few files may be open for these bots: nothing was played, so nothing is kept."""
    monkeypatch.setattr("referee.cli.playing.allowed_descriptors", lambda: 3)
    outcome = referee("run-local", "--journal", "a.journal", *BOTS)

    assert outcome.code == 2
    assert "raise ulimit -n" in outcome.err
    assert os.listdir() == []


# --- errors ------------------------------------------------------------------------------------------------


def test_failures_are_found_in_groups_of_groups() -> None:
    """Nurseries wrap what happens in them: it is told as what it is, and the journal is let go."""
    journal = Journal.create(Path("a.journal"), head())
    inner = ExceptionGroup("tasks", [ValueError("x"), ExceptionGroup("more", [JournalFailed("full")])])
    with pytest.raises(journals.JournalStopped, match="full") as stopped, journals.closing(journal):
        raise inner
    with pytest.raises(click.UsageError, match="odd"), journals.stopping_well(lambda: None):
        raise ExceptionGroup("tasks", [JournalUnusable("odd")])

    assert stopped.value.exit_code == 4
    Journal.open(Path("a.journal")).close()


def test_other_errors_stay_what_they_are() -> None:
    """A bug of ours is no full disk; the journal is let go all the same."""
    journal = Journal.create(Path("a.journal"), head())
    journal.told("never", {})
    with pytest.raises(ZeroDivisionError), journals.closing(journal):
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt), journals.stopping_well(lambda: None):
        raise KeyboardInterrupt

    Journal.open(Path("a.journal")).close()


# --- resume ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def interrupted_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of nine bots, ada to ida, in the second round."""
    path = tmp_path_factory.mktemp("interrupted") / "a.journal"
    begin(path).play(30).director.journal.abandon()
    return path


@pytest.fixture
def interrupted(interrupted_file: Path, tmp_path: Path) -> Path:
    """A copy of it in the working directory."""
    shutil.copy(interrupted_file, tmp_path / "a.journal")
    return Path("a.journal")


def test_there_is_nothing_to_resume(referee: Referee) -> None:
    """Neither a file that is not there nor one that is something else."""
    Path("other").write_text("Dear diary")
    outcomes = [referee("resume", name) for name in ("nothing", "other", ".")]

    assert [outcome.code for outcome in outcomes] == [2, 2, 2]
    assert "there is no journal nothing" in outcomes[0].err
    assert "other" in outcomes[1].err
    assert all(outcome.err.count("\n") == 1 for outcome in outcomes)
    assert os.listdir() == ["other"]


def test_a_finished_tournament_says_so(referee: Referee, finished_journal: Path) -> None:
    """Nothing is wrong with that: exit code 0; and nothing is written."""
    before = finished_journal.read_bytes()
    outcome = referee("resume", finished_journal)

    assert outcome.code == 0
    assert outcome.out == ""
    assert "this tournament is over; take5-referee standings" in outcome.err
    assert finished_journal.read_bytes() == before


@pytest.fixture
def finished_journal(tmp_path: Path) -> Path:
    """The journal of a tournament that is over."""
    begin(tmp_path / "over.journal", ("ada", "bob"), rounds=1).play().close()
    return Path("over.journal")


@pytest.mark.parametrize("names", [("ada",), ("ada", "zoe"), tuple("abcdefghi")])
def test_other_bots_are_refused(referee: Referee, interrupted: Path, names: tuple[str, ...]) -> None:
    """All that take part are named; nothing is written."""
    before = interrupted.read_bytes()
    outcome = referee("resume", interrupted, *names)

    assert outcome.code == 2
    assert "is a tournament of ada, bob, cyd, dan, eve, fay, gus, hal, ida" in outcome.err
    assert interrupted.read_bytes() == before


def test_a_tournament_that_never_began(referee: Referee) -> None:
    """Killed between the making of the journal and the first round, or in the making: start a new one."""
    Journal.create(Path("head.journal"), head()).close()
    Path("empty.journal").touch()
    first, second = referee("resume", "head.journal"), referee("resume", "empty.journal")

    assert (first.code, second.code) == (2, 2)
    assert "head.journal was stopped before its tournament began; start a new one" in first.err
    assert "empty.journal" in second.err


def test_a_journal_in_use(referee: Referee, interrupted: Path) -> None:
    """Two resumes at once: the second is told, and the first is not disturbed."""
    with Lock(interrupted):
        outcome = referee("resume", interrupted)

    assert outcome.code == 2
    assert "another referee is at work on this journal" in outcome.err


def test_a_journal_of_an_unknown_command(referee: Referee, interrupted: Path) -> None:
    """What this program does not know how to go on with is left alone."""
    outcome = referee("resume", interrupted)

    assert outcome.code == 2
    assert "no command of this program is 'test'" in outcome.err
    assert sorted(os.listdir()) == ["a.journal"]


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_journal_is_one_sentence(referee: Referee, interrupted: Path, seed: int) -> None:
    """A page of noise, wherever it is: found by SQLite or by what does not fit, never a traceback."""
    rng, data = random.Random(seed), bytearray(interrupted.read_bytes())
    page = rng.randrange(1, len(data) // 4096)
    data[page * 4096 : (page + 1) * 4096] = rng.randbytes(4096)
    interrupted.write_bytes(data)
    outcome = referee("resume", interrupted)

    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "a.journal" in outcome.err
