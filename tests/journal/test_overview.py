"""Rounds, tables and games with their states."""

from collections import Counter

from referee.journal.overview import GameState, rounds
from referee.journal.reading import Reading
from tests.journal.keeping import begin


def test_a_finished_tournament_is_all_done(reading: Reading) -> None:
    """Nine at tables of four sit at three tables; each played two games. The absent one is withdrawn then."""
    views = list(rounds(reading))

    assert [view.counts for view in views] == [
        {GameState.DONE: 6},
        {GameState.DONE: 6},
        {GameState.DONE: 4},
    ]
    assert [len(table.names) for table in views[0].tables] == [3, 3, 3]
    assert [str(game.id) for game in views[0].tables[1].games] == ["r1t2g1", "r1t2g2"]


def test_totals_are_those_of_the_results(reading: Reading) -> None:
    """The bullheads that a game is listed with are those it ended with."""
    listed = {
        game.id: game.totals for view in rounds(reading) for table in view.tables for game in table.games
    }

    assert listed == {
        result.game: tuple(sum(seat.bullheads) for seat in result.seats) for result in reading.results()
    }


def test_deal_sets_have_as_many_games_as_seats() -> None:
    """Three at one table, two sets, voided once: six games under the numbers 7 to 12, in sets 3 and 4."""
    evening = begin(names=("ada", "bob", "cyd"), rounds=1, games=8, deal_sets=2)
    evening.void(1)
    (found,) = rounds(evening.director.journal.reading())

    assert [(game, (game - 1) // 3 + 1) for game in range(7, 13)] == [
        (game.id.game, game.id.deal_set) for game in found.tables[0].games
    ]


def test_games_wait_and_are_played() -> None:
    """Two tables play at once; the other four games of the first round wait."""
    (view,) = rounds(begin().play(1).director.journal.reading())

    assert view.counts == {GameState.WAITING: 4, GameState.PLAYING: 2}
    assert view.tables[0].games[0].totals is None


def test_games_of_a_voided_round_are_void() -> None:
    """Both stand in the list: those that count no longer, and those that are played instead."""
    evening = begin().play(30)
    done = Counter(game.void for game in evening.director.journal.reading().games())[False]
    evening.void(1)

    (view,) = rounds(evening.director.journal.reading())

    assert view.counts == {GameState.WAITING: 6, GameState.VOID: done}


def test_a_tournament_that_was_ended_leaves_games_unplayed() -> None:
    """Neither those that waited nor those in mid-play will ever be over."""
    evening = begin().play(5)
    evening.director.finish_now()
    (view,) = rounds(evening.play().director.journal.reading())

    assert view.counts == {GameState.UNPLAYED: 6}
