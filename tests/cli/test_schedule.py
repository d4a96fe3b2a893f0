"""`schedule`: what it prints, and what it refuses."""

import json
from collections.abc import Callable
from itertools import combinations

import pytest

from referee.tournament.formats import make_format
from referee.tournament.history import History
from referee.tournament.model import Kind
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]


def test_three_at_tables_of_two(referee: Referee) -> None:
    """Three rounds of one table and a bye, and everybody meets everybody once."""
    shown = referee("schedule", 3, "--table-size", 2, "--seed", "a")
    lines = shown.out.splitlines()

    assert (shown.code, shown.err) == (0, "")
    assert lines[0] == "round-robin of 3 at tables of at most 2: 3 rounds, 3 tables; seed a"
    assert [line.split(":")[0] for line in lines[1:10]] == [
        part for number in (1, 2, 3) for part in (f"round {number}", "  table 1", "  bye")
    ]
    assert {line for line in lines if line.startswith("  bye")} == {"  bye: 1", "  bye: 2", "  bye: 3"}
    assert lines[10:] == [
        "meetings  pairs",
        "       1      3",
        "everybody: tables 2, byes 1, of the tables smaller than others 0",
    ]


def test_the_same_in_json(referee: Referee) -> None:
    """Nine at tables of three in four rounds: everybody meets everybody exactly once."""
    shown = json.loads(
        referee("schedule", 9, "--table-size", 3, "--rounds", 4, "--seed", "a", "--format", "json").out
    )

    assert [len(one["tables"]) for one in shown["rounds"]] == [3, 3, 3, 3]
    assert shown["meetings"] == [{"times": 1, "pairs": 36}]
    assert shown["tables_each"] == {"least": 4, "most": 4}
    assert (shown["format"], shown["kind"], shown["entrants"], shown["table_size"]) == (
        1,
        "round-robin",
        9,
        3,
    )


def test_all_combinations_of_five_at_tables_of_three(referee: Referee) -> None:
    """Ten tables, each once, one a round since two do not fit; each pair meets with each of three others."""
    words = ("--tournament", "all-combinations", "--table-size", 3, "--seed", "a", "--format", "json")
    shown = json.loads(referee("schedule", 5, *words).out)
    tables = [frozenset(table) for one in shown["rounds"] for table in one["tables"]]

    assert set(tables) == {frozenset(table) for table in combinations(range(1, 6), 3)}
    assert (len(tables), len(shown["rounds"])) == (10, 10)
    assert all(sorted(one["tables"][0] + one["byes"]) == [1, 2, 3, 4, 5] for one in shown["rounds"])
    assert shown["meetings"] == [{"times": 3, "pairs": 10}]
    assert (shown["tables_each"], shown["byes_each"]) == ({"least": 6, "most": 6}, {"least": 4, "most": 4})


def test_all_combinations_of_four_at_tables_of_two(referee: Referee) -> None:
    """The six pairs in three rounds of two tables, and nobody rests."""
    lines = referee(
        "schedule", 4, "--tournament", "all-combinations", "--table-size", 2, "--seed", "a"
    ).out.splitlines()
    pairs = {frozenset(line.split(": ")[1].split()) for line in lines if line.startswith("  table")}

    assert lines[0] == "all-combinations of 4 at tables of at most 2: 3 rounds, 6 tables; seed a"
    assert pairs == {frozenset(pair) for pair in combinations("1234", 2)}
    assert lines[-3:] == [
        "meetings  pairs",
        "       1      6",
        "everybody: tables 3, byes 0, of the tables smaller than others 0",
    ]


def test_it_is_the_schedule_of_a_tournament_with_that_seed(referee: Referee) -> None:
    """The numbers are those of ten bots in alphabetical order, 10 behind 9."""
    names = "abcdefghij"
    form = make_format(Kind.ROUND_ROBIN, names, table_size=4, rounds=None, seed="cup")
    shown = json.loads(referee("schedule", 10, "--seed", "cup", "--format", "json").out)

    assert [one["tables"] for one in shown["rounds"]] == [
        [[names.index(name) + 1 for name in table.entrants] for table in plan.tables]
        for plan in (
            form.plan(number, active=names, history=History()) for number in range(1, form.rounds + 1)
        )
    ]


def test_fewer_entrants_than_seats_sit_at_one_table(referee: Referee) -> None:
    """As in a tournament, no table has more seats than there are entrants; one round is one cycle."""
    lines = referee("schedule", 3, "--seed", "a").out.splitlines()

    assert lines[0] == "round-robin of 3 at tables of at most 3: 1 round, 1 table; seed a"


def test_a_seed_that_was_not_given_is_told(referee: Referee) -> None:
    """So that the schedule can be had again."""
    first = referee("schedule", 12)
    seed = first.out.splitlines()[0].rsplit(" ", 1)[1]

    assert referee("schedule", 12, "--seed", seed) == first


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((1, "--rounds", 3), "Invalid value for 'N': 1 is not in the range 2<=x<=1000."),
        ((9, "--table-size", 12), "Invalid value for '--table-size': 12 is not in the range 2<=x<=10."),
        (
            (9, "--tournament", "swiss"),
            "a Swiss has no schedule, since each round follows from the results before it: ask for a "
            "round-robin, or try a Swiss with `simulate`.",
        ),
        (
            (60, "--tournament", "all-combinations"),
            "all combinations of 60 entrants at tables of 4 are 487,635 tables, and 100,000 are the most: "
            "enter fewer, or play a round-robin of as many rounds as you like.",
        ),
        (
            (900, "--rounds", 90_000),
            "90,000 rounds of 225 tables are 20,250,000 tables, and 300,000 are the most: ask for "
            "--rounds 1333 or fewer.",
        ),
    ],
)
def test_what_there_is_no_schedule_for(referee: Referee, words: tuple[object, ...], sentence: str) -> None:
    """One sentence says what is possible."""
    assert referee("schedule", *words) == Outcome(code=2, out="", err=f"take5-referee: {sentence}\n")
