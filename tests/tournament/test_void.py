"""Taking a round back: the ledger and the standings are as if it had not been played."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.model import GameScore, SeatScore
from referee.tournament.points import PointsLedger
from referee.tournament.standings import Standings
from tests.tournament.played import game, seat

GAMES = 2
NAMES = "abc"


def test_a_closed_round_is_taken_back_whole() -> None:
    """A has 1 and 1/2 in round 1, hence 3/4; voided it has 0, and its points of round 2 stay."""
    ledger = PointsLedger(games=2)
    scores = [
        game(1, 1, seat("a", 1), seat("b", 2), game=1),
        game(1, 1, seat("a", 1), seat("b", 1), game=2),
    ]
    for score in (*scores, game(2, 1, seat("a", 1), seat("b", 2))):
        ledger.add(score)

    assert {"a": Fraction(7, 4), "b": Fraction(1, 4)} == ledger.totals("ab")

    ledger.void(1, scores)

    assert {"a": 1, "b": 0} == ledger.totals("ab")


def test_an_open_round_is_taken_back_and_can_be_filled_anew() -> None:
    """One of two games was in; the replay counts with its own two, whatever their numbers."""
    ledger = PointsLedger(games=2)
    first = game(1, 1, seat("a", 1), seat("b", 2))
    ledger.add(first)
    ledger.void(1, [first])
    ledger.add(game(1, 1, seat("a", 5), seat("b", 2), game=3))

    assert {"a": 0, "b": 1} == ledger.totals("ab")

    ledger.add(game(1, 1, seat("a", 5), seat("b", 5), game=4))

    assert {"a": Fraction(1, 4), "b": Fraction(3, 4)} == ledger.totals("ab")


def test_a_bye_stays() -> None:
    """Who rested in the round rests in its replay, and has the half point once."""
    ledger = PointsLedger(games=1)
    ledger.add_bye(1, "c")
    score = game(1, 1, seat("a", 1), seat("b", 2))
    ledger.add(score)
    ledger.void(1, [score])
    ledger.add_bye(1, "c")

    assert {"a": 0, "b": 0, "c": Fraction(1, 2)} == ledger.totals("abc")


def test_faults_and_answer_times_stay() -> None:
    """They happened; games, deals, wins and bullheads did not."""
    standings = Standings("ab", games=1)
    score = game(1, 1, seat("a", 1, 2), seat("b", 9, 9))
    standings.add(score)
    standings.add_faults("a", {"late": 2})
    standings.add_latencies("a", [5.0])
    standings.void(1, [score])
    row = next(row for row in standings.rows() if row.name == "a")

    assert (0, 0, 0, 0, 0) == (row.points, row.games, row.deals, row.wins, row.bullheads)
    assert {"late": 2} == dict(row.faults)
    assert row.latency is not None


TABLE = st.tuples(*[st.tuples(st.integers(0, 20), st.booleans(), st.booleans())] * 3)


@st.composite
def rounds(draw: st.DrawFn) -> list[GameScore]:
    """Draw games of up to three rounds: ties, forfeits and no-shows, and rounds that are not complete."""
    return [
        GameScore(
            round=number,
            table=1,
            game=each,
            seats=tuple(
                SeatScore(entrant=name, bullheads=(bullheads,), forfeited=forfeited, no_show=absent)
                for name, (bullheads, forfeited, absent) in zip(NAMES, draw(TABLE), strict=True)
            ),
        )
        for number in range(1, draw(st.integers(1, 3)) + 1)
        for each in range(1, draw(st.integers(0, GAMES)) + 1)
    ]


@given(rounds(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_voided_round_has_never_been(scores: list[GameScore], voided: int, order: object) -> None:
    """Whatever the other rounds are: the standings equal those in which the round was not played."""
    scores = order.sample(scores, len(scores))
    with_it, without_it = Standings(NAMES, games=GAMES), Standings(NAMES, games=GAMES)
    for score in scores:
        with_it.add(score)
        if score.round != voided:
            without_it.add(score)
    with_it.void(voided, [score for score in scores if score.round == voided])

    assert without_it.rows() == with_it.rows()
