"""What lies on the table, followed from the events alone: for those who watch and know no rule."""

from collections.abc import Iterable, Sequence

from protocol.parts import Placement, Take
from referee.play.events import TableEvent
from referee.rules import events as rules


class Board:
    """The rows, the cow, and what each seat has taken in the deal.

    Attributes:
        rows: The four rows.
        cow: The cow's row, or None.
        taken: Bullheads taken in this deal, by seat.
    """

    def __init__(self, players: int) -> None:
        self._players = players
        self.lay_out(((),) * 4, None)

    def lay_out(self, rows: Sequence[rules.Cards], cow: int | None) -> None:
        """Start from the rows of a new deal."""
        self.rows: list[rules.Cards] = list(rows)
        self.cow = cow
        self.taken = [0] * self._players

    def follow(self, events: Iterable[TableEvent]) -> tuple[Placement, ...]:
        """Move cards and cow as the events of one trick say; return what each card did, in order."""
        laid: dict[int, rules.CardPlaced] = {}
        takes: dict[int, list[Take]] = {}
        jumps: dict[int, list[int]] = {}
        seat = -1
        for event in events:
            match event:
                case rules.RowTaken():
                    takes.setdefault(event.seat, []).append(self._take(event))
                case rules.CardPlaced():
                    seat = event.seat
                    laid[seat] = event
                    self.rows[event.row] = (*self.rows[event.row], event.card)
                case rules.CowJumped():
                    jumps.setdefault(seat, []).append(event.to_row)
                    self.cow = event.to_row
        return tuple(
            Placement(
                seat=seat,
                card=event.card,
                row=event.row,
                takes=tuple(takes.get(seat, ())),
                jumps=tuple(jumps.get(seat, ())),
            )
            for seat, event in laid.items()
        )

    def _take(self, event: rules.RowTaken) -> Take:
        self.rows[event.row] = tuple(card for card in self.rows[event.row] if card not in event.cards)
        self.taken[event.seat] += event.bullheads
        return Take(row=event.row, cards=event.cards, bullheads=event.bullheads)
