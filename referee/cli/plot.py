"""`take5-referee plot`: ratings and crosstable of a journal, or what standings in JSON hold, as SVG."""

from pathlib import Path

import click

from referee.cli.archive import opened
from referee.cli.exits import Failure, file_problem
from referee.cli.output import OutputFile
from referee.cli.picture import Picture, draw
from referee.cli.plotted import NoStandings, from_journal, from_json
from referee.cli.settings import setting

_SQLITE = b"SQLite format 3\0"


@click.command("plot", epilog="Exit codes: 0 drawn, 1 not written, 2 nothing that can be drawn.")
@click.argument("path", metavar="JOURNAL|STANDINGS.json", type=click.Path(path_type=Path))
@setting(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="The picture that is written, such as standings.svg.",
)
def command(*, path: Path, output: Path) -> None:
    """Draw the standings of a JOURNAL, or of standings that were written with `--format json`.

    Of a journal: the ratings with their 95 % bars, and a crosstable of who beat whom. Of standings: their
    ratings, or points where they hold none. The picture is an SVG, which every browser shows.
    """
    file = OutputFile(output)
    picture = draw(_picture(path))
    try:
        file.write(picture)
    except OSError as error:
        raise Failure(file_problem(f"the output file {file.path} cannot be written", error)) from error


def _picture(path: Path) -> Picture:
    try:
        with path.open("rb") as file:
            is_journal = file.read(len(_SQLITE)) == _SQLITE
        content = b"" if is_journal else path.read_bytes()
    except OSError as error:
        raise click.UsageError(file_problem(f"{path} cannot be read", error)) from error
    if is_journal:
        with opened(path) as reading:
            return from_journal(reading)
    try:
        return from_json(content)
    except NoStandings as error:
        raise click.UsageError(
            f"{path} is neither a journal nor standings in JSON ({error}): write them with "
            "`standings JOURNAL --format json`"
        ) from error
