"""The four rows and the cow: the one place where it is decided what a laid card does (R4, R5, R6, R13)."""

from collections.abc import Iterable, Sequence

import attrs

from referee.rules.cards import ROWS, bullheads

ROW_LIMIT = 5
"""A row holds five, the cow counted; what comes sixth takes (R5, R13c)."""


@attrs.frozen(kw_only=True)
class Take:
    """Cards that were taken from one row, ascending, and their bullheads."""

    row: int
    cards: tuple[int, ...]
    bullheads: int


@attrs.frozen(kw_only=True)
class Jump:
    """One jump of the cow.

    Attributes:
        from_row: Row that it left.
        to_row: Row that it landed on.
        take: What the player took since the cow was the sixth there (R13e), if so.
    """

    from_row: int
    to_row: int
    take: Take | None


@attrs.frozen(kw_only=True)
class Placement:
    """What one card did, in the order in which it happened.

    Attributes:
        row: Row in which the card lies.
        take: What it took from that row before it was laid, if anything.
        jumps: The jumps of the cow that followed.
    """

    row: int
    take: Take | None
    jumps: tuple[Jump, ...]

    @property
    def takes(self) -> tuple[Take, ...]:
        """All that the card took, in order: at most three rows."""
        return tuple(take for take in (self.take, *(jump.take for jump in self.jumps)) if take is not None)


@attrs.frozen(kw_only=True)
class RowCost:
    """What the choice of a row by a too-low card costs in all, the jumps of the cow included."""

    row: int
    bullheads: int
    takes: tuple[Take, ...]


# Most cards take nothing and move no cow: these four answers are made once.
_QUIET = tuple(Placement(row=row, take=None, jumps=()) for row in range(ROWS))


class Layout:
    """The four rows and the cow; `place` changes it.

    Attributes:
        rows: A list of four tuples of ascending cards. A row changes by getting a new tuple, so a tuple that
            was read stays as it was.
        cow: The row at whose right the cow stands; `None` without a cow.
    """

    __slots__ = ("cow", "rows")

    def __init__(self, rows: Iterable[Iterable[int]], cow: int | None) -> None:
        self.rows: list[tuple[int, ...]] = [tuple(cards) for cards in rows]
        self.cow = cow

    def copy(self) -> "Layout":
        """Give an independent copy."""
        return Layout(self.rows, self.cow)

    def fitting_row(self, card: int) -> int | None:
        """Find the row that a card must go to: the highest end below it (R4).

        Args:
            card: A card that is not in the rows.

        Returns:
            Index of the row, or `None` if the card is below all four ends and its player chooses (R6).
        """
        fitting = None
        best = 0
        for row, cards in enumerate(self.rows):
            if best < cards[-1] < card:
                best = cards[-1]
                fitting = row
        return fitting

    def place(self, card: int, chosen_row: int | None = None) -> Placement:
        """Lay a card, take what it takes, and move the cow.

        Args:
            card: A card that is not in the rows.
            chosen_row: For a card that is too low, the row its player chose; otherwise `None`.

        Returns:
            What happened.

        Raises:
            ValueError: If a card that fits comes with a row, or a card that is too low without one.
        """
        fitting = self.fitting_row(card)
        row = chosen_row if fitting is None else fitting
        if row is None or (fitting is not None and chosen_row is not None):
            raise ValueError(f"A row is chosen for a card if, and only if, it fits none: card {card}.")
        cards = self.rows[row]
        if fitting is None or len(cards) + (row == self.cow) == ROW_LIMIT:
            take = Take(row=row, cards=cards, bullheads=bullheads(cards))
            self.rows[row] = (card,)
        else:
            take = None
            self.rows[row] = (*cards, card)
        if row == self.cow:
            return Placement(row=row, take=take, jumps=self._jump_on(row))
        if take is None:
            return _QUIET[row]
        return Placement(row=row, take=take, jumps=())

    def costs(self, card: int) -> tuple[RowCost, ...]:
        """Say what each choice of a row would cost a card that is too low, and change nothing.

        Args:
            card: A card below all four ends.

        Returns:
            One cost for each row, in order.

        Raises:
            ValueError: If the card fits a row, so that there is no choice.
        """
        return tuple(self._cost(card, row) for row in range(ROWS))

    def _cost(self, card: int, row: int) -> RowCost:
        takes = self.copy().place(card, row).takes
        return RowCost(row=row, bullheads=sum(take.bullheads for take in takes), takes=takes)

    def _jump_on(self, start: int) -> tuple[Jump, ...]:
        """Let the cow jump from a row until it stands (R13d, R13e).

        It comes to rest at the latest where it has been before, since that row was emptied down to one card.
        """
        jumps = []
        standing = False
        while not standing:
            landing = lowest_row(self.rows, leaving_out=start)
            take = self._land(landing)
            jumps.append(Jump(from_row=start, to_row=landing, take=take))
            standing = take is None
            start = landing
        self.cow = start
        return tuple(jumps)

    def _land(self, row: int) -> Take | None:
        """Take the lower numbers of a row that has no room for the cow; its highest card stays (R13e)."""
        cards = self.rows[row]
        if len(cards) < ROW_LIMIT:
            return None
        self.rows[row] = cards[-1:]
        return Take(row=row, cards=cards[:-1], bullheads=bullheads(cards[:-1]))


def lowest_row(rows: Sequence[tuple[int, ...]], *, leaving_out: int | None = None) -> int:
    """Find the row with the lowest last card: where the cow starts (R13a) or jumps to (R13d).

    Args:
        rows: The four rows.
        leaving_out: The row that the cow leaves, if it stands on one.

    Returns:
        Index of the row.
    """
    others = [row for row in range(len(rows)) if row != leaving_out]
    return min(others, key=lambda row: rows[row][-1])
