"""`take5-referee list`: the rounds, tables and games of a journal, and how far they are."""

from collections.abc import Iterator
from pathlib import Path

import click

from referee.cli.archive import journal_argument, opened
from referee.cli.cells import plain
from referee.cli.settings import WholeNumber, setting
from referee.cli.shapes import MOST_ROUNDS
from referee.journal.overview import GameView, RoundView, TableView, rounds
from referee.journal.reading import Reading
from referee.journal.tally import facts


@click.command("list", epilog="Exit codes: 0 listed, 2 no usable journal, or no such round.")
@setting("--round", "only", metavar="N", type=WholeNumber(1, MOST_ROUNDS), help="List only this round.")
@setting("--short", is_flag=True, help="List only rounds, not their tables and games.")
@journal_argument
def command(*, path: Path, only: int | None, short: bool) -> None:
    """List the rounds, tables and games of a JOURNAL with their states.

    A game is waiting, playing, done, void (its round is played again) or unplayed (the tournament was ended
    before). The name of a game, such as r3t2g1, is what `replay` takes.
    """
    with opened(path) as reading:
        if only is None:
            click.echo(_tournament(reading))
        found = False
        for view in rounds(reading):
            if only in (None, view.number):
                found = True
                click.echo("\n".join(_lines(view, short=short)))
    if only is not None and not found:
        raise click.UsageError(f"round {only} has not been planned, so there is nothing to list of it")


def _tournament(reading: Reading) -> str:
    known = facts(reading)
    state = reading.ending or "going on, or stopped"
    return f"{known.kind.value} of {known.rounds} rounds, {known.variant}: {state}"


def _lines(view: RoundView, *, short: bool) -> Iterator[str]:
    counts = ", ".join(f"{count} {state.value}" for state, count in view.counts.items()) or "no games"
    byes = f"; bye: {', '.join(map(plain, view.byes))}" if view.byes else ""
    yield f"round {view.number}: {counts}{byes}"
    if not short:
        for table in view.tables:
            yield f"  table {table.number}: {', '.join(map(plain, table.names))}"
            yield from (f"    {_game(table, game)}" for game in table.games)


def _game(table: TableView, game: GameView) -> str:
    if game.totals is None:
        return f"{game.id} {game.state.value}"
    taken = ", ".join(f"{plain(name)} {total}" for name, total in zip(table.names, game.totals, strict=False))
    return f"{game.id} {game.state.value}: {taken}"
