"""Writes msgpack in every way that a reader has to understand; independent of the msgpack package.

The format is that of the msgpack specification (github.com/msgpack/msgpack/blob/master/spec.md).
"""

import enum
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from protocol.packing import WireMap


class Integers(enum.Enum):
    """How an integer is written: first byte and width in bytes of each format that may be used."""

    SHORTEST = ()
    UINT8 = (0xCC, 1)
    UINT16 = (0xCD, 2)
    UINT32 = (0xCE, 4)
    UINT64 = (0xCF, 8)
    INT8 = (0xD0, 1)
    INT16 = (0xD1, 2)
    INT32 = (0xD2, 4)
    INT64 = (0xD3, 8)


class Heads(enum.Enum):
    """How the length of a string, array or map is written."""

    SHORTEST = enum.auto()
    LONGEST = enum.auto()


Shape = Callable[[WireMap], WireMap]
"""Changes the map of a message in a way that must not matter to its reader."""


def as_it_is(values: WireMap) -> WireMap:
    """Change nothing."""
    return values


@attrs.frozen(kw_only=True)
class Manner:
    """One of the many ways to write the same message.

    Attributes:
        shape: What is done to the map before it is written.
        integers: The format of integers; where a value does not fit, the shortest one.
        heads: The format of lengths.
    """

    shape: Shape = as_it_is
    integers: Integers = Integers.SHORTEST
    heads: Heads = Heads.SHORTEST

    def write(self, values: WireMap) -> bytes:
        """Return the payload for the map of a message."""
        return _packed(self.shape(values), self)


PLAIN = Manner()
"""As the referee writes."""


def pack(value: Any, manner: Manner = PLAIN) -> bytes:  # noqa: ANN401
    """Return the bytes of one value made of maps, sequences, strings, integers, booleans and None."""
    return _packed(value, manner)


def _packed(value: Any, manner: Manner) -> bytes:  # noqa: ANN401
    if value is None or value is False or value is True:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return _integer(value, manner.integers)
    if isinstance(value, str):
        text = value.encode()
        return _head(len(text), _STRING, manner.heads) + text
    if isinstance(value, Mapping):
        pairs = b"".join(_packed(key, manner) + _packed(entry, manner) for key, entry in value.items())
        return _head(len(value), _MAP, manner.heads) + pairs
    items = b"".join(_packed(entry, manner) for entry in value)
    return _head(len(value), _ARRAY, manner.heads) + items


_STRING = (0xA0, 32, ((0xD9, 1), (0xDA, 2), (0xDB, 4)))
_ARRAY = (0x90, 16, ((0xDC, 2), (0xDD, 4)))
_MAP = (0x80, 16, ((0xDE, 2), (0xDF, 4)))
"""The short form: its first byte and how many lengths it can hold; then the longer ones: byte and width."""


def _head(length: int, kind: tuple[int, int, tuple[tuple[int, int], ...]], heads: Heads) -> bytes:
    base, short, longer = kind
    if heads is Heads.SHORTEST and length < short:
        return bytes([base + length])
    fitting = [form for form in longer if length < 256 ** form[1]]
    first, width = fitting[-1] if heads is Heads.LONGEST else fitting[0]
    return bytes([first]) + length.to_bytes(width, "big")


def _integer(value: int, integers: Integers) -> bytes:
    if integers is not Integers.SHORTEST:
        first, width = integers.value
        signed = first >= Integers.INT8.value[0]
        if 0 <= value < 256**width // (2 if signed else 1):
            return bytes([first]) + value.to_bytes(width, "big", signed=signed)
    if 0 <= value < 128:
        return bytes([value])
    for form in (Integers.UINT8, Integers.UINT16, Integers.UINT32):
        first, width = form.value
        if 0 <= value < 256**width:
            return bytes([first]) + value.to_bytes(width, "big")
    return bytes([Integers.UINT64.value[0]]) + value.to_bytes(8, "big")
