"""`take5-referee replay`: a game of a journal, as a person wants to read it."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from referee.cli.archive import journal_argument, opened
from referee.cli.boards import (
    deal_lines,
    ending_lines,
    moment_lines,
    opening_lines,
    score_lines,
    trick_lines,
)
from referee.cli.exits import Failure
from referee.cli.settings import WholeNumber, setting
from referee.cli.suggestions import did_you_mean
from referee.journal.reading import Reading, StoredGame
from referee.replaying import Course, DealCourse, course
from referee.rules.cards import HAND_SIZE
from referee.rules.variants import MOST_DEALS
from referee.setup import TournamentSetup, table_setup

_QUIT = ("q", "Q", "\x1b", "\x04")


@click.command(
    "replay", epilog="Exit codes: 0 shown, 1 the game is damaged, 2 no usable journal, or no such game."
)
@setting("--deal", metavar="N", type=WholeNumber(1, MOST_DEALS), help="Show only this deal.")
@setting("--trick", metavar="N", type=WholeNumber(1, HAND_SIZE), help="Show only this trick of each deal.")
@setting("--step", is_flag=True, help="Wait for a key after each trick; q ends it.")
@journal_argument
@click.argument("name", metavar="GAME")
def command(*, path: Path, name: str, deal: int | None, trick: int | None, step: bool) -> None:
    """Show the GAME of a JOURNAL trick by trick: rows, cards, who took what, think times.

    Games are named as `take5-referee list JOURNAL` names them: r3t2g1 is game 1 at table 2 of round 3.
    """
    if step and not _is_terminal():
        raise click.UsageError("--step waits for keys, so it needs a terminal; leave it out")
    with opened(path) as reading:
        shown = _course(reading, _find(reading, name))
    pages = _pages(shown, deal, trick)
    first = next(pages, None)
    if first is None:
        raise click.UsageError(f"game {name} has no such deal or trick{_how_far(shown)}")
    _show(shown, first, pages, step=step)


def _is_terminal() -> bool:
    """Say whether somebody sits there who can press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _find(reading: Reading, name: str) -> StoredGame:
    """Return the game of this name.

    Raises:
        click.UsageError: There is none.
    """
    names = []
    for game in reading.games():
        if str(game.id) == name:
            return game
        names.append(str(game.id))
    raise click.UsageError(
        f"no game {name!r} has begun; `take5-referee list JOURNAL` names all{did_you_mean(name, names)}"
    )


def _course(reading: Reading, game: StoredGame) -> Course:
    setup = table_setup(TournamentSetup.of(reading.head), game.id, game.names)
    try:
        return course(setup, reading.steps(game))
    except ValueError as error:
        raise Failure(str(error)) from error


def _pages(shown: Course, deal: int | None, trick: int | None) -> Iterator[list[str]]:
    """Give what is read at once: the start of a deal with its first trick, then each trick."""
    names = shown.setup.names
    for played in shown.deals:
        if deal not in (None, played.number):
            continue
        if trick is None:
            yield from _whole(played, names)
        for one in played.tricks:
            if one.number == trick:
                yield [*moment_lines(played, one), *trick_lines(one, names)]


def _whole(deal: DealCourse, names: Sequence[str]) -> Iterator[list[str]]:
    """Give a deal from its hands to its score."""
    head, tail = deal_lines(deal, names), score_lines(deal, names)
    if not deal.tricks:
        yield head
    for trick in deal.tricks:
        last = trick is deal.tricks[-1]
        yield [*head, *trick_lines(trick, names), *(tail if last else ())]
        head = []


def _show(shown: Course, first: list[str], pages: Iterator[list[str]], *, step: bool) -> None:
    click.echo("\n".join([*opening_lines(shown), *first]))
    for page in pages:
        if step and click.getchar() in _QUIT:
            return
        click.echo("\n".join(page))
    click.echo("\n".join(ending_lines(shown)))


def _how_far(shown: Course) -> str:
    last = shown.deals[-1]
    return f": it has come to deal {last.number}, trick {len(last.tricks)}"
