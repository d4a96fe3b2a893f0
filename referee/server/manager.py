"""Tells the service manager how the referee is: datagrams to $NOTIFY_SOCKET, as sd_notify(3) has them."""

import contextlib
import os
import socket
from collections.abc import Mapping

_US_PER_S = 1e6


class ServiceManager:
    """Whoever started the referee as a service; without one nothing is sent.

    Args:
        address: Where it listens: a path, or a name that begins with `@`; None for nowhere.
        watchdog_s: It wants a sign of life at least this often, in seconds; None for never.

    Attributes:
        every_s: How often `alive` is to be called, in seconds.
    """

    def __init__(self, address: str | None, watchdog_s: float | None = None) -> None:
        self._address = address
        self._watched = watchdog_s is not None
        self._status = ""
        self.every_s = min(1.0, (watchdog_s or 2.0) / 2)

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> "ServiceManager":
        """Return the one that the environment names, whose watchdog may be meant for another process."""
        wanted = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_s = int(wanted) / _US_PER_S if ours and wanted.isdecimal() and int(wanted) else None
        return cls(environment.get("NOTIFY_SOCKET") or None, watchdog_s)

    def ready(self) -> None:
        """Tell that bots can come."""
        self._send("READY=1")

    def stopping(self) -> None:
        """Tell that the end has begun."""
        self._send("STOPPING=1")

    def alive(self, status: str) -> None:
        """Give a sign of life, wanted every `every_s` seconds, with a line that `systemctl status` shows."""
        if self._watched:
            self._send("WATCHDOG=1")
        if status != self._status:
            self._status = status
            self._send(f"STATUS={status}")

    def _send(self, line: str) -> None:
        """Send without waiting; a manager that cannot take it misses it."""
        if self._address is None:
            return
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock,
        ):
            sock.setblocking(False)
            sock.sendto(line.encode(), address)
