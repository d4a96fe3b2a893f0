"""Tie-breaks, by hand and against an independent recomputation."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.encounters import Encounters
from referee.tournament.model import GameScore
from referee.tournament.points import game_points
from referee.tournament.standings import Standings, StandingsRow
from referee.tournament.tiebreaks import TieBreaks, direct_encounter, game_margins
from tests.tournament.played import game, seat

HALF = Fraction(1, 2)
QUARTER = Fraction(1, 4)


def rows(
    entrants: Sequence[str],
    scores: Sequence[GameScore],
    *,
    games: int = 1,
    byes: Sequence[tuple[int, str]] = (),
) -> dict[str, StandingsRow]:
    """The standings after these games, by name, best first."""
    standings = Standings(entrants, games=games)
    for number, name in byes:
        standings.add_bye(number, name)
    for score in scores:
        standings.add(score)
    return {row.name: row for row in standings.rows()}


def test_five_at_tables_of_two_with_byes_by_hand() -> None:
    """Two rounds: a-b 3:8, c-d 4:6, e rests; a-c 5:5, e-b 2:4, d rests.

    Points: a, c and e 3/2, d 1/2, b 0. a and e never met, so there is no direct encounter. Margins: a 5/2,
    c and e 1. Buchholz: a has b and c, 0 + 3/2; c has d and a, 1/2 + 3/2 = 2; e its own 3/2 and b's 0; d
    has c and its own points, 3/2 + 1/2; b has a and e, 3. Without the least round all keep 3/2.
    Sonneborn-Berger: a 1 x 0 + 1/2 x 3/2, c 1 x 1/2 + 1/2 x 3/2, e 1/2 x 3/2 + 1 x 0, d 1/2 x 1/2, b 0.
    """
    scores = [
        game(1, 1, seat("a", 3), seat("b", 8)),
        game(1, 2, seat("c", 4), seat("d", 6)),
        game(2, 1, seat("a", 5), seat("c", 5)),
        game(2, 2, seat("e", 2), seat("b", 4)),
    ]
    found = rows("abcde", scores, byes=[(1, "e"), (2, "d")])

    def expected(margin: str, buchholz: str, sonneborn_berger: str) -> TieBreaks:
        return TieBreaks(
            margin=Fraction(margin),
            buchholz=Fraction(buchholz),
            buchholz_cut1=Fraction(3, 2),
            sonneborn_berger=Fraction(sonneborn_berger),
        )

    assert {
        "a": expected("5/2", "3/2", "3/4"),
        "c": expected("1", "2", "5/4"),
        "e": expected("1", "3/2", "3/4"),
        "d": expected("-1", "2", "1/4"),
        "b": expected("-7/2", "3", "0"),
    } == {name: row.tie_breaks for name, row in found.items()}
    assert [("a", 1), ("c", 2), ("e", 3), ("d", 4), ("b", 5)] == [
        (name, row.rank) for name, row in found.items()
    ]


def test_two_games_at_a_table_of_three_by_hand() -> None:
    """Totals 1, 2, 3 and 2, 2, 1 make 5/8, 3/8 and 1/2 points.

    a has 3/4 against b and 1/2 against c: Sonneborn-Berger (3/4 x 3/8 + 1/2 x 1/2) / 2 = 17/64; Buchholz is
    the mean of 3/8 and 1/2. The means are 2 and 5/3, so the margin is 1 - 1/3.
    """
    scores = [
        game(1, 1, seat("a", 1), seat("b", 2), seat("c", 3)),
        game(1, 1, seat("a", 2), seat("b", 2), seat("c", 1), game=2),
    ]

    assert (
        TieBreaks(margin=Fraction(2, 3), buchholz=Fraction(7, 16), sonneborn_berger=Fraction(17, 64))
        == rows("abc", scores, games=2)["a"].tie_breaks
    )


def test_the_direct_encounter_counts_before_the_margin() -> None:
    """Both a and b have a point each; a won their game by one bullhead and has by far the worse margin."""
    scores = [
        game(1, 1, seat("a", 1), seat("b", 2)),
        game(1, 2, seat("c", 1), seat("d", 2)),
        game(2, 1, seat("a", 60), seat("c", 0)),
        game(2, 2, seat("b", 0), seat("d", 60)),
    ]
    found = rows("abcd", scores)

    assert [("c", 1, None), ("a", 2, 1), ("b", 3, 0), ("d", 4, None)] == [
        (name, row.rank, row.tie_breaks.direct_encounter) for name, row in found.items()
    ]


def test_the_direct_encounter_takes_means_and_needs_every_meeting() -> None:
    """Entrants a and b met twice, with a win and a tie: 3/4; a beat c and b beat c. d met nobody."""
    encounters = Encounters(games=1)
    for score in (
        game(1, 1, seat("a", 1), seat("b", 2)),
        game(2, 1, seat("a", 1), seat("b", 1)),
        game(3, 1, seat("a", 1), seat("b", 2, no_show=True), seat("c", 3)),
        game(4, 1, seat("b", 1), seat("c", 2)),
    ):
        encounters.add(score)
    meetings = encounters.meetings("abcd")

    assert {"a": Fraction(7, 4), "b": Fraction(5, 4), "c": Fraction(0)} == direct_encounter("abc", meetings)
    assert direct_encounter("abd", meetings) is None


def test_margins_leave_out_forfeits_and_absentees() -> None:
    """The mean of 4 and 8 is 6; a forfeit is worth nothing though 1 is below it, and 20 above it is -14."""
    score = game(
        1,
        1,
        seat("a", 4),
        seat("b", 5, 3),
        seat("c", 1, forfeited=True),
        seat("d", 20, forfeited=True),
        seat("e", no_show=True),
    )

    assert {"a": 2, "b": -2, "c": 0, "d": -14, "e": 0} == game_margins(score)


def test_margins_of_a_table_where_nobody_stayed() -> None:
    """Without a mean nobody has a margin."""
    score = game(1, 1, seat("a", 4, forfeited=True), seat("b", no_show=True))

    assert {"a": 0, "b": 0} == game_margins(score)


def test_a_missed_round_counts_with_ones_own_points() -> None:
    """Entrant c joins for round 2 and beats b: its Buchholz is 1 for the round missed and b's 0."""
    scores = [game(1, 1, seat("a", 1), seat("b", 2)), game(2, 1, seat("c", 1), seat("b", 2))]

    assert (1, 1, 0) == (
        rows("abc", scores)["c"].tie_breaks.buchholz,
        rows("abc", scores)["c"].tie_breaks.buchholz_cut1,
        rows("abc", scores)["c"].tie_breaks.sonneborn_berger,
    )


def test_those_whom_nothing_tells_apart_share_the_rank() -> None:
    """Two tables with the same results: both winners are first and both losers third."""
    scores = [game(1, 1, seat("a", 1), seat("b", 2)), game(1, 2, seat("c", 1), seat("d", 2))]

    assert [("a", 1), ("c", 1), ("b", 3), ("d", 3)] == [
        (name, row.rank) for name, row in rows("abcd", scores).items()
    ]


GAMES = 2
ROUNDS = 3
NAMES = "abcdef"


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[GameScore], list[tuple[int, str]]]:
    """Three rounds of two games a table with absences, forfeits, rests and rounds missed."""
    scores, byes = [], []
    for number in range(1, ROUNDS + 1):
        order = draw(st.permutations(NAMES))
        cut = draw(st.integers(2, 4))
        rest = order[cut:]
        byes += [(number, name) for name in rest if len(rest) == 2 and draw(st.booleans())]
        tables = [order[:cut]] if len(rest) == 2 else [order[:cut], rest]
        for place, members in enumerate(tables, 1):
            scores += [
                game(number, place, *(draw(seats(name)) for name in members), game=one)
                for one in range(1, GAMES + 1)
            ]
    return draw(st.permutations(scores)), byes


def seats(name: str) -> st.SearchStrategy:
    """A seat with few distinct totals."""
    rarely = st.sampled_from([False, False, False, True])
    return st.builds(
        lambda bullheads, forfeited, no_show: seat(name, bullheads, forfeited=forfeited, no_show=no_show),
        st.integers(0, 3),
        rarely,
        rarely,
    )


def share(score: GameScore, name: str, other: str) -> Fraction | None:
    """What one made of the other in a game, or None if they did not meet."""
    both = {one.entrant: one for one in score.seats if not one.no_show}
    if name == other or name not in both or other not in both:
        return None
    ranks = [(both[one].forfeited, 0 if both[one].forfeited else both[one].total) for one in (name, other)]
    return Fraction(ranks[0] < ranks[1]) + HALF * (ranks[0] == ranks[1])


def mean(values: Sequence[Fraction]) -> Fraction:
    """The mean, exactly."""
    return sum(values, Fraction(0)) / len(values)


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_tie_breaks_agree_with_a_recomputation_from_the_scores(
    tournament: tuple[list[GameScore], list[tuple[int, str]]],
) -> None:
    """Buchholz and Sonneborn-Berger worked out round by round from all scores come to the same."""
    scores, byes = tournament
    found = rows(NAMES, scores, games=GAMES, byes=byes)
    points = {name: row.points for name, row in found.items()}
    for name in NAMES:
        strengths, results = [], Fraction(0)
        for number in range(1, ROUNDS + 1):
            own = [one for one in scores if one.round == number and name in game_points(one)]
            shares = {
                other: [got for one in own if (got := share(one, name, other)) is not None] for other in NAMES
            }
            met = [other for other in NAMES if shares[other]]
            strengths.append(mean([points[other] for other in met]) if met else points[name])
            if met:
                results += mean([mean(shares[other]) * points[other] for other in met])
            else:
                alone = HALF if (number, name) in byes else Fraction(0)
                results += points[name] * (mean([game_points(one)[name] for one in own]) if own else alone)

        assert (sum(strengths), sum(strengths) - min(strengths), results) == (
            found[name].tie_breaks.buchholz,
            found[name].tie_breaks.buchholz_cut1,
            found[name].tie_breaks.sonneborn_berger,
        )


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_direct_encounters_add_up_to_half_the_meetings(
    tournament: tuple[list[GameScore], list[tuple[int, str]]],
) -> None:
    """A group of m equals that all met shares out m (m - 1) / 2, and its order follows what each has."""
    scores, byes = tournament
    found = list(rows(NAMES, scores, games=GAMES, byes=byes).values())
    for points in {row.points for row in found}:
        group = [row.tie_breaks.direct_encounter for row in found if row.points == points]
        if group[0] is None:
            assert [None] * len(group) == group
        else:
            assert Fraction(len(group) * (len(group) - 1), 2) == sum(group)
            assert sorted(group, reverse=True) == group


@pytest.mark.parametrize("games", [1, 2])
def test_an_open_round_counts_with_the_games_that_are_in(games: int) -> None:
    """After the first game the tie-breaks are the same whether or not another is to come."""
    standings = Standings("abc", games=games)
    standings.add(game(1, 1, seat("a", 1), seat("b", 2), seat("c", 2)))

    assert (
        TieBreaks(margin=Fraction(2, 3), buchholz=QUARTER, sonneborn_berger=QUARTER)
        == standings.rows()[0].tie_breaks
    )
