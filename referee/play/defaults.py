"""What the referee decides in a bot's place; SPEC.md names it, so that it is no secret and no chance."""

from collections.abc import Sequence

from referee.rules.cards import bullheads
from referee.rules.decisions import DecisionKind, Pending


def default_choice(pending: Pending, rows: Sequence[Sequence[int]]) -> int:
    """Return the default for a decision.

    Args:
        pending: What is decided, and the choices.
        rows: The rows at this moment.

    Returns:
        The lowest card of the hand or of the pool; or the row whose own cards have the fewest bullheads,
        the lowest index among equals.
    """
    if pending.kind is DecisionKind.ROW:
        return min(pending.choices, key=lambda row: (bullheads(rows[row]), row))
    return min(pending.choices)
