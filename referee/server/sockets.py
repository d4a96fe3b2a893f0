"""Opening sockets: the listener, and the options of each accepted connection."""

import contextlib
import socket

from referee.server.stamps import ask_for_stamps

BACKLOG = 1024
_KEEPALIVE = (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 4))
"""A dead link is noticed by the kernel after 20 + 4 x 10 seconds without a sign of life."""
_USER_TIMEOUT_MS = 60_000
"""Sent bytes that nobody acknowledges for so long end the connection."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listener that does not block.

    Args:
        host: A numeric address or a name.
        port: 0 for any that is free.

    Raises:
        OSError: the address cannot be used.
    """
    family, kind, proto, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, proto)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def prepare(sock: socket.socket) -> None:
    """Set up an accepted connection: no blocking, no delay, receive times, an end to dead links."""
    sock.setblocking(False)
    ask_for_stamps(sock)
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE:
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)
