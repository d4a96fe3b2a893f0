"""The simpler ways of pairing that the benchmark sets beside ours are what it says they are."""

from fractions import Fraction

from benchmarks.pairing import ROUNDS, greedy, measure, naive, ours, table_lines
from referee.tournament.history import History

HISTORY = History(
    points={"a": Fraction(4), "b": Fraction(3), "c": Fraction(2), "d": Fraction(1), "e": Fraction(0)},
    meetings={frozenset("ab"): 1, frozenset("ac"): 1},
)


def test_naive_cutting_minds_no_repeats() -> None:
    """The standings a, b, c, d are cut in two, though a and b have met, and the last rests."""
    plan = naive(2, "edcba", HISTORY, 2)

    assert [table.entrants for table in plan.tables] == [("a", "b"), ("c", "d")]
    assert plan.byes == ("e",)


def test_the_greedy_walk_takes_the_next_who_is_new() -> None:
    """For a that is d, behind b and c; then b and c are left for each other."""
    plan = greedy(2, "edcba", HISTORY, 2)

    assert [table.entrants for table in plan.tables] == [("a", "d"), ("b", "c")]
    assert plan.byes == ("e",)


def test_the_greedy_walk_takes_the_next_where_nobody_is_new() -> None:
    """At tables of three a gets d and e; without them, b, whom it has met, and then c likewise."""
    assert [table.entrants for table in greedy(2, "abcde", HISTORY, 3).tables] == [
        ("a", "d", "e"),
        ("b", "c"),
    ]
    assert [table.entrants for table in greedy(2, "abc", HISTORY, 3).tables] == [("a", "b", "c")]


def test_what_is_counted() -> None:
    """Three who always meet, in three rounds: three pairs meet again twice."""
    figures = [measure(pairing, 3, 3, 3) for pairing in (ours, greedy, naive)]

    assert [one.repeats for one in figures] == [6, 6, 6]
    assert [len(one.seconds) for one in figures] == [3, 3, 3]


def test_the_table_has_a_line_for_each_size() -> None:
    """Two of headings, and one for tables of 2, 4, 5 and 10."""
    lines = list(table_lines([6], 1))

    assert len(lines) == 6
    assert [line.split(" | ")[:2] for line in lines[2:]] == [["| 6", size] for size in ("2", "4", "5", "10")]
    assert ROUNDS == 11
