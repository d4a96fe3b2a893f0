"""Ratings from a journal: what counts, and what does not."""

import math
from pathlib import Path

import pytest

from referee.director import Director
from referee.journal.certainty import certainty
from referee.play.results import GameResult, SeatResult
from referee.rules.variants import Rules
from referee.tournament.model import Kind, TournamentError
from tests.journal.keeping import begin, go_on, setup
from tests.notes import begun


def play_round(director: Director, *, course: str = "", absent: str = "") -> None:
    """Play the next round of two games at one table of two, won by a, all of one course if one is given."""
    for _ in range(2):
        game = director.next_game(lambda names: True)
        seats = tuple(
            SeatResult(
                name=name,
                bullheads=(1 if name == "a" else 5, 3),
                forfeited=False,
                no_show=name in absent,
                faults={},
                took_ns=(),
            )
            for name in game.names
        )
        result = GameResult(
            game=game.id, seats=seats, digest=f"{game.id}", course=course or f"{game.id}", referee_delay_ns=0
        )
        director.game_ended(result)


def two(**changes: object) -> Director:
    """A Swiss of a and b over three rounds of two games."""
    values = {"kind": Kind.SWISS, "table_size": 2, "games": 2, "rules": Rules(target=None, deals=2)}
    return begun(setup(**(values | changes)), "ab")


def test_games_that_went_the_same_way_count_once() -> None:
    """Four games, two of them of one course: three are distinct, if the seats are the same ones."""
    director = two()
    play_round(director)
    play_round(director, course="same")
    found = director.certainty()

    assert 4 == found.games
    assert found.distinct == 2 + len(
        {tuple(game.names) for game in director.journal.reading().games() if game.id.round == 2}
    )


def test_a_voided_round_is_no_evidence() -> None:
    """Two games were played; voided, nothing is known."""
    director = two()
    play_round(director)

    assert (2, 2) == (director.certainty().games, director.certainty().distinct)

    director.void_round(1, "test")
    found = director.certainty()

    assert 0 == found.games
    assert [None, None] == [bar.elo for bar in found.bars]


def test_who_won_everything_has_a_rating_with_a_bar() -> None:
    """It is finite, above the other's, and the order is that of the standings."""
    director = two()
    play_round(director)
    upper, lower = director.certainty().bars

    assert ("a", "b") == (upper.name, lower.name)
    assert upper.elo == pytest.approx(-lower.elo)
    assert 0 < upper.elo < upper.high < math.inf
    assert upper.low < upper.elo


def test_who_never_came_cannot_be_rated() -> None:
    """A no-show met nobody, and then there is nobody to rate."""
    director = two()
    play_round(director, absent="b")

    assert [None, None] == [bar.elo for bar in director.certainty().bars]
    assert [None] == [neighbours.superiority for neighbours in director.certainty().neighbours]


def test_the_anchor_has_zero() -> None:
    """And no bar, since it is the measure."""
    director = two()
    play_round(director)
    found = director.certainty("b")

    assert "b" == found.anchor
    assert (0, 0, 0) == (found.bars[1].elo, found.bars[1].low, found.bars[1].high)


def test_an_anchor_from_elsewhere_is_refused() -> None:
    """The sentence says what to do."""
    with pytest.raises(
        TournamentError, match="c is not among the entrants: anchor the ratings to one of them"
    ):
        two().certainty("c")


def test_the_journal_a_restored_director_and_the_one_that_played_agree(tmp_path: Path) -> None:
    """The samples follow from the seed; nothing is left to chance."""
    path = tmp_path / "a.journal"
    evening = begin(path, absent=["fay"]).play(60)
    before = evening.director.certainty("bob")
    evening.director.journal.abandon()
    restored = go_on(path).director

    assert before == restored.certainty("bob")
    assert before == certainty(
        restored.journal.reading(), [row.name for row in restored.rows()], anchor="bob"
    )
    assert before.games == before.distinct > 0

    restored.journal.close()
