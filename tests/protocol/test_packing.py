"""The outermost shape of a payload: what is refused, with which code, and how little memory it takes."""

import struct
import tracemalloc

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.counting import exceeds
from protocol.errors import ErrorCode, PeerError, Severity
from protocol.framing import FrameReader
from protocol.packing import MAX_ARRAY, MAX_MAP, MAX_VALUES, pack, unpack

# A map whose one key is "a"; its value follows.
A = b"\x81\xa1a"


def nested(item: bytes, size: int) -> bytes:
    """Return a map of about `size` bytes filled with one small value, in arrays that are not too long."""
    items = [item] * ((size - 1000) // len(item))
    while len(items) > 1:
        rows = (items[start : start + MAX_ARRAY] for start in range(0, len(items), MAX_ARRAY))
        items = [b"\xdc" + len(row).to_bytes(2, "big") + b"".join(row) for row in rows]
    return A + items[0]


TINY = {
    "empty arrays": b"\x90",
    "empty maps": b"\x80",
    "maps of one key": b"\x81\xa0\xc0",
    "arrays of one item": b"\x91\xc0",
    "strings of two letters": b"\xa2ab",
    "exts of one byte": b"\xd4\x05a",
    "exts of two bytes": b"\xc7\x02\x05ab",
    "bins of two bytes": b"\xc4\x02ab",
}
"""Values that take many times as much memory as bytes on the wire."""

HOSTILE = {
    **{f"64 KiB of {name}": nested(item, 64 * 1024) for name, item in TINY.items()},
    "10,000-deep arrays": A + b"\x91" * 10_000 + b"\xc0",
    "10,000-deep maps": A * 10_000 + b"\xc0",
    "arrays of 104 in arrays of 104, as deep as a frame can hold": A + b"\xdc\x00\x68" * 21_000,
    "maps of 64 in maps of 64": A + b"\xde\x00\x40\xa1a" * 13_000,
    "an array of 4 Gi items announced": A + b"\xdd\xff\xff\xff\xff",
    "an array of 65,535 items announced": A + b"\xdc\xff\xff",
    "an array one too long": A + b"\xdc\x00\x69" + b"\x01" * 105,
    "a map of 4 Gi keys announced": b"\xdf\xff\xff\xff\xff",
    "a map of 65,535 keys announced": b"\xde\xff\xff",
    "a map one too large": b"\xde\x00\x41" + b"".join(b"\xa2%02d\x01" % key for key in range(65)),
    "a string of 4 GiB announced": A + b"\xdb\xff\xff\xff\xff",
    "a bin of 4 GiB announced": A + b"\xc6\xff\xff\xff\xff",
    "an ext of 4 GiB announced": A + b"\xc9\xff\xff\xff\xff\x01",
    "a string of 8 MiB announced": A + b"\xdb\x00\x80\x00\x00" + b"a" * 100,
    "a bin of 8 MiB announced": A + b"\xc6\x00\x80\x00\x00" + b"a" * 100,
    "an ext of 8 MiB announced": A + b"\xc9\x00\x80\x00\x00\x01" + b"a" * 100,
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


@pytest.mark.parametrize("item", TINY.values(), ids=TINY)
def test_the_largest_frame_of_tiny_values_that_is_read_stays_below_a_mebibyte(item):
    """As many of them as the count of values allows, whatever they are."""
    payload = next(
        payload
        for size in range(66_000, 1000, -200)
        if not exceeds(payload := nested(item, size), MAX_VALUES)
    )

    tracemalloc.start()
    try:
        unpack(payload)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2**20


def test_so_many_values_pass_and_one_more_does_not():
    """The map, its key, an array, 40 arrays, 4,000 integers: 4,043; a key, an array and 51 more are 4,096."""
    values = {"a": [[200] * 100] * 40}
    error = refusal(pack(values | {"b": [200] * 52}))

    assert error.sentence == "The frame holds more than 4096 values."
    assert list(unpack(pack(values | {"b": [200] * 51}))) == ["a", "b"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=50,
    )
)
def test_values_are_counted_as_they_are(value):
    """The count over the bytes is that over the decoded value, for every type and width."""

    def count(value):
        if isinstance(value, dict):
            return 1 + sum(1 + count(inner) for inner in value.values())
        return 1 + sum(map(count, value)) if isinstance(value, list) else 1

    payload = msgpack.packb(value)

    assert (False, True) == (exceeds(payload, count(value)), exceeds(payload, count(value) - 1))


@pytest.mark.parametrize("size", [0, 1, 31, 32, 255, 256, 65_535, 65_536])
def test_what_tells_its_size_is_passed_over(size):
    """A string, a bin and an ext of each width are one value each, in an array of three."""
    payload = msgpack.packb(["a" * size, b"a" * size, msgpack.ExtType(5, b"a" * size)])

    assert (False, True) == (exceeds(payload, 4), exceeds(payload, 3))


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
