"""`take5-referee explain`: why each table of a round of a journal was formed."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from referee.cli.archive import journal_argument, opened
from referee.cli.planning import balance_json, balance_lines
from referee.cli.reasons import round_json, round_lines
from referee.cli.settings import WholeNumber, setting
from referee.cli.shapes import MOST_ROUNDS
from referee.journal.reading import Reading
from referee.journal.scores import score_of
from referee.tournament.balance import Balance, balance
from referee.tournament.explain import RoundReasons, explain
from referee.tournament.formats import Format, Order, make_format
from referee.tournament.history import History
from referee.tournament.model import Kind, RoundPlan, TournamentError

_FORMAT = 1


@click.command("explain", epilog="Exit codes: 0 explained, 2 no usable journal, or no such round.")
@setting(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the reasons are written.",
)
@journal_argument
@click.argument("only", metavar="[ROUND]", required=False, type=WholeNumber(1, MOST_ROUNDS))
def command(*, path: Path, only: int | None, format_: str) -> None:
    """Say why each table of a ROUND of a JOURNAL was formed, or of every round.

    Of a table: the range of points, who has met before, byes and small tables so far, and what the best swap
    with another table would have cost. A swap can gain nothing at tables of two, where the pairing is exact;
    at larger ones it is the best that a long search found. The schedule of a round-robin is fixed from the
    start, so what is shown of it is how even it is.
    """
    with opened(path) as reading, reading.believing():
        plans = reading.plans()
        if only is not None and only > len(plans):
            raise click.UsageError(
                f"round {only} has not been planned, so there is nothing to explain: "
                + (f"choose a round from 1 to {len(plans)}" if plans else "no round has been")
            )
        form = _format_of(reading)
        if form.order is Order.FREE:
            told = _fixed(balance(_whole_schedule(form, reading)), format_)
        else:
            told = _drawn(list(_reasons(reading, plans, only)), format_)
    click.echo(told)


def _format_of(reading: Reading) -> Format:
    head = reading.head
    if head.kind is Kind.COMPARISON:
        raise click.UsageError("a comparison has one table a round, so there is nothing to explain")
    try:
        return make_format(
            head.kind, _starters(reading), table_size=head.table_size, rounds=head.rounds, seed=head.seed
        )
    except TournamentError as error:
        raise click.UsageError(f"{reading.path} is damaged ({error})") from error


def _starters(reading: Reading) -> list[str]:
    return [entrant.name for entrant in reading.entrants() if entrant.entered == 1]


def _whole_schedule(form: Format, reading: Reading) -> list[RoundPlan]:
    """Return all rounds of a fixed schedule, of which the journal may not hold the later ones yet."""
    active = _starters(reading)
    return [form.plan(number, active=active, history=History()) for number in range(1, form.rounds + 1)]


def _reasons(reading: Reading, plans: Sequence[RoundPlan], only: int | None) -> Iterator[RoundReasons]:
    scores = [score_of(result) for result in reading.results()]
    for plan in plans:
        if only in (None, plan.number):
            before = [earlier for earlier in plans if earlier.number < plan.number]
            history = History.of(before, [score for score in scores if score.round < plan.number])
            yield explain(plan, history)


def _fixed(even: Balance, format_: str) -> str:
    if format_ == "json":
        values: dict[str, Any] = {"format": _FORMAT, "fixed": True, "rounds": even.rounds}
        return json.dumps({**values, **balance_json(even)})
    return "\n".join(
        [
            f"the schedule was fixed from the start: {even.rounds} rounds that follow from the entrants, the "
            "table size and the seed, whatever the results",
            *balance_lines(even),
        ]
    )


def _drawn(reasons: Sequence[RoundReasons], format_: str) -> str:
    if format_ == "json":
        return json.dumps({"format": _FORMAT, "fixed": False, "rounds": [round_json(one) for one in reasons]})
    return "\n".join(line for one in reasons for line in round_lines(one)) or "no round has been planned"
