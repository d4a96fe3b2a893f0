"""The number cards and their bullheads (R1)."""

from collections.abc import Iterable

HIGHEST_CARD = 104
"""The cards are the integers 1 to 104."""

ROWS = 4
"""Rows on the table."""

HAND_SIZE = 10
"""Cards dealt to (or drafted by) each seat, and so tricks in a deal."""


def _card_bullheads(card: int) -> int:
    if card == 55:
        return 7
    if card % 11 == 0:
        return 5
    if card % 10 == 0:
        return 3
    if card % 10 == 5:
        return 2
    return 1


BULLHEADS: tuple[int, ...] = (0, *(_card_bullheads(card) for card in range(1, HIGHEST_CARD + 1)))
"""Bullheads of each card, indexed by the card. Index 0 is no card and holds 0."""

_OF_CARD = BULLHEADS.__getitem__


def bullheads(cards: Iterable[int]) -> int:
    """Add up the bullheads (penalty points) of some cards.

    Args:
        cards: Number cards, each from 1 to 104.

    Returns:
        Their bullheads in all; 0 for no cards.
    """
    return sum(map(_OF_CARD, cards))
