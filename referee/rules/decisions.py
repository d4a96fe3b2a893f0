"""What a seat can be asked to decide, and the check of what it answered."""

import enum
from collections.abc import Mapping

from referee.rules.data import frozen


class IllegalDecision(ValueError):
    """These decisions cannot be applied; the message is one sentence, and the game is as it was."""


class DecisionKind(enum.Enum):
    """What a seat has to choose."""

    CARD = "card"
    """A card of the hand, to play to the trick."""

    ROW = "row"
    """The row that a card below all row ends takes (R6)."""

    DRAFT = "draft"
    """A card of the pool, to take into the hand (R12)."""

    __hash__ = object.__hash__  # enum's own is slow, and kinds are looked up for every decision


@frozen
class Pending:
    """A decision that a seat owes.

    Attributes:
        seat: Who decides.
        kind: What is decided.
        choices: The legal choices, ascending: cards, or indexes of rows.
    """

    # Made for every choice, hence by position: by name it takes twice as long.
    seat: int
    kind: DecisionKind
    choices: tuple[int, ...]


def checked_choices(decisions: Mapping[int, int], pending: tuple[Pending, ...]) -> tuple[int, ...]:
    """Check that each pending seat, and no other, has made a legal choice.

    Args:
        decisions: The choice of each seat.
        pending: What is awaited.

    Returns:
        The choices, in the order of `pending`.

    Raises:
        IllegalDecision: If a decision is missing, not asked for, or not among the choices.
    """
    if not pending:
        raise IllegalDecision("No decision is pending: the game has not begun or is over.")
    choices = []
    for owed in pending:
        choice = decisions.get(owed.seat)
        # The exact type, since True == 1 and 12.0 == 12 would find their way into the events.
        if type(choice) is not int or choice not in owed.choices:
            raise IllegalDecision(_complaint(owed, choice))
        choices.append(choice)
    if len(decisions) != len(pending):
        strangers = sorted(set(decisions) - {owed.seat for owed in pending})
        raise IllegalDecision(f"Seats that owe no decision have sent one: {strangers}.")
    return tuple(choices)


def _complaint(owed: Pending, choice: object) -> str:
    choices = ", ".join(map(str, owed.choices))
    made = "has not decided" if choice is None else f"cannot choose {choice!r}"
    return f"Seat {owed.seat} {made}; its choices ({owed.kind.value}) are {choices}."
