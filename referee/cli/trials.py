"""What came of simulated tournaments, as lines for people and as JSON values."""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from referee.cli.planning import Shape, counted
from referee.tournament.model import Kind
from referee.tournament.simulate import Agreement, Event
from referee.tournament.swiss import size_warning

_FORMAT = 1
_BAR = 1.96
_DECIMALS = 4


@attrs.frozen(kw_only=True)
class Trial:
    """What came of one tournament.

    Attributes:
        kind: Its format.
        agreement: How well it found the true order.
        warning: What is to be said against it, if anything.
    """

    kind: Kind
    agreement: Agreement
    warning: str | None

    @classmethod
    def of(cls, event: Event, entrants: int, agreement: Agreement) -> "Trial":
        """Return the trial of an event."""
        warning = None
        if event.kind is Kind.SWISS:
            warning = size_warning(entrants, event.table_size, agreement.rounds)
        return cls(kind=event.kind, agreement=agreement, warning=warning)


@attrs.frozen(kw_only=True)
class Simulation:
    """All that was tried; the event is the one of the command line, whose format and rounds may vary."""

    shape: Shape
    event: Event
    spread: float
    repetitions: int
    trials: Sequence[Trial]


def lines(simulation: Simulation) -> Iterator[str]:
    """Give the lines for people."""
    shape, event = simulation.shape, simulation.event
    yield (
        f"{shape.entrants} bots whose strengths spread by {simulation.spread:g} bullheads a deal, "
        f"at tables of at most {shape.table_size},"
    )
    yield (
        f"{counted(event.games, 'game')} of {counted(event.deals, 'deal')} a table, "
        f"{counted(simulation.repetitions, 'tournament')} each; seed {shape.seed}"
    )
    width = max(len(trial.kind.value) for trial in simulation.trials)
    yield f"{'format':<{width}}  rounds  games  agreement  95 % bar  strongest first"
    for trial in simulation.trials:
        found = trial.agreement
        bar = "n/a" if found.tau_error is None else f"+/-{_BAR * found.tau_error:.2f}"
        yield (
            f"{trial.kind.value:<{width}}  {found.rounds:>6}  {found.games:>5}  {found.kendall_tau:>9.2f}"
            f"  {bar:>8}  {found.top_hit:>14.0%}"
        )
    yield "agreement: pairs of bots in their true order, less pairs in the wrong one, over all pairs"
    yield "(Kendall's tau): 1 is the true order, 0 is luck"
    # What holds for so many rounds holds for more, and the trial with the fewest is the first.
    yield from [f"note: {trial.warning}" for trial in simulation.trials if trial.warning][:1]


def as_json(simulation: Simulation) -> dict[str, Any]:
    """Put the same into plain dicts, lists, strings and numbers, ready for a JSON encoder."""
    return {
        "format": _FORMAT,
        "entrants": simulation.shape.entrants,
        "table_size": simulation.shape.table_size,
        "games": simulation.event.games,
        "deals": simulation.event.deals,
        "spread": simulation.spread,
        "repetitions": simulation.repetitions,
        "seed": simulation.shape.seed,
        "trials": [_trial(trial) for trial in simulation.trials],
    }


def _trial(trial: Trial) -> dict[str, Any]:
    found = trial.agreement
    return {
        "kind": trial.kind.value,
        "rounds": found.rounds,
        "games": found.games,
        "kendall_tau": round(found.kendall_tau, _DECIMALS),
        "tau_error": None if found.tau_error is None else round(found.tau_error, _DECIMALS),
        "top_hit": round(found.top_hit, _DECIMALS),
        "warning": trial.warning,
    }
