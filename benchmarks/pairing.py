"""How long a Swiss round takes to pair, and how good it is, beside two simpler ways.

Every way plays a tournament of its own, of the same bots with
made-up strengths, so that its rounds follow from the results that it brought about itself.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import attrs

from referee.tournament.chance import generator
from referee.tournament.cost import cost
from referee.tournament.history import History
from referee.tournament.luck import play
from referee.tournament.model import GameScore, RoundPlan, TablePlan
from referee.tournament.simulate import even_strengths
from referee.tournament.sizes import table_sizes
from referee.tournament.swiss import pair_round

FIELDS = (16, 64, 256, 1000)
TABLE_SIZES = (2, 4, 5, 10)
ROUNDS = 11
_DEALS = 5
_HEADINGS = (
    "n",
    "k",
    "seconds a round",
    "slowest",
    "repeats: ours",
    "greedy",
    "naive",
    "squares: ours",
    "greedy",
    "naive",
)

Pairing = Callable[[int, Sequence[str], History, int], RoundPlan]
"""Pairs the round of a number, given who plays, the rounds before, and the table size."""


@attrs.frozen(kw_only=True)
class Figures:
    """What a way of pairing came to over a tournament.

    Attributes:
        seconds: What each round took to pair, of one processor.
        repeats: Pairs that met again, once for each time.
        spread: Sum over all pairs at a table of their squared difference in points.
    """

    seconds: tuple[float, ...]
    repeats: int
    spread: float


def ours(number: int, names: Sequence[str], history: History, table_size: int) -> RoundPlan:
    """Pair as the referee does."""
    return pair_round(number, names, history, table_size=table_size, seed="benchmark")


def naive(number: int, names: Sequence[str], history: History, table_size: int) -> RoundPlan:
    """Cut the standings into tables of neighbours, whoever has met."""
    left = iter(_standings(number, names, history))
    tables = [[next(left) for _ in range(size)] for size in table_sizes(len(names), table_size)]
    return _plan(number, tables, tuple(left))


def greedy(number: int, names: Sequence[str], history: History, table_size: int) -> RoundPlan:
    """Walk down the standings and fill each table with the next who have met nobody there, if any."""
    left = _standings(number, names, history)
    tables = []
    for size in table_sizes(len(names), table_size):
        table = [left.pop(0)]
        while len(table) < size:
            new = (name for name in left if not any(_met(history, name, other) for other in table))
            table.append(next(new, left[0]))
            left.remove(table[-1])
        tables.append(table)
    return _plan(number, tables, tuple(left))


def _standings(number: int, names: Sequence[str], history: History) -> list[str]:
    drawn = list(names)
    generator("benchmark", "lots", number).shuffle(drawn)
    return sorted(drawn, key=lambda name: history.points.get(name, 0), reverse=True)


def _met(history: History, one: str, other: str) -> int:
    return history.meetings.get(frozenset((one, other)), 0)


def _plan(number: int, tables: Sequence[Sequence[str]], byes: tuple[str, ...]) -> RoundPlan:
    return RoundPlan(
        number=number,
        tables=tuple(
            TablePlan(round=number, table=place, entrants=tuple(table))
            for place, table in enumerate(tables, start=1)
        ),
        byes=byes,
    )


def measure(pairing: Pairing, entrants: int, table_size: int, rounds: int = ROUNDS) -> Figures:
    """Play a tournament, and add up what its rounds took and cost."""
    strengths = even_strengths(entrants)
    chance = generator("benchmark", "games", entrants, table_size)
    plans: list[RoundPlan] = []
    scores: list[GameScore] = []
    seconds, repeats, spread = [], 0, 0.0
    for number in range(1, rounds + 1):
        history = History.of(plans, scores)
        begun = time.process_time()
        plan = pairing(number, list(strengths), history, table_size)
        seconds.append(time.process_time() - begun)
        repeats += _repeats(plan, history)
        spread += float(cost(plan, history).spread)
        plans.append(plan)
        scores += [play(table, 1, strengths, deals=_DEALS, chance=chance) for table in plan.tables]
    return Figures(seconds=tuple(seconds), repeats=repeats, spread=spread)


def _repeats(plan: RoundPlan, history: History) -> int:
    return sum(
        _met(history, one, other) > 0
        for table in plan.tables
        for place, one in enumerate(table.entrants)
        for other in table.entrants[:place]
    )


def table_lines(fields: Sequence[int] = FIELDS, rounds: int = ROUNDS) -> Iterator[str]:
    """Give the table in Markdown, a line at a time as it is measured."""
    yield f"| {' | '.join(_HEADINGS)} |"
    yield f"|{' ---: |' * len(_HEADINGS)}"
    for entrants in fields:
        for table_size in TABLE_SIZES:
            mine, walked, cut = (
                measure(pairing, entrants, table_size, rounds) for pairing in (ours, greedy, naive)
            )
            cells = (
                str(entrants),
                str(table_size),
                f"{statistics.fmean(mine.seconds):.3f}",
                f"{max(mine.seconds):.3f}",
                *(str(figures.repeats) for figures in (mine, walked, cut)),
                *(f"{figures.spread:,.0f}" for figures in (mine, walked, cut)),
            )
            yield f"| {' | '.join(cells)} |"
