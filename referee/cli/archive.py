"""What the commands share that read a journal: the argument, and opening it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from referee.cli.settings import Function
from referee.journal.errors import JournalUnusable
from referee.journal.reading import Reading


def journal_argument(function: Function) -> Function:
    """Give a command the argument JOURNAL, as `path`."""
    argument = click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
    return argument(function)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Reading]:
    """Open a journal for reading, as it is at this moment; a tournament may go on meanwhile.

    Raises:
        click.UsageError: It is no journal that can be read.
    """
    try:
        reading = Reading.opened(path)
    except JournalUnusable as error:
        raise click.UsageError(str(error)) from error
    try:
        yield reading
    except JournalUnusable as error:
        raise click.UsageError(str(error)) from error
    finally:
        reading.close()
