"""What of a journal, or of standings in JSON, is drawn."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from referee.cli.heatmap import MOST, Cell
from referee.cli.picture import Mark, Picture
from referee.cli.planning import counted
from referee.journal.comparisons import evidence_of
from referee.journal.reading import Reading
from referee.journal.tally import facts, standings
from referee.tournament.bootstrap import assess
from referee.tournament.evidence import Evidence
from referee.tournament.resample import resample

_ELO = "rating in Elo points, with its 95 % bar; the mean is 0"
_POINTS = "points"
_LARGEST = 1e9
_RATING = {"value": "elo", "low": "low", "high": "high"}
"""By part of a mark: what it is called in JSON."""


class NoStandings(ValueError):
    """A text that holds no standings; the message says why not."""


def from_journal(reading: Reading) -> Picture:
    """Return what is drawn of a journal.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    order = [row.name for row in standings(reading)]
    evidence = evidence_of(reading)
    certainty = assess(evidence, resample(evidence, seed=reading.head.seed), order)
    known = facts(reading)
    return Picture(
        title=_title(known.kind.value, len(order), complete=known.complete),
        subtitle=f"{counted(known.rounds, 'round')} at tables of at most {known.table_size}, "
        f"{known.variant}, {counted(evidence.games, 'game')}",
        axis=_ELO,
        decimals=0,
        marks=tuple(Mark(name=bar.name, value=bar.elo, low=bar.low, high=bar.high) for bar in certainty.bars),
        cells=_cells(evidence, order),
    )


def _cells(evidence: Evidence, order: Sequence[str]) -> dict[tuple[int, int], Cell]:
    places = {name: place for place, name in enumerate(order[:MOST])}
    cells = {}
    for pair, total in evidence.totals.items():
        one, other = (places.get(evidence.names[number]) for number in pair)
        if one is not None and other is not None:
            share = total.halves / 2 / total.games
            cells[one, other] = Cell(share=share, games=total.games)
            cells[other, one] = Cell(share=1 - share, games=total.games)
    return cells


def from_json(content: bytes) -> Picture:
    """Return what is drawn of standings in JSON: ratings if any row has one, else points.

    Raises:
        NoStandings: It is something else.
    """
    try:
        return _of_values(json.loads(content))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NoStandings(_reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, LookupError):
        return f"there is no {error}"
    return str(error) if isinstance(error, ValueError) else "it has another form"


def _of_values(values: Any) -> Picture:  # noqa: ANN401
    rows, tournament = values["standings"], values["tournament"]
    rated = any((row.get("rating") or {}).get("elo") is not None for row in rows)
    return Picture(
        title=_title(_word(tournament["kind"]), len(rows), complete=tournament["complete"] is True),
        subtitle=f"{counted(_whole(tournament['rounds']), 'round')} at tables of at most "
        f"{_whole(tournament['table_size'])}, {_word(tournament['variant'])}",
        axis=_ELO if rated else _POINTS,
        decimals=0 if rated else 2,
        marks=tuple(_rating(row) if rated else _points(row) for row in rows),
        cells={},
    )


def _title(kind: str, entrants: int, *, complete: bool) -> str:
    return f"{kind[:1].upper()}{kind[1:]} of {counted(entrants, 'bot')}" + ("" if complete else ", so far")


def _rating(row: Mapping[str, Any]) -> Mark:
    rating = row.get("rating") or {}
    return Mark(name=_word(row["name"]), **{key: _number(rating.get(word)) for key, word in _RATING.items()})


def _points(row: Mapping[str, Any]) -> Mark:
    return Mark(name=_word(row["name"]), value=_number(row["points_decimal"]))


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise NoStandings(f"{value!r} stands where a word should")
    return value


def _whole(value: object) -> int:
    if type(value) is not int:
        raise NoStandings(f"{value!r} stands where a whole number should")
    return value


def _number(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise NoStandings(f"{value!r} stands where a number should")
    return float(value)
