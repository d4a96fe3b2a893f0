"""The table of ratings: how strong everybody seems to be, and which places may be chance."""

from collections.abc import Sequence

from referee.cli import cells
from referee.cli.tables import Column
from referee.tournament.bootstrap import Bar, Certainty, Neighbours
from referee.tournament.standings import StandingsRow

UNKNOWN = "n/a"
"""Where games say nothing: no rating is ever made up, or infinite."""

CHANCE = "~"
"""Marks an entrant that is not significantly apart from the one above."""


def ratings_columns(rows: Sequence[StandingsRow], certainty: Certainty) -> list[Column]:
    """Return the columns of the ratings, in the order of the standings."""
    behind = {two.lower: two for two in certainty.neighbours}
    neighbours = [behind.get(row.name) for row in rows]
    return [
        Column(name="rank", cells=[str(row.rank) for row in rows]),
        Column(name="name", left=True, cells=[cells.plain(row.name) for row in rows]),
        Column(name="elo", cells=[_elo(bar.elo) for bar in certainty.bars]),
        Column(name="95 % bar", cells=[_bar(bar) for bar in certainty.bars]),
        Column(above="the one above", name="is better", cells=[_superiority(two) for two in neighbours]),
        Column(above="", name=CHANCE, left=True, cells=[_mark(two) for two in neighbours]),
        Column(name="more deals", cells=[_more_deals(two) for two in neighbours]),
    ]


def ratings_notes(certainty: Certainty) -> list[str]:
    """Return the lines below the table."""
    zero = "the mean is 0" if certainty.anchor is None else f"{cells.plain(certainty.anchor)} is 0"
    identical = f", {certainty.distinct} of them distinct" if certainty.distinct < certainty.games else ""
    return [
        f"ratings: Elo points, {zero}; from {certainty.games} games{identical}\n",
        f"{CHANCE} not significantly apart from the one above (95 %); if their difference is what it seems,"
        " about so many more deals of each would show it\n",
    ]


def _elo(value: float | None) -> str:
    """Return Elo points with their sign, nothing being `0`."""
    if value is None:
        return UNKNOWN
    return f"{round(value):+d}" if round(value) else "0"


def _bar(bar: Bar) -> str:
    if bar.low is None or bar.high is None:
        return UNKNOWN
    return f"{_elo(bar.low)} to {_elo(bar.high)}"


def _superiority(two: Neighbours | None) -> str:
    if two is None:
        return cells.NOTHING
    return UNKNOWN if two.superiority is None else f"{100 * two.superiority:.1f} %"


def _mark(two: Neighbours | None) -> str:
    return "" if two is None or two.significant else CHANCE


def _more_deals(two: Neighbours | None) -> str:
    if two is None or two.significant:
        return cells.NOTHING
    return UNKNOWN if two.more_deals is None else str(two.more_deals)
