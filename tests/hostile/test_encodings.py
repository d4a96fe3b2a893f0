"""Our own packer writes what the msgpack package reads, in every manner."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.framing import LIMIT
from referee.check.encodings import Heads, Integers, Manner, pack
from referee.check.shapes import filled_to, in_reverse, with_nil_for_absent, with_unknown_fields

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2**64 - 1), st.text(max_size=40)),
    lambda inner: st.one_of(st.lists(inner, max_size=20), st.dictionaries(st.text(max_size=3), inner)),
    max_leaves=30,
)


@given(VALUES, st.sampled_from(Integers), st.sampled_from(Heads))
def test_every_manner_means_the_same(value, integers, heads):
    """What another program reads is what was written."""
    assert value == msgpack.unpackb(pack(value, Manner(integers=integers, heads=heads)))


@given(VALUES)
def test_the_plain_manner_is_the_shortest(value):
    """The same bytes as the msgpack package writes."""
    assert msgpack.packb(value) == pack(value)


@pytest.mark.parametrize(
    ("integers", "expected"),
    [
        (Integers.SHORTEST, "05"),
        (Integers.UINT8, "cc05"),
        (Integers.UINT16, "cd0005"),
        (Integers.UINT32, "ce00000005"),
        (Integers.UINT64, "cf0000000000000005"),
        (Integers.INT8, "d005"),
        (Integers.INT16, "d10005"),
        (Integers.INT32, "d200000005"),
        (Integers.INT64, "d30000000000000005"),
    ],
)
def test_integers_are_written_in_each_format(integers, expected):
    """5, as T5-DATA-02 says."""
    assert expected == pack(5, Manner(integers=integers)).hex()


@pytest.mark.parametrize(
    ("integers", "value", "expected"),
    [
        (Integers.UINT8, 256, "cd0100"),
        (Integers.INT8, 128, "cc80"),
        (Integers.INT16, 40_000, "cd9c40"),
        (Integers.INT32, 2**53 - 1, "cf001fffffffffffff"),
        (Integers.SHORTEST, 70_000, "ce00011170"),
    ],
)
def test_what_does_not_fit_is_written_short(integers, value, expected):
    """In the shortest format, which is unsigned."""
    assert expected == pack(value, Manner(integers=integers)).hex()


def test_long_heads_are_written_with_32_bits():
    """A map, a string and an array of nothing."""
    assert "df00000001db0000000161dd00000000" == pack({"a": []}, Manner(heads=Heads.LONGEST)).hex()


def test_a_frame_is_filled_to_the_last_byte():
    """As large as it may be, whatever it held before."""
    for values in ({"type": "waiting"}, {"type": "closing", "message": "x" * 500}):
        filled = filled_to(LIMIT)(values)

        assert LIMIT == len(pack(filled))
        assert values.items() <= filled.items()


def test_unknown_fields_are_at_every_depth():
    """In the message and in each map of an array, and known fields are as they were."""
    changed = with_unknown_fields({"type": "x", "rows": [[1], [2]], "takes": [{"row": 1}]})

    assert ("x", [[1], [2]]) == (changed["type"], changed["rows"])
    assert {"x_text", "x_map", "row"} <= changed["takes"][0].keys()
    assert changed["takes"][0]["row"] == 1


def test_absent_fields_are_named_with_nil():
    """Only those that are absent."""
    assert {"type": "pong", "echo": None} == with_nil_for_absent({"type": "pong"})
    assert {"type": "pong", "echo": 1} == with_nil_for_absent({"type": "pong", "echo": 1})


def test_the_type_can_come_last():
    """The fields are the same."""
    assert ["echo", "type"] == list(in_reverse({"type": "pong", "echo": 1}))
