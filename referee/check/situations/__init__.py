"""The situations in which a bot is checked, in the order in which they are played."""

from referee.check.situations import faults, games, handshake, returns, writing
from referee.check.situations.base import Situation

SITUATIONS: tuple[Situation, ...] = (
    *handshake.SITUATIONS,
    *writing.SITUATIONS,
    *games.SITUATIONS,
    *faults.SITUATIONS,
    *returns.SITUATIONS,
)
"""All of them."""

__all__ = ["SITUATIONS", "Situation"]
