"""`--until-decided` without a bot: when it looks, at what, and what it says in the end."""

from collections.abc import Collection, Mapping

import attrs
import pytest

from referee.cli.deciding import Aim, Deciding
from referee.cli.show import announcement
from referee.server.news import RoundOver
from tests.notes import begun
from tests.test_director import NAMES, SETUP, anybody, result

TIES = dict.fromkeys(NAMES, 5)
ROUNDS = 40
LOOKS = (1, 2, 4, 5, 8, 12, 18, 27, 40)
"""Forty rounds, and that divided by one and a half as often as it goes, rounded."""


class Evening:
    """A tournament of forty rounds at tables of two, and what is said of it."""

    def __init__(self, entrants: int, *, top: int | None = None) -> None:
        self.director = begun(attrs.evolve(SETUP, rounds=ROUNDS), NAMES[:entrants])
        self.said: list[str] = []
        self.stops = 0
        self._top = top
        self.watch()

    def watch(self) -> None:
        """Have it watched by somebody who knows only what is in the journal."""
        self.deciding = Deciding(self.director, Aim(top=self._top), self.said.append)

    def open(self) -> None:
        """Begin, or go on."""
        self.deciding.open(stop=self.stop, play_on=lambda: None)

    def stop(self) -> None:
        """End it."""
        self.stops += 1
        self.director.finish_now()

    def play(
        self,
        bullheads: Mapping[str, int] | None = None,
        *,
        games: int | None = None,
        absent: Collection[str] = (),
    ) -> None:
        """Play so many games or to the end; who comes first in the alphabet wins if nothing else is said."""
        played = 0
        while played != games and (game := self.director.next_game(anybody)) is not None:
            played += 1
            ended = result(game, bullheads=bullheads, absent=absent)
            # Games of the same course count once.
            if self.director.game_ended(attrs.evolve(ended, course=str(game.id))):
                self.deciding.news([RoundOver(number=game.id.round)])


def test_it_ends_at_the_look_that_decides_and_not_later() -> None:
    """One wins all games; at some look before the last that is enough, and no later round has begun."""
    evening = Evening(2)
    evening.open()
    evening.play()

    assert evening.said[0] == (
        "it ends once the order is decided; that is looked at after round 1, 2, 4, 5, 8, 12, 18, 27, 40"
    )
    assert evening.stops == 1
    assert evening.director.games_done == evening.director.rounds_done
    assert evening.director.rounds_done in LOOKS[:-1]
    assert evening.said[1].startswith(
        f"the order was decided after {evening.director.rounds_done} of at most 40 rounds: "
    )
    assert len(evening.said) == 2


def test_equals_spend_the_budget_and_it_is_said_who_is_not_apart() -> None:
    """All games tie: the likelihood is about a half, and without a difference no number of deals helps."""
    evening = Evening(2)
    evening.open()
    evening.play(TIES)

    assert (evening.stops, evening.director.games_done, evening.director.complete) == (0, 40, True)
    assert evening.said[1].startswith("the order was not decided within 40 rounds: it has a likelihood of ")
    assert evening.said[1].endswith(" and 99.6% are needed; what may be chance is ada above bob")


def test_only_places_that_were_asked_for_are_said_to_be_open() -> None:
    """Of eight who all tie, the first two places have two neighbours to be set apart."""
    evening = Evening(8, top=2)
    evening.open()
    evening.play(TIES)

    assert evening.said[1].startswith("the order of the first 2 was not decided within 40 rounds: ")
    assert evening.said[1].endswith("; what may be chance is ada above bob, bob above cyd")


def test_of_many_who_are_not_apart_some_are_named() -> None:
    """Eight have seven neighbours: five of them and two more."""
    evening = Evening(8)
    evening.open()
    evening.play(TIES)

    assert evening.said[1].endswith(", dan above eve, eve above fay and 2 more")


def test_who_was_stopped_before_a_look_has_it_afterwards() -> None:
    """The first round of four is over, but nobody has looked yet."""
    evening = Evening(4)
    while evening.director.rounds_done < 1:
        game = evening.director.next_game(anybody)
        assert game is not None
        evening.director.game_ended(result(game))
    evening.watch()
    evening.open()

    assert evening.said[0].endswith(" is looked at after round 1, 2, 4, 5, 8, 12, 18, 27, 40")
    assert evening.director.last_round_for_now == 2


def test_who_was_stopped_after_a_look_does_not_look_again() -> None:
    """A game of the second round has ended, which was none when the first was looked at."""
    evening = Evening(4)
    evening.open()
    evening.play(TIES, games=3)
    evening.watch()
    evening.open()

    assert evening.said[1].endswith(" is looked at after round 2, 4, 5, 8, 12, 18, 27, 40")
    assert evening.director.last_round_for_now == 2


def test_nobody_waits_for_who_has_withdrawn() -> None:
    """The third is out before the first game, and so is not rated; the order of the other two is decided."""
    evening = Evening(3, top=3)
    evening.director.withdraw("cyd", "never came")
    evening.open()
    evening.play(absent={"cyd"})

    assert evening.stops == 1
    assert evening.said[1].startswith("the order of the first 3 was decided after ")


def test_one_alone_has_nothing_to_decide() -> None:
    """All others have withdrawn: it is over at the next look."""
    evening = Evening(2)
    evening.director.withdraw("bob", "left")
    evening.open()
    evening.play()

    assert (evening.stops, evening.director.games_done) == (1, 1)
    assert evening.said[1:] == ["the order was not decided, since all but one have withdrawn"]


@pytest.mark.parametrize(
    ("last", "expected"), [(None, ": 40 games in 40 rounds"), (1, ": at most 40 games in 40 rounds")]
)
def test_the_announcement_says_that_it_may_be_fewer(last: int | None, expected: str) -> None:
    """While rounds are held back nobody knows yet whether they will be played."""
    director = Evening(2).director
    director.last_round_for_now = last

    assert announcement(director)[0].endswith(expected)
