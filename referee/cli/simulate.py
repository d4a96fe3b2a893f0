"""`take5-referee simulate`: made-up bots play whole tournaments in memory, to choose a format by."""

import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import click

from referee.cli.estimate import deals_of_a_game, spoken, time_left
from referee.cli.options import DEFAULT_TARGET
from referee.cli.planning import Shape, counted, shape_options
from referee.cli.settings import WholeNumber, setting
from referee.cli.shapes import games_setting
from referee.cli.trials import Simulation, Trial, as_json, lines
from referee.rules.variants import Rules
from referee.tournament.combinations import MOST_TABLES
from referee.tournament.formats import rounds_planned
from referee.tournament.model import Kind
from referee.tournament.simulate import Event, even_strengths, simulate
from referee.tournament.sizes import table_sizes

_MOST_REPETITIONS = 100_000
_MOST_GAMES = 1_000_000
_LARGEST_SPREAD = 20.0
_DOUBLINGS = 2
_TOLD_EVERY_S = 2.0


class Number(click.FloatRange):
    """A number between bounds; "nan", which compares with no bound, is none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the number.

        Raises:
            click.BadParameter: It is none, or is out of bounds.
        """
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not in the range {self._describe_range()}.", param, ctx)
        return number


@click.command("simulate", epilog="Exit codes: 0 printed, 2 no such tournament, 130 interrupted.")
@shape_options
@games_setting()
@setting(
    "--repetitions",
    metavar="N",
    type=WholeNumber(1, _MOST_REPETITIONS),
    default=20,
    show_default=True,
    help="How often each tournament is played.",
)
@setting(
    "--spread",
    metavar="X",
    type=Number(0, _LARGEST_SPREAD, min_open=True),
    default=2.0,
    show_default=True,
    help="The standard deviation of the strengths, in bullheads a deal.",
)
@click.option(
    "--compare-formats",
    is_flag=True,
    help="Try both formats side by side, each with a few numbers of rounds unless --rounds is given.",
)
@setting(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the result is written.",
)
def command(
    *, shape: Shape, games: int, repetitions: int, spread: float, compare_formats: bool, format_: str
) -> None:
    """Play tournaments of N made-up bots, and say how well the standings find their true order.

    No bot, no card and no socket is involved: each seat draws its bullheads at random, around a mean that is
    lower the stronger it is, as they vary in real games to 66. How far they are is told on stderr.
    """
    event = Event(
        kind=shape.kind,
        table_size=shape.table_size,
        rounds=shape.rounds,
        games=games,
        deals=deals_of_a_game(Rules(target=DEFAULT_TARGET), shape.table_size),
    )
    events = list(contenders(event, shape.entrants)) if compare_formats else [event]
    for one in events:
        _check(one, shape.entrants)
    waiting = Waiting(len(events) * repetitions)
    strengths = even_strengths(shape.entrants, spread=spread)
    trials = [
        Trial.of(
            one,
            shape.entrants,
            simulate(strengths, one, repetitions=repetitions, seed=shape.seed, played=waiting.played),
        )
        for one in events
    ]
    simulation = Simulation(
        shape=shape, event=event, spread=spread, repetitions=repetitions, trials=tuple(trials)
    )
    click.echo(json.dumps(as_json(simulation)) if format_ == "json" else "\n".join(lines(simulation)))


def _check(event: Event, entrants: int) -> None:
    """Refuse a tournament that would not fit into memory.

    Raises:
        click.UsageError: It is one.
    """
    if event.kind is Kind.ALL_COMBINATIONS and event.rounds is None:
        games = math.comb(entrants, min(event.table_size, entrants)) * event.games
        if games > min(_MOST_GAMES, MOST_TABLES * event.games):
            raise click.UsageError(
                f"all combinations are {games:,} games, which are too many: ask for --tournament round-robin"
            )
        return
    rounds = rounds_planned(event.kind, entrants, table_size=event.table_size, rounds=event.rounds)
    games = rounds * len(table_sizes(entrants, event.table_size)) * event.games
    if games > _MOST_GAMES:
        raise click.UsageError(
            f"{counted(rounds, 'round')} of {counted(event.games, 'game')} a table are {games:,} games, and "
            f"{_MOST_GAMES:,} are the most of one tournament: ask for fewer --rounds or --games"
        )


def contenders(event: Event, entrants: int) -> Iterator[Event]:
    """Give the tournaments to set side by side: both formats, at each number of rounds.

    The numbers are the default of a Swiss, twice and four times as many, but no more than one cycle of a
    round-robin; or the one that the event has.
    """
    for rounds in _round_counts(event, entrants):
        for kind in (Kind.ROUND_ROBIN, Kind.SWISS):
            yield attrs.evolve(event, kind=kind, rounds=rounds)


def _round_counts(event: Event, entrants: int) -> list[int]:
    if event.rounds is not None:
        return [event.rounds]
    short, cycle = (
        rounds_planned(kind, entrants, table_size=event.table_size, rounds=None)
        for kind in (Kind.SWISS, Kind.ROUND_ROBIN)
    )
    return sorted({min(short * 2**doubling, max(cycle, short)) for doubling in range(_DOUBLINGS + 1)})


class Waiting:
    """Tells those who wait, on stderr, how many tournaments have been played; not too often.

    Args:
        planned: How many will be.
        clock: Returns seconds.
    """

    def __init__(self, planned: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._planned = planned
        self._done = 0
        self._clock = clock
        self._begun = self._told = clock()

    def played(self) -> None:
        """Count one, and say so if it is time."""
        self._done += 1
        now = self._clock()
        if now - self._told < _TOLD_EVERY_S or self._done == self._planned:
            return
        self._told = now
        left = time_left(done=self._done, planned=self._planned, seconds=now - self._begun)
        about = "" if left is None else f", about {spoken(left)} left"
        click.echo(f"{self._done} of {counted(self._planned, 'tournament')} played{about}", err=True)
