"""One accepted connection: its socket, and the bytes that the socket did not take yet."""

import contextlib
import enum
import socket

import trio

from referee.server.tls import NoTls, Tls


class Phase(enum.Enum):
    """How far a connection has come."""

    OPEN = "open"
    ENDING = "ending"
    """The last bytes are being sent; then the sending side is shut and the rest is read away."""
    CLOSED = "closed"


LINGER_S = 2.0
"""After its last message a connection is read, and what comes is dropped, for so long or until it ends:
closing with unread bytes would make the kernel reset it, and the last message could be lost."""


LINGER_BYTES = 1024 * 1024
"""So much is dropped at most; who sends more has not stopped to listen."""

_LAST_READS, _LAST_READ_BYTES = 16, 64 * 1024
"""Where there is no time for that, only what has arrived is read, and no more of it than this."""


class Link:
    """A connection and what waits to be sent on it.

    Attributes:
        sock: The socket; it does not block.
        number: The engine's number for the connection.
        tls: What encrypts it; None where nothing does.
        phase: OPEN -> ENDING -> CLOSED.
        dropped: Bytes that were read since the last message was sent, and not looked at.
    """

    def __init__(self, sock: socket.socket, number: int, tls: Tls | None = None) -> None:
        self.sock = sock
        self.number = number
        self.tls = tls
        self.phase = Phase.OPEN
        self.dropped = 0
        self._queued = 0
        self._unsent = bytearray()
        self._flushed: trio.Event | None = None

    @property
    def unsent(self) -> int:
        """Bytes that the socket did not take yet."""
        return len(self._unsent)

    @property
    def is_flushing(self) -> bool:
        """Whether a task sees to those bytes."""
        return self._flushed is not None

    def send(self, data: bytes) -> None:
        """Send as much as the socket takes now, keep the rest."""
        self._put(data if self.tls is None else self.tls.send(data))

    def decrypt(self, tls: Tls, data: bytes) -> bytes:
        """Return what encrypted bytes say, and send what TLS has to say to them.

        Raises:
            PeerError: (fatal) There is no TLS; an answer is in the clear if the peer speaks none at all.
            TlsBroken: What was TLS is no more.
        """
        try:
            return tls.receive(data)
        except NoTls:
            self.tls = None
            raise NoTls.error from None
        finally:
            self._put(tls.take())

    def _put(self, data: bytes) -> None:
        self._queued += len(data)
        if self._unsent:
            self._unsent += data
            self.push()
        elif data:  # nearly always the socket takes it all, and nothing has to be kept
            self._unsent += data[self._take(data) :]

    def push(self) -> None:
        """Send as much of the rest as the socket takes now; a broken connection loses it all."""
        while self._unsent and (taken := self._take(self._unsent)):
            del self._unsent[:taken]

    def _take(self, data: bytes | bytearray) -> int:
        """Return how many bytes need not be kept: those that the socket took, or all if it is broken."""
        try:
            return self.sock.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            return len(data)

    async def flush(self, patience_s: float) -> bool:
        """Send all of the rest; a second caller waits for the first one, and as long as that.

        Args:
            patience_s: How long any byte may wait to be taken. How many go meanwhile makes no difference, or
                somebody could read a byte a minute for ever.

        Returns:
            Whether none had to wait longer.
        """
        if self._flushed is not None:
            await self._flushed.wait()
            return True
        self._flushed = trio.Event()
        try:
            return await self._push_all(patience_s)
        except trio.ClosedResourceError:
            self._unsent.clear()
            return True
        finally:
            self._flushed.set()
            self._flushed = None

    async def _push_all(self, patience_s: float) -> bool:
        while self._unsent:
            mark = self._queued
            with trio.move_on_after(patience_s) as patience:
                # Until all has gone that waits now; what is added meanwhile has its own time.
                while self._owes(mark):
                    await trio.lowlevel.wait_writable(self.sock)
                    self.push()
            if patience.cancelled_caught:
                return False
            if self.phase is Phase.CLOSED:
                break
        return True

    def _owes(self, mark: int) -> bool:
        """Say whether some of the first `mark` bytes ever queued have still to be sent."""
        return self.phase is not Phase.CLOSED and self._queued - len(self._unsent) < mark

    def shut(self) -> None:
        """End the sending side: the peer reads the last message, then the end of the stream."""
        if self.tls is not None:
            self._put(self.tls.end())
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def part(self) -> None:
        """Close the socket now, but so that the peer can still read what was sent to it."""
        self.shut()
        with contextlib.suppress(OSError):
            for _ in range(_LAST_READS):
                if not self.sock.recv(_LAST_READ_BYTES):
                    break
        self.close()

    def close(self) -> None:
        """Close the socket; those who wait for it are woken."""
        if self.phase is not Phase.CLOSED:
            self.phase = Phase.CLOSED
            trio.lowlevel.notify_closing(self.sock)
            self.sock.close()
