"""When a request is late: limits, arrival times and the deadline of one request.

All times are integer nanoseconds of one monotonic clock, handed in.
"""

from functools import cached_property

import attrs

from referee.rules.data import frozen

NS_PER_MS = 1_000_000


@attrs.frozen(kw_only=True)
class ClockRules:
    """How long a seat may think.

    Attributes:
        move_ns: For one decision.
        grace_ns: For the network, on top of each decision, free of charge.
        bank_ns: For the whole game, used up by what exceeds the other two.
        strikes: Strikes that forfeit a game; 0 means never.
    """

    move_ns: int
    grace_ns: int = 0
    bank_ns: int = 0
    strikes: int = 3

    @cached_property  # looked at several times for each decision
    def free_ns(self) -> int:
        """What a decision may take without touching the bank."""
        return self.move_ns + self.grace_ns


@frozen
class Arrival:
    """When the last byte of a message reached this machine, as far as that is known.

    Attributes:
        latest: The arrival time, or, where one read brought several messages, that of the last of them.
        earliest: The last moment at which the message was known not to be there yet. Equal to `latest`
            where the time is exact.
    """

    latest: int
    earliest: int

    @property
    def exactly(self) -> "Arrival":
        """The same for the last of several messages, whose time is known."""
        return self if self.earliest == self.latest else Arrival(self.latest, self.latest)

    @classmethod
    def at(cls, time: int) -> "Arrival":
        """Return an arrival whose time is exactly known."""
        return cls(time, time)


def whole_ms(nanoseconds: int) -> int:
    """Return whole milliseconds, rounded down."""
    return nanoseconds // NS_PER_MS
