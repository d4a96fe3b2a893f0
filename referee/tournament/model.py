"""The words of a tournament as data: plans of rounds, and scores of games."""

import enum

import attrs


class TournamentError(ValueError):
    """A tournament that cannot be held as asked; the message is one sentence that says what is possible."""


class Kind(enum.Enum):
    """The formats on offer; the values are the words that users type and read."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    ALL_COMBINATIONS = "all-combinations"
    COMPARISON = "comparison"
    """Of two bots, see `paired`."""


TOURNAMENTS = tuple(kind for kind in Kind if kind is not Kind.COMPARISON)
"""The formats that are chosen among; a comparison is a command of its own."""


@attrs.frozen(kw_only=True)
class TablePlan:
    """Who meets at one table.

    Attributes:
        round: The round, from 1.
        table: The table within its round, from 1.
        entrants: Names in the order of their seats.
    """

    round: int
    table: int
    entrants: tuple[str, ...]


@attrs.frozen(kw_only=True)
class RoundPlan:
    """One round: every entrant sits at one of its tables or has a bye.

    Attributes:
        number: The round, from 1.
        tables: Its tables, in the order of their numbers.
        byes: Entrants who rest this round.
        notes: Sentences for people: which rule had to give way and why.
    """

    number: int
    tables: tuple[TablePlan, ...]
    byes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class SeatScore:
    """What one seat took in one game.

    Attributes:
        entrant: Who sat there.
        bullheads: Bullheads taken in each deal; fewer are better.
        forfeited: Struck out during the game.
        no_show: Absent for the whole game, hence nobody's opponent.
    """

    entrant: str
    bullheads: tuple[int, ...]
    forfeited: bool = False
    no_show: bool = False

    @property
    def total(self) -> int:
        """Bullheads of the whole game."""
        return sum(self.bullheads)


@attrs.frozen(kw_only=True)
class GameScore:
    """The result of one game.

    Attributes:
        round: The round, from 1.
        table: The table within the round, from 1.
        game: The game at that table, from 1.
        seats: One score for each seat, in the order of the seats.
    """

    round: int
    table: int
    game: int
    seats: tuple[SeatScore, ...]

    @property
    def deals(self) -> int:
        """How many deals the game lasted."""
        return max((len(seat.bullheads) for seat in self.seats), default=0)
