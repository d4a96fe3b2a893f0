"""The evidence for ratings: who beat whom, summed within units that are independent of each other.

A unit is a deal set at a table: its games share their deals, so they hang together and count as one. Units
are kept apart so that error bars can be worked out over them, and merged into groups when there are very
many, so that a hundred thousand games take little more room than a thousand.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from referee.tournament.model import GameScore, TournamentError
from referee.tournament.points import pair_halves

_MOST_GROUPS = 1_024
_FEWEST_GROUPS = 200
_MOST_PAIRS = 500_000

Pair = tuple[int, int]
"""The numbers of two entrants, the smaller first."""


class PairTotal(NamedTuple):
    """Games of a pair, added up.

    Attributes:
        halves: Half points of the first of the pair against the second.
        games: Games in which they met.
        seats: Seats of the tables at which they met, added up over the games.
    """

    halves: int = 0
    games: int = 0
    seats: int = 0


_NEVER_MET = PairTotal()


class Involvement(NamedTuple):
    """How much one entrant has played.

    Attributes:
        units: Independent units in which it took part.
        deals: Deals of the games that counted.
    """

    units: int = 0
    deals: int = 0


class Evidence:
    """Adds up games by pair, for the whole tournament and for each unit.

    Beyond so many units, they are merged at random into that many groups, by a checksum of their place in
    the schedule, so that the order in which games end makes no difference. Sums of independent units are
    independent, so error bars stay right; only their own precision falls, to about one part in the square
    root of twice the number of groups.

    Attributes:
        names: The entrants in alphabetical order; elsewhere they go by their index in it.
        games: Games that were entered.
        distinct: Those that counted: identical games count once.
        freedom: Comparisons that are independent of each other: for each unit, the seats present less one.
    """

    def __init__(self, entrants: Iterable[str], *, most_groups: int | None = None) -> None:
        """Start with nothing.

        Args:
            entrants: Everybody who may play.
            most_groups: The most units or groups to keep; None for 1,024, fewer with a very large field.
        """
        self.names = tuple(sorted(set(entrants)))
        self.games = self.distinct = self.freedom = 0
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self._most = most_groups or _room(len(self.names))
        self._totals: dict[Pair, PairTotal] = {}
        self._groups: dict[int, dict[Pair, tuple[int, int]]] = {}
        self._units: set[int] = set()
        self._identities: set[int] = set()
        self._involved = [Involvement() for _ in self.names]

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return len(self._units)

    @property
    def totals(self) -> Mapping[Pair, PairTotal]:
        """The games of each pair that met."""
        return self._totals

    @property
    def groups(self) -> Sequence[Mapping[Pair, tuple[int, int]]]:
        """For each group, in the order of their numbers, the half points and games of each pair in it."""
        return [self._groups[number] for number in sorted(self._groups)]

    @property
    def involvements(self) -> Sequence[Involvement]:
        """How much each entrant has played."""
        return self._involved

    def add(self, score: GameScore, *, deal_set: int | None = None, identity: str | None = None) -> bool:
        """Enter one game; games may come in any order.

        Args:
            score: Its result.
            deal_set: Which deal set of its table it belongs to; None if each game is a set of its own.
            identity: What the seats did, in any words that are the same for identical games, where games can
                be identical since nothing in them is left to chance; None where they cannot.

        Returns:
            Whether it counted: whether it was not identical to one before and somebody met somebody in it.

        Raises:
            TournamentError: Somebody in it is not among the entrants.
        """
        for seat in score.seats:
            if seat.entrant not in self._numbers:
                raise TournamentError(f"{seat.entrant} is not among the entrants whose games are compared")
        self.games += 1
        if self._is_repeated(score, identity):
            return False
        present = [self._numbers[seat.entrant] for seat in score.seats if not seat.no_show]
        if len(present) < 2:
            return False
        self.distinct += 1
        unit = _unit(score, score.game if deal_set is None else deal_set)
        self._involve(unit, present, score.deals)
        self._enter(self._group(unit), score, len(present))
        return True

    def _is_repeated(self, score: GameScore, identity: str | None) -> bool:
        if identity is None:
            return False
        number = hash((tuple(seat.entrant for seat in score.seats), identity))
        repeated = number in self._identities
        self._identities.add(number)
        return repeated

    def _involve(self, unit: int, present: Sequence[int], deals: int) -> None:
        is_new = unit not in self._units
        if is_new:
            self._units.add(unit)
            self.freedom += len(present) - 1
        for number in present:
            before = self._involved[number]
            self._involved[number] = Involvement(before.units + is_new, before.deals + deals)

    def _enter(self, group: dict[Pair, tuple[int, int]], score: GameScore, seats: int) -> None:
        for entrant, opponent, halves in pair_halves(score):
            if entrant > opponent:  # numbers are in alphabetical order
                continue
            pair = self._numbers[entrant], self._numbers[opponent]
            total = self._totals.get(pair, _NEVER_MET)
            self._totals[pair] = PairTotal(total.halves + halves, total.games + 1, total.seats + seats)
            here = group.get(pair, (0, 0))
            group[pair] = (here[0] + halves, here[1] + 1)

    def _group(self, unit: int) -> dict[Pair, tuple[int, int]]:
        if len(self._units) > self._most:
            if len(self._units) == self._most + 1:
                self._merge()
            unit = self._merged(unit)
        return self._groups.setdefault(unit, {})

    def _merge(self) -> None:
        """Put the units of so far into groups; doing it again changes nothing of what is kept."""
        before, self._groups = self._groups, {}
        for unit, pairs in before.items():
            group = self._groups.setdefault(unit if unit < 0 else self._merged(unit), {})
            for pair, (halves, games) in pairs.items():
                here = group.get(pair, (0, 0))
                group[pair] = (here[0] + halves, here[1] + games)

    def _merged(self, unit: int) -> int:
        """The group of a unit, as a number below zero, to be told from units."""
        return -1 - zlib.crc32(str(unit).encode()) % self._most


def _unit(score: GameScore, deal_set: int) -> int:
    """One number for a place in the schedule."""
    return score.round << 48 | score.table << 32 | deal_set


def _room(field: int) -> int:
    pairs = field * (field - 1) // 2
    return max(_FEWEST_GROUPS, min(_MOST_GROUPS, _MOST_PAIRS // max(1, pairs)))
