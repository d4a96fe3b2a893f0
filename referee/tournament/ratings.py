"""Ratings: the strengths that explain best who beat whom, on the Elo scale.

The model is that of Bradley and Terry (1952, Biometrika 39): one beats the other with the chance
1 / (1 + exp(b - a)), for strengths a and b. Every pair at a table is a comparison, ties are half a win each,
and the strengths are those of the greatest likelihood, found by Newton's method. A small prior, as if
everybody had drawn half a game with somebody average, keeps those finite who won or lost every game.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from referee.tournament.evidence import Evidence, Pair, PairTotal
from referee.tournament.model import TournamentError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

ELO_PER_UNIT = 400 / math.log(10)
"""Elo points for one unit of strength: 400 points are odds of ten to one (Elo 1978)."""

PRIOR_GAMES = 0.5
"""Weight of the prior, in drawn games against somebody average."""

_STEPS = 100
_LONGEST_STEP = 2.0
_CLOSE_ENOUGH = 1e-10


@attrs.frozen(kw_only=True)
class Anchor:
    """The entrant whose rating is fixed.

    Attributes:
        name: The entrant.
        elo: Its rating.
    """

    name: str
    elo: float = 0.0


@attrs.frozen(kw_only=True, eq=False)
class Fit:
    """Strengths fitted to the games of a connected field.

    Attributes:
        members: Whose they are, by their numbers in the evidence.
        strengths: One for each member; only their differences mean anything.
        chances: `chances[i, j]` is the chance that member i beats member j.
        information: Minus the second derivatives of the logarithm of the likelihood, prior included.
    """

    members: tuple[int, ...]
    strengths: "Floats"
    chances: "Floats"
    information: "Floats"


def ratings(evidence: Evidence, *, anchor: Anchor | None = None) -> dict[str, float | None]:
    """Rate the entrants.

    Args:
        evidence: Who beat whom.
        anchor: Whose rating is fixed; None to give the rated entrants the mean 0.

    Returns:
        Elo points by name. None for those whom no game connects with the anchor or, without one, with the
        largest group of entrants that games connect.

    Raises:
        TournamentError: The anchor is not among the entrants.
    """
    members = connected(evidence, anchor)
    found: dict[str, float | None] = dict.fromkeys(evidence.names)
    if members:
        names = [evidence.names[member] for member in members]
        elo = on_elo_scale(fit(evidence.totals, members).strengths, names, anchor)
        found.update(zip(names, map(float, elo), strict=True))
    return found


def connected(evidence: Evidence, anchor: Anchor | None = None) -> tuple[int, ...]:
    """The numbers of those who can be compared; nobody if there was no game.

    Raises:
        TournamentError: The anchor is not among the entrants.
    """
    if anchor is not None and anchor.name not in evidence.names:
        raise TournamentError(f"{anchor.name} is not among the entrants: anchor the ratings to one of them")
    groups = _components(evidence.totals, len(evidence.names))
    if anchor is not None:
        wanted = evidence.names.index(anchor.name)
        groups = [group for group in groups if wanted in group]
    largest = max(groups, key=len, default=())
    return largest if len(largest) > 1 else ()


def fit(totals: Mapping[Pair, PairTotal], members: Sequence[int]) -> Fit:
    """Find the strengths of the members by Newton's method, each step cut to a length that cannot stray."""
    import numpy  # late: it takes longer to load than most commands take to run

    shares, games = _matrices(totals, members)
    won = shares.sum(axis=1) + PRIOR_GAMES / 2
    strengths = numpy.zeros(len(members))
    for _ in range(_STEPS):
        chances, information = _curvature(strengths, games)
        score = won - (games * chances).sum(axis=1) - PRIOR_GAMES * _logistic(strengths)
        step = numpy.linalg.solve(information, score)
        longest = float(numpy.abs(step).max())
        strengths = strengths + step * min(1.0, _LONGEST_STEP / max(longest, _CLOSE_ENOUGH))
        if longest < _CLOSE_ENOUGH:
            break
    chances, information = _curvature(strengths, games)
    return Fit(members=tuple(members), strengths=strengths, chances=chances, information=information)


def on_elo_scale(strengths: "Floats", names: Sequence[str], anchor: Anchor | None) -> "Floats":
    """Turn strengths into Elo points.

    Args:
        strengths: In the last axis, one for each of the names.
        names: Whose they are.
        anchor: The one whose points are fixed; None to give them all the mean 0.
    """
    if anchor is None:
        return _scaled(strengths, strengths.mean(axis=-1), 0.0)
    return _scaled(strengths, strengths[..., names.index(anchor.name)], anchor.elo)


def _scaled(strengths: "Floats", zero: "Floats", elo: float) -> "Floats":
    points: Floats = (strengths - zero[..., None]) * ELO_PER_UNIT + elo
    return points


def _matrices(totals: Mapping[Pair, PairTotal], members: Sequence[int]) -> tuple["Floats", "Floats"]:
    """Shares of each member against each other one, and the games of each pair."""
    import numpy

    places = {number: place for place, number in enumerate(members)}
    shares = numpy.zeros((len(members), len(members)))
    games = numpy.zeros_like(shares)
    for (one, other), total in totals.items():
        if one in places and other in places:
            here, there = places[one], places[other]
            games[here, there] = games[there, here] = total.games
            shares[here, there] = total.halves / 2
            shares[there, here] = total.games - total.halves / 2
    return shares, games


def _curvature(strengths: "Floats", games: "Floats") -> tuple["Floats", "Floats"]:
    """The chances of each against each, and the information of so many games at these strengths."""
    import numpy

    chances = _logistic(strengths[:, None] - strengths[None, :])
    weights = games * chances * (1 - chances)
    own = _logistic(strengths)
    return chances, numpy.diag(weights.sum(axis=1) + PRIOR_GAMES * own * (1 - own)) - weights


def _logistic(values: "Floats") -> "Floats":
    import numpy

    chances: Floats = 1 / (1 + numpy.exp(-values))
    return chances


def _components(totals: Mapping[Pair, PairTotal], field: int) -> list[tuple[int, ...]]:
    """The groups of entrants that games connect, in the order of their first members."""
    neighbours: list[list[int]] = [[] for _ in range(field)]
    for one, other in totals:
        neighbours[one].append(other)
        neighbours[other].append(one)
    reached: set[int] = set()
    groups = []
    for start in range(field):
        if start not in reached:
            reached.add(start)
            group = [start]
            for one in group:  # grows as it is walked
                new = [other for other in neighbours[one] if other not in reached]
                reached.update(new)
                group += dict.fromkeys(new)
            groups.append(tuple(sorted(group)))
    return groups
