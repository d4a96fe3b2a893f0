"""The standings as text, JSON, CSV and Markdown. No text in them is trusted."""

import csv
import io
import json
from collections.abc import Callable, Sequence

import attrs

from referee.cli import cells
from referee.cli.columns import ORDER, standings_columns
from referee.cli.options import Format
from referee.cli.ratings import ratings_columns, ratings_notes
from referee.cli.tables import Column, as_markdown, as_text
from referee.tournament.bootstrap import Certainty
from referee.tournament.report import TournamentFacts, to_json
from referee.tournament.standings import StandingsRow
from referee.tournament.tiebreaks import TieBreaks

_CSV_COLUMNS = (
    "rank",
    "name",
    "points",
    "points_decimal",
    "games",
    "deals",
    "wins",
    "bullheads",
    "bullheads_per_deal",
    "faults",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_max_ms",
    "direct_encounter",
    "margin",
    "buchholz",
    "buchholz_cut1",
    "sonneborn_berger",
    "elo",
    "elo_low",
    "elo_high",
)
_DECIMALS = 4

_FORMULA_STARTS = ("=", "+", "-", "@")


def render(
    rows: Sequence[StandingsRow], facts: TournamentFacts, how: Format, certainty: Certainty | None = None
) -> str:
    """Return the standings in a format, with a line feed at the end.

    Args:
        rows: The standings, best first.
        facts: The tournament; the JSON form tells all of it, those for people only which rounds were voided.
        how: The format.
        certainty: How sure they are; None to leave it out, which says so in no format.
    """
    formats: dict[Format, Callable[[], str]] = {
        Format.TEXT: lambda: _document(rows, facts, certainty, as_text, ""),
        Format.JSON: lambda: json.dumps(to_json(rows, facts, certainty), indent=2, allow_nan=False) + "\n",
        Format.CSV: lambda: _csv(rows, facts, certainty),
        Format.MARKDOWN: lambda: _document(rows, facts, certainty, as_markdown, "\n"),
    }
    return formats[how]()


def _document(
    rows: Sequence[StandingsRow],
    facts: TournamentFacts,
    certainty: Certainty | None,
    table: Callable[[Sequence[Column]], str],
    between: str,
) -> str:
    """Put together what people read: the standings, what is to be said of them, and the ratings likewise.

    Args:
        rows: The standings.
        facts: The tournament.
        certainty: How sure they are.
        table: Draws a table.
        between: What stands between a table and the lines below it.
    """
    standings = table(standings_columns(rows)) + between + _notes(facts)
    if certainty is None:
        return standings
    return "".join(
        (standings, "\n", table(ratings_columns(rows, certainty)), between, *ratings_notes(certainty))
    )


def _notes(facts: TournamentFacts) -> str:
    """Return the lines under the table: the order of the tie-breaks, and each round that was voided."""
    voided = [f"round {number} was voided and played again" for number in facts.voided]
    return "".join(f"{line}\n" for line in (ORDER, *voided))


def _csv(rows: Sequence[StandingsRow], facts: TournamentFacts, certainty: Certainty | None) -> str:
    """Write the numbers of the JSON form, one line an entrant."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for row, told in zip(rows, to_json(rows, facts, certainty)["standings"], strict=True):
        latency = told.pop("latency_ms")
        told["faults"] = "; ".join(f"{kind} {count}" for kind, count in told["faults"].items())
        del told["tie_breaks"]
        rating = told.pop("rating") or {"elo": None, "low": None, "high": None}
        values = [
            *told.values(),
            latency["p50"],
            latency["p95"],
            latency["max"],
            *_tie_breaks(row.tie_breaks),
            *rating.values(),
        ]
        writer.writerow([_csv_cell(value) for value in values])
    return file.getvalue()


def _tie_breaks(tie_breaks: TieBreaks) -> list[float | None]:
    """Return the tie-breaks to four decimals, in the order in which they count."""
    values = attrs.astuple(tie_breaks, recurse=False)
    return [None if value is None else float(round(value, _DECIMALS)) for value in values]


def _csv_cell(value: str | float | None) -> str | float | None:
    """Keep a spreadsheet from taking a text for a formula: such a one begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    text = cells.plain(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
