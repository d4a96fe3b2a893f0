"""The standings as text, JSON, CSV and Markdown. No text in them is trusted."""

import csv
import io
import json
from collections.abc import Callable, Sequence

from referee.cli import cells
from referee.cli.options import Format
from referee.tournament.report import TournamentFacts, to_json
from referee.tournament.standings import StandingsRow

_HEADINGS = (
    ("", "rank"),
    ("", "name"),
    ("", "points"),
    ("", "games"),
    ("", "wins"),
    ("bullheads", "a deal"),
    ("answers", "p50 ms"),
    ("", "p95 ms"),
    ("", "max ms"),
    ("", "faults"),
)
"""Of each column two lines, so that the table fits a terminal of 80 columns as a rule."""

_LEFT = frozenset({1, 2, 9})
"""The columns of words, and the points, whose fractions are hard to read otherwise."""

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
)

_FORMULA_STARTS = ("=", "+", "-", "@")


def render(rows: Sequence[StandingsRow], facts: TournamentFacts, how: Format) -> str:
    """Return the standings in a format, with a line feed at the end.

    Args:
        rows: The standings, best first.
        facts: The tournament; the JSON form tells all of it, those for people only which rounds were voided.
        how: The format.
    """
    formats: dict[Format, Callable[[], str]] = {
        Format.TEXT: lambda: _text(rows) + _voided(facts, ""),
        Format.JSON: lambda: json.dumps(to_json(rows, facts), indent=2) + "\n",
        Format.CSV: lambda: _csv(rows, facts),
        Format.MARKDOWN: lambda: _markdown(rows) + _voided(facts, "\n"),
    }
    return formats[how]()


def table(rows: Sequence[StandingsRow]) -> list[tuple[str, ...]]:
    """Return the cells of the standings for people, a tuple of ten a row."""
    return [
        (
            str(row.rank),
            cells.plain(row.name),
            cells.points(row.points),
            str(row.games),
            str(row.wins),
            cells.bullheads_a_deal(row),
            *cells.latency(row.latency),
            cells.faults(row.faults),
        )
        for row in rows
    ]


def _text(rows: Sequence[StandingsRow]) -> str:
    """Align the columns; nothing is ever cut off, however wide it gets."""
    lines = [tuple(heading[part] for heading in _HEADINGS) for part in (0, 1)] + table(rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    return "".join(_aligned(line, widths) + "\n" for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell.ljust(width) if column in _LEFT else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    ).rstrip()


def _markdown(rows: Sequence[StandingsRow]) -> str:
    headings = [" ".join(part for part in heading if part) for heading in _HEADINGS]
    rules = ["---" if column in _LEFT else "--:" for column in range(len(headings))]
    lines = [headings, rules, *([_markdown_cell(cell) for cell in line] for line in table(rows))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _voided(facts: TournamentFacts, before: str) -> str:
    """Return a line for each round that was voided, if there is any."""
    lines = [f"round {number} was voided and played again\n" for number in facts.voided]
    return before + "".join(lines) if lines else ""


def _markdown_cell(text: str) -> str:
    """Escape what Markdown, or the HTML that may stand in it, would take for more than text."""
    escaped = "".join(f"\\{char}" if char in "\\`*_[]|~#" else char for char in text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _csv(rows: Sequence[StandingsRow], facts: TournamentFacts) -> str:
    """Write the numbers of the JSON form, one line an entrant."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for row in to_json(rows, facts)["standings"]:
        latency = row.pop("latency_ms")
        row["faults"] = "; ".join(f"{kind} {count}" for kind, count in row["faults"].items())
        values = [*row.values(), latency["p50"], latency["p95"], latency["max"]]
        writer.writerow([_csv_cell(value) for value in values])
    return file.getvalue()


def _csv_cell(value: str | float | None) -> str | float | None:
    """Keep a spreadsheet from taking a text for a formula: such a one begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    text = cells.plain(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
