"""The four rows and the cow: the one place where it is decided what a laid card does (R4, R5, R6, R13)."""

from bisect import bisect_left
from collections.abc import Iterable

from referee.rules.cards import BULLHEADS, ROWS, bullheads
from referee.rules.data import frozen

ROW_LIMIT = 5
"""A row holds five, the cow counted; what comes sixth takes (R5, R13c)."""


@frozen
class Take:
    """Cards that were taken from one row, ascending, and their bullheads."""

    row: int
    cards: tuple[int, ...]
    bullheads: int


@frozen
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


@frozen
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


@frozen
class RowCost:
    """What the choice of a row by a too-low card costs in all, the jumps of the cow included."""

    row: int
    bullheads: int
    takes: tuple[Take, ...]


# Most cards take nothing and move no cow: these four answers are made once.
_QUIET = tuple(Placement(row=row, take=None, jumps=()) for row in range(ROWS))


class Layout:
    """The four rows and the cow; `place` changes it, and nothing else may.

    Attributes:
        rows: A list of four tuples of ascending cards. A row changes by getting a new tuple, so a tuple that
            was read stays as it was.
        bullheads: A list of the bullheads that lie in each row.
        cow: The row at whose right the cow stands; `None` without a cow.
    """

    __slots__ = ("_ends", "_order", "bullheads", "cow", "rows")

    def __init__(self, rows: Iterable[Iterable[int]], cow: int | None) -> None:
        self.rows: list[tuple[int, ...]] = [tuple(cards) for cards in rows]
        self.bullheads = [bullheads(cards) for cards in self.rows]
        self.cow = cow
        # The last cards, ascending, and the rows that they end: so the row of a card is found by bisection.
        # It is kept up with next to no work, since a card that fits comes between its row's end and the next
        # higher one, and a take leaves the row's highest card: only a card that is too low changes the order.
        ends = [cards[-1] if cards else 0 for cards in self.rows]
        self._order = sorted(range(ROWS), key=ends.__getitem__)
        self._ends = sorted(ends)

    def copy(self) -> "Layout":
        """Give an independent copy."""
        twin = Layout.__new__(Layout)
        twin.rows = self.rows.copy()
        twin.bullheads = self.bullheads.copy()
        twin.cow = self.cow
        twin._order = self._order.copy()
        twin._ends = self._ends.copy()
        return twin

    def fitting_row(self, card: int) -> int | None:
        """Find the row that a card must go to: the highest end below it (R4).

        Args:
            card: A card that is not in the rows.

        Returns:
            Index of the row, or `None` if the card is below all four ends and its player chooses (R6).
        """
        ends_below = bisect_left(self._ends, card)
        return self._order[ends_below - 1] if ends_below else None

    def lowest_row(self, *, leaving_out: int | None = None) -> int:
        """Find the row with the lowest last card: where the cow starts (R13a) or jumps to (R13d).

        Args:
            leaving_out: The row that the cow leaves, if it stands on one.

        Returns:
            Index of the row.
        """
        lowest, second = self._order[:2]
        return second if lowest == leaving_out else lowest

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
        # Every card of every deal comes by here, so `fitting_row` is not called: its place is wanted as well.
        ends_below = bisect_left(self._ends, card)
        if ends_below and chosen_row is None:
            row = self._order[ends_below - 1]
            self._ends[ends_below - 1] = card
        elif chosen_row is not None and not ends_below:
            row = chosen_row
            self._make_lowest(row, card)
        else:
            raise _misplaced(card)
        cards = self.rows[row]
        with_cow = row == self.cow
        if ends_below and len(cards) + with_cow < ROW_LIMIT:
            self.rows[row] = (*cards, card)
            self.bullheads[row] += BULLHEADS[card]
            if not with_cow:
                return _QUIET[row]
            take = None
        else:
            take = Take(row, cards, self.bullheads[row])
            self.rows[row] = (card,)
            self.bullheads[row] = BULLHEADS[card]
        return Placement(row, take, self._jump_on(row) if with_cow else ())

    def costs(self, card: int) -> tuple[RowCost, ...]:
        """Say what each choice of a row would cost a card that is too low, and change nothing.

        Args:
            card: A card below all four ends.

        Returns:
            One cost for each row, in order.

        Raises:
            ValueError: If the card fits a row, so that there is no choice.
        """
        if bisect_left(self._ends, card):
            raise _misplaced(card)
        return tuple([self._cost(card, row) for row in range(ROWS)])

    def _cost(self, card: int, row: int) -> RowCost:
        if row != self.cow:  # then no cow jumps, and nothing is taken but the row
            take = Take(row, self.rows[row], self.bullheads[row])
            return RowCost(row, take.bullheads, (take,))
        takes = self.copy().place(card, row).takes
        return RowCost(row, sum([take.bullheads for take in takes]), takes)

    def _make_lowest(self, row: int, card: int) -> None:
        """Enter the card that will be the end of a row, and is below all ends, in the order of ends."""
        place = self._order.index(row)
        del self._order[place], self._ends[place]
        self._order.insert(0, row)
        self._ends.insert(0, card)

    def _jump_on(self, start: int) -> tuple[Jump, ...]:
        """Let the cow jump from a row until it stands (R13d, R13e).

        It comes to rest at the latest where it has been before, since that row was emptied down to one card.
        """
        jumps = []
        standing = False
        while not standing:
            landing = self.lowest_row(leaving_out=start)
            take = self._land(landing)
            jumps.append(Jump(start, landing, take))
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
        stays = BULLHEADS[cards[-1]]
        take = Take(row, cards[:-1], self.bullheads[row] - stays)
        self.bullheads[row] = stays
        return take


def _misplaced(card: int) -> ValueError:
    return ValueError(f"A row is chosen for a card if, and only if, it fits none: card {card}.")
