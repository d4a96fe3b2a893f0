"""`take5-referee audit`: proves a journal, or names the first thing that is wrong with it."""

import sys
from pathlib import Path

import click

from referee.audit import AuditFailed, AuditReport, audit
from referee.cli.archive import journal_argument, opened
from referee.cli.cells import plain
from referee.cli.exits import Failure
from referee.journal.errors import JournalUnusable
from referee.play.names import GameId

_TOLD_EVERY = 1000


@click.command("audit", epilog="Exit codes: 0 all is proven, 1 something is wrong, 2 no usable journal.")
@journal_argument
def command(*, path: Path) -> None:
    """Prove a JOURNAL: deal again, replay every decision, score and pair again, and compare.

    Also commitment and digests are checked. Of a tournament that goes on, what has been played is proven.
    """
    with opened(path) as reading:
        try:
            report = audit(reading, _Waiting().game)
        except (AuditFailed, JournalUnusable) as error:
            raise Failure(f"the audit failed: {plain(str(error))}") from error
    for line in lines(report):
        click.echo(line)


class _Waiting:
    """Tells those who wait at a terminal how far an audit is."""

    def __init__(self) -> None:
        self._games = 0
        self._shown = sys.stderr.isatty()

    def game(self, game: GameId) -> None:
        """Count a game; now and then, say so."""
        self._games += 1
        if self._shown and self._games % _TOLD_EVERY == 0:
            click.echo(f"{self._games} games, now {game}", err=True)


def lines(report: AuditReport) -> list[str]:
    """Return what was checked, in numbers."""
    rounds = (
        "drawn again" if report.drawn_again else "legal, but drawn by a method this program does not know"
    )
    ending = "digest and standings as they follow" if report.ended else "not ended yet"
    return [
        f"commitment     seed and nonce are those that were promised; {report.entrants} entrants",
        f"rounds         {report.rounds}, {rounds}",
        f"games          {report.games}, replayed, scored and their digests compared;"
        f" {report.void} more of voided rounds, {report.unfinished} unfinished",
        f"deals          {report.deals}, {report.cards} cards dealt again from the seed",
        f"decisions      {report.decisions}, {report.defaults} of them by default",
        f"faults         {report.faults}",
        f"tournament     {ending}",
        "the audit found nothing wrong",
    ]
