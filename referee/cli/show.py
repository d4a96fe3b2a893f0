"""What the user sees of one tournament: progress on stderr, standings on stdout and in the output file."""

from collections.abc import Callable, Sequence

import click

from referee.cli import events
from referee.cli.estimate import first_guess, spoken
from referee.cli.exits import Failure, file_problem
from referee.cli.log import Event
from referee.cli.options import ReportOptions
from referee.cli.output import OutputFile
from referee.cli.progress import Progress, Snapshot
from referee.cli.render import render
from referee.cli.selection import cores
from referee.director import Director
from referee.local.news import LocalNews
from referee.play.clock import NS_PER_MS
from referee.server.news import RoundOver
from referee.tournament.sizes import SMALLEST_TABLE

_MS_PER_S = 1000


class Show:
    """Shows a tournament from its announcement to its standings.

    Args:
        report: How and where.
        output: The file that gets the standings too, or None.
        progress: What shows how far things are.
    """

    interrupted = "these are the standings so far"

    def __init__(self, report: ReportOptions, output: OutputFile | None, progress: Progress) -> None:
        self._report = report
        self._output = output
        self._progress = progress
        self._director: Director | None = None
        self._output_failed = False

    def open(self, director: Director, running: Callable[[], int]) -> None:
        """Announce the tournament and begin to show it.

        Args:
            director: The tournament.
            running: Returns how many tables are being played.
        """
        self._director = director
        lines = tuple(announcement(director))
        self._progress.tell(events.begun(Event.TOURNAMENT_BEGUN, director.setup, lines))
        self._progress.open(lambda: _snapshot(director, running()))

    def news(self, items: Sequence[LocalNews]) -> None:
        """Take in what has happened."""
        self._progress.news(items)
        if self._output is not None and any(isinstance(item, RoundOver) for item in items):
            self._write_early(self._output)

    def close(self) -> None:
        """Stop showing how far things are."""
        self._progress.close()

    def standings(self) -> None:
        """Print the standings, and write them to the output file.

        Raises:
            Failure: The output file cannot be written; the standings have been printed then.
        """
        text = self._text(certain=True)
        click.echo(text, nl=False)
        if self._output is None:
            return
        try:
            self._output.write(text)
        except OSError as error:
            raise Failure(_unwritable(self._output, error)) from error

    def evidence(self) -> None:
        """Say what the deals can be played again from, and proven with."""
        if self._director is not None:
            self._progress.tell(events.evidence(self._director))

    def _text(self, *, certain: bool = False) -> str:
        """Return the standings; ratings take a while, and are worth it at the end."""
        director = self._director
        if director is None:
            raise RuntimeError("open comes first")
        certainty = director.certainty(self._report.anchor) if certain else None
        return render(director.rows(), director.facts(), self._report.format, certainty)

    def _write_early(self, output: OutputFile) -> None:
        """Write the standings so far; a failure is told once, and the end will try again."""
        try:
            output.write(self._text())
        except OSError as error:
            if not self._output_failed:
                self._progress.say(f"{_unwritable(output, error)}; trying again after the next round")
            self._output_failed = True


def announcement(director: Director) -> list[str]:
    """Return lines that say what will be played, how long it may take, and what the seed is bound by."""
    setup = director.setup
    entrants = len(director.rows())
    cow = " with the jumping cow" if setup.rules.jumping_cow else ""
    # Where rounds are held back, the tournament may be over before the last.
    may_end_early = director.last_round_for_now is not None
    at_most, this = ("at most ", "all of it") if may_end_early else ("", "this")
    games = "1 game" if director.games_planned == 1 else f"{director.games_planned} games"
    rounds = "1 round" if director.rounds == 1 else f"{director.rounds} rounds"
    span = first_guess(
        games=director.games_planned,
        rules=setup.rules,
        seats=max(SMALLEST_TABLE, round(entrants / director.tables_per_round)),
        concurrency=min(setup.concurrency, director.games_planned),
        processors=cores(),
        move_s=setup.clock.move_ns / NS_PER_MS / _MS_PER_S,
    )
    return [
        f"{entrants} bots, {setup.kind.value}, {setup.rules.variant.value}{cow}, "
        f"tables of up to {setup.table_size}: {at_most}{games} in {rounds}",
        f"{this} takes about {spoken(span.quick)} if the bots answer at once, "
        f"{spoken(span.slow)} if they use up their time (a guess from the rules; it gets better)",
        f"commitment to the seed: {setup.commitment}",
    ]


def _snapshot(director: Director, running: int) -> Snapshot:
    return Snapshot(
        round=director.round,
        rounds=director.rounds,
        done=director.games_done,
        planned=director.games_planned,
        running=running,
        rows=director.rows(),
    )


def _unwritable(output: OutputFile, error: OSError) -> str:
    return file_problem(f"the output file {output.path} cannot be written", error)
