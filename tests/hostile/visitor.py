"""Whoever comes to a referee's port and says what it likes: bytes, messages, nothing."""

import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from typing import Any

import msgpack
import trio

HOST = "127.0.0.1"
ANSWERS = {"choose_card": ("card", "card"), "choose_row": ("row", "row"), "choose_draft": ("draft", "card")}
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)

Values = dict[str, Any]


def frame(payload: bytes) -> bytes:
    """Return a payload with its length in front."""
    return len(payload).to_bytes(4, "big") + payload


def message(**values: object) -> bytes:
    """Return the bytes of a message."""
    return frame(msgpack.packb(values))


def hello(name: str, secret: str, **more: object) -> bytes:
    """Return the bytes of a hello."""
    return message(**{"type": "hello", "name": name, "secret": secret, "versions": [1], **more})


def answer(request: Values, choice: int | None = None) -> bytes:
    """Return the bytes of an answer, by default the one that the number for chance says."""
    kind, field = ANSWERS[request["type"]]
    choices = request["choices"]
    value = choices[request["bot_seed"] % len(choices)] if choice is None else choice
    return message(**{"type": kind, "request": request["request"], field: value})


class Visitor:
    """A connection to the referee.

    Attributes:
        ended: How the connection ended: "closed" or "reset"; empty while it has not.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self.ended = ""
        self._stream = stream
        self._buffer = bytearray()

    async def send(self, data: bytes) -> None:
        """Send any bytes; that the other end has gone is noticed when reading."""
        with contextlib.suppress(trio.BrokenResourceError):
            await self._stream.send_all(data)

    async def hear(self) -> Values | None:
        """Return the next message; None at the end."""
        header = await self._read(4)
        payload = await self._read(int.from_bytes(header, "big")) if header else b""
        return msgpack.unpackb(payload) if payload else None

    async def hear_one(self, *types: str) -> Values:
        """Return the next message of some types, or one that ends the connection."""
        while (heard := await self.hear()) is not None:
            if heard["type"] in (*types, "closing") or (heard["type"] == "error" and heard["fatal"]):
                return heard
        return {}

    async def last_word(self) -> Values:
        """Read to the end; return the last error or closing, an empty one if there was none."""
        last: Values = {}
        while (heard := await self.hear()) is not None:
            last = heard if heard["type"] in ("error", "closing") else last
        return last

    def half_close(self) -> None:
        """Send nothing more, and say so."""
        self._stream.socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """End the connection as if the machine had crashed and come up again."""
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._stream.socket.close()

    async def _read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                data = await self._stream.receive_some(65536)
            except trio.BrokenResourceError:
                self.ended = "reset"
                return b""
            if not data:
                self.ended = self.ended or "closed"
                return b""
            self._buffer += data
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


@contextlib.asynccontextmanager
async def visiting(
    port: int, source: str = HOST, *, receive_buffer: int | None = None
) -> AsyncIterator[Visitor]:
    """Connect to the referee, from an address of this machine."""
    sock = trio.socket.socket()
    if receive_buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    await sock.bind((source, 0))
    await sock.connect((HOST, port))
    async with trio.SocketStream(sock) as stream:
        yield Visitor(stream)
