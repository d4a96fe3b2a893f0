"""`simulate`: what it plays, prints and refuses."""

import json
from collections.abc import Callable

import attrs
import pytest

from referee.cli.planning import Shape
from referee.cli.simulate import Waiting, contenders
from referee.cli.trials import Simulation, Trial, lines
from referee.tournament.model import Kind
from referee.tournament.simulate import Agreement, Event, even_strengths, simulate
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]

EVENT = Event(kind=Kind.ROUND_ROBIN, table_size=4, rounds=None, deals=4)


def agreement(**changes: object) -> Agreement:
    """What came of four rounds of sixteen."""
    values = {"kendall_tau": 0.375, "tau_error": 0.05, "top_hit": 0.25, "rounds": 4, "games": 16}
    return Agreement(**(values | changes))


def test_the_figures_are_those_of_the_simulation(referee: Referee) -> None:
    """A game to 66 is taken as four deals at a table of four."""
    words = (
        "--repetitions",
        3,
        "--spread",
        3,
        "--games",
        2,
        "--rounds",
        5,
        "--seed",
        "a",
        "--format",
        "json",
    )
    shown = referee("simulate", 8, *words)
    found = simulate(
        even_strengths(8, spread=3), attrs.evolve(EVENT, rounds=5, games=2), repetitions=3, seed="a"
    )

    assert (shown.code, shown.err) == (0, "")
    assert json.loads(shown.out) == {
        "format": 1,
        "entrants": 8,
        "table_size": 4,
        "games": 2,
        "deals": 4,
        "spread": 3.0,
        "repetitions": 3,
        "seed": "a",
        "trials": [
            {
                "kind": "round-robin",
                "rounds": 5,
                "games": 20,
                "kendall_tau": round(found.kendall_tau, 4),
                "tau_error": round(found.tau_error, 4),
                "top_hit": round(found.top_hit, 4),
                "warning": None,
            }
        ],
    }


def test_formats_side_by_side(referee: Referee) -> None:
    """Both formats at four and at five rounds, the default of a Swiss of five and one cycle."""
    shown = referee("simulate", 5, "--compare-formats", "--table-size", 2, "--repetitions", 2, "--seed", "a")
    rows = [line.split() for line in shown.out.splitlines()[3:]]

    assert [(row[0], row[1], row[2]) for row in rows[:4]] == [
        ("round-robin", "4", "8"),
        ("swiss", "4", "8"),
        ("round-robin", "5", "10"),
        ("swiss", "5", "10"),
    ]


def test_rounds_to_compare() -> None:
    """Sixteen at tables of four: 4 is the default of a Swiss, 8 is twice that, and 15 are one cycle."""
    tried = [(one.kind, one.rounds) for one in contenders(EVENT, 16)]

    assert tried == [(kind, rounds) for rounds in (4, 8, 15) for kind in (Kind.ROUND_ROBIN, Kind.SWISS)]
    assert [one.rounds for one in contenders(attrs.evolve(EVENT, rounds=7), 16)] == [7, 7]


def test_the_lines_for_people() -> None:
    """The bar is 1.96 errors to each side, and of several warnings that for the fewest rounds is enough."""
    shape = Shape(entrants=16, kind=Kind.SWISS, table_size=4, rounds=None, seed="a")
    trials = [
        Trial.of(attrs.evolve(EVENT, kind=kind), 16, agreement(rounds=rounds))
        for rounds in (4, 8)
        for kind in (Kind.ROUND_ROBIN, Kind.SWISS)
    ]
    told = list(lines(Simulation(shape=shape, event=EVENT, spread=2.0, repetitions=10, trials=trials)))

    assert told[:2] == [
        "16 bots whose strengths spread by 2 bullheads a deal, at tables of at most 4,",
        "1 game of 4 deals a table, 10 tournaments each; seed a",
    ]
    assert told[3] == "round-robin       4     16       0.38   +/-0.10             25%"
    assert told[9:] == [
        "note: 4 rounds at tables of 4 are many for a Swiss of 16: "
        "a round-robin suits so small a field better"
    ]


def test_all_combinations_play_every_table_once(referee: Referee) -> None:
    """Five at tables of three can form ten tables; each has two games, so there are 20, in ten rounds."""
    words = ("--tournament", "all-combinations", "--table-size", 3, "--games", 2, "--repetitions", 1)
    shown = json.loads(referee("simulate", 5, *words, "--seed", "a", "--format", "json").out)
    (trial,) = shown["trials"]

    assert (trial["kind"], trial["rounds"], trial["games"]) == ("all-combinations", 10, 20)


def test_with_fewer_rounds_it_is_as_many_tables(referee: Referee) -> None:
    """Five at tables of three have one table a round."""
    words = ("--tournament", "all-combinations", "--table-size", 3, "--rounds", 4, "--repetitions", 1)
    shown = json.loads(referee("simulate", 5, *words, "--seed", "a", "--format", "json").out)

    assert [(trial["rounds"], trial["games"]) for trial in shown["trials"]] == [(4, 4)]


def test_the_columns_are_as_wide_as_the_longest_name_of_a_format() -> None:
    """The figures stand under their heads, also beside the sixteen letters of all-combinations."""
    shape = Shape(entrants=16, kind=Kind.ALL_COMBINATIONS, table_size=4, rounds=None, seed="a")
    trials = [
        Trial.of(attrs.evolve(EVENT, kind=kind), 16, agreement())
        for kind in (Kind.ALL_COMBINATIONS, Kind.SWISS)
    ]
    told = list(lines(Simulation(shape=shape, event=EVENT, spread=2.0, repetitions=10, trials=trials)))

    assert told[2:5] == [
        "format            rounds  games  agreement  95 % bar  strongest first",
        "all-combinations       4     16       0.38   +/-0.10             25%",
        "swiss                  4     16       0.38   +/-0.10             25%",
    ]


def test_one_repetition_has_no_bar(referee: Referee) -> None:
    """There is nothing to take it from."""
    shown = referee("simulate", 4, "--repetitions", 1, "--seed", "a")

    assert shown.out.splitlines()[3].split()[4] == "n/a"


def test_those_who_wait_are_told_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """At seconds 1, 2 and 3 of four: the second is worth a line; the third comes too soon after it."""
    times = iter([0.0, 1.0, 2.0, 3.0, 9.0])
    waiting = Waiting(4, lambda: next(times))
    for _ in range(4):
        waiting.played()

    assert capsys.readouterr().err == "2 of 4 tournaments played, about 2 s left\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((1,), "Invalid value for 'N': 1 is not in the range 2<=x<=1000."),
        (
            (1000, "--rounds", 4_001),
            "4,001 rounds of 1 game a table are 1,000,250 games, and 1,000,000 are the most of one "
            "tournament: ask for fewer --rounds or --games.",
        ),
        (
            (60, "--tournament", "all-combinations"),
            "all combinations are 487,635 games, which are too many: ask for --tournament round-robin.",
        ),
        ((9, "--spread", 0), "Invalid value for '--spread': 0.0 is not in the range 0<x<=20.0."),
        ((9, "--spread", "nan"), "Invalid value for '--spread': 'nan' is not in the range 0<x<=20.0."),
        ((9, "--repetitions", 0), "Invalid value for '--repetitions': 0 is not in the range 1<=x<=100000."),
    ],
)
def test_what_cannot_be_tried(referee: Referee, words: tuple[object, ...], sentence: str) -> None:
    """One sentence says what is possible."""
    assert referee("simulate", *words) == Outcome(code=2, out="", err=f"take5-referee: {sentence}\n")
