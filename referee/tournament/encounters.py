"""Who met whom and what came of it, round by round: what the tie-breaks are worked out from."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs

from referee.tournament.model import GameScore
from referee.tournament.points import BYE, game_points, pair_halves

NOBODY: frozenset[str] = frozenset()
"""The opponents of a round in which one rested, was absent, or sat alone."""


@attrs.frozen(kw_only=True)
class Meetings:
    """What one entrant has met with so far.

    Attributes:
        opponents: How many rounds it met exactly these opponents in; `NOBODY` for rounds without any.
        results: By opponent, the sum over rounds of the mean share against it, each divided by the number of
            opponents of that round, so that a round's results add up to its points.
        pairs: By opponent, the half points against it over all games in common, and how many those are.
        alone: Points of the rounds without opponents.
    """

    opponents: Mapping[frozenset[str], int] = attrs.field(factory=dict)
    results: Mapping[str, Fraction] = attrs.field(factory=dict)
    pairs: Mapping[str, tuple[int, int]] = attrs.field(factory=dict)
    alone: Fraction = Fraction(0)

    def against(self, other: str) -> Fraction | None:
        """The mean share against another over their games, or None if they never met."""
        halves, games = self.pairs.get(other, (0, 0))
        return Fraction(halves, 2 * games) if games else None


@attrs.define
class _Round:
    """A round of one entrant whose games are coming in."""

    games: int = 0
    points: Fraction = Fraction(0)
    halves: Counter[str] = attrs.field(factory=Counter)
    met: Counter[str] = attrs.field(factory=Counter)


class _Tally:
    """The closed rounds of one entrant as sums, which do not grow with the number of games."""

    def __init__(self) -> None:
        self.opponents: Counter[frozenset[str]] = Counter()
        self.results: dict[str, Fraction] = {}
        self.alone = Fraction(0)

    def close(self, played: _Round) -> None:
        opponents = frozenset(played.met)
        self.opponents[opponents] += 1
        if not opponents:
            self.alone += played.points / played.games
        for other, games in played.met.items():
            share = Fraction(played.halves[other], 2 * games * len(opponents))
            self.results[other] = self.results.get(other, Fraction(0)) + share

    def copy(self) -> "_Tally":
        twin = _Tally()
        twin.opponents, twin.results, twin.alone = self.opponents.copy(), self.results.copy(), self.alone
        return twin


class Encounters:
    """Adds up encounters, in memory that grows with the tables that differ but not with the games.

    The opponents of a round are those met in at least one of its games, and the share against each is the
    mean over the games in common. A round that is not complete counts with the games that are in.

    Attributes:
        rounds: The highest round that anything is known of.
    """

    def __init__(self, *, games: int) -> None:
        """Start without any.

        Args:
            games: How many games each table plays in a round.
        """
        self.rounds = 0
        self._games = games
        self._closed: dict[str, _Tally] = {}
        self._open: dict[str, dict[int, _Round]] = {}
        self._pairs: dict[str, dict[str, tuple[int, int]]] = {}

    def add(self, score: GameScore) -> None:
        """Enter one game; games may come in any order."""
        self.rounds = max(self.rounds, score.round)
        points = game_points(score)
        for entrant, share in points.items():
            played = self._open.setdefault(entrant, {}).setdefault(score.round, _Round())
            played.games += 1
            played.points += share
        for entrant, other, halves in pair_halves(score):
            self._enter_pair(score.round, entrant, other, halves)
        for entrant in points:
            if self._open[entrant][score.round].games == self._games:
                self._tally(entrant).close(self._open[entrant].pop(score.round))

    def add_bye(self, number: int, entrant: str) -> None:
        """Enter that an entrant rested in a round, once for each bye."""
        self.rounds = max(self.rounds, number)
        self._tally(entrant).close(_Round(games=1, points=BYE))

    def of(self, entrant: str) -> Meetings:
        """What an entrant has met with so far.

        A round that others have reached and it has nothing of counts as one without opponents and points.
        """
        tally = self._closed.get(entrant, _Tally())
        running = self._open.get(entrant, {}).values()
        if running:
            tally = tally.copy()
            for played in running:
                tally.close(played)
        missed = self.rounds - tally.opponents.total()
        return Meetings(
            opponents=tally.opponents + Counter({NOBODY: missed}),
            results=tally.results,
            pairs=self._pairs.get(entrant, {}),
            alone=tally.alone,
        )

    def meetings(self, entrants: Iterable[str]) -> dict[str, Meetings]:
        """What each of these entrants has met with so far; see `of`."""
        return {entrant: self.of(entrant) for entrant in entrants}

    def _enter_pair(self, number: int, entrant: str, other: str, halves: int) -> None:
        played = self._open[entrant][number]
        played.met[other] += 1
        played.halves[other] += halves
        pairs = self._pairs.setdefault(entrant, {})
        before, games = pairs.get(other, (0, 0))
        pairs[other] = (before + halves, games + 1)

    def _tally(self, entrant: str) -> _Tally:
        return self._closed.setdefault(entrant, _Tally())
