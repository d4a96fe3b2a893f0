"""The standings, and their JSON form."""

import json
import pickle
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.latency import Latency
from referee.tournament.model import Kind, TournamentError
from referee.tournament.report import TournamentFacts, to_json
from referee.tournament.standings import Standings, StandingsRow
from referee.tournament.tiebreaks import TieBreaks
from tests.tournament.played import game, names, plan, results, seat


def test_everybody_shows_from_the_start() -> None:
    """Before the first game all share the first rank with nothing, in the order of their names."""
    rows = Standings(["b", "a"], games=1).rows()

    expected = StandingsRow(
        rank=1,
        name="a",
        points=Fraction(0),
        games=0,
        deals=0,
        wins=0,
        bullheads=0,
        bullheads_per_deal=None,
        faults={},
        latency=None,
    )
    assert (expected, attrs.evolve(expected, name="b")) == rows


def test_equal_points_share_a_rank_and_the_next_is_skipped() -> None:
    """A table of four with a tie for second place is ranked 1, 2, 2, 4."""
    standings = Standings("dcba", games=1)
    standings.add(game(1, 1, seat("a", 1), seat("c", 5), seat("b", 5), seat("d", 9)))

    assert [(1, "a"), (2, "b"), (2, "c"), (4, "d")] == [(row.rank, row.name) for row in standings.rows()]


def test_a_row_counts_games_deals_wins_and_bullheads() -> None:
    """Two games of 2 and 1 deals with 3 + 4 and 8 bullheads: 15 in 3 deals, one win, half the points."""
    standings = Standings("ab", games=2)
    standings.add(game(1, 1, seat("a", 3, 4), seat("b", 9, 9)))
    standings.add(game(1, 1, seat("a", 8), seat("b", 1), game=2))

    first = standings.rows()[0]
    assert ("a", Fraction(1, 2), 2, 3, 1, 15, Fraction(5)) == (
        first.name,
        first.points,
        first.games,
        first.deals,
        first.wins,
        first.bullheads,
        first.bullheads_per_deal,
    )


def test_a_forfeit_keeps_its_bullheads_and_a_no_show_has_nothing() -> None:
    """The forfeited seat's game, deals and bullheads count; the absent seat's do not."""
    standings = Standings("abc", games=1)
    standings.add(game(1, 1, seat("a", 1), seat("b", 30, forfeited=True), seat("c", 20, no_show=True)))
    rows = {row.name: row for row in standings.rows()}

    assert (1, 1, 30, Fraction(0)) == (
        rows["b"].games,
        rows["b"].deals,
        rows["b"].bullheads,
        rows["b"].points,
    )
    assert (0, 0, 0, None) == (
        rows["c"].games,
        rows["c"].deals,
        rows["c"].bullheads,
        rows["c"].bullheads_per_deal,
    )


def test_byes_faults_and_answer_times_are_added_up() -> None:
    """A bye is half a point without a game; faults add up by kind, without kinds that never occurred."""
    standings = Standings("a", games=1)
    standings.add_bye(1, "a")
    standings.add_faults("a", {"late": 1, "illegal": 0})
    standings.add_faults("a", {"late": 2, "gone": 1})
    standings.add_latencies("a", [5.0, 5.0])

    row = standings.rows()[0]
    assert (Fraction(1, 2), 0, {"gone": 1, "late": 3}, Latency(p50=5.0, p95=5.0, max=5.0)) == (
        row.points,
        row.games,
        row.faults,
        row.latency,
    )


def test_a_stranger_in_a_game_is_refused_and_nothing_is_entered() -> None:
    """A score that names somebody who was never enrolled leaves the standings as they were."""
    standings = Standings("a", games=1)
    before = standings.rows()
    with pytest.raises(TournamentError, match="x does not take part"):
        standings.add(game(1, 1, seat("a", 1), seat("x", 2)))

    assert before == standings.rows()


def test_a_late_entrant_starts_at_zero_and_enrolling_again_changes_nothing() -> None:
    """Enrolment in the middle adds a row; a second enrolment keeps the points.

    The late one is above the loser, whose bullhead margin of -1/2 is worse than none.
    """
    standings = Standings("ab", games=1)
    standings.add(game(1, 1, seat("a", 1), seat("b", 2)))
    standings.enrol("c")
    standings.enrol("a")

    assert [("a", 1), ("c", 0), ("b", 0)] == [(row.name, row.points) for row in standings.rows()]


@given(st.permutations(range(6)))
def test_the_order_in_which_games_end_makes_no_difference(order: list[int]) -> None:
    """Two rounds of three tables give the same rows in whatever order the games come in."""
    first = plan(1, names(8)[:3], names(8)[3:6], names(8)[6:])
    second = plan(2, names(8)[::3], names(8)[1::3], names(8)[2::3])
    scores = [*results(first), *results(second)]
    inverse, straight = Standings(names(8), games=1), Standings(names(8), games=1)
    for place in order:
        inverse.add(scores[place])
    for score in scores:
        straight.add(score)

    assert straight.rows() == inverse.rows()


def test_memory_does_not_grow_with_the_games() -> None:
    """After 5,000 rounds of one game the standings take hardly more room than after 100."""
    standings = Standings("ab", games=1)
    sizes = []
    for number in range(1, 5_001):
        standings.add(game(number, 1, seat("a", 1 + number % 2), seat("b", 2)))
        if number in (100, 5_000):
            sizes.append(len(pickle.dumps(standings)))

    assert sizes[1] < sizes[0] + 40


def test_memory_does_not_grow_with_the_games_of_an_open_round() -> None:
    """Of a round of 5,000 games at a table of three only sums are kept until the last is in."""
    standings = Standings("abc", games=5_001)
    sizes = []
    for number in range(1, 5_001):
        standings.add(game(1, 1, seat("a", 1 + number % 2), seat("b", 2), seat("c", 3), game=number))
        if number in (100, 5_000):
            sizes.append(len(pickle.dumps(standings)))

    assert sizes[1] < sizes[0] + 100


FACTS = TournamentFacts(
    kind=Kind.SWISS,
    variant="classic",
    jumping_cow=True,
    seed="secret",
    rounds=5,
    table_size=4,
    games=2,
    complete=True,
)


def test_the_json_form() -> None:
    """Every field of the documented form, with the points exact and rounded: 13/3 is 4.3333."""
    row = StandingsRow(
        rank=1,
        name="a",
        points=Fraction(13, 3),
        games=10,
        deals=30,
        wins=6,
        bullheads=100,
        bullheads_per_deal=Fraction(10, 3),
        faults={"late": 2},
        latency=Latency(p50=1.234, p95=20.5, max=100.0),
        tie_breaks=TieBreaks(
            margin=Fraction(-1, 2),
            buchholz=Fraction(9),
            buchholz_cut1=Fraction(15, 2),
            sonneborn_berger=Fraction(19, 4),
        ),
    )
    expected = {
        "format": 1,
        "tournament": {
            "kind": "swiss",
            "variant": "classic",
            "jumping_cow": True,
            "seed": "secret",
            "rounds": 5,
            "table_size": 4,
            "games": 2,
            "complete": True,
            "voided": [],
        },
        "standings": [
            {
                "rank": 1,
                "name": "a",
                "points": "13/3",
                "points_decimal": 4.3333,
                "games": 10,
                "deals": 30,
                "wins": 6,
                "bullheads": 100,
                "bullheads_per_deal": 3.3333,
                "faults": {"late": 2},
                "latency_ms": {"p50": 1.23, "p95": 20.5, "max": 100.0},
                "tie_breaks": {
                    "direct_encounter": None,
                    "margin": "-1/2",
                    "buchholz": "9",
                    "buchholz_cut1": "15/2",
                    "sonneborn_berger": "19/4",
                },
                "rating": None,
            }
        ],
        "neighbours": None,
        "ratings": None,
    }

    assert expected == json.loads(json.dumps(to_json([row], FACTS)))


def test_the_seed_stays_secret_until_the_end() -> None:
    """In the report of a running tournament the seed is null, since it gives the deals away."""
    running = to_json([], attrs.evolve(FACTS, complete=False))

    assert (None, False) == (running["tournament"]["seed"], running["tournament"]["complete"])


def test_the_json_of_somebody_who_never_played() -> None:
    """Whole points have no denominator, and what was never measured is null."""
    [shown] = to_json(Standings("a", games=1).rows(), FACTS)["standings"]

    assert ("0", 0.0, None, {"p50": None, "p95": None, "max": None}) == (
        shown["points"],
        shown["points_decimal"],
        shown["bullheads_per_deal"],
        shown["latency_ms"],
    )
