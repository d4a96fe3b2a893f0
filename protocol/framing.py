"""Frames: a 4-byte big-endian length, then that many bytes of payload."""

import struct

from protocol.errors import ErrorCode, PeerError

HEADER = 4
LIMIT_BEFORE_HELLO = 4 * 1024
"""Bytes of payload a bot may send in one frame before it is welcome."""
LIMIT = 64 * 1024
"""Bytes of payload in any later frame, both ways."""

_LENGTH = struct.Struct(">I")
_HTTP_STARTS = (b"GET ", b"POST", b"PUT ", b"HEAD", b"OPTI", b"DELE", b"PATC", b"CONN", b"PRI ", b"HTTP")


def frame(payload: bytes) -> bytes:
    """Return `payload` with its length in front."""
    return _LENGTH.pack(len(payload)) + payload


class FrameReader:
    """Cuts a stream of bytes into frames, however the network tore or joined them.

    Attributes:
        limit: the largest payload accepted, in bytes; may be raised at any time.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        # Mostly a read brings one whole frame: then this is what was read, as it is. Only what was torn or
        # joined goes into a bytearray, which is lengthened behind and shortened in front at little cost.
        self._buffer: bytes | bytearray = b""

    @property
    def waiting(self) -> int:
        """Bytes received that do not yet make a frame."""
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take in what the network brought."""
        if not self._buffer:
            self._buffer = data
            return
        if isinstance(self._buffer, bytes):
            self._buffer = bytearray(self._buffer)
        self._buffer += data

    def next_frame(self) -> bytes | None:
        """Return the next whole payload, or None until more bytes arrive.

        Raises:
            PeerError: (fatal) the announced length is zero or over the limit.
        """
        buffer = self._buffer
        size = len(buffer)
        if size < HEADER:
            return None
        (length,) = _LENGTH.unpack_from(buffer)
        if not 0 < length <= self.limit:
            raise self._bad_length(length)
        end = HEADER + length
        if size < end:
            return None
        if isinstance(buffer, bytes):
            if size == end:
                self._buffer = b""
                return buffer[HEADER:]
            buffer = self._buffer = bytearray(buffer)
        payload = bytes(buffer[HEADER:end])
        del buffer[:end]
        return payload

    def _bad_length(self, length: int) -> PeerError:
        if length == 0:
            return PeerError.fatal(ErrorCode.BAD_FRAME, "A frame of length 0 holds no message.")
        return PeerError.fatal(
            ErrorCode.FRAME_TOO_LARGE,
            f"The first four bytes announce a frame of {length} bytes; at most {self.limit} are allowed here."
            f" {_guess(bytes(self._buffer[:HEADER]))}",
        )


def _guess(start: bytes) -> str:
    """Say what the sender probably meant, from the first four bytes of its frame."""
    if start in _HTTP_STARTS:
        return "This looks like HTTP; this port speaks the Take 5 bot protocol of SPEC.md."
    if start[:2] in (b"\x16\x03", b"\x15\x03"):
        return "This looks like TLS; this port expects plain TCP."
    if 0x80 <= start[0] <= 0x8F or start[0] in (0xDE, 0xDF):
        return "This looks like msgpack without a length: put 4 bytes, big-endian, before each message."
    if start[:1] in (b"{", b"["):
        return "This looks like JSON; messages are msgpack, with a length of 4 bytes before each."
    if start[2:] == b"\0\0" and int.from_bytes(start, "little") <= LIMIT:
        return "This looks like a little-endian length; it must be big-endian."
    if start.isascii() and start.decode("ascii").isprintable():
        return "This looks like text; messages are msgpack, with a length of 4 bytes before each."
    return "Is the length missing, or not big-endian?"
