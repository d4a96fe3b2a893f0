"""Every message: to bytes and back, tolerant where it must be, strict where it can be."""

import struct

import attrs
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.errors import ErrorCode, PeerError, Severity
from protocol.messages import (
    FROM_BOT,
    Card,
    ChooseCard,
    ChooseDraft,
    ChooseRow,
    Closing,
    Draft,
    Hello,
    Ping,
    Row,
    TrickResult,
    Welcome,
)
from protocol.packing import MAX_INTEGER, pack, unpack
from protocol.parts import ClosingBecause, Rules, Variant
from protocol.records import pack as pack_values
from protocol.records import read, specs, write
from protocol.shared import OWN_FIELDS, SharedFields

from .samples import ALL_MESSAGES, smallest, smallest_map, wire_maps

every_message = pytest.mark.parametrize("cls", ALL_MESSAGES, ids=lambda cls: cls.TYPE)


def decode(cls, payload):
    """Decode on the side that receives such a message."""
    return (decode_from_bot if cls in FROM_BOT else decode_from_referee)(payload)


def refusal(cls, **values):
    """Return the error for the smallest message of a class with these fields changed; None takes one out."""
    changed = {**smallest_map(cls), **values}
    with pytest.raises(PeerError) as caught:
        decode(cls, pack({"type": cls.TYPE, **changed}))
    return caught.value


@every_message
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_round_trip(cls, data):
    """A message that was read from a map comes back from its bytes as the same object, hashable and all."""
    message = read(cls, data.draw(wire_maps(cls)))

    returned = decode(cls, encode(message))

    assert returned == message
    assert hash(returned) == hash(message)


@every_message
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_nothing_is_added_or_lost_on_the_way(cls, data):
    """What is written is what was read, but for the defaults of fields that were absent."""
    values = data.draw(wire_maps(cls))

    written = msgpack.unpackb(encode(read(cls, values)))

    defaults = {spec.name: getattr(smallest(cls), spec.name) for spec in specs(cls) if not spec.required}
    expected = {"type": cls.TYPE, **{k: v for k, v in defaults.items() if v is not None}, **values}
    assert expected == written


@pytest.mark.parametrize("cls", [ChooseCard, ChooseRow, ChooseDraft])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_requests_share_is_packed_apart_and_says_the_same(cls, data):
    """With the fields that are not each seat's own packed before, absent ones too, the map is the same."""
    request = read(cls, data.draw(wire_maps(cls)))
    common = {spec.name: getattr(request, spec.name) for spec in specs(cls) if spec.name not in OWN_FIELDS}

    shared = attrs.evolve(request, shared=SharedFields(cls.TYPE, common))

    assert unpack(encode(request)) == unpack(encode(shared))
    assert unpack(encode(request, {"x": 1})) == unpack(encode(shared, {"x": 1}))


@every_message
def test_nil_means_absent(cls):
    """An optional field that is nil has its default, as if it were not there."""
    nils = {spec.name: None for spec in specs(cls) if not spec.required}

    assert read(cls, {**smallest_map(cls), **nils}) == smallest(cls)


@every_message
def test_absent_fields_are_not_sent(cls):
    """A field that is None is left out rather than sent as nil."""
    assert None not in msgpack.unpackb(encode(smallest(cls))).values()


@every_message
def test_unknown_fields_are_ignored_whatever_they_hold(cls):
    """A float, a bin, an ext, a deep array in fields that nobody declared change nothing."""
    strange = {
        "x_float": 1.5,
        "x_bin": b"\xff",
        "x_ext": msgpack.ExtType(5, b"x"),
        "x_nan": float("nan"),
        "x_deep": [[[{"a": [{}]}]]],
    }

    assert decode(cls, encode(smallest(cls), strange)) == smallest(cls)


@every_message
def test_a_missing_field_is_named(cls):
    """Each required field, left out or nil, is missed by its name; the connection goes on."""
    for name in smallest_map(cls):
        error = refusal(cls, **{name: None})

        assert (error.code, error.severity) == (ErrorCode.MISSING_FIELD, Severity.RECOVERABLE)
        assert error.sentence == f"The field '{name}' is missing."


@every_message
@pytest.mark.parametrize(
    "value",
    [1.0, float("nan"), b"x", msgpack.ExtType(5, b"x"), -1, 2**53, {}, "\n", [[[]]]],
    ids=repr,
)
def test_a_value_of_no_declared_kind_is_refused_in_every_field(cls, value):
    """What no field of any message holds is refused by name in each, required or optional."""
    for spec in specs(cls):
        error = refusal(cls, **{spec.name: value})

        assert (error.code, error.severity) == (ErrorCode.BAD_FIELD, Severity.RECOVERABLE)
        assert error.sentence.startswith(f"The field '{spec.name}' must be ")
        assert error.sentence.isprintable()


WIDTHS_OF_FIVE = {
    "fixint": b"\x05",
    "uint 8": b"\xcc\x05",
    "uint 16": b"\xcd\x00\x05",
    "uint 32": b"\xce\x00\x00\x00\x05",
    "uint 64": b"\xcf" + struct.pack(">Q", 5),
    "int 8": b"\xd0\x05",
    "int 16": b"\xd1\x00\x05",
    "int 32": b"\xd2\x00\x00\x00\x05",
    "int 64": b"\xd3" + struct.pack(">q", 5),
}


@pytest.mark.parametrize("width", WIDTHS_OF_FIVE)
def test_a_number_may_come_in_any_width(width):
    """A bot's library may pack 5 as it likes."""
    five = WIDTHS_OF_FIVE[width]

    payload = b"\x83\xa4type\xa4card\xa7request" + five + b"\xa4card" + five

    assert decode_from_bot(payload) == Card(request=5, card=5)


@pytest.mark.parametrize(
    ("card", "packed"),
    [
        ("true", b"\xc3"),
        ("12.0", b"\xcb" + struct.pack(">d", 12.0)),
        ("12.0 as float 32", b"\xca" + struct.pack(">f", 12.0)),
        ("NaN", b"\xcb" + struct.pack(">d", float("nan"))),
        ("infinity", b"\xcb" + struct.pack(">d", float("inf"))),
        ("a string", b"\xa212"),
        ("a bin", b"\xc4\x01\x0c"),
        ("an empty bin", b"\xc4\x00"),
        ("an ext", b"\xd4\x05\x0c"),
        ("an empty ext", b"\xc7\x00\x05"),
        ("a time stamp", b"\xd6\xff\x00\x00\x00\x0c"),
        ("an array", b"\x91\x0c"),
        ("a deep array", b"\x91" * 500 + b"\x0c"),
        ("a map", b"\x80"),
        ("0", b"\x00"),
        ("105", b"\x69"),
        ("-1", b"\xff"),
        ("2 to the 64th less 1", b"\xcf" + b"\xff" * 8),
        ("the lowest integer", b"\xd3\x80" + bytes(7)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_only_looks_like_a_card_is_refused(card, packed):
    """A card is an integer from 1 to 104, and nothing that compares equal to one; the request id is told."""
    with pytest.raises(PeerError) as caught:
        decode_from_bot(b"\x83\xa4type\xa4card\xa7request\x07\xa4card" + packed)

    assert caught.value.code is ErrorCode.BAD_FIELD
    assert caught.value.sentence == "The field 'card' must be an integer from 1 to 104."
    assert caught.value.request == 7


def test_the_largest_integer_passes():
    """2**53 - 1 is what every language holds exactly, and the most that is allowed."""
    largest = Ping(echo=MAX_INTEGER)

    assert decode_from_bot(encode(largest)) == largest


@pytest.mark.parametrize("request_id", [0, -1, 2**53, 2**64 - 1, True, 1.0, "7", None])
def test_what_is_no_request_id_is_not_told(request_id):
    """The error names a request only if the bot sent an id that the error message itself may carry."""
    with pytest.raises(PeerError) as caught:
        decode_from_bot(pack({"type": "row", "request": request_id, "row": 9}))

    assert caught.value.request is None


@pytest.mark.parametrize(
    "name", ["nonsense", "", "Hello", "welcome", "choose_card", 5, True, None, ["hello"], {}]
)
def test_an_unknown_type_is_refused_and_the_known_ones_are_listed(name):
    """Also the referee's own types are none that a bot may send; the connection goes on."""
    with pytest.raises(PeerError) as caught:
        decode_from_bot(pack({"type": name}))

    assert (caught.value.code, caught.value.severity) == (ErrorCode.UNKNOWN_TYPE, Severity.RECOVERABLE)
    assert caught.value.sentence == "The field 'type' must be one of: hello, card, row, draft, leave, ping."


def test_the_referee_does_not_send_what_a_bot_sends():
    """On the bot's side, a `card` is an unknown type."""
    with pytest.raises(PeerError) as caught:
        decode_from_referee(encode(Card(request=1, card=1)))

    assert caught.value.code is ErrorCode.UNKNOWN_TYPE


SENTENCES = [
    (Hello, {"name": "Ann"}, "The field 'name' must be a string that matches [a-z0-9][a-z0-9._-]{0,31}."),
    (Hello, {"name": "a" * 33}, "The field 'name' must be a string that matches [a-z0-9][a-z0-9._-]{0,31}."),
    (Hello, {"name": "ann\n"}, "The field 'name' must be a string that matches [a-z0-9][a-z0-9._-]{0,31}."),
    (
        Hello,
        {"secret": "x" * 129},
        "The field 'secret' must be a printable string of at most 128 characters.",
    ),
    (
        Hello,
        {"client": "a\x1b[31m"},
        "The field 'client' must be a printable string of at most 64 characters.",
    ),
    (
        Hello,
        {"client": "a\u202eb"},
        "The field 'client' must be a printable string of at most 64 characters.",
    ),
    (Hello, {"versions": []}, "The field 'versions' must be an array of 1 to 16 items."),
    (Hello, {"versions": [1] * 17}, "The field 'versions' must be an array of 1 to 16 items."),
    (
        Hello,
        {"versions": [1, 0]},
        "The field 'versions' must be an array in which each item is an integer from 1 to 1000.",
    ),
    (Hello, {"games": 65}, "The field 'games' must be an integer from 1 to 64."),
    (Hello, {"events": 1}, "The field 'events' must be true or false."),
    (Row, {"row": 4}, "The field 'row' must be an integer from 0 to 3."),
    (Draft, {"card": 105}, "The field 'card' must be an integer from 1 to 104."),
    (
        Closing,
        {"reason": "bored"},
        'The field \'reason\' must be one of "superseded", "suspended", "finished", "removed", "left".',
    ),
    (ChooseCard, {"rows": [[1]] * 3}, "The field 'rows' must be an array of 4 to 4 items."),
    (
        ChooseCard,
        {"rows": [[1], [2], [3], [4, 5, 6, 7, 8, 9]]},
        "The field 'rows' must be an array in which each item is an array of 0 to 5 items.",
    ),
    (ChooseCard, {"rules": 5}, "The field 'rules' must be a map."),
    (
        ChooseCard,
        {"rules": {"jumping_cow": True}},
        "The field 'rules' must be a map in which this holds: The field 'variant' is missing.",
    ),
]


@pytest.mark.parametrize(("cls", "values", "sentence"), SENTENCES)
def test_a_wrong_field_gets_a_sentence_that_says_what_is_right(cls, values, sentence):
    """The sentence names the field and what it may hold."""
    error = refusal(cls, **values)

    assert error.code is ErrorCode.BAD_FIELD
    assert error.sentence == sentence


def test_absent_fields_of_hello_have_modest_defaults():
    """One game at once, no events, no name of a program."""
    message = decode_from_bot(pack({"type": "hello", "name": "a", "secret": "", "versions": [1]}))

    assert message == Hello(name="a", secret="", versions=(1,), games=1, events=False, client="")


def test_words_travel_as_their_values():
    """An enum is a lower-case word on the wire and a member again on the other side."""
    payload = encode(Closing(reason=ClosingBecause.FINISHED, message="bye"))

    assert msgpack.unpackb(payload) == {"type": "closing", "reason": "finished", "message": "bye"}
    assert decode_from_referee(payload).reason is ClosingBecause.FINISHED


def test_maps_inside_maps_are_read_to_the_bottom():
    """A trick's placements hold takes, which hold cards; each has its class and only tuples."""
    take = {"row": 1, "cards": [31, 36, 42, 47, 50], "bullheads": 7, "x_new": 1}
    placements = [{"seat": 2, "card": 52, "row": 1, "takes": [take], "jumps": []}]

    message = smallest(TrickResult, placements=placements)

    assert message.placements[0].takes[0].cards == (31, 36, 42, 47, 50)
    assert not hasattr(message.placements[0].takes[0], "x_new")


def test_unknown_fields_inside_maps_are_ignored():
    """Tolerance does not end at the outermost map."""
    rules = {"variant": "tactic", "jumping_cow": True, "x_new": [1.5]}
    tournament = {**smallest_map(Welcome)["tournament"], "rules": rules, "x_new": None}

    message = smallest(Welcome, tournament=tournament)

    assert message.tournament.rules == Rules(variant=Variant.TACTIC, jumping_cow=True)


def test_messages_cannot_be_changed():
    """A message is a value."""
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        smallest(Ping).echo = 5


def test_what_is_packed_is_plain():
    """What msgpack does not know, enums and records, is packed as what stands for it on the wire."""
    packed = pack_values(write(smallest(Welcome)))

    assert unpack(packed) == smallest_map(Welcome)
