"""The one module that knows msgpack: a map to bytes, and bytes to a map, within fixed bounds.

Only the outermost shape is checked here (one map with string keys, nothing behind it). The values are
checked field by field in `fields`, since a field that nobody knows may hold anything.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgpack

from protocol.counting import exceeds
from protocol.errors import ErrorCode, PeerError

MAX_ARRAY = 104
"""The longest array either side sends. Also a bound on memory: msgpack allocates an announced array at
once, and nests at most 1,024 deep, so hostile bytes can claim 104 x 8 x 1,024 bytes, below 1 MiB."""

MAX_MAP = 64
"""The most keys of one map."""

MAX_VALUES = 4096
"""The most values of one frame, keys and containers included. Also a bound on memory: the smallest values
take up to 60 times as much in Python as on the wire. A payload of so many bytes holds no more, uncounted."""

MAX_INTEGER = 2**53 - 1
"""The largest integer: what JavaScript and every other language holds exactly."""

WireMap = dict[str, Any]

_SMALL_MAP = 15
"""Up to so many keys the header of a map is one byte; beyond, it is three."""

Pack = Callable[[Mapping[str, Any]], bytes]
"""Gives the msgpack form of one map."""


def make_pack(form: Callable[[Any], Any] | None = None) -> Pack:
    """Return what packs maps; `form` is asked for the form of values that msgpack does not know.

    That is faster than to go through all values before: msgpack asks only where it has to.
    """
    pack: Pack = msgpack.Packer(default=form).pack
    return pack


pack = make_pack()


def without_header(packed: bytes, keys: int) -> bytes:
    """Return the pairs of a packed map with so many keys, without the header that tells their number."""
    return packed[1 if keys <= _SMALL_MAP else 3 :]


def map_header(keys: int) -> bytes:
    """Return the header that tells of a map with so many keys."""
    return bytes([0x80 | keys]) if keys <= _SMALL_MAP else b"\xde" + keys.to_bytes(2, "big")


def unpack(payload: bytes) -> WireMap:
    """Return the map that `payload` holds.

    Raises:
        PeerError: (fatal) the bytes are not exactly one msgpack map with string keys, or exceed a bound.
    """
    if len(payload) > MAX_VALUES and exceeds(payload, MAX_VALUES):
        raise PeerError.fatal(ErrorCode.BAD_FRAME, f"The frame holds more than {MAX_VALUES} values.")
    try:
        value = msgpack.unpackb(
            payload,
            max_str_len=len(payload),
            max_bin_len=len(payload),
            max_ext_len=len(payload),
            max_array_len=MAX_ARRAY,
            max_map_len=MAX_MAP,
        )
    except (ValueError, TypeError, RecursionError) as error:
        # msgpack's own exceptions are all ValueErrors; an unhashable map key is a TypeError.
        reason = str(error) or type(error).__name__
        raise PeerError.fatal(
            ErrorCode.BAD_FRAME, f"The frame is not one valid msgpack value ({reason})."
        ) from None
    if type(value) is not dict:
        raise PeerError.fatal(ErrorCode.BAD_FRAME, "The frame must hold one msgpack map.")
    for key in value:
        if type(key) is not str:
            raise PeerError.fatal(ErrorCode.BAD_FRAME, "Every key of a map must be a string.")
    return value
