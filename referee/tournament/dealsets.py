"""Deal sets: which games of a table share their decks, and who sits where in each of them."""

import enum
from collections.abc import Sequence

import attrs


class Sets(enum.Enum):
    """Which games of a table are one deal set."""

    SINGLE = "single"
    """Each game is a set of its own."""

    ROTATED = "rotated"
    """A set is played once for each rotation of the seats, so that everybody has each hand once."""

    PAIRED = "paired"
    """A set is played twice: the two who are compared are both at the table, and take turns in one seat."""


class Turning(enum.Enum):
    """What a rotation moves."""

    SEATS = "seats"
    """The entrants, from one hand to the next."""

    OPENER = "opener"
    """Nobody: where all is drafted, the rules move the opener with the number of the game."""


@attrs.frozen(kw_only=True)
class Series:
    """What each table plays in a round.

    Attributes:
        sets: Which of its games are one deal set.
        count: How many deal sets.
        turning: What a rotation moves.
        rivals: In a comparison the two who are compared; else None.
    """

    sets: Sets
    count: int
    turning: Turning
    rivals: tuple[str, str] | None = None

    def games(self, entrants: int) -> int:
        """How many games a table of so many entrants plays."""
        return self.count * self._games_of_a_set(entrants)

    def deal_set(self, entrants: int, game: int) -> int:
        """The deal set of a game of a table of so many entrants; both numbers count from 1.

        In a round that is played again games and sets are numbered on.
        """
        return (game - 1) // self._games_of_a_set(entrants) + 1

    def seated(self, entrants: Sequence[str], game: int) -> tuple[str, ...]:
        """The entrants of a table by seat in one of its games: at first in their order, then each one on."""
        if self.sets is Sets.PAIRED and self.rivals is not None:
            aside = self.rivals[game % 2]
            return tuple(name for name in entrants if name != aside)
        if self.sets is Sets.SINGLE or self.turning is Turning.OPENER:
            return tuple(entrants)
        seats = len(entrants)
        rotation = (game - 1) % seats
        return tuple(entrants[(seat - rotation) % seats] for seat in range(seats))

    def opening(self, deal_set: int, game: int) -> int:
        """The number that moves the opener of a draft: of the set, where its games have to begin alike."""
        return deal_set if self.sets is Sets.PAIRED else game

    def entrants(self, seats: int) -> int:
        """How many entrants a table with so many seats has."""
        return seats + 1 if self.sets is Sets.PAIRED else seats

    def _games_of_a_set(self, entrants: int) -> int:
        return {Sets.SINGLE: 1, Sets.ROTATED: entrants, Sets.PAIRED: 2}[self.sets]
