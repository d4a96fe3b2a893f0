"""Tournaments with journals in memory, for tests that are about something else."""

from collections.abc import Iterable

from referee.director import Director
from referee.journal.journal import Journal
from referee.setup import TournamentSetup

_open: list[Journal] = []


class Killed(Exception):
    """The referee was killed."""


def journal_for(setup: TournamentSetup) -> Journal:
    """Return a journal in memory; it is closed after the test."""
    journal = Journal.in_memory(setup.head("test", {}))
    _open.append(journal)
    return journal


def begun(setup: TournamentSetup, names: Iterable[str]) -> Director:
    """Return a tournament that has begun."""
    return Director(setup, names, journal_for(setup))


def reborn(journal: Journal) -> Journal:
    """Return a journal in memory as it is opened again after its writer was killed."""
    if journal._writing:
        journal._db.execute("ROLLBACK")
    again = Journal(journal.path, None, journal._db)
    again._take_up_games()
    _open.remove(journal)
    _open.append(again)
    return again


def close_journals() -> None:
    """Close the journals of a test that has ended."""
    while _open:
        _open.pop().abandon()
