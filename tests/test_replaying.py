"""The course of a game, made again from its decisions."""

import pytest

from protocol.parts import ClosedBecause
from referee.journal.reading import Reading
from referee.play.table import Table
from referee.replaying import Course, course
from referee.rules.decisions import DecisionKind
from referee.rules.variants import Rules, Variant
from referee.setup import TournamentSetup, table_setup
from tests.journal.keeping import NAMES, Evening, begin


def courses(evening: Evening) -> list[Course]:
    """The courses of all games of a tournament."""
    reading = evening.director.journal.reading()
    setup = TournamentSetup.of(reading.head)
    return [course(table_setup(setup, game.id, game.names), reading.steps(game)) for game in reading.games()]


@pytest.fixture(scope="module")
def tactic() -> list[Course]:
    """The games of a tournament with the cow."""
    rules = Rules(variant=Variant.TACTIC, jumping_cow=True, target=None, deals=2)
    return courses(begin(names=NAMES[:5], rules=rules, absent=["cyd"]).play())


def test_rows_follow_from_trick_to_trick(tactic: list[Course]) -> None:
    """The rows before a trick are those after the one before it, or those that were dealt; so is the cow."""
    for game in tactic:
        for deal in game.deals:
            before = [(trick.rows_before, trick.cow_before) for trick in deal.tricks]
            after = [(trick.rows_after, trick.cow_after) for trick in deal.tricks]

            assert before == [(deal.rows, deal.cow), *after[:-1]]


def test_each_card_of_the_hand_is_played_once(tactic: list[Course]) -> None:
    """Ten tricks use up the hands that were dealt."""
    for game in tactic:
        for deal in game.deals:
            played = zip(*(trick.cards for trick in deal.tricks), strict=True)

            assert [tuple(sorted(cards)) for cards in played] == list(deal.hands)


def test_takes_add_up_to_the_bullheads_of_the_deal(tactic: list[Course]) -> None:
    """What the cards took, trick by trick, is what the deal cost, and the totals what the game did."""
    for game in tactic:
        for deal in game.deals:
            taken = [0] * len(deal.hands)
            for trick in deal.tricks:
                for placement in trick.placements:
                    taken[placement.seat] += sum(take.bullheads for take in placement.takes)

            assert tuple(taken) == deal.bullheads == deal.tricks[-1].taken
        assert game.end is not None
        assert game.end.totals == game.deals[-1].totals


def test_choices_say_why_and_how_long(tactic: list[Course]) -> None:
    """An answer has a time, a default has a reason; the absent seat is gone until it has forfeited."""
    choices = [
        (game.setup.names[choice.seat], choice)
        for game in tactic
        for deal in game.deals
        for trick in deal.tricks
        for choice in trick.choices
    ]

    assert all(
        (choice.took_ns is None) == (choice.reason is not ClosedBecause.ANSWERED) for _, choice in choices
    )
    assert {choice.reason for name, choice in choices if name == "cyd"} == {
        ClosedBecause.GONE,
        ClosedBecause.FORFEITED,
    }
    assert {choice.kind for _, choice in choices} == {DecisionKind.CARD, DecisionKind.ROW}


def test_a_forfeit_stands_where_it_happened(tactic: list[Course]) -> None:
    """The absent seat forfeits with its third default."""
    for game in tactic:
        if "cyd" in game.setup.names:
            seat = game.setup.names.index("cyd")
            tricks = [trick for trick in game.deals[0].tricks if seat in trick.forfeits]
            decided = [
                choice
                for trick in game.deals[0].tricks
                for choice in trick.choices
                if choice.seat == seat and choice.reason is ClosedBecause.GONE
            ]

            assert len(tricks) == 1
            assert len(decided) == 3
            assert decided[-1].trick == tricks[0].number


def test_a_draft_has_its_picks() -> None:
    """Two seats pick ten cards each in turn, and these are their hands."""
    rules = Rules(variant=Variant.ADVANCED, target=None, deals=1)
    evening = begin(names=NAMES[:2], rules=rules, rounds=1, games=1, table_size=2)
    (game,) = courses(evening.play())
    (deal,) = game.deals

    assert [pick.seat for pick in deal.picks] == [0, 1] * 10
    assert [pick.trick for pick in deal.picks] == [0] * 20
    assert deal.hands == tuple(
        tuple(sorted(pick.choice for pick in deal.picks if pick.seat == seat)) for seat in (0, 1)
    )
    assert len(deal.tricks) == 10


def test_a_game_in_mid_play_has_its_tricks_so_far() -> None:
    """The open deal has no score yet, and the game no end."""
    games = courses(begin(honest=True).play(4))

    assert [game.end for game in games] == [None, None]
    assert all(deal.totals is None for game in games for deal in game.deals)
    assert all(2 <= len(game.deals[-1].tricks) <= 4 for game in games)


def test_a_game_that_is_not_over_after_a_low_card_waits_for_a_row() -> None:
    """The cards lie open but not in rows, so the trick is not told yet."""
    evening = begin(honest=True)
    for _ in range(30):
        evening.play(1)
        reading = evening.director.journal.reading()
        for game in [game for game in reading.games() if game.digest is None]:
            setup = table_setup(TournamentSetup.of(reading.head), game.id, game.names)
            table = Table(setup, lambda: 0)
            table.restore(reading.steps(game))
            if table.position.trick_cards:
                told = course(setup, reading.steps(game)).deals[-1].tricks

                assert len(told) == table.position.trick - 1
                return
    raise AssertionError("no card was too low")


def test_steps_of_another_game_are_refused(finished_pair: tuple[Reading, Course]) -> None:
    """They are not legal there, and the sentence says of which game."""
    reading, other = finished_pair
    game = next(iter(reading.games()))

    with pytest.raises(ValueError, match=f"game {other.setup.game} cannot be replayed"):
        course(other.setup, reading.steps(game))


@pytest.fixture
def finished_pair() -> tuple[Reading, Course]:
    """A journal, and the course of its last game."""
    evening = begin(names=NAMES[:4], rounds=2, games=1).play()
    return evening.director.journal.reading(), courses(evening)[-1]
