"""What the engine tells people, as data; the CLI puts it into words."""

import enum
from typing import TypeAlias

import attrs

from referee.play.results import GameResult
from referee.tournament.model import RoundPlan


@attrs.frozen(kw_only=True)
class Joined:
    """A bot introduced itself (again)."""

    entrant: str
    address: str
    client: str


@attrs.frozen(kw_only=True)
class Lost:
    """A connection of an entrant ended."""

    entrant: str
    reason: str


@attrs.frozen(kw_only=True)
class Refused:
    """A connection was turned away before it was anybody's."""

    address: str
    reason: str


@attrs.frozen(kw_only=True)
class RoundPlanned:
    """A round is drawn."""

    plan: RoundPlan


@attrs.frozen(kw_only=True)
class GameOver:
    """A game ended."""

    result: GameResult


@attrs.frozen(kw_only=True)
class RoundOver:
    """All games of a round have ended."""

    number: int


@attrs.frozen(kw_only=True)
class Withdrawn:
    """An entrant is out of the tournament."""

    entrant: str
    reason: str


@attrs.frozen(kw_only=True)
class TournamentOver:
    """Everything has been played."""


class StopCause(enum.Enum):
    """Why the referee stops before its tournament is over."""

    CTRL_C = "ctrl-c"
    SIGTERM = "sigterm"
    HANGUP = "hangup"
    """The terminal on which it runs has gone away."""


@attrs.frozen(kw_only=True)
class Draining:
    """No further games start, since the referee stops once those that are played have ended.

    Attributes:
        games: How many are being played.
        seconds: It stops after so long in any case.
    """

    games: int
    seconds: float


@attrs.frozen(kw_only=True)
class Stopping:
    """The referee stops now."""

    cause: StopCause


News: TypeAlias = (
    Joined
    | Lost
    | Refused
    | RoundPlanned
    | GameOver
    | RoundOver
    | Withdrawn
    | TournamentOver
    | Draining
    | Stopping
)
