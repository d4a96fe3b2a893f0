"""What run-local tells people besides the engine's news: how bot processes start and end."""

import enum
from typing import TypeAlias

import attrs

from referee.local.processes import Exit
from referee.server.news import News


class Then(enum.Enum):
    """What follows when a bot process has ended or did not start."""

    RESTARTED = "restarted"
    """It is started again; the game it is in goes on."""
    DEFAULTS = "defaults"
    """It is started again for the next game; the rest of this one is played by default."""
    GIVEN_UP = "given up"
    """It is not started again."""


@attrs.frozen(kw_only=True)
class BotEnded:
    """A bot process ended while it was still needed."""

    name: str
    exit: Exit
    then: Then
    in_game: bool


@attrs.frozen(kw_only=True)
class BotNotStarted:
    """A bot could not be started, or did not introduce itself in time; `output` is what it wrote."""

    name: str
    reason: str
    output: str
    then: Then


LocalNews: TypeAlias = News | BotEnded | BotNotStarted
