"""The journal of a command: where it is, how it is made, and what is said of it at the end."""

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from referee.cli.exits import ExitCode, Failure
from referee.cli.settings import Function, setting
from referee.journal.errors import JournalFailed, JournalUnusable
from referee.journal.head import Head
from referee.journal.journal import Journal

SUFFIX = ".journal"
_MOST_A_SECOND = 1000


class JournalStopped(Failure):
    """The journal could not be written in mid-run."""

    exit_code = ExitCode.JOURNAL


def journal_option() -> Callable[[Function], Function]:
    """Declare `--journal`."""
    return setting(
        "--journal",
        "journal_path",
        metavar="FILE",
        type=click.Path(path_type=Path),
        show_default="a new file here, named by date and time",
        help="The journal: all that happens, for resume, replay and audit.",
    )


def make(path: Path | None, head: Head) -> Journal:
    """Make the journal of a new tournament.

    Args:
        path: Where; None for a new file in the working directory.
        head: What the tournament is made from.

    Raises:
        click.UsageError: It cannot be made there.
    """
    try:
        return Journal.create(_new_path() if path is None else path, head)
    except JournalUnusable as error:
        raise click.UsageError(str(error)) from error


def open_again(path: Path) -> Journal:
    """Open the journal of a tournament that goes on.

    Raises:
        click.UsageError: It cannot be used.
    """
    try:
        return Journal.open(path)
    except JournalUnusable as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def stopping_well(current: Callable[[], Journal | None]) -> Iterator[None]:
    """Let go of the journal when something goes wrong, and say so if it was the journal itself.

    Args:
        current: Returns the journal that is being written, if there is one.

    Raises:
        JournalStopped: It could not be written.
    """
    try:
        yield
    except BaseException as error:
        journal = current()
        if journal is not None:
            journal.abandon()
        failed = _find(error)
        if failed is None:
            raise
        raise JournalStopped(str(failed)) from error


@contextmanager
def closing(journal: Journal) -> Iterator[None]:
    """Close a journal at the end, whatever happens.

    Raises:
        JournalStopped: It could not be written.
    """
    with stopping_well(lambda: journal):
        yield
        journal.close()


def how_to_go_on(path: Path) -> str:
    """Return the line that tells how an interrupted tournament is gone on with."""
    return f"to go on: take5-referee resume {path}"


def _find(error: BaseException) -> JournalFailed | None:
    """Return the failure of a journal in what may be a group of errors in groups."""
    if isinstance(error, JournalFailed):
        return error
    inner: Any = getattr(error, "exceptions", ())
    return next((found for one in inner if (found := _find(one)) is not None), None)


def _new_path() -> Path:
    """Return a file name of this moment that is not taken."""
    moment = datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    names = (
        f"take5-{moment}{'' if number == 1 else f'-{number}'}{SUFFIX}" for number in range(1, _MOST_A_SECOND)
    )
    return next(path for name in names if not (path := Path(name)).exists())
