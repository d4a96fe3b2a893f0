"""Tie-breaks: what tells apart entrants with equal points, in exact fractions.

They are those of chess (FIDE Handbook C.07) carried over to tables of several, and the bullhead margin.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

import attrs

from referee.tournament.encounters import Meetings
from referee.tournament.model import GameScore

_NOTHING = Fraction(0)


@attrs.frozen(kw_only=True)
class TieBreaks:
    """The tie-breaks of one entrant, in the order in which they count; more is better.

    Attributes:
        direct_encounter: Sum, over the others with equal points, of the mean share against each; None unless
            there are others and all of them have met each other.
        margin: Sum over all deals of the table's mean bullheads minus one's own.
        buchholz: Sum over rounds of the mean points of the table's opponents; a round without opponents
            counts as one against somebody with one's own points.
        buchholz_cut1: The same without the round that adds least.
        sonneborn_berger: Sum over rounds of the mean over opponents of the share against each times its
            points.
    """

    direct_encounter: Fraction | None = None
    margin: Fraction = _NOTHING
    buchholz: Fraction = _NOTHING
    buchholz_cut1: Fraction = _NOTHING
    sonneborn_berger: Fraction = _NOTHING


@attrs.frozen(kw_only=True)
class Place:
    """Where an entrant stands.

    Attributes:
        rank: From 1; those whom no tie-break tells apart share a rank, and the next is skipped (1-2-2-4).
        name: The entrant.
        tie_breaks: By what it was ranked after its points.
    """

    rank: int
    name: str
    tie_breaks: TieBreaks


def ranked(
    points: Mapping[str, Fraction], margins: Mapping[str, Fraction], meetings: Mapping[str, Meetings]
) -> tuple[Place, ...]:
    """Put entrants in order: by points, then by each tie-break in turn, then by name within a shared rank.

    Args:
        points: The points of everybody, opponents included.
        margins: Bullhead margins; who has none has 0.
        meetings: What everybody has met with.
    """
    common = _Common.of(points)
    found = {name: _tie_breaks(name, common, margins.get(name, _NOTHING), meetings[name]) for name in points}
    return tuple(_placed(points, dict(_with_direct_encounters(points, found, meetings))))


def game_margins(score: GameScore) -> dict[str, Fraction]:
    """Give each entrant of a game the table's mean total minus its own total: what others took more.

    The mean is over the seats that were present and stayed. A no-show has a margin of 0, and a forfeited
    seat none above 0, so that being struck out is never of use.
    """
    staying = [seat.total for seat in score.seats if not (seat.no_show or seat.forfeited)]
    if not staying:
        return {seat.entrant: _NOTHING for seat in score.seats}
    mean = Fraction(sum(staying), len(staying))
    margins = {seat.entrant: mean - seat.total for seat in score.seats}
    for seat in score.seats:
        if seat.no_show:
            margins[seat.entrant] = _NOTHING
        elif seat.forfeited:
            margins[seat.entrant] = min(margins[seat.entrant], _NOTHING)
    return margins


@attrs.frozen(kw_only=True)
class _Common:
    """The points of everybody as whole numbers over one denominator, which add up fast and exactly."""

    points: Mapping[str, Fraction]
    denominator: int
    whole: Mapping[str, int]

    @classmethod
    def of(cls, points: Mapping[str, Fraction]) -> "_Common":
        common = math.lcm(*(value.denominator for value in points.values()))
        whole = {name: int(value * common) for name, value in points.items()}
        return cls(points=points, denominator=common, whole=whole)

    def buchholz(self, name: str, meetings: Meetings) -> tuple[Fraction, Fraction]:
        """The sum over rounds of the mean points of the opponents, and the least of these means.

        Rounds with equally many opponents are added up before anything is divided.
        """
        sums: Counter[int] = Counter()
        least: dict[int, int] = {}
        for opponents, rounds in meetings.opponents.items():
            size = len(opponents) or 1
            strength = sum(map(self.whole.__getitem__, opponents)) if opponents else self.whole[name]
            sums[size] += strength * rounds
            least[size] = min(strength, least.get(size, strength))
        return (
            sum((self._mean(value, size) for size, value in sums.items()), _NOTHING),
            min((self._mean(value, size) for size, value in least.items()), default=_NOTHING),
        )

    def _mean(self, value: int, size: int) -> Fraction:
        return Fraction(value, size * self.denominator)


def _tie_breaks(name: str, common: _Common, margin: Fraction, meetings: Meetings) -> TieBreaks:
    """Everything but the direct encounter, which depends on who else has the same points."""
    buchholz, least = common.buchholz(name, meetings)
    results = (share * common.points[other] for other, share in meetings.results.items())
    return TieBreaks(
        margin=margin,
        buchholz=buchholz,
        buchholz_cut1=buchholz - least,
        sonneborn_berger=sum(results, meetings.alone * common.points[name]),
    )


def direct_encounter(group: Sequence[str], meetings: Mapping[str, Meetings]) -> dict[str, Fraction] | None:
    """Compare entrants by their own meetings: the sum of each one's mean shares against the others.

    Means rather than sums, since some may have met more often than others.

    Returns:
        The sums by entrant, or None if some pair of them never met.
    """
    sums = dict.fromkeys(group, _NOTHING)
    for name in group:
        for other in group:
            if other == name:
                continue
            share = meetings[name].against(other)
            if share is None:
                return None
            sums[name] += share
    return sums


def _with_direct_encounters(
    points: Mapping[str, Fraction], found: Mapping[str, TieBreaks], meetings: Mapping[str, Meetings]
) -> Iterator[tuple[str, TieBreaks]]:
    by_points = sorted(points, key=lambda name: -points[name])
    for _, equals in groupby(by_points, key=lambda name: points[name]):
        group = tuple(equals)
        sums = direct_encounter(group, meetings) if len(group) > 1 else None
        for name in group:
            yield name, attrs.evolve(found[name], direct_encounter=None if sums is None else sums[name])


def _placed(points: Mapping[str, Fraction], found: Mapping[str, TieBreaks]) -> Iterator[Place]:
    keys = {name: _key(points[name], tie_breaks) for name, tie_breaks in found.items()}
    rank, above = 0, None
    for place, name in enumerate(sorted(keys, key=lambda name: (keys[name], name)), start=1):
        if keys[name] != above:
            rank, above = place, keys[name]
        yield Place(rank=rank, name=name, tie_breaks=found[name])


def _key(points: Fraction, tie_breaks: TieBreaks) -> tuple[Fraction, ...]:
    """What to sort by, the best first; of those with equal points all have a direct encounter or none has."""
    return (
        -points,
        -(tie_breaks.direct_encounter or _NOTHING),
        -tie_breaks.margin,
        -tie_breaks.buchholz,
        -tie_breaks.buchholz_cut1,
        -tie_breaks.sonneborn_berger,
    )
