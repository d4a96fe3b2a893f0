"""The outermost shape of a payload: what is refused, with which code, and how little memory it takes."""

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import ErrorCode, PeerError, Severity
from protocol.framing import FrameReader
from protocol.packing import MAX_ARRAY, MAX_MAP, pack, unpack

# A map whose one key is "a"; its value follows.
A = b"\x81\xa1a"

HOSTILE = {
    "10,000-deep arrays": A + b"\x91" * 10_000 + b"\xc0",
    "10,000-deep maps": A * 10_000 + b"\xc0",
    "arrays of 104 in arrays of 104, as deep as a frame can hold": A + b"\xdc\x00\x68" * 21_000,
    "maps of 64 in maps of 64": A + b"\xde\x00\x40\xa1a" * 13_000,
    "an array of 4 Gi items announced": A + b"\xdd\xff\xff\xff\xff",
    "an array of 65,535 items announced": A + b"\xdc\xff\xff",
    "an array one too long": A + b"\xdc\x00\x69" + b"\x01" * 105,
    "a map of 4 Gi keys announced": b"\xdf\xff\xff\xff\xff",
    "a map of 65,535 keys announced": b"\xde\xff\xff",
    "a string of 4 GiB announced": A + b"\xdb\xff\xff\xff\xff",
    "a bin of 4 GiB announced": A + b"\xc6\xff\xff\xff\xff",
    "an ext of 4 GiB announced": A + b"\xc9\xff\xff\xff\xff\x01",
    "bad UTF-8 in a value": A + b"\xa2\xff\xfe",
    "bad UTF-8 in a key": b"\x81\xa1\xff\x01",
    "a surrogate in UTF-8": A + b"\xa3\xed\xa0\x80",
    "an integer key": b"\x81\x01\x01",
    "an integer key further down": A + b"\x81\x01\x01",
    "a bytes key": b"\x81\xc4\x01a\x01",
    "an array as key": b"\x81\x90\x01",
    "a map as key": b"\x81\x80\x01",
    "nil as key": b"\x81\xc0\x01",
    "a time stamp of a wrong length": A + b"\xd4\xff\x01",
    "a time stamp with too many nanoseconds": A + b"\xd7\xff" + b"\xff" * 8,
    "the byte that msgpack never uses": A + b"\xc1",
    "nothing behind the key": A,
    "trailing bytes": A + b"\x01\x00",
    "two maps": b"\x80\x80",
    "an array": b"\x91\x01",
    "an integer": b"\x05",
    "nil": b"\xc0",
    "a string": b"\xa5hello",
    "an ext": b"\xd4\x05\x01",
}


def refusal(payload: bytes) -> PeerError:
    """Return the error for a payload."""
    with pytest.raises(PeerError) as caught:
        unpack(payload)
    return caught.value


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_bytes_are_refused(case):
    """The frame cannot be decoded, so the connection ends; the sentence can be printed and sent."""
    error = refusal(HOSTILE[case])

    assert (error.code, error.severity) == (ErrorCode.BAD_FRAME, Severity.FATAL)
    assert error.sentence.isprintable()
    assert len(error.sentence) <= 1000


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_bytes_claim_less_than_a_mebibyte(case):
    """What is announced is not allocated: the bounds of `packing` hold the memory down."""
    payload = HOSTILE[case]

    tracemalloc.start()
    try:
        refusal(payload)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2**20


def test_an_announced_frame_of_4_gib_allocates_nothing():
    """The header alone is refused."""
    tracemalloc.start()
    try:
        reader = FrameReader(64 * 1024)
        reader.feed(b"\xff\xff\xff\xff")
        with pytest.raises(PeerError):
            reader.next_frame()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2**16


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_are_a_map_or_a_refusal(payload):
    """No bytes raise anything but PeerError."""
    try:
        value = unpack(payload)
    except PeerError:
        return

    assert type(value) is dict
    assert all(type(key) is str for key in value)


def test_the_longest_array_and_the_largest_map_pass():
    """104 items and 64 keys are allowed."""
    values = {"a": [1] * MAX_ARRAY, **{f"k{number}": 0 for number in range(MAX_MAP - 1)}}

    assert unpack(pack(values)) == values


def test_what_an_unknown_field_may_hold_is_let_through():
    """Float, bin and ext are only refused where a known field holds them, so they pass here."""
    payload = b"\x83\xa1a" + b"\xcb" + struct.pack(">d", 1.5) + b"\xa1b\xc4\x01x" + b"\xa1c\xd4\x05\x01"

    assert list(unpack(payload)) == ["a", "b", "c"]


def test_packing_makes_plain_msgpack():
    """A map of one key to a small integer, byte by byte: fixmap 1, fixstr 1, "a", 5."""
    assert pack({"a": 5}) == b"\x81\xa1a\x05"
