"""`plot`: what it draws of journals and of standings in JSON, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from referee.journal.comparisons import evidence_of
from referee.journal.reading import Reading
from referee.tournament.ratings import ratings
from tests.cli.conftest import Outcome
from tests.journal.keeping import begin

Referee = Callable[..., Outcome]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a finished Swiss of nine, with a bot that never came."""
    path = tmp_path_factory.mktemp("finished") / "a.journal"
    begin(path, absent=["ida"]).play().close()
    return path


def written(path: Path) -> list[str]:
    """What is written in a picture."""
    return [one.text or "" for one in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_a_journal(referee: Referee, journal: Path, tmp_path: Path) -> None:
    """Everybody has a rating, to the point, and a bar, but the one that never came; there is a crosstable."""
    path = tmp_path / "a.svg"
    shown = referee("plot", journal, "-o", path)
    reading = Reading.opened(journal)
    rated = {name: elo for name, elo in ratings(evidence_of(reading)).items() if elo is not None}
    reading.close()
    found = written(path)

    assert shown == Outcome(code=0, out="", err="")
    assert found[:2] == ["Swiss of 9 bots", "3 rounds at tables of at most 4, classic, 16 games"]
    assert len(rated) == 8
    assert {f"{elo:.0f}" for elo in rated.values()} <= {
        words.split(" (")[0] for words in found if "(" in words
    }
    assert {"n/a", "Crosstable"} <= set(found)


def test_equal_standings_give_equal_bytes(referee: Referee, journal: Path, tmp_path: Path) -> None:
    """The bars follow from the journal alone."""
    for name in ("a", "b"):
        referee("plot", journal, "-o", tmp_path / name)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_tournament_that_runs(referee: Referee, tmp_path: Path) -> None:
    """Its title says that these are ratings so far, even before the first game has ended."""
    evening = begin(tmp_path / "a.journal").play(1)
    shown = referee("plot", tmp_path / "a.journal", "-o", tmp_path / "a.svg")
    evening.close()

    assert shown.code == 0
    assert written(tmp_path / "a.svg")[0] == "Swiss of 9 bots, so far"
    assert written(tmp_path / "a.svg").count("n/a") == 9


def test_standings_in_json(referee: Referee, journal: Path, tmp_path: Path) -> None:
    """Those that `standings` writes can be drawn, with all points they hold."""
    referee("standings", journal, "--format", "json", "--output", tmp_path / "a.json")
    rows = json.loads((tmp_path / "a.json").read_text())["standings"]
    shown = referee("plot", tmp_path / "a.json", "-o", tmp_path / "a.svg")

    assert shown == Outcome(code=0, out="", err="")
    assert {row["name"] for row in rows} < set(written(tmp_path / "a.svg"))


def standings(*rows: dict[str, Any]) -> str:
    """Standings in JSON."""
    tournament = {"kind": "swiss", "rounds": 1, "table_size": 2, "variant": "classic", "complete": True}
    return json.dumps({"format": 1, "tournament": tournament, "standings": rows})


ADA = {"name": "ada", "points_decimal": 1.5}
BOB = {"name": "bob", "points_decimal": 0.25}


def test_ratings_in_json_go_before_points(referee: Referee, tmp_path: Path) -> None:
    """A row without one is not available."""
    rated = {**ADA, "rating": {"elo": 12.3, "low": -45.6, "high": 78.9}}
    (tmp_path / "a.json").write_text(standings(rated, {**BOB, "rating": None}))
    referee("plot", tmp_path / "a.json", "-o", tmp_path / "a.svg")
    found = written(tmp_path / "a.svg")

    assert {"12 (-46 to 79)", "n/a", "rating in Elo points, with its 95 % bar; the mean is 0"} <= set(found)
    assert found[:2] == ["Swiss of 2 bots", "1 round at tables of at most 2, classic"]


def test_points_if_nobody_is_rated(referee: Referee, tmp_path: Path) -> None:
    """With two decimals, and an axis that says so."""
    unrated = {"elo": None, "low": None, "high": None}
    (tmp_path / "a.json").write_text(standings({**ADA, "rating": unrated}, BOB))
    referee("plot", tmp_path / "a.json", "-o", tmp_path / "a.svg")

    assert {"1.50", "0.25", "points"} <= set(written(tmp_path / "a.svg"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Dear referee,", "Expecting value: line 1 column 1 (char 0)"),
        ("[]", "it has another form"),
        ("[" * 100_000, "it has another form"),
        ('{"tournament": {}}', "there is no 'standings'"),
        (standings({"name": "ada"}), "there is no 'points_decimal'"),
        (standings({**ADA, "name": 7}), "7 stands where a word should"),
        (standings({**ADA, "points_decimal": True}), "True stands where a number should"),
        (standings({**ADA, "points_decimal": float("nan")}), "nan stands where a number should"),
        (standings({**ADA, "rating": {"elo": 1e300}}), "1e+300 stands where a number should"),
        (standings(ADA).replace('"rounds": 1', '"rounds": "1"'), "'1' stands where a whole number should"),
    ],
)
def test_what_is_no_standings(referee: Referee, tmp_path: Path, content: str, reason: str) -> None:
    """One sentence says why not and how to get some, and nothing is written."""
    (tmp_path / "a.json").write_text(content)

    assert referee("plot", tmp_path / "a.json", "-o", tmp_path / "a.svg") == Outcome(
        code=2,
        out="",
        err=f"take5-referee: {tmp_path / 'a.json'} is neither a journal nor standings in JSON ({reason}): "
        "write them with `standings JOURNAL --format json`.\n",
    )
    assert not (tmp_path / "a.svg").exists()


def test_files_that_cannot_be(referee: Referee, journal: Path, tmp_path: Path) -> None:
    """One that is not there, a directory to write to that is not there, and no place to write to at all."""
    missing, nowhere = tmp_path / "x", tmp_path / "y" / "a.svg"

    assert [
        referee("plot", missing, "-o", tmp_path / "a.svg"),
        referee("plot", journal, "-o", nowhere),
        referee("plot", journal),
    ] == [
        Outcome(code=2, out="", err=f"take5-referee: {sentence}\n")
        for sentence in (
            f"{missing} cannot be read: No such file or directory.",
            f"the output file {nowhere} cannot be written: No such file or directory.",
            "Missing option '-o' / '--output'.",
        )
    ]
