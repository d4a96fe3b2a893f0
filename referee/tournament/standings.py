"""The standings: what every entrant has reached so far."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import attrs

from referee.tournament.latency import Latency, LatencyHistogram
from referee.tournament.model import GameScore, SeatScore, TournamentError
from referee.tournament.points import PointsLedger, winners


@attrs.frozen(kw_only=True)
class StandingsRow:
    """One line of the standings.

    Attributes:
        rank: From 1; equal points share a rank and the next is skipped (1-2-2-4).
        name: The entrant.
        points: Sum over rounds of the mean share of opponents beaten.
        games: Games the entrant was present in.
        deals: Deals of those games.
        wins: Games in which it had the first place, alone or shared.
        bullheads: Bullheads of those games, forfeited ones included.
        bullheads_per_deal: The mean, or None before the first deal.
        faults: How often each kind of fault occurred; kinds that did not are left out.
        latency: Answer times, or None before the first answer.
    """

    rank: int
    name: str
    points: Fraction
    games: int
    deals: int
    wins: int
    bullheads: int
    bullheads_per_deal: Fraction | None
    faults: Mapping[str, int]
    latency: Latency | None


class Tally:
    """Everything that is counted of one entrant, points apart.

    Attributes:
        games: Games it was present in.
        deals: Deals of those games.
        wins: Games in which it had the first place, alone or shared.
        bullheads: Bullheads of those games.
        faults: Faults by kind.
        latency: Its answer times.
    """

    def __init__(self) -> None:
        self.games = 0
        self.deals = 0
        self.wins = 0
        self.bullheads = 0
        self.faults: Counter[str] = Counter()
        self.latency = LatencyHistogram()

    def played(self, seat: SeatScore, deals: int) -> None:
        """Count a game."""
        self.games += 1
        self.deals += deals
        self.bullheads += seat.total

    def voided(self, seat: SeatScore, deals: int) -> None:
        """Take a game back."""
        self.games -= 1
        self.deals -= deals
        self.bullheads -= seat.total


class Standings:
    """Adds up games as they end, in any order, in memory that does not grow with their number."""

    def __init__(self, entrants: Iterable[str], *, games: int) -> None:
        """Start with everybody at zero.

        Args:
            entrants: Who takes part; others can be enrolled later.
            games: How many games each table plays in a round.
        """
        self._tallies: dict[str, Tally] = {}
        self._ledger = PointsLedger(games=games)
        for entrant in entrants:
            self.enrol(entrant)

    def enrol(self, entrant: str) -> None:
        """Add an entrant with nothing to its name; one that is in already stays as it is."""
        self._tallies.setdefault(entrant, Tally())

    def add(self, score: GameScore) -> None:
        """Enter a finished game.

        Raises:
            TournamentError: Somebody in it was never enrolled; nothing has been entered then.
        """
        tallies = [self._tally(seat.entrant) for seat in score.seats]
        self._ledger.add(score)
        for seat, tally in zip(score.seats, tallies, strict=True):
            if not seat.no_show:
                tally.played(seat, score.deals)
        for winner in winners(score):
            self._tally(winner).wins += 1

    def void(self, number: int, scores: Sequence[GameScore]) -> None:
        """Take back the games of a round, to be played again; faults and answer times stay.

        Args:
            number: The round.
            scores: All its games that were entered.
        """
        self._ledger.void(number, scores)
        for score in scores:
            for seat in score.seats:
                if not seat.no_show:
                    self._tally(seat.entrant).voided(seat, score.deals)
            for winner in winners(score):
                self._tally(winner).wins -= 1

    def add_bye(self, number: int, entrant: str) -> None:
        """Enter that an entrant rested in round `number`; saying it twice changes nothing."""
        self._tally(entrant)
        self._ledger.add_bye(number, entrant)

    def add_faults(self, entrant: str, faults: Mapping[str, int]) -> None:
        """Count faults of an entrant by kind."""
        self._tally(entrant).faults.update(faults)

    def add_latencies(self, entrant: str, milliseconds: Iterable[float]) -> None:
        """Count answer times of an entrant."""
        self._tally(entrant).latency.add(milliseconds)

    def rows(self) -> tuple[StandingsRow, ...]:
        """The standings so far, by points, then name; unfinished rounds count with their games so far."""
        return tuple(ranked(self._ledger.totals(self._tallies), self._tallies))

    def _tally(self, entrant: str) -> Tally:
        tally = self._tallies.get(entrant)
        if tally is None:
            raise TournamentError(f"{entrant} does not take part in this tournament: enrol it first")
        return tally


def ranked(points: Mapping[str, Fraction], tallies: Mapping[str, Tally]) -> Iterator[StandingsRow]:
    """Give the lines of the standings, by points, then name; equal points share a rank (1-2-2-4)."""
    rank, above = 0, None
    for place, name in enumerate(sorted(points, key=lambda name: (-points[name], name)), start=1):
        if points[name] != above:
            rank, above = place, points[name]
        yield _row(rank, name, points[name], tallies[name])


def _row(rank: int, name: str, points: Fraction, tally: Tally) -> StandingsRow:
    return StandingsRow(
        rank=rank,
        name=name,
        points=points,
        games=tally.games,
        deals=tally.deals,
        wins=tally.wins,
        bullheads=tally.bullheads,
        bullheads_per_deal=Fraction(tally.bullheads, tally.deals) if tally.deals else None,
        faults={kind: count for kind, count in sorted(tally.faults.items()) if count},
        latency=tally.latency.summary(),
    )
