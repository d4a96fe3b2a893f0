"""The JSON Schema of the messages says what the decoder does."""

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import PeerError
from protocol.records import read
from protocol.schema import DIALECT, MESSAGES, schema, schema_of

from .samples import smallest_map, wire_maps
from .test_spec import example, transcript
from .validating import is_valid

ALL = schema()
FRAMES = json.loads(files("protocol").joinpath("vectors/frames.json").read_text(encoding="utf-8"))["frames"]

ODD = st.sampled_from(
    [None, True, 0, -1, 5, 105, 2**53, "", "x", "X y", "x" * 2000, [], [0], [[]], {}, {"a": 1}]
)
"""Values of which most are wrong in most fields; all of them printable, which no schema asks for."""


@pytest.mark.parametrize("name", MESSAGES)
def test_every_example_of_the_document_validates(name):
    """With the schema of its message, and with that of all messages."""
    assert is_valid(example(name), schema_of(name))
    assert is_valid(example(name), ALL)


def test_the_transcript_validates():
    """Each of its messages is exactly one of those that there are."""
    assert [] == [shown for _, shown in transcript() if not is_valid(shown, ALL)]


@pytest.mark.parametrize("vector", FRAMES, ids=lambda vector: vector["name"])
def test_the_messages_of_the_frame_vectors_validate(vector):
    """What the frames hold."""
    assert [] == [message for message in vector["messages"] if not is_valid(message, ALL)]


@given(data=st.data())
def test_the_schema_agrees_with_the_decoder(data):
    """Whatever is put into a field, the decoder accepts the message if and only if it validates."""
    name = data.draw(st.sampled_from(sorted(MESSAGES)))
    values = data.draw(st.one_of(st.just(smallest_map(MESSAGES[name])), wire_maps(MESSAGES[name])))
    key = data.draw(st.sampled_from([*ALL["$defs"][name]["properties"], "x_unknown"]))
    if key != "type":
        values = {**values, key: data.draw(ODD)}

    assert _is_read(MESSAGES[name], values) is is_valid({"type": name, **values}, ALL)


def _is_read(cls, values):
    try:
        read(cls, values)
    except PeerError:
        return False
    return True


def test_optional_fields_may_be_nil_and_unknown_fields_anything():
    """As T5-DATA-03 and T5-DATA-04 say; a required field may not be nil."""
    card = {"type": "card", "request": 1, "card": 2}

    assert is_valid({"type": "ping", "echo": None, "x_new": [1.5]}, ALL)
    assert not is_valid({**card, "card": None}, ALL)
    assert is_valid(card, ALL)


def test_an_unknown_type_is_not_valid():
    """The schema is about the messages there are."""
    assert not is_valid({"type": "x_weather"}, ALL)


def test_every_field_says_what_it_is_for():
    """The words of SPEC.md's tables."""
    for definition in ALL["$defs"].values():
        described = {name for name, field in definition["properties"].items() if "description" in field}

        assert described | {"type"} == {*definition["properties"], "type"}


def test_each_schema_stands_alone():
    """It names its dialect, and its references lead into itself."""
    for name in MESSAGES:
        text = json.dumps(schema_of(name))
        definitions = schema_of(name).get("$defs", {})

        assert DIALECT == schema_of(name)["$schema"]
        assert text.count("#/$defs/") == sum(text.count(f"#/$defs/{inner}") for inner in definitions)


def test_a_message_that_does_not_exist_has_no_schema():
    """A misspelt name is an error, not an empty schema."""
    with pytest.raises(KeyError):
        schema_of("choosecard")
