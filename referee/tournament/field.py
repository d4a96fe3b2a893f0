"""The field of a Swiss round in numbers: what the pairing methods work on."""

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import attrs

from referee.tournament.chance import generator, index, shuffled
from referee.tournament.history import History
from referee.tournament.sizes import LARGEST_TABLE

_FINEST = 1 << 16
_GAP = 64


@attrs.frozen(kw_only=True, slots=False)
class Field:
    """Everybody who plays, by rank from 0: points falling, equal points in the order of a seeded shuffle.

    Attributes:
        names: Names by rank.
        points: Points by rank, as integers over one denominator.
        point: What one point is in these integers.
        shuffle: A seeded number for each, all distinct, with which pairings of equal cost are told apart.
        met: For each rank, how often it has met which other ranks; those never met are absent.
        visits: How often each has been at a small table.
        seats: How often each has had each seat, `seats[rank][seat]`.
    """

    names: tuple[str, ...]
    points: tuple[int, ...]
    point: Fraction
    shuffle: tuple[int, ...]
    met: tuple[Mapping[int, int], ...]
    visits: tuple[int, ...]
    seats: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, active: Sequence[str], history: History, *, seed: str) -> "Field":
        """Look at the active entrants, whose order does not matter, through their history."""
        chance = generator(seed, "field")
        drawn = {
            name: place * _GAP + index(chance, _GAP)
            for place, name in enumerate(shuffled(sorted(active), chance))
        }
        points = {name: history.points.get(name, Fraction(0)) for name in active}
        names = tuple(sorted(active, key=lambda name: (-points[name], drawn[name])))
        point = _point(points.values())
        return cls(
            names=names,
            points=tuple(round(points[name] * point) for name in names),
            point=point,
            shuffle=tuple(drawn[name] for name in names),
            met=_met(names, history),
            visits=tuple(history.small_tables.get(name, 0) for name in names),
            seats=tuple(
                tuple(history.seats.get((name, seat), 0) for seat in range(LARGEST_TABLE)) for name in names
            ),
        )

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.names)

    @cached_property
    def widest(self) -> int:
        """The square of the largest difference in points."""
        return (max(self.points) - min(self.points)) ** 2


def _point(points: Collection[Fraction]) -> Fraction:
    """What brings points to integers: their common denominator.

    Denominators that only broken-off games of very many deals can make are rounded to a grid of 65,536
    steps, so that the weights of a matching stay within the 128 bits that it works in.
    """
    unit = math.lcm(*(value.denominator for value in points))
    highest = max(points, default=Fraction(0))
    return Fraction(unit) if highest * unit <= _FINEST else _FINEST / highest


def _met(names: Sequence[str], history: History) -> tuple[dict[int, int], ...]:
    ranks = {name: rank for rank, name in enumerate(names)}
    met: tuple[dict[int, int], ...] = tuple({} for _ in names)
    for pair, times in history.meetings.items():
        known = [ranks[name] for name in pair if name in ranks]
        for one, other in combinations(known, 2):
            met[one][other] = met[other][one] = times
    return met
