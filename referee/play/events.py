"""What happens at a table beyond the rules: defaults, strikes, forfeits, drops and returns."""

from typing import TypeAlias

import attrs

from protocol.parts import ClosedBecause
from referee.play.faults import Fault
from referee.rules import events as rules
from referee.rules.decisions import DecisionKind


@attrs.frozen(kw_only=True)
class Defaulted:
    """A decision was made in a bot's place; it comes before the event that the decision leads to."""

    deal: int
    trick: int
    seat: int
    kind: DecisionKind
    choice: int
    reason: ClosedBecause


@attrs.frozen(kw_only=True)
class FaultFound:
    """A seat committed a fault."""

    seat: int
    fault: Fault


@attrs.frozen(kw_only=True)
class Struck:
    """A seat got a strike; `strikes` is its number of strikes in this game."""

    seat: int
    strikes: int


@attrs.frozen(kw_only=True)
class SeatForfeited:
    """A seat has as many strikes as forfeit the game."""

    seat: int


@attrs.frozen(kw_only=True)
class BotLeft:
    """A seat's bot is no longer connected."""

    seat: int


@attrs.frozen(kw_only=True)
class BotReturned:
    """A seat's bot is connected again, or for the first time."""

    seat: int


@attrs.frozen(kw_only=True)
class GameClosed:
    """The game is over, forfeits considered; it stands in for the `GameEnded` of the rules.

    Attributes:
        totals: Bullheads of the game, by seat.
        places: Places by seat, 1-2-2-4; forfeited seats tie for last.
        forfeited: By seat.
        digest: SHA-256 of the game's record, in hex.
    """

    totals: tuple[int, ...]
    places: tuple[int, ...]
    forfeited: tuple[bool, ...]
    digest: str


PlayEvent: TypeAlias = Defaulted | FaultFound | Struck | SeatForfeited | BotLeft | BotReturned | GameClosed
TableEvent: TypeAlias = rules.Event | PlayEvent
