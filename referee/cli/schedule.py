"""`take5-referee schedule`: a fixed schedule and how even it is, without playing it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from referee.cli.planning import Shape, balance_json, balance_lines, counted, shape_options
from referee.cli.settings import setting
from referee.tournament.balance import balance
from referee.tournament.formats import make_format, rounds_planned
from referee.tournament.history import History
from referee.tournament.model import Kind, RoundPlan, TournamentError
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
    """Print the schedule of N entrants, who are numbered, and how even it is.

    It is the one that a tournament of N bots has with the same seed: the numbers are those of the bots in
    alphabetical order.
    """
    _check(shape)
    digits = len(str(shape.entrants))
    names = [f"{number:0{digits}}" for number in range(1, shape.entrants + 1)]
    plans = _plans(shape, names)
    if format_ == "json":
        click.echo(json.dumps(_as_json(shape, plans)))
        return
    for line in _lines(shape, plans):
        click.echo(line)


def _plans(shape: Shape, names: Sequence[str]) -> Sequence[RoundPlan]:
    try:
        form = make_format(
            shape.kind, names, table_size=shape.table_size, rounds=shape.rounds, seed=shape.seed
        )
    except TournamentError as error:
        raise click.UsageError(f"{error}") from error
    return [form.plan(number, active=names, history=History()) for number in range(1, form.rounds + 1)]


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
    if shape.kind is Kind.ALL_COMBINATIONS and shape.rounds is None:
        return  # a field with too many is refused when they are drawn
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
        f"{shape.kind.value} of {shape.entrants} at tables of at most {shape.table_size}: "
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
