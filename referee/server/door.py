"""The door: how many connections may be there at once, in all and from one address.

A connection is new -> let in, or new -> turned away; and at last gone.
"""

import ipaddress
from collections import Counter

from protocol.errors import ErrorCode, PeerError
from referee.server.limits import ServerLimits

_NETWORK_BITS = 64
"""Whoever has one IPv6 address has all that begin with the same 64 bits."""


def source_of(host: str) -> str:
    """Return what stands for all the addresses that somebody has who has this one."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), _NETWORK_BITS), strict=False))


class Door:
    """Counts connections, from the first moment to the last.

    Args:
        limits: The bounds.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._new: dict[int, str] = {}
        self._new_by_source: Counter[str] = Counter()
        self._inside: set[int] = set()
        self._turned_away: set[int] = set()

    @property
    def is_full(self) -> bool:
        """Whether not even a refusal can be said to one more."""
        return len(self._turned_away) >= self._limits.being_turned_away

    def enter(self, number: int, source: str) -> None:
        """Take in a new connection.

        Args:
            number: The connection.
            source: Where it comes from, by `source_of`.

        Raises:
            PeerError: (fatal) there are too many.
        """
        if len(self._new) + len(self._inside) >= self._limits.connections:
            raise _too_many(f"The referee holds no more than {self._limits.connections} connections")
        if self._new_by_source[source] >= self._limits.connections_per_address:
            most = self._limits.connections_per_address
            raise _too_many(f"No more than {most} connections from your address may wait to be let in")
        self._new[number] = source
        self._new_by_source[source] += 1

    def let_in(self, number: int) -> None:
        """Take in that a connection is a bot's."""
        self._leave_new(number)
        self._inside.add(number)

    def turn_away(self, number: int) -> None:
        """Take in that a connection has been refused, and is there until it has read why."""
        self._leave_new(number)
        self._turned_away.add(number)

    def forget(self, number: int) -> None:
        """Take in that a connection is gone."""
        self._leave_new(number)
        self._inside.discard(number)
        self._turned_away.discard(number)

    def _leave_new(self, number: int) -> None:
        source = self._new.pop(number, None)
        if source is None:
            return
        self._new_by_source[source] -= 1
        if not self._new_by_source[source]:
            del self._new_by_source[source]


def _too_many(why: str) -> PeerError:
    return PeerError.fatal(ErrorCode.TOO_MANY_CONNECTIONS, f"{why}; try again later.")
