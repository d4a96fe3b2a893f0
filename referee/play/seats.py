"""One seat of a table: who sits there, whether its bot is here, and what it has on its account."""

import enum
from typing import TypeVar

import attrs

from referee.play.clock import ClockRules
from referee.play.faults import Fault, FaultCounts

T = TypeVar("T")


class Presence(enum.Enum):
    """Whether a seat's bot can answer."""

    HERE = "here"
    AWAY = "away"
    """Not connected; it may come back, so its clock runs."""
    GONE = "gone"
    """Left for good: its decisions are defaulted at once."""


HERE, GONE = Presence.HERE, Presence.GONE
"""The same, for the hot paths: Python 3.11 takes 0.07 us to look up a member of an enum."""

MOST_DOUBTS = 3
"""How often in a game a seat gets the benefit of the doubt about an arrival time."""


def _mark_account(seat: "Seat", _: object, value: T) -> T:
    seat.account_changed = True
    return value


@attrs.define(kw_only=True)
class Seat:
    """The account of one seat in one game.

    Attributes:
        index: The seat's number at the table, from 0.
        name: The entrant.
        presence: HERE, AWAY or GONE; AWAY <-> HERE, and GONE is final.
        wants_events: Whether the bot that is here asked for event messages.
        was_here: Whether any bot was ever here in this game.
        forfeited: Whether strikes ended the game for this seat.
        strikes: Strikes so far.
        bank_ns: What is left of the time bank.
        doubts: How often the doubt about an arrival time was the bot's.
        faults: Faults by kind.
        took_ns: Measured time of each answer that counted.
        account_changed: Whether any of this but presence and times has changed since it was last set back.
    """

    index: int
    name: str
    bank_ns: int = attrs.field(on_setattr=_mark_account)
    presence: Presence = Presence.AWAY
    wants_events: bool = False
    was_here: bool = attrs.field(default=False, on_setattr=_mark_account)
    forfeited: bool = attrs.field(default=False, on_setattr=_mark_account)
    strikes: int = attrs.field(default=0, on_setattr=_mark_account)
    doubts: int = attrs.field(default=0, on_setattr=_mark_account)
    faults: FaultCounts = attrs.field(factory=FaultCounts)
    took_ns: list[int] = attrs.field(factory=list)
    account_changed: bool = attrs.field(default=False, init=False, eq=False)

    @property
    def decides(self) -> bool:
        """Whether this seat is asked at all."""
        return not self.forfeited and self.presence is not GONE

    @property
    def can_answer(self) -> bool:
        """Whether this seat is asked and its bot is here."""
        return not self.forfeited and self.presence is HERE

    def count(self, fault: Fault) -> None:
        """Count a fault."""
        self.faults[fault] += 1
        self.account_changed = True

    def strike(self, clock: ClockRules) -> bool:
        """Give a strike; return whether it is the one that forfeits the game."""
        self.strikes += 1
        if self.forfeited or not clock.strikes or self.strikes < clock.strikes:
            return False
        self.forfeited = True
        return True

    def charge(self, took_ns: int, clock: ClockRules) -> None:
        """Take from the bank what a decision took beyond move time and grace."""
        if took_ns > clock.free_ns:
            self.bank_ns = max(0, self.bank_ns - (took_ns - clock.free_ns))
