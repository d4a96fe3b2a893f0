"""The journal of a command: where it is, how it is made, and what is said of it at the end."""

import contextlib
import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from referee.cli.exits import ExitCode, Failure
from referee.cli.log import Event, Fact
from referee.cli.settings import Function, setting
from referee.journal.errors import JournalError, JournalFailed, JournalTaken, JournalUnusable
from referee.journal.files import check_sqlite
from referee.journal.head import Head
from referee.journal.journal import Journal
from referee.journal.place import check_new

SUFFIX = ".journal"
_MOST_NAMES = 1000


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


def check(path: Path | None) -> None:
    """See that a journal can probably be made there, long before it is.

    Args:
        path: Where; None for a new file in the working directory.

    Raises:
        click.UsageError: It cannot.
    """
    with stopping_well(lambda: None):
        check_sqlite()
        with contextlib.nullcontext() if path else contextlib.suppress(JournalTaken):
            check_new(next(_names(path, 1)))


def make(
    path: Path | None,
    head: Head,
    *,
    number: int = 1,
    create: Callable[[Path, Head], Journal] = Journal.create,
) -> Journal:
    """Make the journal of a new tournament.

    Args:
        path: Where; None for a new file in the working directory.
        head: What the tournament is made from.
        number: Which tournament of this run of the referee it is; those after the first have names of their
            own, in which nothing is in the way.
        create: Makes it; another than the usual one counts what it keeps.

    Raises:
        JournalUnusable: It cannot be made there.
    """
    *taken, last = _names(path, number)
    for name in taken:
        # Another referee may look for a name at the same moment.
        with contextlib.suppress(JournalTaken):
            return create(name, head)
    return create(last, head)


def open_again(path: Path, *, open_: Callable[[Path], Journal] = Journal.open) -> Journal:
    """Open the journal of a tournament that goes on.

    Args:
        path: Where it is.
        open_: Opens it; another than the usual one counts what it keeps.

    Raises:
        click.UsageError: It cannot be used.
        JournalStopped: It cannot be written.
    """
    with stopping_well(lambda: None):
        return open_(path)


@contextlib.contextmanager
def stopping_well(current: Callable[[], Journal | None]) -> Iterator[None]:
    """Let go of the journal when something goes wrong, and say so if it was the journal itself.

    Args:
        current: Returns the journal that is being written, if there is one.

    Raises:
        JournalStopped: It could not be written.
        click.UsageError: It cannot be made, or not be believed.
    """
    try:
        yield
    except BaseException as error:
        journal = current()
        if journal is not None:
            journal.abandon()
        match _find(error):
            case JournalFailed() as failed:
                raise JournalStopped(str(failed)) from error
            case JournalUnusable() as unusable:
                raise click.UsageError(str(unusable)) from error
            case _:
                raise


@contextlib.contextmanager
def closing(journal: Journal) -> Iterator[None]:
    """Close a journal at the end, whatever happens.

    Raises:
        JournalStopped: It could not be written.
    """
    with stopping_well(lambda: journal):
        yield
        journal.close()


def kept_in(path: Path) -> Fact:
    """Return where the journal is."""
    return Fact(event=Event.JOURNAL, lines=(f"journal: {path}",), fields={"path": str(path)})


def how_to_go_on(path: Path) -> Fact:
    """Return how an interrupted tournament is gone on with."""
    command = f"take5-referee resume {path}"
    return Fact(event=Event.RESUMABLE, lines=(f"to go on: {command}",), fields={"command": command})


def _find(error: BaseException) -> JournalError | None:
    """Return what was wrong with a journal, in what may be a group of errors in groups."""
    if isinstance(error, JournalError):
        return error
    inner: Any = getattr(error, "exceptions", ())
    return next((found for one in inner if (found := _find(one)) is not None), None)


def _names(path: Path | None, number: int) -> Iterator[Path]:
    """Give the names that a journal may have, the best first."""
    if path is not None and number == 1:
        yield path
        return
    stem = Path(datetime.datetime.now().strftime(f"take5-%Y-%m-%d-%H%M%S{SUFFIX}")) if path is None else path
    first = 1 if path is None else number
    for further in range(first, first + _MOST_NAMES):
        yield stem if further == 1 else stem.with_name(f"{stem.stem}-{further}{stem.suffix}")
