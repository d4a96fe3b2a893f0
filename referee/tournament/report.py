"""The standings in the project's JSON form, format 1."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from referee.tournament.bootstrap import Bar, Certainty, Neighbours
from referee.tournament.latency import Latency
from referee.tournament.model import Kind
from referee.tournament.standings import StandingsRow
from referee.tournament.tiebreaks import TieBreaks

FORMAT = 1
"""Version of the JSON form; it changes when a field changes its meaning or goes away."""

_DECIMALS = 4
_ELO_DECIMALS = 1
_LATENCY_DECIMALS = 2


@attrs.frozen(kw_only=True)
class TournamentFacts:
    """What a report says of the tournament as a whole.

    Attributes:
        kind: The format.
        variant: The variant of the game, in the words of the command line.
        jumping_cow: Whether the cow takes part.
        seed: The seed; a report shows it only of a complete tournament, since it gives the deals away.
        rounds: Rounds planned.
        table_size: The most that sit at one table.
        games: Games each table plays in a round.
        complete: Whether the last game has ended.
        voided: The rounds that were voided and played again, ascending.
    """

    kind: Kind
    variant: str
    jumping_cow: bool
    seed: str
    rounds: int
    table_size: int
    games: int
    complete: bool
    voided: tuple[int, ...] = ()


def to_json(
    rows: Iterable[StandingsRow], tournament: TournamentFacts, certainty: Certainty | None = None
) -> dict[str, Any]:
    """Put standings into plain dicts, lists, strings and numbers, ready for a JSON encoder.

    Points are given twice: as an exact fraction in words ("13/3") and rounded to four decimals. Bullheads a
    deal are rounded to four decimals and null before the first deal; answer times are milliseconds to two
    decimals, each null before the first answer. Tie-breaks are exact fractions in words, in the order in
    which they count; the direct encounter is null where it does not apply. The seed is null until the
    tournament is complete.

    Ratings and the ends of their bars are Elo points to one decimal, the likelihood of superiority has four;
    what there is no evidence for is null, never infinite.

    Args:
        rows: The standings, best first.
        tournament: What was played.
        certainty: How sure they are; None if that was not worked out: ratings and neighbours are null then.
    """
    bars = {} if certainty is None else {bar.name: bar for bar in certainty.bars}
    return {
        "format": FORMAT,
        "tournament": _tournament(tournament),
        "standings": [_standing(row) | {"rating": _rating(bars.get(row.name))} for row in rows],
        "neighbours": None if certainty is None else [_neighbours(two) for two in certainty.neighbours],
        "ratings": None if certainty is None else _ratings(certainty),
    }


def _rating(bar: Bar | None) -> dict[str, float] | None:
    if bar is None or bar.elo is None or bar.low is None or bar.high is None:
        return None
    ends = {"elo": bar.elo, "low": bar.low, "high": bar.high}
    return {name: round(value, _ELO_DECIMALS) for name, value in ends.items()}


def _neighbours(two: Neighbours) -> dict[str, Any]:
    superiority = None if two.superiority is None else round(two.superiority, _DECIMALS)
    return attrs.asdict(two) | {"superiority": superiority}


def _ratings(certainty: Certainty) -> dict[str, Any]:
    return {"anchor": certainty.anchor, "games": certainty.games, "distinct": certainty.distinct}


def _tournament(facts: TournamentFacts) -> dict[str, Any]:
    return {
        "kind": facts.kind.value,
        "variant": facts.variant,
        "jumping_cow": facts.jumping_cow,
        "seed": facts.seed if facts.complete else None,
        "rounds": facts.rounds,
        "table_size": facts.table_size,
        "games": facts.games,
        "complete": facts.complete,
        "voided": list(facts.voided),
    }


def _standing(row: StandingsRow) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "name": row.name,
        "points": str(row.points),
        "points_decimal": _decimal(row.points),
        "games": row.games,
        "deals": row.deals,
        "wins": row.wins,
        "bullheads": row.bullheads,
        "bullheads_per_deal": None if row.bullheads_per_deal is None else _decimal(row.bullheads_per_deal),
        "faults": dict(row.faults),
        "latency_ms": _latency(row.latency),
        "tie_breaks": _tie_breaks(row.tie_breaks),
    }


def _latency(latency: Latency | None) -> dict[str, float | None]:
    if latency is None:
        return {"p50": None, "p95": None, "max": None}
    return {name: round(value, _LATENCY_DECIMALS) for name, value in attrs.asdict(latency).items()}


def _tie_breaks(tie_breaks: TieBreaks) -> dict[str, str | None]:
    return {
        name: None if value is None else str(value)
        for name, value in attrs.asdict(tie_breaks, recurse=False).items()
    }


def _decimal(value: Fraction) -> float:
    return float(round(value, _DECIMALS))
