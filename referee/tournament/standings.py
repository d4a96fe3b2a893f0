"""The standings: what every entrant has reached so far."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs

from referee.tournament.encounters import Encounters, Meetings
from referee.tournament.latency import Latency, LatencyHistogram
from referee.tournament.model import GameScore, SeatScore, TournamentError
from referee.tournament.points import PointsLedger, winners
from referee.tournament.tiebreaks import Place, TieBreaks, game_margins, ranked


@attrs.frozen(kw_only=True)
class StandingsRow:
    """One line of the standings.

    Attributes:
        rank: From 1; those whom no tie-break tells apart share a rank and the next is skipped (1-2-2-4).
        name: The entrant.
        points: Sum over rounds of the mean share of opponents beaten.
        games: Games the entrant was present in.
        deals: Deals of those games.
        wins: Games in which it had the first place, alone or shared.
        bullheads: Bullheads of those games, forfeited ones included.
        bullheads_per_deal: The mean, or None before the first deal.
        faults: How often each kind of fault occurred; kinds that did not are left out.
        latency: Answer times, or None before the first answer.
        tie_breaks: What ranks it among those with equal points.
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
    tie_breaks: TieBreaks = TieBreaks()


class Tally:
    """Everything that is counted of one entrant, points apart.

    Attributes:
        games: Games it was present in.
        deals: Deals of those games.
        wins: Games in which it had the first place, alone or shared.
        bullheads: Bullheads of those games.
        margin: By how many the tables' means were above its own.
        faults: Faults by kind.
        latency: Its answer times.
    """

    def __init__(self) -> None:
        self.games = 0
        self.deals = 0
        self.wins = 0
        self.bullheads = 0
        self.margin = Fraction(0)
        self.faults: Counter[str] = Counter()
        self.latency = LatencyHistogram()

    def played(self, seat: SeatScore, deals: int) -> None:
        """Count a game."""
        self.games += 1
        self.deals += deals
        self.bullheads += seat.total


class Standings:
    """Adds up games as they end, in any order, in memory that does not grow with their number.

    For the tie-breaks it remembers which tables there were, but not what was played at them.
    """

    def __init__(self, entrants: Iterable[str], *, games: int) -> None:
        """Start with everybody at zero.

        Args:
            entrants: Who takes part; others can be enrolled later.
            games: How many games each table plays in a round.
        """
        self._tallies: dict[str, Tally] = {}
        self._ledger = PointsLedger(games=games)
        self._encounters = Encounters(games=games)
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
        self._encounters.add(score)
        margins = game_margins(score)
        for seat, tally in zip(score.seats, tallies, strict=True):
            tally.margin += margins[seat.entrant]
            if not seat.no_show:
                tally.played(seat, score.deals)
        for winner in winners(score):
            self._tally(winner).wins += 1

    def add_bye(self, number: int, entrant: str) -> None:
        """Enter that an entrant rested in round `number`; saying it twice changes nothing."""
        self._tally(entrant)
        if self._ledger.add_bye(number, entrant):
            self._encounters.add_bye(number, entrant)

    def add_faults(self, entrant: str, faults: Mapping[str, int]) -> None:
        """Count faults of an entrant by kind."""
        self._tally(entrant).faults.update(faults)

    def add_latencies(self, entrant: str, milliseconds: Iterable[float]) -> None:
        """Count answer times of an entrant."""
        self._tally(entrant).latency.add(milliseconds)

    def rows(self) -> tuple[StandingsRow, ...]:
        """The standings so far, by points, then tie-breaks; unfinished rounds count as far as they are."""
        points = self._ledger.totals(self._tallies)
        return standings_rows(points, self._tallies, self._encounters.meetings(self._tallies))

    def _tally(self, entrant: str) -> Tally:
        tally = self._tallies.get(entrant)
        if tally is None:
            raise TournamentError(f"{entrant} does not take part in this tournament: enrol it first")
        return tally


def standings_rows(
    points: Mapping[str, Fraction], tallies: Mapping[str, Tally], meetings: Mapping[str, Meetings]
) -> tuple[StandingsRow, ...]:
    """Put everybody in order, by points, then tie-breaks, then name within a shared rank.

    Args:
        points: The points of everybody.
        tallies: What else was counted.
        meetings: What everybody has met with.
    """
    margins = {name: tally.margin for name, tally in tallies.items()}
    places = ranked(points, margins, meetings)
    return tuple(_row(place, points[place.name], tallies[place.name]) for place in places)


def _row(place: Place, points: Fraction, tally: Tally) -> StandingsRow:
    return StandingsRow(
        rank=place.rank,
        name=place.name,
        points=points,
        games=tally.games,
        deals=tally.deals,
        wins=tally.wins,
        bullheads=tally.bullheads,
        bullheads_per_deal=Fraction(tally.bullheads, tally.deals) if tally.deals else None,
        faults={kind: count for kind, count in sorted(tally.faults.items()) if count},
        latency=tally.latency.summary(),
        tie_breaks=place.tie_breaks,
    )
