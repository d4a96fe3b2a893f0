"""When bytes arrived: the kernel's receive time where there is one, else what the poll loop knows.

Linux stamps each packet as it comes in. That wall-clock time is turned at once into an age, the age into a
moment of the monotonic clock, and that is clamped to what is possible: so neither a busy referee nor a
stepped wall clock can make an answer late.
"""

import socket
import struct
import sys
import time

from trio.abc import Instrument

from referee.play.clock import Arrival

_SO_TIMESTAMPNS = getattr(socket, "SO_TIMESTAMPNS", 35) if sys.platform == "linux" else None
_SOL_SOCKET = socket.SOL_SOCKET
_TIMESPEC = struct.Struct("@qq")
_TIMESPEC_BYTES = _TIMESPEC.size
_timespec = _TIMESPEC.unpack_from
_ANCILLARY_BYTES = socket.CMSG_SPACE(_TIMESPEC.size) if _SO_TIMESTAMPNS is not None else 0
_INSTANT_NS = 100_000
"""A poll that returned within this did not have to wait."""


class Moments:
    """What polls tell about the sockets that the last one reported.

    Attributes:
        known_empty: When such a socket was still known to be empty, in ns.
        arrived: The best guess of when it got its bytes, in ns; where there is doubt, it is the bot's.
    """

    def __init__(self) -> None:
        self.known_empty = self.arrived = time.monotonic_ns()


class PollTimes(Moments, Instrument):
    """Notes when Trio last asked the kernel which sockets are ready.

    A socket was known to be empty before that poll if it had to wait, else before the one that returned
    earlier; it got its bytes when the poll returned if it had to wait, else perhaps when the earlier one did.

    Attributes:
        returned: When the last poll returned, in ns.
    """

    def __init__(self) -> None:
        super().__init__()
        self.returned = self._asked = self.known_empty

    def before_io_wait(self, timeout: float) -> None:
        """Called by Trio before each poll."""
        del timeout
        self._asked = time.monotonic_ns()

    def after_io_wait(self, timeout: float) -> None:
        """Called by Trio after each poll."""
        now = time.monotonic_ns()
        had_to_wait = timeout > 0 and now - self._asked > _INSTANT_NS
        self.known_empty = self._asked if had_to_wait else self.returned
        self.arrived = now if had_to_wait else self.returned
        self.returned = now


def ask_for_stamps(sock: socket.socket) -> None:
    """Have the kernel stamp what this socket receives, where it can."""
    if _SO_TIMESTAMPNS is None:
        return
    try:
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:
        return


def receive(sock: socket.socket, size: int, moments: Moments) -> tuple[bytes, Arrival]:
    """Read what is there, without waiting.

    Returns:
        The bytes (none at the end of the stream) and when the last of them arrived, in ns of
        `time.monotonic_ns`.

    Raises:
        BlockingIOError: there is nothing to read.
        OSError: the connection is broken.
    """
    if not _ANCILLARY_BYTES:
        data = sock.recv(size)
        return data, Arrival.at(moments.arrived)
    data, ancillary, _, _ = sock.recvmsg(size, _ANCILLARY_BYTES)
    # Once for every answer, so compared and not handed to `min` and `max`.
    for level, kind, payload in ancillary:
        if level == _SOL_SOCKET and kind == _SO_TIMESTAMPNS and len(payload) >= _TIMESPEC_BYTES:
            seconds, nanoseconds = _timespec(payload)
            now = time.monotonic_ns()
            arrived = now - time.time_ns() + seconds * 1_000_000_000 + nanoseconds
            earliest = moments.known_empty
            if earliest > now:
                earliest = now
            if arrived < earliest:
                arrived = earliest
            elif arrived > now:
                arrived = now
            return data, Arrival(arrived, earliest)
    return data, Arrival.at(moments.arrived)
