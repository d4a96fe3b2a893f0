"""Simulated tournaments: the model of a game, and what comes of a format."""

import math
from fractions import Fraction

import attrs
import pytest

from referee.tournament.chance import generator
from referee.tournament.luck import bullheads, play
from referee.tournament.model import TOURNAMENTS, Kind, TournamentError
from referee.tournament.simulate import Event, even_strengths, kendall_tau, simulate, top_hit
from referee.tournament.standings import Standings
from tests.tournament.played import game, seat, table

ROUND_ROBIN = Event(kind=Kind.ROUND_ROBIN, table_size=4, rounds=3)


def moments(seats: int, strength: float) -> tuple[float, float]:
    """Mean and variance of a distribution that is given by its cumulated chances."""
    cumulated = bullheads(seats, strength)
    chances = [high - low for low, high in zip((0.0, *cumulated), cumulated, strict=False)]
    mean = sum(taken * chance for taken, chance in enumerate(chances))
    return mean, sum((taken - mean) ** 2 * chance for taken, chance in enumerate(chances))


@pytest.mark.parametrize(
    ("seats", "strength", "mean"), [(4, 0, 12.1), (4, 3, 9.1), (4, -5, 17.1), (2, 0, 8.2), (10, 1.5, 13.2)]
)
def test_the_mean_is_measured_and_the_deviation_is_12_6(seats: int, strength: float, mean: float) -> None:
    """The difference of two such seats has twice the variance of one, 12.6 squared."""
    found, variance = moments(seats, strength)

    assert mean == pytest.approx(found, abs=0.01)
    assert 12.6 == pytest.approx(math.sqrt(2 * variance), abs=0.05)


@pytest.mark.parametrize(("strength", "mean"), [(100, 2), (-60, 72.1)])
def test_absurd_strengths_still_make_a_distribution(strength: float, mean: float) -> None:
    """The strongest take two bullheads a deal; the weakest what they take, and chances never fall."""
    cumulated = bullheads(4, strength)

    assert mean == pytest.approx(moments(4, strength)[0], abs=0.1)
    assert 1 == cumulated[-1]
    assert list(cumulated) == sorted(cumulated)


def test_games_follow_the_distribution() -> None:
    """4,000 deals at a table of four: within 0.6 of 12.1 for the average and of 8.1 for one better by 4."""
    score = play(
        table("a", "b", "c", "d"),
        1,
        {"a": 4, "b": 0, "c": 0, "d": 0},
        deals=4_000,
        chance=generator("seed"),
    )

    assert [8.1, 12.1, 12.1, 12.1] == pytest.approx([one.total / 4_000 for one in score.seats], abs=0.6)


def test_even_strengths_are_normal_quantiles() -> None:
    """Of three the middle one is average, and the outer ones are 0.967 deviations away: the 1/6 quantiles."""
    assert pytest.approx({"bot1": 1.935, "bot2": 0, "bot3": -1.935}, abs=0.001) == even_strengths(3)
    assert ["bot01", "bot10"] == [list(even_strengths(10))[place] for place in (0, 9)]


def test_agreement_by_hand() -> None:
    """Ranks 1, 2, 2, 4 for b, a, c, d: of six pairs b-a is wrong, a-c is shared, four are right: 1/2."""
    standings = Standings("abcd", games=1)
    standings.add(game(1, 1, seat("b", 1), seat("a", 5), seat("c", 5), seat("d", 9)))
    strengths = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}

    assert (Fraction(1, 2), 0) == (
        kendall_tau(standings.rows(), strengths),
        top_hit(standings.rows(), strengths),
    )
    assert 1 == top_hit(standings.rows(), {"a": 0, "b": 1, "c": 0, "d": 1})


def test_a_shared_first_place_counts_in_part() -> None:
    """Two share the first place and one of them is the strongest: half a hit, and no tau."""
    rows = Standings("ab", games=1).rows()

    assert (0, 0.5) == (kendall_tau(rows, {"a": 1, "b": 0}), top_hit(rows, {"a": 1, "b": 0}))


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_strengths_far_apart_are_found(kind: Kind) -> None:
    """Five entrants 30 bullheads apart, everybody meeting everybody twice: the order is right each time."""
    strengths = {name: -30.0 * place for place, name in enumerate("abcde")}
    found = simulate(
        strengths, Event(kind=kind, table_size=5, rounds=2, deals=10), repetitions=3, seed="seed"
    )

    assert (1, 0, 1, 2, 2) == (
        found.kendall_tau,
        found.tau_error,
        found.top_hit,
        found.rounds,
        found.games,
    )


def test_hardly_any_difference_is_not_found() -> None:
    """With strengths a thousandth apart the order is luck: tau is within four errors of 0."""
    strengths = {f"bot{place}": place / 1_000 for place in range(8)}
    found = simulate(strengths, ROUND_ROBIN, repetitions=60, seed="seed")

    assert abs(found.kendall_tau) < 4 * found.tau_error
    assert found.top_hit < 0.5


def test_more_games_find_more() -> None:
    """Eight games a table instead of one, twenty repetitions each."""
    few = simulate(even_strengths(8), ROUND_ROBIN, repetitions=20, seed="seed")
    many = simulate(even_strengths(8), attrs.evolve(ROUND_ROBIN, games=8), repetitions=20, seed="seed")

    assert few.kendall_tau + 2 * few.tau_error < many.kendall_tau
    assert (6, 48) == (few.games, many.games)


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_the_seed_brings_it_back(kind: Kind) -> None:
    """The same seed gives the same figures, another seed others; an odd field has byes."""
    event = Event(kind=kind, table_size=2, rounds=3)
    found = [simulate(even_strengths(7), event, repetitions=4, seed=seed) for seed in ("1", "1", "2")]

    assert found[0] == found[1]
    assert found[0] != found[2]
    assert 9 == found[0].games


def test_a_single_repetition_has_no_error() -> None:
    """There is nothing to take it from."""
    assert simulate(even_strengths(4), ROUND_ROBIN, repetitions=1, seed="seed").tau_error is None


@pytest.mark.parametrize(
    ("event", "repetitions", "says"),
    [
        (attrs.evolve(ROUND_ROBIN, games=0), 1, "takes games, not 0"),
        (attrs.evolve(ROUND_ROBIN, deals=0), 1, "takes deals, not 0"),
        (ROUND_ROBIN, 0, "takes repetitions, not 0"),
        (attrs.evolve(ROUND_ROBIN, table_size=12), 1, "a table seats 2 to 10"),
    ],
)
def test_what_cannot_be_simulated_is_refused(event: Event, repetitions: int, says: str) -> None:
    """One sentence says what is wrong."""
    with pytest.raises(TournamentError, match=says):
        simulate(even_strengths(4), event, repetitions=repetitions, seed="seed")


def test_equals_have_no_true_order() -> None:
    """There is nothing to agree with."""
    with pytest.raises(TournamentError, match="all strengths are equal"):
        simulate({"a": 1, "b": 1}, ROUND_ROBIN, repetitions=1, seed="seed")


def test_every_repetition_is_told() -> None:
    """Whoever waits hears of each tournament once it has been played."""
    told: list[None] = []
    simulate(even_strengths(4), ROUND_ROBIN, repetitions=3, seed="seed", played=lambda: told.append(None))

    assert len(told) == 3
