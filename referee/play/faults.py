"""What a bot can do wrong, as typed counters; no fault is ever parsed back from a text."""

import enum
from collections import Counter


class Fault(enum.Enum):
    """The kinds of fault; it is said with each whether it costs a strike."""

    LATE = "late"
    """No valid answer arrived in time though the bot was connected. Costs a strike."""
    ILLEGAL = "illegal"
    """An answer could be read but was not among the choices. The third wrong answer costs a strike."""
    GONE = "gone"
    """No valid answer arrived in time and the bot was not connected. Costs a strike."""
    MALFORMED = "malformed"
    """A field of an answer was missing or of a wrong type, or a type was unknown. Costs as `ILLEGAL`."""
    DUPLICATE = "duplicate"
    """A second answer to a request that was answered in time."""
    STALE = "stale"
    """An answer to a request of an earlier trick."""
    DISCONNECTED = "disconnected"
    """A connection was lost in mid-game."""
    VIOLATION = "violation"
    """A connection was ended for breaking the protocol in mid-game. Costs a strike."""
    FLOODING = "flooding"
    """A connection was ended for sending too much that nobody asked for. Costs a strike."""


FaultCounts = Counter[Fault]
