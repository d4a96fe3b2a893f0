"""What a comparison came to: in a sentence that can be acted on, in a line while it runs, and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

import attrs

from referee.setup import TournamentSetup
from referee.tournament.paired import GAMES_OF_A_PAIR
from referee.tournament.sequential import Comparison, Question, Verdict

FORMAT = 1
"""Version of the JSON form; it changes when a field changes its meaning or goes away."""

_DECIMALS = 4


@attrs.frozen(kw_only=True)
class Report:
    """A comparison, as far as it is.

    Attributes:
        setup: What is played.
        opponents: Whom the two play against; none if they meet each other.
        question: What is asked.
        state: How it stands.
        over: Whether it is over.
    """

    setup: TournamentSetup
    opponents: Sequence[str]
    question: Question
    state: Comparison
    over: bool

    @property
    def rivals(self) -> tuple[str, str]:
        """A and B."""
        if self.setup.rivals is None:
            raise ValueError("this is no comparison")
        return self.setup.rivals


def estimate(report: Report) -> str:
    """Return a line on how a comparison stands."""
    state = report.state
    one, other = report.rivals
    if state.mean is None:
        return f"no pair of games is over yet; is {other} better than {one}?"
    return f"{_so_far(report)}: {other} {_signed(state.mean)}{_bar(state)}, {state.verdict.value}"


def sentence(report: Report) -> str:
    """Return what is to be made of a comparison."""
    state = report.state
    one, other = report.rivals
    after = f"{_so_far(report)}{_bar(state)}"
    if state.verdict is Verdict.BETTER:
        return f"{other} is better than {one}, {_by(state)} after {after}: take {other}."
    if state.verdict is Verdict.WORSE:
        return f"{other} is worse than {one}, {_by(state)} after {after}: stay with {one}."
    if state.verdict is Verdict.NO_DIFFERENCE_SHOWN:
        return (
            f"no difference between {other} and {one} was shown in {after}: if there is one, it is hardly"
            f" as large as {report.question.smallest:g}; choose by other things, or lower --smallest."
        )
    if not report.over:
        return f"it is not decided yet whether {other} is better than {one}, after {after}."
    return f"it stays undecided whether {other} is better than {one}, after {after}: {_advice(state)}"


def to_json(report: Report) -> str:
    """Return a comparison in the project's JSON form, format 1."""
    setup, question, state = report.setup, report.question, report.state
    one, other = report.rivals
    values: dict[str, Any] = {
        "format": FORMAT,
        "comparison": {
            "a": one,
            "b": other,
            "against": list(report.opponents),
            "table_size": setup.table_size,
            "variant": setup.rules.variant.value,
            "jumping_cow": setup.rules.jumping_cow,
            "seed": setup.seed if report.over else None,
            "smallest": question.smallest,
            "alpha": question.alpha,
            "beta": question.beta,
            "most_pairs": setup.rounds,
            "over": report.over,
        },
        "verdict": state.verdict.value,
        "sentence": sentence(report),
        "games": state.pairs * GAMES_OF_A_PAIR,
        "pairs": state.pairs,
        "pairs_repeated": state.repeated,
        "pairs_not_counted": state.beyond,
        "rounds_counted": state.pairs + state.repeated,
        "difference": _rounded(state.mean),
        "low": _rounded(state.low),
        "high": _rounded(state.high),
    }
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def to_text(report: Report) -> str:
    """Return a comparison for people: what was played in figures, and the sentence."""
    state, question = report.state, report.question
    whom = f"against {', '.join(report.opponents)}" if report.opponents else "against each other"
    notes = [
        f"{count} {what}"
        for count, what in (
            (state.repeated, "more were repetitions"),
            (state.beyond, "more were over when it was decided, and do not count"),
        )
        if count
    ]
    played = f"{whom}, tables of {report.setup.table_size}: {'; '.join((_so_far(report), *notes))}"
    asked = f"smallest difference {question.smallest:g}, alpha {question.alpha:g}, beta {question.beta:g}"
    return f"{played}\n{asked}\n{sentence(report)}\n"


def _so_far(report: Report) -> str:
    pairs = report.state.pairs
    return f"{pairs:,} {'pair' if pairs == 1 else 'pairs'} of games"


def _by(state: Comparison) -> str:
    return f"by {abs(state.mean or 0):.3f} of its opponents"


def _bar(state: Comparison) -> str:
    if state.low is None or state.high is None:
        return ""
    return f" (95 % bar {_signed(state.low)} to {_signed(state.high)})"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _advice(state: Comparison) -> str:
    if state.repeated > state.pairs:
        return (
            "nothing is left to chance, so the same games came again and again and show no more than"
            " the first time; name more opponents by --against, or compare in another --variant."
        )
    return "allow more games by --max-games, or ask for a larger --smallest."


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)
