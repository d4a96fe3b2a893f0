"""The games that wait for their turn."""

from collections.abc import Iterator

from referee.tournament.dealsets import Series, Sets, Turning
from referee.tournament.model import TablePlan
from referee.tournament.waiting import WaitingGames

PLANS = tuple(
    TablePlan(round=1, table=table, entrants=names) for table, names in ((1, ("a", "b")), (2, ("c", "d")))
)
LATER = (TablePlan(round=2, table=1, entrants=("a", "c")),)


def games_each(count: int, sets: Sets = Sets.SINGLE) -> Series:
    """What each table plays: so many games or sets of them."""
    return Series(sets=sets, count=count, turning=Turning.SEATS)


def waiting() -> WaitingGames:
    """Two tables with two games each in round 1, one with two in round 2."""
    games = WaitingGames()
    games.add(LATER, games_each(2))
    games.add(PLANS, games_each(2))
    return games


def taken(games: WaitingGames, busy: str = "", newest: int = 9) -> Iterator[tuple[int, int, int]]:
    """Take all that can begin while somebody is busy; give round, game and table."""
    while (found := games.take(lambda names: busy not in names, newest_round=newest)) is not None:
        plan, number = found
        yield plan.round, number, plan.table


def test_the_order_is_that_of_rounds_games_and_tables() -> None:
    """All tables play game 1 before any plays game 2; a later round comes last."""
    games = waiting()
    before = len(games)
    order = list(taken(games))

    assert before == 6
    assert order == [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1), (2, 2, 1)]
    assert len(games) == 0


def test_who_is_busy_is_passed_over() -> None:
    """The games without them begin, in order; theirs stay in their place."""
    games = waiting()

    assert list(taken(games, busy="a")) == [(1, 1, 2), (1, 2, 2)]
    assert list(taken(games)) == [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1)]


def test_later_rounds_do_not_begin() -> None:
    """Even if nothing else can."""
    games = waiting()

    assert list(taken(games, newest=1)) == [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2)]
    assert list(taken(games, newest=1)) == []
    assert len(games) == 2


def test_what_has_begun_waits_no_longer() -> None:
    """In whichever order it is told; a game that was void had a lower number and changes nothing."""
    games = WaitingGames()
    games.add(PLANS, games_each(3), times_voided=1)
    for game in (5, 4, 1):
        games.begun(1, 1, game)
    games.begun(2, 1, 9)

    assert list(taken(games)) == [(1, 4, 2), (1, 5, 2), (1, 6, 1), (1, 6, 2)]


def test_tables_of_different_sizes_have_different_numbers_of_games() -> None:
    """A deal set is a game for each seat; what a void round used up is counted by table too."""
    plans = (*PLANS[:1], TablePlan(round=1, table=2, entrants=("c", "d", "e")))
    games = WaitingGames()
    games.add(plans, games_each(1, Sets.ROTATED), times_voided=1)
    before = len(games)

    assert before == 2 + 3
    assert list(taken(games)) == [(1, 3, 1), (1, 4, 1), (1, 4, 2), (1, 5, 2), (1, 6, 2)]


def test_all_can_be_taken_out() -> None:
    """Nothing is left."""
    games = waiting()
    games.clear()

    assert (len(games), list(taken(games))) == (0, [])


def test_a_hundred_thousand_games_take_no_room() -> None:
    """What is kept is a line for each table, and all games are counted."""
    games = WaitingGames()
    games.add(PLANS, games_each(100_000))
    taken_one = games.take(lambda names: "c" in names, newest_round=1)

    assert len(games) == 199_999
    assert taken_one == (PLANS[1], 1)
    assert len(games._tables) == 2
