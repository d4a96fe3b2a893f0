"""`take5-referee export`: a journal for other programs."""

import csv
import enum
import io
import itertools
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from referee.cli.archive import journal_argument, opened
from referee.cli.exits import Failure, file_problem
from referee.cli.output import OutputFile
from referee.cli.settings import setting
from referee.exporting import (
    DECISION_COLUMNS,
    RESULT_COLUMNS,
    Row,
    decisions,
    everything,
    record,
    results,
)
from referee.journal.reading import Reading


class Kind(enum.Enum):
    """How a journal is exported."""

    NDJSON = "ndjson"
    CSV = "csv"


@click.command("export", epilog="Exit codes: 0 written, 1 damaged or not written, 2 no usable journal.")
@setting(
    "--format",
    "format_",
    type=click.Choice([kind.value for kind in Kind]),
    default=Kind.NDJSON.value,
    show_default=True,
    help="The record, an event a line; or results, a seat a line.",
)
@setting("--all", "all_", is_flag=True, help="ndjson: add void and unfinished games, faults and the log.")
@setting("--decisions", "per_decision", is_flag=True, help="csv: a decision a line instead, with its time.")
@setting("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file instead.")
@journal_argument
def command(*, path: Path, format_: str, all_: bool, per_decision: bool, output: Path | None) -> None:
    """Write a JOURNAL as lines for other programs.

    ndjson is the canonical record of all games that have ended and count, by round, table, set and game: the
    bytes that the digests are made of. What each line says is in SPEC.md.
    """
    kind = Kind(format_)
    if all_ and kind is not Kind.NDJSON:
        raise click.UsageError("--all belongs to ndjson: leave it out, or leave out --format csv")
    if per_decision and kind is not Kind.CSV:
        raise click.UsageError("--decisions belongs to csv: add --format csv")
    file = None if output is None else OutputFile(output)
    with opened(path) as reading:
        lines = _lines(reading, kind, all_=all_, per_decision=per_decision)
        try:
            _write(lines, file)
        except ValueError as error:
            raise Failure(f"{path} is damaged: {error}") from error


def _lines(reading: Reading, kind: Kind, *, all_: bool, per_decision: bool) -> Iterator[bytes]:
    if kind is Kind.NDJSON:
        return everything(reading) if all_ else record(reading)
    if per_decision:
        return _csv(DECISION_COLUMNS, decisions(reading))
    return _csv(RESULT_COLUMNS, results(reading))


def _csv(columns: Row, rows: Iterable[Row]) -> Iterator[bytes]:
    """Give the lines of a table; names, words and numbers of it hold nothing a spreadsheet would run."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in itertools.chain((columns,), rows):
        writer.writerow(row)
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _write(lines: Iterator[bytes], file: OutputFile | None) -> None:
    if file is None:
        sys.stdout.buffer.writelines(lines)
        sys.stdout.buffer.flush()
        return
    try:
        file.write_lines(lines)
    except OSError as error:
        raise Failure(file_problem(f"the output file {file.path} cannot be written", error)) from error
