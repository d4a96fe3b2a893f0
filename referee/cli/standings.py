"""`take5-referee standings`: the standings of a journal, also while the tournament runs."""

from pathlib import Path

import click

from referee.cli import duel
from referee.cli.archive import journal_argument, opened
from referee.cli.exits import Failure, file_problem
from referee.cli.options import Format, anchor_setting, check_anchor
from referee.cli.output import OutputFile
from referee.cli.render import render
from referee.cli.settings import setting
from referee.journal.certainty import certainty
from referee.journal.tally import facts, standings
from referee.tournament.model import Kind


@click.command("standings", epilog="Exit codes: 0 printed, 1 not written, 2 no usable journal.")
@setting(
    "--format",
    "format_",
    type=click.Choice([kind.value for kind in Format]),
    default=Format.TEXT.value,
    show_default=True,
    help="How the standings are written.",
)
@anchor_setting()
@setting("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write them to a file instead.")
@journal_argument
def command(*, path: Path, format_: str, anchor: str | None, output: Path | None) -> None:
    """Print the standings of a JOURNAL, final or so far.

    A tournament may be running meanwhile. Rounds that are not over count with the games that are. Of a
    comparison it is the verdict that is printed.
    """
    file = None if output is None else OutputFile(output)
    with opened(path) as reading:
        if reading.head.kind is Kind.COMPARISON:
            text = duel.written(duel.stored(reading), Format(format_))
        else:
            rows = standings(reading)
            order = [row.name for row in rows]
            check_anchor(anchor, order)
            text = render(rows, facts(reading), Format(format_), certainty(reading, order, anchor=anchor))
    if file is None:
        click.echo(text, nl=False)
        return
    try:
        file.write(text)
    except OSError as error:
        raise Failure(file_problem(f"the output file {file.path} cannot be written", error)) from error
