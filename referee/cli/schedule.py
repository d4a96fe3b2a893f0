"""`take5-referee schedule`: a round-robin schedule and how even it is, without playing it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from referee.cli.planning import Shape, balance_json, balance_lines, counted, shape_options
from referee.cli.settings import setting
from referee.tournament.balance import balance
from referee.tournament.formats import rounds_planned
from referee.tournament.model import Kind, RoundPlan
from referee.tournament.round_robin import schedule
from referee.tournament.sizes import table_sizes

_MOST_TABLES = 300_000
_FORMAT = 1


@click.command("schedule", epilog="Exit codes: 0 printed, 2 there is no such schedule.")
@shape_options
@setting(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the schedule is written.",
)
def command(*, shape: Shape, format_: str) -> None:
    """Print the round-robin schedule of N entrants, who are numbered, and how even it is.

    It is the one that a tournament of N bots has with the same seed: the numbers are those of the bots in
    alphabetical order.
    """
    _check(shape)
    digits = len(str(shape.entrants))
    names = [f"{number:0{digits}}" for number in range(1, shape.entrants + 1)]
    plans = schedule(names, table_size=shape.table_size, rounds=shape.rounds, seed=shape.seed)
    if format_ == "json":
        click.echo(json.dumps(_as_json(shape, plans)))
        return
    for line in _lines(shape, plans):
        click.echo(line)


def _check(shape: Shape) -> None:
    """Refuse what has no schedule, or one that nobody would read.

    Raises:
        click.UsageError: It is so.
    """
    if shape.kind is Kind.SWISS:
        raise click.UsageError(
            "a Swiss has no schedule, since each round follows from the results before it: ask for a "
            "round-robin, or try a Swiss with `simulate`"
        )
    rounds = rounds_planned(shape.kind, shape.entrants, table_size=shape.table_size, rounds=shape.rounds)
    tables = len(table_sizes(shape.entrants, shape.table_size))
    if rounds * tables > _MOST_TABLES:
        raise click.UsageError(
            f"{counted(rounds, 'round')} of {counted(tables, 'table')} are {rounds * tables:,} tables, and "
            f"{_MOST_TABLES:,} are the most: ask for --rounds {_MOST_TABLES // tables} or fewer"
        )


def _lines(shape: Shape, plans: Sequence[RoundPlan]) -> Iterator[str]:
    even = balance(plans)
    yield (
        f"round-robin of {shape.entrants} at tables of at most {shape.table_size}: "
        f"{counted(even.rounds, 'round')}, {counted(even.tables, 'table')}; seed {shape.seed}"
    )
    for plan in plans:
        yield f"round {plan.number}"
        yield from (f"  table {table.table}: {' '.join(table.entrants)}" for table in plan.tables)
        if plan.byes:
            yield f"  bye: {' '.join(plan.byes)}"
    yield from balance_lines(even)


def _as_json(shape: Shape, plans: Sequence[RoundPlan]) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "kind": shape.kind.value,
        "entrants": shape.entrants,
        "table_size": shape.table_size,
        "seed": shape.seed,
        "rounds": [
            {
                "round": plan.number,
                "tables": [[int(name) for name in table.entrants] for table in plan.tables],
                "byes": [int(name) for name in plan.byes],
            }
            for plan in plans
        ],
        **balance_json(balance(plans)),
    }
