"""Plays a tournament of local bots and prints what came of it; shared by `run-local` and `resume`."""

from collections.abc import Callable
from typing import Protocol

import click
import trio

from referee.cli import log
from referee.cli.exits import ExitCode, Failure, file_problem
from referee.cli.journals import how_to_go_on, kept_in
from referee.cli.progress import Progress
from referee.cli.selection import Say
from referee.director import Director
from referee.local.descriptors import affordable_concurrency, allowed_descriptors
from referee.local.tournament import Ending, LocalTournament

_TICK_S = 0.25


class Shown(Protocol):
    """What the user sees of what is played."""

    interrupted: str
    """What to say of the results when it was interrupted."""

    def open(self, director: Director, running: Callable[[], int]) -> None:
        """Announce it and begin to show it."""

    def close(self) -> None:
        """Stop showing how far things are."""

    def standings(self) -> None:
        """Print what came of it."""

    def evidence(self) -> None:
        """Say what it can be played again from, and proven with."""


def play(local: LocalTournament, show: Shown, progress: Progress, *, drain_s: float) -> int:
    """Play the tournament and print what came of it, also if it was interrupted.

    Args:
        local: The tournament.
        show: What the user sees of it.
        progress: What shows how far it is.
        drain_s: How long games may go on after SIGTERM.

    Returns:
        The exit code.
    """
    journal = local.director.journal.path
    progress.tell(kept_in(journal))
    show.open(local.director, lambda: local.running)
    try:
        ending = trio.run(_play, local, progress, drain_s)
    finally:
        show.close()
    show.standings()
    show.evidence()
    progress.tell(kept_in(journal))
    if ending is Ending.COMPLETE:
        return ExitCode.COMPLETE
    log.tell(log.interrupted(show.interrupted))
    log.tell(how_to_go_on(journal))
    return ExitCode.INTERRUPTED


def fit_to_descriptors(director: Director, say: Say) -> None:
    """Let a tournament run no more tables at once than open files allow, and say so.

    Raises:
        click.UsageError: The system allows too few for these bots.
    """
    concurrency, bots = director.setup.concurrency, len(director.rows())
    useful = min(concurrency, director.games_planned)
    affordable = affordable_concurrency(
        useful, bots=bots, tables_per_round=director.tables_per_round, descriptors=allowed_descriptors()
    )
    if not affordable:
        raise click.UsageError(f"{bots} bots need more open files than the system allows; raise ulimit -n")
    if affordable < useful:
        say(f"tables at once: {affordable}, since no more files may be open (ulimit -n)")
        director.run_fewer_tables(affordable)


async def _play(local: LocalTournament, progress: Progress, drain_s: float) -> Ending:
    """Play the tournament while its progress is shown."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_tick, progress)
        try:
            return await local.run(drain_s=drain_s)
        except OSError as error:
            problem = error
        finally:
            nursery.cancel_scope.cancel()
    raise Failure(file_problem("the referee cannot listen for its bots", problem)) from problem


async def _tick(progress: Progress) -> None:
    while True:
        progress.tick()
        await trio.sleep(_TICK_S)
