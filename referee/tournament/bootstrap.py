"""Error bars of the ratings, and how sure the order of the standings is, all from the same resamples."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import attrs

from referee.tournament.evidence import Evidence
from referee.tournament.resample import Resamples

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

SIGNIFICANT = 0.975
"""The likelihood of superiority from which the 95 % bar of a difference leaves out zero."""

_BAR = (0.025, 0.975)
_DEVIATIONS = 1.96
_MOST_DEALS = 10_000_000
_DIGITS = 2


@attrs.frozen(kw_only=True)
class Bar:
    """A rating with its error bar, in Elo points; each None for an entrant that cannot be rated ("n/a").

    Attributes:
        name: The entrant.
        elo: The rating.
        low: The lower end of the 95 % bar.
        high: The upper end.
    """

    name: str
    elo: float | None
    low: float | None
    high: float | None


@attrs.frozen(kw_only=True)
class Neighbours:
    """Two entrants next to each other in the standings.

    Attributes:
        upper: The one above.
        lower: The one below.
        superiority: How likely it is that the upper one is the stronger, from 0 to 1; None if one of them
            cannot be rated.
        significant: Whether that is likely enough for the places not to be chance.
        more_deals: About how many more deals each of the two would have to play, against opponents as so
            far, until their difference is significant, should it stay what it seems; None if it is
            already, one way or the other, if there is none, or if ten million deals would not do.
    """

    upper: str
    lower: str
    superiority: float | None
    significant: bool
    more_deals: int | None


@attrs.frozen(kw_only=True)
class Certainty:
    """How sure the ratings and the order are.

    Attributes:
        bars: One for each entrant, in the order of the standings.
        neighbours: One for each entrant but the first, with the entrant above it.
        games: Games that were played.
        distinct: Those that counted: identical games count once.
        anchor: Whose rating is 0; None where the mean is.
    """

    bars: tuple[Bar, ...]
    neighbours: tuple[Neighbours, ...]
    games: int
    distinct: int
    anchor: str | None


def assess(
    evidence: Evidence, resamples: Resamples, order: Sequence[str], *, anchor: str | None = None
) -> Certainty:
    """Say how sure the ratings and the order of the standings are.

    The marks hold for one pair each; of twenty marks one may be wrong.

    Args:
        evidence: Who beat whom.
        resamples: What `resample` made of the evidence.
        order: The entrants in the order of the standings.
        anchor: Whose rating was fixed in the resamples.
    """
    return Certainty(
        bars=tuple(_bars(resamples, order)),
        neighbours=tuple(_neighbours(evidence, resamples, order)),
        games=evidence.games,
        distinct=evidence.distinct,
        anchor=anchor,
    )


def _bars(resamples: Resamples, order: Sequence[str]) -> Iterator[Bar]:
    import numpy

    places = {name: place for place, name in enumerate(resamples.names)}
    ends = numpy.quantile(resamples.samples, _BAR, axis=0) if places else numpy.zeros((2, 0))
    for name in order:
        place = places.get(name)
        if place is None:
            yield Bar(name=name, elo=None, low=None, high=None)
            continue
        elo, low, high = float(resamples.elo[place]), float(ends[0, place]), float(ends[1, place])
        yield Bar(name=name, elo=elo, low=min(low, elo), high=max(high, elo))


def _neighbours(evidence: Evidence, resamples: Resamples, order: Sequence[str]) -> Iterator[Neighbours]:
    places = {name: place for place, name in enumerate(resamples.names)}
    deals = {name: played.deals for name, played in zip(evidence.names, evidence.involvements, strict=True)}
    for upper, lower in pairwise(order):
        if upper not in places or lower not in places:
            yield Neighbours(upper=upper, lower=lower, superiority=None, significant=False, more_deals=None)
            continue
        samples = resamples.samples[:, places[upper]] - resamples.samples[:, places[lower]]
        seen = float(resamples.elo[places[upper]] - resamples.elo[places[lower]])
        superiority = _superiority(samples)
        is_open = 1 - SIGNIFICANT < superiority < SIGNIFICANT
        played = (deals[upper] + deals[lower]) / 2
        yield Neighbours(
            upper=upper,
            lower=lower,
            superiority=superiority,
            significant=superiority >= SIGNIFICANT,
            more_deals=_more_deals(seen, float(samples.std()), played) if is_open else None,
        )


def _superiority(differences: "Floats") -> float:
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def _more_deals(difference: float, deviation: float, deals: float) -> int | None:
    """Deviations shrink with the root of the deals, so these must grow by the square of what is missing."""
    if difference == 0:
        return None
    more = deals * ((_DEVIATIONS * deviation / difference) ** 2 - 1)
    return _rounded_up(max(more, 1.0)) if more <= _MOST_DEALS else None


def _rounded_up(value: float) -> int:
    """To two digits, since it is a guess."""
    unit = int(10 ** max(0, math.floor(math.log10(value)) - _DIGITS + 1))
    return math.ceil(value / unit) * unit
