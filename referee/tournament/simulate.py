"""Whole tournaments of made-up strengths, played in memory, to see how well a format finds the true order."""

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import attrs

from referee.tournament.chance import generator, shuffled
from referee.tournament.formats import Format, Order, make_format
from referee.tournament.history import History
from referee.tournament.luck import play
from referee.tournament.model import GameScore, Kind, RoundPlan, TournamentError
from referee.tournament.standings import Standings, StandingsRow

_SPREAD = 2.0
_DEALS = 5


@attrs.frozen(kw_only=True)
class Event:
    """The tournament to try.

    Attributes:
        kind: The format.
        table_size: The most that may sit at one table, 2 to 10.
        rounds: How many rounds; None for the default of the format.
        games: Games each table plays in a round.
        deals: Deals of a game; a game to 66 takes about five at a table of four.
    """

    kind: Kind
    table_size: int
    rounds: int | None = None
    games: int = 1
    deals: int = _DEALS


@attrs.frozen(kw_only=True)
class Agreement:
    """How well the final standings agreed with the true order.

    Attributes:
        kendall_tau: Kendall's rank correlation, mean over the repetitions: pairs in their true order less
            pairs in the wrong one, over all pairs of different strength; a shared rank counts as neither.
        tau_error: Its standard error; None with one repetition.
        top_hit: How often the strongest came first; a shared first place counts in part.
        rounds: Rounds of the tournament.
        games: Games of one repetition.
    """

    kendall_tau: float
    tau_error: float | None
    top_hit: float
    rounds: int
    games: int


def even_strengths(entrants: int, *, spread: float = _SPREAD) -> dict[str, float]:
    """Strengths of a made-up field: the quantiles of a normal distribution.

    Args:
        entrants: How many there are; the first is the strongest.
        spread: The standard deviation, in bullheads a deal.
    """
    digits = len(str(entrants))
    normal = statistics.NormalDist(0, spread)
    return {
        f"bot{number:0{digits}}": -normal.inv_cdf((number - 0.5) / entrants)
        for number in range(1, entrants + 1)
    }


def simulate(
    strengths: Mapping[str, float],
    event: Event,
    *,
    repetitions: int,
    seed: str,
    played: Callable[[], None] | None = None,
) -> Agreement:
    """Play the tournament again and again, with real formats and standings and made-up games.

    Strengths are dealt out anew among the entrants each time, so that the schedule of a fixed format, which
    stays, favours nobody. See `luck` for the model of a game.

    Args:
        strengths: By entrant, by how many bullheads a deal it is better than the average.
        event: The tournament.
        repetitions: How often to play it.
        seed: Decides everything that is left to chance.
        played: Called after each repetition, for those who wait.

    Raises:
        TournamentError: Such a tournament cannot be held, all strengths are equal, or there are no games,
            deals or repetitions.
    """
    _check(strengths, event, repetitions)
    names = sorted(strengths)
    form = make_format(
        event.kind, names, table_size=event.table_size, rounds=event.rounds, seed=f"{seed}/format"
    )
    taus, hits, games = [], [], 0
    for repetition in range(1, repetitions + 1):
        chance = generator(seed, "repetition", repetition)
        drawn = dict(zip(names, shuffled([strengths[name] for name in names], chance), strict=True))
        rows, games = _play(form, names, drawn, event, chance)
        taus.append(kendall_tau(rows, drawn))
        hits.append(top_hit(rows, drawn))
        if played is not None:
            played()
    return Agreement(
        kendall_tau=statistics.fmean(taus),
        tau_error=statistics.stdev(taus) / repetitions**0.5 if repetitions > 1 else None,
        top_hit=statistics.fmean(hits),
        rounds=form.rounds,
        games=games,
    )


def kendall_tau(rows: Sequence[StandingsRow], strengths: Mapping[str, float]) -> float:
    """Kendall's tau (1938, Biometrika 30) of standings and strengths, over pairs of different strength."""
    signs = [
        _sign(lower.rank - upper.rank) * _sign(strengths[upper.name] - strengths[lower.name])
        for upper, lower in combinations(rows, 2)
        if strengths[upper.name] != strengths[lower.name]
    ]
    return sum(signs) / len(signs)


def top_hit(rows: Sequence[StandingsRow], strengths: Mapping[str, float]) -> float:
    """The share of those in the first place that are the strongest."""
    first = [row.name for row in rows if row.rank == 1]
    strongest = max(strengths.values())
    return sum(strengths[name] == strongest for name in first) / len(first)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _play(
    form: Format, names: Sequence[str], strengths: Mapping[str, float], event: Event, chance: random.Random
) -> tuple[tuple[StandingsRow, ...], int]:
    """One tournament: its standings and how many games it had."""
    standings = Standings(names, games=event.games)
    plans: list[RoundPlan] = []
    scores: list[GameScore] = []
    for number in range(1, form.rounds + 1):
        history = History.of(plans, scores) if form.order is Order.BARRIER else History()
        plan = form.plan(number, active=names, history=history)
        played = [
            play(table, game, strengths, deals=event.deals, chance=chance)
            for table in plan.tables
            for game in range(1, event.games + 1)
        ]
        for name in plan.byes:
            standings.add_bye(number, name)
        for score in played:
            standings.add(score)
        plans.append(plan)
        scores += played
    return standings.rows(), len(scores)


def _check(strengths: Mapping[str, float], event: Event, repetitions: int) -> None:
    for what, count in (("games", event.games), ("deals", event.deals), ("repetitions", repetitions)):
        if count < 1:
            raise TournamentError(f"a simulation takes {what}, not {count} of them: ask for at least one")
    if len(set(strengths.values())) < 2:
        raise TournamentError("all strengths are equal, so there is no true order: make two of them differ")
