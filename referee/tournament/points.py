"""Points: the share of one's opponents that one has beaten, in exact fractions."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from math import inf

from referee.tournament.model import GameScore, SeatScore

BYE = Fraction(1, 2)
"""What a round without a game is worth: the mean share of any table."""


def game_points(score: GameScore) -> dict[str, Fraction]:
    """Give each entrant of a game its share of the opponents beaten.

    A tie counts half, so a table's shares have the mean 1/2 at any size; forfeited seats share the last place
    without points; a no-show has no points and is nobody's opponent; a seat left without opponents gets the
    value of a bye.

    Returns:
        Points by entrant, each from 0 to 1.
    """
    present = [seat for seat in score.seats if not seat.no_show]
    return {seat.entrant: _share(seat, present) for seat in score.seats}


def winners(score: GameScore) -> tuple[str, ...]:
    """Name those in the first place, alone or shared, of a game.

    Forfeited seats win nothing, and neither does a seat that had no opponent.
    """
    present = [seat for seat in score.seats if not seat.no_show]
    playing = [seat for seat in present if not seat.forfeited]
    if len(present) < 2 or not playing:
        return ()
    best = min(seat.total for seat in playing)
    return tuple(seat.entrant for seat in playing if seat.total == best)


def pair_halves(score: GameScore) -> Iterator[tuple[str, str, int]]:
    """Give what each entrant of a game made of each of its opponents.

    Two forfeited seats tie with each other; a no-show is nobody's opponent.

    Yields:
        The entrant, the opponent, and the half points of the entrant against it: 2, 1 for a tie, or 0.
    """
    present = [(seat.entrant, _weight(seat)) for seat in score.seats if not seat.no_show]
    for (entrant, own), (opponent, other) in permutations(present, 2):
        yield entrant, opponent, _halves(own, other)


def _share(seat: SeatScore, present: list[SeatScore]) -> Fraction:
    if seat.no_show or seat.forfeited:
        return Fraction(0)
    opponents = [_weight(other) for other in present if other is not seat]
    if not opponents:
        return BYE
    own = _weight(seat)
    halves = sum(_halves(own, other) for other in opponents)
    return Fraction(halves, 2 * len(opponents))


def _weight(seat: SeatScore) -> float:
    """What is to be low: the bullheads, or more than any for a forfeit."""
    return inf if seat.forfeited else seat.total


def _halves(own: float, other: float) -> int:
    """Half points of a seat against one opponent, by their weights."""
    return 2 if own < other else int(own == other)


class PointsLedger:
    """The points of everybody, round by round.

    The points of a round are the mean over its games, so a round stays open for an entrant until the last
    of its games is in; closed rounds are kept as one sum, so that the ledger does not grow with the number
    of games.
    """

    def __init__(self, *, games: int | None = None) -> None:
        """Open an empty ledger.

        Args:
            games: How many games each table plays in a round; None if that is not known, and rounds stay
            open.
        """
        self._games = games
        self._closed: dict[str, Fraction] = {}
        self._byes: set[tuple[int, str]] = set()
        self._open: dict[str, dict[int, tuple[Fraction, int]]] = {}

    def add(self, score: GameScore) -> None:
        """Enter one game; games may come in any order."""
        for entrant, points in game_points(score).items():
            self._enter(entrant, score.round, points)

    def add_bye(self, number: int, entrant: str) -> bool:
        """Enter that the entrant rested in round `number`; return whether that is news.

        Saying it twice changes nothing.
        """
        if (number, entrant) in self._byes:
            return False
        self._byes.add((number, entrant))
        self._close(entrant, BYE)
        return True

    def total(self, entrant: str) -> Fraction:
        """The points so far; an open round counts with the mean of the games that are in."""
        running = self._open.get(entrant, {}).values()
        return sum((points / games for points, games in running), self._closed.get(entrant, Fraction(0)))

    def totals(self, entrants: Iterable[str]) -> dict[str, Fraction]:
        """The points so far of each of the entrants."""
        return {entrant: self.total(entrant) for entrant in entrants}

    def _enter(self, entrant: str, number: int, points: Fraction) -> None:
        rounds = self._open.setdefault(entrant, {})
        before, games = rounds.get(number, (Fraction(0), 0))
        rounds[number] = (before + points, games + 1)
        if games + 1 == self._games:
            del rounds[number]
            self._close(entrant, (before + points) / self._games)

    def _close(self, entrant: str, points: Fraction) -> None:
        self._closed[entrant] = self._closed.get(entrant, Fraction(0)) + points
