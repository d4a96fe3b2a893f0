"""Error bars: whether they cover the truth, and what they say at the edges."""

import random

import pytest

from referee.tournament.bootstrap import Bar, Neighbours, assess
from referee.tournament.decided import Looking, decide, looks
from referee.tournament.evidence import Evidence
from referee.tournament.model import TournamentError
from referee.tournament.ratings import Anchor, ratings
from referee.tournament.resample import resample
from referee.tournament.round_robin import schedule
from tests.tournament.made_up import evidence, scores, true_ratings
from tests.tournament.played import game, names, seat


def wins(one: str, other: str, *, won: int, lost: int, entrants: str = "ab") -> Evidence:
    """Games of two, each a unit."""
    found = Evidence(entrants)
    for number in range(won + lost):
        found.add(game(number + 1, 1, seat(one, 1 + (number >= won)), seat(other, 1 + (number < won))))
    return found


def coverage(field: int, table_size: int, rounds: int, games: int, *, spread: float, events: int) -> float:
    """How often the 95 % bars hold the true ratings, over all entrants of so many events."""
    entrants = names(field)
    strengths = {name: spread * (2 * place / (field - 1) - 1) for place, name in enumerate(entrants)}
    plans = schedule(entrants, table_size=table_size, rounds=rounds, seed="seed")
    truth = true_ratings(plans, strengths)
    chance = random.Random(f"{field}/{table_size}/{rounds}/{games}")
    held = 0
    for event in range(events):
        found = evidence(entrants, scores(plans, strengths, games, chance))
        bars = assess(found, resample(found, seed=str(event), samples=1_000), entrants).bars
        held += sum(bar.low <= truth[bar.name] <= bar.high for bar in bars)
    return held / (field * events)


def test_the_bars_cover_the_truth_about_as_often_as_they_say() -> None:
    """Over 60 round-robins of 8 at tables of 4, five games a table, 90 to 99 % of the bars hold it."""
    assert 0.90 <= coverage(8, 4, 7, 5, spread=3, events=60) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "table_size", "rounds", "games", "spread"),
    [
        (2, 2, 1, 20, 1),
        (2, 2, 1, 100, 1),
        (6, 2, 5, 10, 3),
        (8, 4, 7, 1, 3),
        (8, 4, 7, 5, 3),
        (12, 4, 11, 5, 2),
        (10, 5, 9, 3, 3),
        (16, 4, 5, 1, 3),
        (16, 4, 5, 4, 3),
        (8, 8, 1, 30, 2),
        (20, 10, 6, 10, 2),
    ],
)
def test_the_bars_cover_the_truth_in_many_events(
    field: int, table_size: int, rounds: int, games: int, spread: float
) -> None:
    """Over 400 events of many shapes, 92 to 98 % of the bars hold the true rating."""
    assert 0.92 <= coverage(field, table_size, rounds, games, spread=spread, events=400) <= 0.98


def test_the_same_seed_gives_the_same_bars() -> None:
    """And another seed others."""
    found = wins("a", "b", won=12, lost=8)
    bars = [assess(found, resample(found, seed=seed), "ab").bars for seed in ("1", "1", "2")]

    assert bars[0] == bars[1]
    assert bars[0] != bars[2]


def test_merging_units_leaves_the_bars_as_wide() -> None:
    """3,000 units in 200 groups give bars within a sixth of those of 3,000 groups."""
    entrants = names(4)
    plans = schedule(entrants, table_size=4, rounds=1, seed="seed")
    played = list(scores(plans, dict.fromkeys(entrants, 0.0), 3_000, random.Random(1)))

    def widths(groups: int) -> list[float]:
        found = evidence(entrants, played, most_groups=groups)
        bars = assess(found, resample(found, seed="seed"), entrants).bars
        return [bar.high - bar.low for bar in bars]

    assert pytest.approx(widths(3_000), rel=1 / 6) == widths(200)


def test_the_bars_surround_the_ratings() -> None:
    """The ratings are those of `ratings`, anchored likewise, and the anchor's bar has no width."""
    found = wins("a", "b", won=30, lost=10)
    anchor = Anchor(name="b", elo=1000)
    [first, second] = assess(found, resample(found, anchor=anchor, seed="seed"), "ab").bars

    assert pytest.approx(ratings(found, anchor=anchor)["a"]) == first.elo
    assert first.low < first.elo < first.high
    assert (1000, 1000, 1000) == pytest.approx((second.elo, second.low, second.high))


def test_four_times_the_games_halve_the_bars() -> None:
    """400 games instead of 100, with the same shares."""

    def width(scale: int) -> float:
        found = wins("a", "b", won=60 * scale, lost=40 * scale)
        bar = assess(found, resample(found, seed="seed"), "ab").bars[0]
        return bar.high - bar.low

    assert pytest.approx(2, rel=0.1) == width(1) / width(4)


@pytest.mark.parametrize(
    ("won", "lost", "significant"),
    [(1, 0, False), (3, 0, False), (12, 0, True), (65, 35, True), (55, 45, False)],
)
def test_marks_follow_the_sign_test(won: int, lost: int, significant: bool) -> None:
    """One or three wins of as many prove nothing, twelve do; 65 of 100 are enough, 55 are not."""
    found = wins("a", "b", won=won, lost=lost)
    [neighbours] = assess(found, resample(found, seed="seed"), "ab").neighbours

    assert significant == neighbours.significant


def test_more_deals_follow_from_the_square_of_what_is_missing() -> None:
    """55 of 100 is 1.0 deviations of 1.96: 100 x (1.96^2 - 1) = 284 more, give or take the prior."""
    found = wins("a", "b", won=55, lost=45)
    [neighbours] = assess(found, resample(found, seed="seed"), "ab").neighbours

    assert 220 <= neighbours.more_deals <= 350
    assert 0.80 <= neighbours.superiority <= 0.88


def test_equals_need_no_number_of_deals() -> None:
    """All ties: as likely one way as the other, and no number of deals would settle it."""
    found = Evidence("ab")
    for number in range(50):
        found.add(game(number + 1, 1, seat("a", 1), seat("b", 1)))
    [neighbours] = assess(found, resample(found, seed="seed"), "ab").neighbours

    assert (False, None) == (neighbours.significant, neighbours.more_deals)
    assert 0.4 <= neighbours.superiority <= 0.6


def test_a_settled_pair_in_the_wrong_order_needs_no_more_deals() -> None:
    """Where the standings have the weaker one on top, the mark is missing for another reason than chance."""
    found = wins("a", "b", won=90, lost=10)
    [neighbours] = assess(found, resample(found, seed="seed"), "ba").neighbours

    assert (False, None) == (neighbours.significant, neighbours.more_deals)
    assert neighbours.superiority < 0.01


def test_those_who_cannot_be_rated() -> None:
    """Without games there is no bar, no likelihood and no decision, and never a nan."""
    found = wins("a", "b", won=9, lost=1, entrants="abc")
    resamples = resample(found, seed="seed")
    certainty = assess(found, resamples, "abc")

    assert Bar(name="c", elo=None, low=None, high=None) == certainty.bars[2]
    assert (
        Neighbours(upper="b", lower="c", superiority=None, significant=False, more_deals=None)
        == certainty.neighbours[1]
    )
    assert (False, None) == (
        decide(resamples, "abc").decided,
        decide(resamples, "abc").likelihood,
    )
    assert all(
        bar.elo is None for bar in assess(Evidence("ab"), resample(Evidence("ab"), seed="x"), "ab").bars
    )


def three(first: int, second: int) -> Evidence:
    """Of 100 games each, a wins so many against b and so many against c, and b as many against c."""
    found = Evidence("abc")
    number = 0
    for one, other, won in (("a", "b", first), ("a", "c", first), ("b", "c", second)):
        for place in range(100):
            number += 1
            found.add(game(number, 1, seat(one, 1 + (place >= won)), seat(other, 1 + (place < won))))
    return found


def test_the_order_or_its_top_is_decided() -> None:
    """Entrant a is far ahead of two equals: the first place is decided and the order is not."""
    resamples = resample(three(90, 50), seed="seed")

    assert decide(resamples, "abc", top=1).decided
    assert decide(resamples, "acb", top=1).decided
    assert not decide(resamples, "abc").decided
    assert not decide(resamples, "abc", top=2).decided
    assert not decide(resamples, "bac", top=1).decided
    assert decide(resample(three(90, 85), seed="seed"), "abc").decided


def test_asking_repeatedly_takes_more() -> None:
    """61 wins of 100 are 2.2 deviations: enough for one look, not for ten."""
    resamples = resample(wins("a", "b", won=61, lost=39), seed="seed")

    assert decide(resamples, "ab", looking=Looking.ONCE).decided
    assert not decide(resamples, "ab", looking=Looking.REPEATEDLY).decided


@pytest.mark.parametrize("top", [0, 4])
def test_places_that_there_are_not_cannot_be_decided(top: int) -> None:
    """The sentence says which can."""
    with pytest.raises(TournamentError, match="ask for 1 to 3"):
        decide(resample(three(90, 50), seed="seed"), "abc", top=top)


def test_looks_grow_by_half() -> None:
    """Ten looks up to the budget; small budgets have fewer."""
    assert (26, 39, 59, 88, 132, 198, 296, 444, 667, 1000) == looks(1_000)
    assert (1, 2, 3) == looks(3)
    assert () == looks(0)


@pytest.mark.slow
def test_equals_are_seldom_decided_at_any_look() -> None:
    """Of 400 events of two equals with 500 games, looked at ten times, 2 to 8 % are wrongly decided."""
    chance = random.Random(1)
    wrong = 0
    for event in range(400):
        found = Evidence("ab")
        played = 0
        for look in looks(500):
            for number in range(played, look):
                won = chance.random() < 0.5
                found.add(game(number + 1, 1, seat("a", 1 + won), seat("b", 2 - won)))
            played = look
            resamples = resample(found, seed=f"{event}/{look}")
            if decide(resamples, "ab").decided or decide(resamples, "ba").decided:
                wrong += 1
                break

    assert 0.02 <= wrong / 400 <= 0.08
