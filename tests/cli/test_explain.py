"""`explain`: why the rounds of a journal are as they are."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from referee.cli.reasons import round_json, round_lines
from referee.journal.reading import Reading
from referee.journal.scores import score_of
from referee.tournament.cost import Cost, cost
from referee.tournament.explain import Repeat, RoundReasons, SwapCost, TableReasons
from referee.tournament.history import History
from referee.tournament.model import Kind
from tests.cli.conftest import Outcome
from tests.journal.keeping import begin

Referee = Callable[..., Outcome]

SWAP = SwapCost(leaves="a", joins="c", table=2, repeats=2, small_tables=0, spread=Fraction(-5, 2), hands=1)
REASONS = RoundReasons(
    number=4,
    cost=Cost(
        sizes=0, byes=1, bye_points=Fraction(1), repeats=3, small_tables=1, spread=Fraction(5, 2), hands=6
    ),
    tables=(
        TableReasons(
            table=1,
            entrants=("a", "b\n"),
            points=(Fraction(1, 2), Fraction(1)),
            repeats=(Repeat(pair=("a", "b\n"), times=2),),
            byes=(0, 1),
            small_tables=(2, 0),
            swap=SWAP,
        ),
        TableReasons(
            table=2,
            entrants=("c", "d"),
            points=(Fraction(2), Fraction(2)),
            repeats=(),
            byes=(0, 0),
            small_tables=(0, 0),
            swap=None,
        ),
    ),
    byes=(("e", Fraction(1), 1),),
    notes=("round 4: e has another bye, since everybody has had one",),
)
"""A round by hand, in which a name would steer a terminal."""


@pytest.fixture(scope="module")
def swiss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a finished Swiss of nine at tables of two, five rounds, with a bot that never came."""
    path = tmp_path_factory.mktemp("swiss") / "a.journal"
    begin(path, absent=["ida"], table_size=2, rounds=5).play().close()
    return path


def test_the_lines_for_people() -> None:
    """Names are shown so that they cannot steer a terminal, and figures that do not change are left out."""
    assert list(round_lines(REASONS)) == [
        "round 4 costs repeats 3, small tables 1, squared points 5/2, seats repeated 6",
        "  round 4: e has another bye, since everybody has had one",
        "  table 1: a, b\\n",
        "    points        1/2 to 1 point",
        "    met before    a and b\\n 2 times",
        "    byes before   b\\n 1",
        "    small tables  a 2",
        "    best swap     a for c of table 2: repeats +2, squared points -5/2, seats repeated +1",
        "  table 2: c, d",
        "    points        2 points",
        "    met before    nobody",
        "    byes before   nobody",
        "    small tables  nobody",
        "    best swap     there is no other table",
        "  bye: e with 1 point, 1 bye before",
    ]


def test_the_same_in_json() -> None:
    """Fractions are exact, in words, and names are as they are."""
    shown = json.loads(json.dumps(round_json(REASONS)))

    assert shown["cost"] == {
        "sizes": 0,
        "byes": 1,
        "bye_points": "1",
        "repeats": 3,
        "small_tables": 1,
        "spread": "5/2",
        "hands": 6,
    }
    assert shown["tables"][0] == {
        "table": 1,
        "entrants": ["a", "b\n"],
        "points": {"least": "1/2", "most": "1"},
        "met_before": [{"pair": ["a", "b\n"], "times": 2}],
        "byes_before": [0, 1],
        "small_tables_before": [2, 0],
        "best_swap": {
            "leaves": "a",
            "joins": "c",
            "from_table": 2,
            "repeats": 2,
            "small_tables": 0,
            "spread": "-5/2",
            "hands": 1,
        },
    }
    assert shown["byes"] == [{"name": "e", "points": "1", "byes_before": 1}]


def test_every_round_of_a_swiss(referee: Referee, swiss: Path) -> None:
    """Each with the cost that it has after the rounds before it, byes included."""
    shown = referee("explain", swiss, "--format", "json")
    reading = Reading.opened(swiss)
    plans, scores = reading.plans(), [score_of(result) for result in reading.results()]
    reading.close()
    costs = [
        cost(plan, History.of(plans[: plan.number - 1], [one for one in scores if one.round < plan.number]))
        for plan in plans
    ]

    assert (shown.code, shown.err) == (0, "")
    assert [(one["round"], one["cost"]["spread"]) for one in json.loads(shown.out)["rounds"]] == [
        (number, str(found.spread)) for number, found in enumerate(costs, start=1)
    ]
    assert costs[-1].spread > 0
    assert [[bye["name"] for bye in one["byes"]] for one in json.loads(shown.out)["rounds"]] == [
        list(plan.byes) for plan in plans
    ]


def test_one_round_of_a_swiss(referee: Referee, swiss: Path) -> None:
    """Only that round is told, and everybody of it."""
    lines = referee("explain", swiss, 5).out.splitlines()

    assert lines[0].startswith("round 5 costs repeats 0, small tables 0, squared points ")
    assert sum(line.startswith("round ") for line in lines) == 1
    assert sum(line.startswith("    best swap ") for line in lines) == 4


def test_a_round_robin_that_runs(referee: Referee, tmp_path: Path) -> None:
    """Its schedule was fixed, and how even all of it is can be told before it has been planned."""
    path = tmp_path / "a.journal"
    begin(path, kind=Kind.ROUND_ROBIN, table_size=3, rounds=4).play(10).close()
    text = referee("explain", path, 1)

    assert text.code == 0
    assert text.out.splitlines() == [
        "the schedule was fixed from the start: 4 rounds that follow from the entrants, the table size "
        "and the seed, whatever the results",
        "meetings  pairs",
        "       1     36",
        "everybody: tables 4, byes 0, of the tables smaller than others 0",
    ]
    assert json.loads(referee("explain", path, "--format", "json").out) == {
        "format": 1,
        "fixed": True,
        "rounds": 4,
        "meetings": [{"times": 1, "pairs": 36}],
        "tables_each": {"least": 4, "most": 4},
        "byes_each": {"least": 0, "most": 0},
        "small_tables_each": {"least": 0, "most": 0},
    }


def test_no_such_round(referee: Referee, swiss: Path) -> None:
    """One sentence says which there are."""
    assert referee("explain", swiss, 6) == Outcome(
        code=2,
        out="",
        err="take5-referee: round 6 has not been planned, so there is nothing to explain: "
        "choose a round from 1 to 5.\n",
    )


def test_no_journal(referee: Referee, tmp_path: Path) -> None:
    """As with all that read journals."""
    assert referee("explain", tmp_path / "x") == Outcome(
        code=2, out="", err=f"take5-referee: there is no journal {tmp_path / 'x'}.\n"
    )
