"""The commands that read a journal: what they print, and how they end."""

import contextlib
import csv
import io
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.parts import ClosedBecause
from referee.cli import audit, replay
from referee.cli.boards import deal_lines, ending_lines, trick_lines
from referee.exporting import record
from referee.journal.reading import Reading
from referee.play.clock import ClockRules
from referee.play.names import GameId
from referee.play.steps import Account, Decision, Step
from referee.play.table import TableSetup
from referee.replaying import course
from referee.rules.variants import Rules
from tests.cli.conftest import Outcome
from tests.journal.keeping import begin

Referee = Callable[..., Outcome]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a finished Swiss of nine, with a bot that never came."""
    path = tmp_path_factory.mktemp("finished") / "a.journal"
    begin(path, absent=["ida"]).play().director.journal.close()
    return path


@pytest.fixture
def damaged(journal: Path, tmp_path: Path) -> Path:
    """A copy of it in which the best has one more point."""
    path = tmp_path / "b.journal"
    shutil.copy(journal, path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE standings SET points = '99' WHERE rank = 1")
    return path


# --- standings ---------------------------------------------------------------------------------------------


def test_standings_in_all_formats(referee: Referee, journal: Path) -> None:
    """They have the lines and numbers of those a referee prints at the end."""
    text, markdown = referee("standings", journal), referee("standings", "--format", "markdown", journal)
    as_json = json.loads(referee("standings", journal, "--format", "json").out)
    as_csv = list(csv.DictReader(io.StringIO(referee("standings", journal, "--format", "csv").out)))

    assert (text.code, text.err, len(text.out.splitlines())) == (0, "", 26)
    assert markdown.out.startswith("| rank | name |")
    assert "ratings: Elo points, the mean is 0; from 16 games" in text.out
    assert len(as_json["neighbours"]) == 8
    assert [row["name"] for row in as_csv] == [row["name"] for row in as_json["standings"]]
    assert (as_json["tournament"]["complete"], as_json["tournament"]["seed"]) == (True, "journal")


def test_ratings_can_be_anchored(referee: Referee, journal: Path) -> None:
    """The anchor has 0; the difference of two ratings is the same as without."""
    words = ("standings", journal, "--format", "json")
    free, anchored = (json.loads(referee(*words, *more).out) for more in ((), ("--anchor", "bob")))
    elo = [
        {row["name"]: row["rating"]["elo"] for row in shown["standings"] if row["rating"]}
        for shown in (free, anchored)
    ]

    assert (None, "bob", 0.0) == (free["ratings"]["anchor"], anchored["ratings"]["anchor"], elo[1]["bob"])
    assert abs(elo[0]["ada"] - elo[0]["bob"] - elo[1]["ada"]) < 0.2
    assert [None, None] == [
        row["rating"] for shown in (free, anchored) for row in shown["standings"] if row["name"] == "ida"
    ]


def test_an_anchor_that_does_not_take_part(referee: Referee, journal: Path) -> None:
    """It is refused, with the name that was probably meant."""
    refused = referee("standings", journal, "--anchor", "bobby")

    assert (2, "") == (refused.code, refused.out)
    assert "--anchor bobby: nobody of that name takes part; did you mean bob?" in refused.err


def test_standings_while_the_tournament_runs(referee: Referee, tmp_path: Path) -> None:
    """They are those so far, and give no seed away."""
    path = tmp_path / "a.journal"
    evening = begin(path).play(40)

    shown = json.loads(referee("standings", "--format", "json", path).out)

    assert (shown["tournament"]["complete"], shown["tournament"]["seed"]) == (False, None)
    assert [row["points"] for row in shown["standings"]] == [
        str(row.points) for row in evening.director.rows()
    ]
    evening.director.journal.close()


def test_standings_from_another_terminal(tmp_path: Path) -> None:
    """Another process reads what this one is writing, and this one goes on."""
    path = tmp_path / "a.journal"
    evening = begin(path).play(40)
    script = "import sys; from referee.cli.main import run; sys.exit(run(sys.argv[1:]))"
    words = [sys.executable, "-c", script, "standings", "--format", "json", str(path)]

    shown = subprocess.run(words, capture_output=True, text=True, check=True)

    assert [row["points"] for row in json.loads(shown.stdout)["standings"]] == [
        str(row.points) for row in evening.director.rows()
    ]
    evening.play().close()


def test_standings_into_a_file(referee: Referee, journal: Path, tmp_path: Path) -> None:
    """Nothing is printed then."""
    shown = referee("standings", journal, "--output", tmp_path / "out.txt")

    assert (shown.code, shown.out) == (0, "")
    assert (tmp_path / "out.txt").read_text() == referee("standings", journal).out


@pytest.mark.parametrize("command", ["standings", "list", "export", "audit"])
def test_no_usable_journal(referee: Referee, tmp_path: Path, command: str) -> None:
    """A file that is not there, or is something else, is wrong usage: one sentence, exit code 2."""
    letter = tmp_path / "letter"
    letter.write_text("Dear referee," * 100)

    assert referee(command, tmp_path / "x") == Outcome(
        code=2, out="", err=f"take5-referee: there is no journal {tmp_path / 'x'}.\n"
    )
    assert referee(command, letter).code == 2
    assert referee(command, letter).err.count("\n") == 1


# --- list --------------------------------------------------------------------------------------------------


def test_list_names_rounds_tables_and_games(referee: Referee, journal: Path) -> None:
    """Nine sit at three tables; games have the names that `replay` takes."""
    lines = referee("list", journal).out.splitlines()

    assert lines[:2] == ["swiss of 3 rounds, classic: complete", "round 1: 6 done"]
    assert lines[2].startswith("  table 1: ")
    assert lines[3].startswith("    r1t1g1 done: ")
    assert [line for line in lines if not line.startswith(" ")][1:] == [
        "round 1: 6 done",
        "round 2: 6 done",
        "round 3: 4 done",
    ]


def test_list_of_one_round_or_of_rounds_only(referee: Referee, journal: Path) -> None:
    """For large tournaments."""
    one, short = referee("list", "--round", 2, journal), referee("list", "--short", journal)

    assert one.out.startswith("round 2: 6 done\n  table 1: ")
    assert len(short.out.splitlines()) == 4


def test_list_of_a_round_that_is_not_planned(referee: Referee, journal: Path) -> None:
    """It says so."""
    shown = referee("list", "--round", 9, journal)

    assert (shown.code, shown.out) == (2, "")
    assert shown.err == "take5-referee: round 9 has not been planned, so there is nothing to list of it.\n"


# --- audit -------------------------------------------------------------------------------------------------


def test_audit_says_what_it_checked(referee: Referee, journal: Path) -> None:
    """In numbers."""
    shown = referee("audit", journal)

    assert (shown.code, shown.err) == (0, "")
    assert "games          16, replayed" in shown.out
    assert shown.out.endswith("\nthe audit found nothing wrong\n")


def test_audit_tells_those_who_wait(referee: Referee, journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal, a large journal shows how far it is."""
    monkeypatch.setattr(audit, "_TOLD_EVERY", 10)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    assert referee("audit", journal).err.startswith("10 games, now r")


def test_audit_names_what_is_wrong(referee: Referee, damaged: Path) -> None:
    """One sentence, exit code 1."""
    shown = referee("audit", damaged)

    assert (shown.code, shown.out) == (1, "")
    assert "in the standings: points is '99', and should be '" in shown.err


# --- export ------------------------------------------------------------------------------------------------


def test_export_is_the_record(referee: Referee, journal: Path, tmp_path: Path) -> None:
    """The same bytes on stdout and in a file."""
    reading = Reading.opened(journal)
    lines = b"".join(record(reading))
    reading.close()
    out = tmp_path / "out.ndjson"

    assert referee("export", journal).out.encode() == lines
    assert referee("export", journal, "--output", out) == Outcome(code=0, out="", err="")
    assert out.read_bytes() == lines


def test_export_as_csv(referee: Referee, journal: Path) -> None:
    """A line for each of the 42 seats of the sixteen games, or for each decision."""
    seats = list(csv.DictReader(io.StringIO(referee("export", "--format", "csv", journal).out)))
    choices = list(
        csv.DictReader(io.StringIO(referee("export", "--format", "csv", "--decisions", journal).out))
    )

    assert len(seats) == 2 * (9 + 9 + 8)
    assert len(choices) > 20 * len(seats)
    assert set(choices[0]) >= {"game", "deal", "trick", "name", "choice", "reason", "took_ms"}


def test_export_of_everything(referee: Referee, journal: Path) -> None:
    """Each line is JSON, and says what it is."""
    events = {json.loads(line)["event"] for line in referee("export", "--all", journal).out.splitlines()}

    assert {"tournament", "status", "game", "fault", "tournament_ended"} <= events


@pytest.mark.parametrize("words", [["--all", "--format", "csv"], ["--decisions"]])
def test_export_options_that_do_not_fit(referee: Referee, journal: Path, words: list[str]) -> None:
    """Each belongs to one format."""
    shown = referee("export", *words, journal)

    assert (shown.code, shown.out) == (2, "")
    assert "belongs to" in shown.err


# --- replay ------------------------------------------------------------------------------------------------


def test_replay_shows_all_tricks(referee: Referee, journal: Path) -> None:
    """Two deals of ten tricks, and how it ended."""
    shown = referee("replay", journal, "r1t1g1")
    lines = shown.out.splitlines()

    assert (shown.code, shown.err) == (0, "")
    assert lines[0] == "game r1t1g1: round 1, table 1, game 1; classic, deals: 2"
    assert [line for line in lines if line.startswith("deal ")] == ["deal 1", "deal 2"]
    assert [line for line in lines if line.startswith("trick ")] == [f"trick {n}" for n in range(1, 11)] * 2
    assert lines[-1].startswith("digest ")


def test_replay_of_a_deal_and_a_trick(referee: Referee, journal: Path) -> None:
    """One trick is shown with the rows before it."""
    shown = referee("replay", journal, "r1t1g1", "--deal", 2, "--trick", 3).out

    assert "deal 2, before trick 3\n  row 0 |" in shown
    assert shown.count("\ntrick ") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["r1t1g9"],
            "no game 'r1t1g9' has begun; `take5-referee list JOURNAL` names all; did you mean r1t1g2?",
        ),
        (["nonsense"], "no game 'nonsense' has begun; `take5-referee list JOURNAL` names all."),
        (["r1t1g1", "--deal", 3], "game r1t1g1 has no such deal or trick: it has come to deal 2, trick 10."),
        (["r1t1g1", "--step"], "--step waits for keys, so it needs a terminal; leave it out."),
    ],
)
def test_replay_of_what_is_not_there(
    referee: Referee, journal: Path, words: list[object], sentence: str
) -> None:
    """One sentence that says what to do."""
    shown = referee("replay", journal, *words)

    assert (shown.code, shown.out, shown.err) == (2, "", f"take5-referee: {sentence}\n")


@pytest.mark.parametrize(("keys", "tricks"), [("q", 1), ("  q", 3), (" " * 19, 20)])
def test_replay_step_by_step(
    referee: Referee, journal: Path, monkeypatch: pytest.MonkeyPatch, keys: str, tricks: int
) -> None:
    """A key shows the next trick; q ends it there."""
    pressed = iter(keys)
    monkeypatch.setattr(replay, "_is_terminal", lambda: True)
    monkeypatch.setattr("click.getchar", lambda: next(pressed))

    shown = referee("replay", journal, "r1t1g1", "--step")

    assert shown.out.count("\ntrick ") == tricks
    assert ("\nplaces" in shown.out) == (tricks == 20)


def test_a_trick_is_drawn() -> None:
    """Two seats, made by hand: the 9 is too low and takes row 1, whose 55 costs 7; its bot was late."""
    deck = (9, *range(20, 29), 60, *range(70, 79), 50, 55, 30, 40)
    setup = TableSetup(
        game=GameId(round=1, table=1, deal_set=1, game=1),
        names=("ada", "bo"),
        rules=Rules(target=None, deals=1),
        clock=ClockRules(move_ns=1, strikes=0),
        decks=lambda deal: deck,
        bot_seed=lambda entrant, decision: 0,
    )
    accounts = (Account(bank_ns=0), Account(bank_ns=0))
    cards = (
        Decision(seat=0, choice=9, reason=ClosedBecause.ANSWERED, took_ns=1_260_000),
        Decision(seat=1, choice=60, reason=ClosedBecause.ANSWERED, took_ns=12_340_000),
    )
    row = (Decision(seat=0, choice=1, reason=ClosedBecause.LATE, took_ns=None),)
    told = course(setup, [Step(decisions=cards, accounts=accounts), Step(decisions=row, accounts=accounts)])

    assert deal_lines(told.deals[0], setup.names) == [
        "",
        "deal 1",
        "  ada    9  20  21  22  23  24  25  26  27  28",
        "  bo    60  70  71  72  73  74  75  76  77  78",
        "  row 0 | 50                     |  3",
        "  row 1 | 55                     |  7",
        "  row 2 | 30                     |  3",
        "  row 3 | 40                     |  3",
    ]
    assert trick_lines(told.deals[0].tricks[0], setup.names) == [
        "",
        "trick 1",
        "  ada   9    1.3 ms  too low: chooses row 1 (default: late), takes 55 of row 1 for 7 bullheads",
        "  bo   60   12.3 ms  to row 0",
        "  row 0 | 50  60                 |  6",
        "  row 1 |  9                     |  1",
        "  row 2 | 30                     |  3",
        "  row 3 | 40                     |  3",
    ]
    assert ending_lines(told) == ["", "the game is not over"]
