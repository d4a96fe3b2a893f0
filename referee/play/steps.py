"""One step of a game as it is kept: what was decided, and where each seat's account stands since.

From its steps a table can be built again as it was, in mid-deal: the rules say the rest.
"""

from protocol.parts import ClosedBecause
from referee.play.faults import Fault
from referee.play.seats import Seat
from referee.rules.data import frozen


@frozen
class Decision:
    """One decision that counts.

    Attributes:
        seat: Whose.
        choice: The card or row.
        reason: ANSWERED, or why it was made by default.
        took_ns: The measured time of the answer; None for a default.
    """

    # Made for every choice, hence by position: by name it takes twice as long.
    seat: int
    choice: int
    reason: ClosedBecause
    took_ns: int | None


@frozen(kw_only=True)
class Account:
    """What a seat has on its account, see `Seat`."""

    bank_ns: int
    strikes: int = 0
    doubts: int = 0
    forfeited: bool = False
    was_here: bool = False
    faults: tuple[tuple[Fault, int], ...] = ()

    @classmethod
    def of(cls, seat: Seat) -> "Account":
        """Return the account of a seat as it is now."""
        return cls(
            bank_ns=seat.bank_ns,
            strikes=seat.strikes,
            doubts=seat.doubts,
            forfeited=seat.forfeited,
            was_here=seat.was_here,
            faults=tuple(sorted(seat.faults.items(), key=lambda item: item[0].value)),
        )

    def give_back(self, seat: Seat) -> None:
        """Make the account of a seat what this says."""
        seat.bank_ns = self.bank_ns
        seat.strikes = self.strikes
        seat.doubts = self.doubts
        seat.forfeited = self.forfeited
        seat.was_here = self.was_here
        seat.faults.clear()
        seat.faults.update(dict(self.faults))


@frozen
class Step:
    """What was decided at once: the cards of a trick, a row, a pick.

    Attributes:
        decisions: In the order of seats.
        accounts: By seat, the decisions' strikes included.
    """

    decisions: tuple[Decision, ...]
    accounts: tuple[Account, ...]
