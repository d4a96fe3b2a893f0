"""Points of a game and of a round."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.model import GameScore, SeatScore
from referee.tournament.points import PointsLedger, game_points, winners
from tests.tournament.played import game, seat

HALF = Fraction(1, 2)


def test_places_without_ties() -> None:
    """At a table of four the places are worth 1, 2/3, 1/3 and 0."""
    score = game(1, 1, seat("d", 40), seat("a", 3, 2), seat("c", 20), seat("b", 10))

    assert {"a": 1, "b": Fraction(2, 3), "c": Fraction(1, 3), "d": 0} == game_points(score)


def test_a_tie_counts_half() -> None:
    """Two tied for the first place beat one opponent and draw with one: 3/4; all three tied: 1/2 each."""
    assert {"a": Fraction(3, 4), "b": Fraction(3, 4), "c": 0} == game_points(
        game(1, 1, seat("a", 5), seat("b", 2, 3), seat("c", 9))
    )
    assert {"a": HALF, "b": HALF, "c": HALF} == game_points(
        game(1, 1, seat("a", 5), seat("b", 5), seat("c", 5))
    )


def test_forfeited_seats_share_the_last_place_without_points() -> None:
    """Two of four forfeit: both get 0, whatever they took, and both count as beaten by the others."""
    score = game(
        1, 1, seat("a", 50), seat("b", 60), seat("c", 0, forfeited=True), seat("d", 9, forfeited=True)
    )

    assert {"a": 1, "b": Fraction(2, 3), "c": 0, "d": 0} == game_points(score)


def test_a_no_show_is_no_opponent() -> None:
    """The share is taken over the opponents who were there; the absent one gets nothing."""
    score = game(1, 1, seat("a", 5), seat("b", 7), seat("c", 0, no_show=True))

    assert {"a": 1, "b": 0, "c": 0} == game_points(score)


def test_a_seat_left_alone_gets_the_value_of_a_bye() -> None:
    """With everybody else absent it is as if the entrant had rested; if it forfeits as well it gets 0."""
    absent = seat("b", 0, no_show=True)

    assert {"a": HALF, "b": 0} == game_points(game(1, 1, seat("a", 5), absent))
    assert {"a": 0, "b": 0} == game_points(game(1, 1, seat("a", 5, forfeited=True), absent))


def test_winners_have_the_first_place_alone_or_shared() -> None:
    """Fewest bullheads of those who stayed; nobody where there was no opponent or all forfeited."""
    assert ("a",) == winners(game(1, 1, seat("b", 7), seat("a", 5)))
    assert ("b", "a") == winners(game(1, 1, seat("b", 5), seat("c", 9), seat("a", 5)))
    assert ("c",) == winners(
        game(1, 1, seat("a", 1, forfeited=True), seat("b", 0, no_show=True), seat("c", 9))
    )
    assert () == winners(game(1, 1, seat("a", 1), seat("b", 0, no_show=True)))
    assert () == winners(game(1, 1, seat("a", 1, forfeited=True), seat("b", 2, forfeited=True)))


@st.composite
def scores(draw: st.DrawFn) -> GameScore:
    """Games of 2 to 10 seats with few distinct totals, so that ties are common."""
    count = draw(st.integers(2, 10))
    return game(
        1,
        1,
        *(
            seat(
                f"bot{number}",
                draw(st.integers(0, 3)),
                forfeited=draw(st.booleans()),
                no_show=draw(st.sampled_from([False, False, True])),
            )
            for number in range(count)
        ),
    )


def by_sorting(score: GameScore) -> dict[str, Fraction]:
    """The points worked out in another way: by sorting the table and averaging the places of ties."""
    present = [one for one in score.seats if not one.no_show]
    order = sorted(present, key=lambda one: (one.forfeited, one.total))
    points = {one.entrant: Fraction(0) for one in score.seats}
    for one in present:
        if one.forfeited:
            continue
        if len(present) == 1:
            points[one.entrant] = Fraction(1, 2)
            continue
        places = [
            place for place, other in enumerate(order) if not other.forfeited and other.total == one.total
        ]
        mean = Fraction(sum(places), len(places))
        points[one.entrant] = 1 - mean / (len(present) - 1)
    return points


@given(scores())
def test_points_agree_with_an_independent_count(score: GameScore) -> None:
    """The share of opponents beaten is one less the mean place from 0 to 1."""
    assert by_sorting(score) == game_points(score)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=10))
def test_a_table_where_all_stayed_shares_out_half_a_point_a_seat(totals: list[int]) -> None:
    """The mean share is 1/2 at any size, with any ties, so that tables of different sizes mix fairly."""
    points = game_points(game(1, 1, *(seat(f"bot{place}", total) for place, total in enumerate(totals))))

    assert Fraction(len(totals), 2) == sum(points.values())


def won(entrant: str, other: str, *, number: int, games: int) -> list[GameScore]:
    """So many games of a round, all won by the first."""
    return [game(number, 1, seat(entrant, 1), seat(other, 2), game=one) for one in range(1, games + 1)]


def test_a_round_is_the_mean_over_its_games() -> None:
    """Two wins and a loss of three games are 2/3, also while the third is missing: then 1."""
    ledger = PointsLedger(games=3)
    for score in won("a", "b", number=1, games=2):
        ledger.add(score)
    running = ledger.total("a")
    ledger.add(game(1, 1, seat("a", 9), seat("b", 2), game=3))

    assert (1, Fraction(2, 3), Fraction(1, 3)) == (running, ledger.total("a"), ledger.total("b"))


def test_rounds_add_up_in_any_order_of_their_games() -> None:
    """Games of two rounds that are mixed up give the same points: 1 + 1/2 for the first entrant."""
    first = won("a", "b", number=1, games=2)
    second = [game(2, 1, seat("a", 1), seat("b", 2)), game(2, 1, seat("a", 2), seat("b", 1), game=2)]
    ledger = PointsLedger(games=2)
    for score in (second[1], first[0], second[0], first[1]):
        ledger.add(score)

    assert (Fraction(3, 2), HALF) == (ledger.total("a"), ledger.total("b"))


def test_a_bye_is_half_a_point_and_counts_once() -> None:
    """A bye is worth a mean share; the same bye told twice is one, and byes of two rounds are two."""
    ledger = PointsLedger(games=4)
    ledger.add_bye(1, "a")
    ledger.add_bye(1, "a")
    once = ledger.total("a")
    ledger.add_bye(2, "a")

    assert (HALF, 1) == (once, ledger.total("a"))


def test_whoever_has_not_played_has_no_points() -> None:
    """An unknown entrant has 0, exactly."""
    assert {"a": Fraction(0)} == PointsLedger(games=1).totals(["a"])


def test_the_total_of_a_seat_is_the_sum_of_its_deals() -> None:
    """Bullheads of three deals add up; a seat without deals has none."""
    assert (12, 0) == (seat("a", 3, 4, 5).total, SeatScore(entrant="a", bullheads=()).total)
