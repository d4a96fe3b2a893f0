"""What the ratings might have been: a bootstrap over independent units.

Results at one table hang together, so games are not drawn anew one by one but unit by unit (Efron 1979,
Annals of Statistics 7; for units that hold several results, Davison and Hinkley 1997, section 3.8). Refitting
each sample is replaced by one Newton step from the fit (Davidson and MacKinnon 1999, International Economic
Review 40), which is quick for a thousand entrants and cannot fail where somebody won everything.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from referee.tournament.evidence import Evidence, Pair
from referee.tournament.ratings import Anchor, Fit, connected, fit, on_elo_scale

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

SAMPLES = 2_000
"""How many samples there are: enough for the ends of a 95 % bar to within about 3 % of its width."""

_PRIOR_UNITS = 8.0
_CHUNK = 250
_MOST_INFLATION = 3.0
_SLIGHTLY = 1e-9


@attrs.frozen(kw_only=True, eq=False)
class Resamples:
    """The ratings that samples of the units give.

    Attributes:
        names: Those who can be rated, in alphabetical order; empty if nobody can.
        elo: Their ratings, as fitted to all units.
        samples: The ratings of each sample, `samples[sample, entrant]`.
    """

    names: tuple[str, ...]
    elo: "Floats"
    samples: "Floats"


def resample(
    evidence: Evidence, *, anchor: Anchor | None = None, seed: str, samples: int = SAMPLES
) -> Resamples:
    """Rate the entrants on samples of the units, drawn with replacement.

    A few units say little of how much results vary: whoever won all of five games would get a bar without
    width. So the variation that the units show is blended with that which the model expects, as if the
    latter had been seen in eight more units of each entrant.

    Args:
        evidence: Who beat whom.
        anchor: Whose rating is fixed; None for a mean of 0.
        seed: Decides the samples.
        samples: How many to draw.

    Raises:
        TournamentError: The anchor is not among the entrants.
    """
    import numpy  # late: it takes longer to load than most commands take to run

    members = connected(evidence, anchor)
    if not members:
        return Resamples(names=(), elo=numpy.zeros(0), samples=numpy.zeros((samples, 0)))
    names = tuple(evidence.names[member] for member in members)
    fitted = fit(evidence.totals, members)
    chance = numpy.random.Generator(numpy.random.PCG64(_number(seed)))
    scores = _sampled_scores(evidence, fitted, chance, samples)
    moved = fitted.strengths + numpy.linalg.solve(fitted.information, scores.T).T
    return Resamples(
        names=names,
        elo=on_elo_scale(fitted.strengths, names, anchor),
        samples=on_elo_scale(moved, names, anchor),
    )


def _number(seed: str) -> int:
    return int.from_bytes(hashlib.sha256(seed.encode()).digest())


def _sampled_scores(
    evidence: Evidence, fitted: Fit, chance: "numpy.random.Generator", samples: int
) -> "Floats":
    """First derivatives of the likelihood on each sample: by how much shares exceed what was expected."""
    import numpy

    trust = _trust(evidence, fitted)
    seen = _resampled(_group_scores(evidence.groups, fitted), chance, samples)
    expected = _drawn(_model_covariance(evidence, fitted), chance, samples)
    scores: Floats = seen * _inflation(evidence, fitted) * numpy.sqrt(trust) + expected * numpy.sqrt(
        1 - trust
    )
    return scores


def _trust(evidence: Evidence, fitted: Fit) -> "Floats":
    """How much weight the variation that was seen has for each member, from 0 to 1."""
    import numpy

    units = numpy.array([evidence.involvements[member].units for member in fitted.members], dtype=float)
    trust: Floats = units / (units + _PRIOR_UNITS)
    return trust


def _inflation(evidence: Evidence, fitted: Fit) -> float:
    """What makes up for the fit having been made to the very results whose deviations from it are taken."""
    fitted_away = len(fitted.members) - 1
    left = max(evidence.freedom - fitted_away, evidence.freedom / _MOST_INFLATION**2)
    return float((evidence.freedom / left) ** 0.5)


def _group_scores(groups: Sequence[Mapping[Pair, tuple[int, int]]], fitted: Fit) -> "Floats":
    """What each group adds to the score of each member: shares won, less those expected."""
    import numpy

    places = {number: place for place, number in enumerate(fitted.members)}
    scores = numpy.zeros((len(groups), len(places)))
    for row, pairs in zip(scores, groups, strict=True):
        for (one, other), (halves, games) in pairs.items():
            if one in places:
                here, there = places[one], places[other]
                surplus = halves / 2 - games * fitted.chances[here, there]
                row[here] += surplus
                row[there] -= surplus
    return scores


def _resampled(scores: "Floats", chance: "numpy.random.Generator", samples: int) -> "Floats":
    """Draw as many groups as there are, with replacement, and add up what they have more than all groups."""
    import numpy

    groups = len(scores)
    drawn = [
        _counts(chance.integers(groups, size=(min(_CHUNK, samples - start), groups)), groups) @ scores
        for start in range(0, samples, _CHUNK)
    ]
    surplus: Floats = numpy.concatenate(drawn) - scores.sum(axis=0)
    return surplus


def _counts(drawn: "NDArray[numpy.int64]", groups: int) -> "Floats":
    """How often each group was drawn in each sample."""
    import numpy

    rows = numpy.arange(len(drawn))[:, None] * groups
    counts = numpy.bincount((drawn + rows).ravel(), minlength=len(drawn) * groups)
    floats: Floats = counts.reshape(len(drawn), groups).astype(float)
    return floats


def _model_covariance(evidence: Evidence, fitted: Fit) -> "Floats":
    """The covariance of the scores that the model expects.

    At a table of k equals the number of opponents beaten varies by (k * k - 1) / 12, as ranks do, which is
    (k + 1) / 3 times what independent comparisons would give; each pair is weighted by that.
    """
    import numpy

    places = {number: place for place, number in enumerate(fitted.members)}
    weights = numpy.zeros_like(fitted.chances)
    for (one, other), total in evidence.totals.items():
        if one in places:
            here, there = places[one], places[other]
            chance = fitted.chances[here, there]
            weights[here, there] = weights[there, here] = (
                chance * (1 - chance) * (total.seats + total.games) / 3
            )
    return numpy.diag(weights.sum(axis=1)) - weights


def _drawn(covariance: "Floats", chance: "numpy.random.Generator", samples: int) -> "Floats":
    """Normal deviates of this covariance, in which one direction, that of all scores alike, is missing."""
    import numpy

    filled = covariance + _SLIGHTLY * covariance.max() * numpy.eye(len(covariance))
    drawn: Floats = chance.standard_normal((samples, len(filled))) @ numpy.linalg.cholesky(filled).T
    return drawn
