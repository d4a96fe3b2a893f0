"""One test for each requirement of SPEC.md that the wire alone can keep, named after its id."""

import socket
import time

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.client import Settings, play
from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.connection import Connection
from protocol.errors import ErrorCode, LocalError, PeerError, Severity
from protocol.framing import LIMIT, LIMIT_BEFORE_HELLO, FrameReader, frame
from protocol.messages import Card, Closing, Error, Hello, Leave, Ping, Pong, Waiting, Welcome
from protocol.packing import pack, unpack
from protocol.parts import ClosingBecause, Format, Limits, Rules, TournamentInfo, Variant, WaitingFor
from protocol.states import Role

HELLO = Hello(name="ada", secret="s", versions=(1,))
WELCOME = Welcome(
    version=1,
    referee="test",
    name="ada",
    tournament=TournamentInfo(
        format=Format.SWISS,
        table_size=4,
        games=1,
        rules=Rules(variant=Variant.CLASSIC, jumping_cow=False, target=66),
    ),
    limits=Limits(move_ms=1000, grace_ms=0, bank_ms=0, strikes=3, frame_bytes=LIMIT, games=1),
    commitment="0" * 64,
    open_games=(),
)
WAITING = Waiting(reason=WaitingFor.ROUND, message="Wait.")
FINISHED = Closing(reason=ClosingBecause.FINISHED, message="Over.")
FATAL = Error(code="flooding", message="Too much.", fatal=True)


def connected():
    """Return bot's and referee's end of a connection in the state `open`."""
    bot, referee = Connection(Role.BOT), Connection(Role.REFEREE)
    referee.receive(bot.send(HELLO))
    referee.next_message()
    bot.receive(referee.send(WELCOME))
    bot.next_message()
    return bot, referee


def error_of(call, *arguments):
    """Return the code and the severity of the error that a call ends in."""
    with pytest.raises(PeerError) as caught:
        call(*arguments)
    return caught.value.code, caught.value.severity


def packed(**fields):
    """Return the frame for fields of any kind, right or wrong."""
    return frame(msgpack.packb(fields))


def test_t5_wire_01_a_frame_is_its_length_and_its_payload():
    """Four bytes, most significant first, then the payload as it is."""
    payload = encode(Ping(echo=300))

    assert frame(payload) == b"\x00\x00\x00\x13" + payload
    assert frame(b"x" * 0x1234)[:4] == b"\x00\x00\x12\x34"


@given(st.lists(st.integers(1, 40), max_size=30))
def test_t5_wire_02_frames_may_be_torn_and_joined_anywhere(cuts):
    """Whatever pieces three frames arrive in, the same three messages come out."""
    bot, referee = connected()
    sent = [Ping(echo=1), Card(request=7, card=104), Ping()]
    stream = b"".join(bot.send(message) for message in sent)
    received = []
    for cut in [*cuts, len(stream)]:
        referee.receive(stream[:cut])
        stream = stream[cut:]
        received += iter(referee.next_message, None)

    assert received == sent


@pytest.mark.parametrize(
    "payload",
    [
        b"\xc0",
        b"\x93\x01\x02\x03",
        b"\xa4ping",
        b"\x81\x01\x02",
        b"\x81\xc4\x01a\x02",
        b"\x81\xa1a",
        b"\x81\xa1a\x01\x01",
        b"\x81\xa1\xff\x01",
        b"\xc1",
        b"\x81\xa1a\xdc\x00\x69" + b"\x01" * 105,
        msgpack.packb({f"k{n}": n for n in range(65)}),
    ],
    ids=[
        "nil",
        "array",
        "string",
        "integer key",
        "binary key",
        "cut short",
        "something behind it",
        "no UTF-8",
        "no msgpack",
        "array of 105",
        "map of 65",
    ],
)
def test_t5_wire_03_what_is_not_one_map_ends_the_connection(payload):
    """Every other payload is `bad_frame`, and fatal."""
    _, referee = connected()
    referee.receive(frame(payload))

    assert error_of(referee.next_message) == (ErrorCode.BAD_FRAME, Severity.FATAL)


def test_t5_wire_03_the_empty_frame_ends_the_connection():
    """A length of 0 holds no message."""
    _, referee = connected()
    referee.receive(b"\x00\x00\x00\x00")

    assert error_of(referee.next_message) == (ErrorCode.BAD_FRAME, Severity.FATAL)


def test_t5_wire_03_the_first_frame_has_at_most_4096_bytes():
    """4096 are taken in, 4097 are refused from their length alone."""
    reader = FrameReader(LIMIT_BEFORE_HELLO)
    reader.feed((4096).to_bytes(4, "big"))
    referee = Connection(Role.REFEREE)
    referee.receive((4097).to_bytes(4, "big"))

    assert reader.next_frame() is None
    assert error_of(referee.next_message) == (ErrorCode.FRAME_TOO_LARGE, Severity.FATAL)


def test_t5_wire_03_later_frames_have_at_most_65536_bytes():
    """After `hello`, 65536 are waited for and 65537 are refused, by both ends."""
    for end in connected():
        end.receive((65536).to_bytes(4, "big"))

        assert end.next_message() is None
    for end in connected():
        end.receive((65537).to_bytes(4, "big"))

        assert error_of(end.next_message) == (ErrorCode.FRAME_TOO_LARGE, Severity.FATAL)


def test_t5_wire_03_the_largest_message_of_the_referee_is_within_the_bound():
    """A `tournament_end` with every field as long as it may be still fits one frame."""
    _, referee = connected()
    names = [f"{'x' * 28}{number:04}" for number in range(100)]
    longest = tuple({"rank": 1, "name": name, "points": "9" * 64, "games": 2**53 - 1} for name in names)
    end = {
        "type": "tournament_end",
        "complete": True,
        "standings": list(longest),
        "you": longest[0],
        "nonce": "0" * 64,
        "seed": "\U0001f404" * 1024,
        "digest": "0" * 64,
    }

    assert len(referee.send(decode_from_referee(pack(end)))) <= 4 + 65536


@pytest.mark.parametrize(
    ("start", "guess"),
    [
        (b"GET / HTTP/1.1", "HTTP"),
        (b"\x16\x03\x01\x02\x00", "TLS"),
        (b'{"type": "hello"}', "JSON"),
        (msgpack.packb({"type": "hello"}), "without a length"),
        (b"\x13\x00\x00\x00", "little-endian"),
    ],
)
def test_t5_wire_03_a_length_beyond_the_bound_is_guessed_at(start, guess):
    """The sentence names what the sender probably did."""
    referee = Connection(Role.REFEREE)
    referee.receive(start)
    with pytest.raises(PeerError, match=guess) as caught:
        referee.next_message()

    assert caught.value.code is ErrorCode.FRAME_TOO_LARGE


@pytest.mark.parametrize(
    "card", [True, 12.0, "12", b"12", [12], {"card": 12}, msgpack.ExtType(5, b"12"), float("nan"), -1, 0, 105]
)
def test_t5_data_01_a_value_of_another_type_is_a_bad_field(card):
    """What looks like a card is none unless it is an integer from 1 to 104."""
    _, referee = connected()
    referee.receive(packed(type="card", request=1, card=card))

    assert error_of(referee.next_message) == (ErrorCode.BAD_FIELD, Severity.RECOVERABLE)


def test_t5_data_01_a_bad_field_names_its_request():
    """The error can say which answer was wrong."""
    with pytest.raises(PeerError) as caught:
        decode_from_bot(msgpack.packb({"type": "card", "request": 7, "card": "12"}))

    assert caught.value.request == 7


@pytest.mark.parametrize(
    "five", [b"\x05", b"\xcc\x05", b"\xcd\x00\x05", b"\xce\0\0\0\x05", b"\xcf" + b"\0" * 7 + b"\x05"]
)
@pytest.mark.parametrize("also", [b"\x05", b"\xd0\x05", b"\xd1\x00\x05", b"\xd3" + b"\0" * 7 + b"\x05"])
def test_t5_data_02_an_integer_may_have_any_width(five, also):
    """Signed or unsigned, in 1 to 9 bytes, 5 is 5."""
    payload = b"\x83\xa4type\xa4card\xa7request" + five + b"\xa4card" + also

    assert decode_from_bot(payload) == Card(request=5, card=5)


def test_t5_data_02_integers_go_up_to_2_to_the_53_less_1():
    """The largest integer of the protocol is taken in, the next one is not."""
    largest = 2**53 - 1

    assert decode_from_bot(msgpack.packb({"type": "ping", "echo": largest})) == Ping(echo=largest)
    assert error_of(decode_from_bot, msgpack.packb({"type": "ping", "echo": largest + 1})) == (
        ErrorCode.BAD_FIELD,
        Severity.RECOVERABLE,
    )


def test_t5_data_03_nil_and_absent_are_the_same():
    """Both mean the default where a field is optional, and a missing field where it is not."""
    given_nil = {
        "type": "hello",
        "name": "ada",
        "secret": "s",
        "versions": [1],
        "games": None,
        "events": None,
    }
    wrong = [{"type": "card", "request": 1, "card": None}, {"type": "card", "request": 1}]

    assert decode_from_bot(msgpack.packb(given_nil)) == HELLO
    assert [error_of(decode_from_bot, msgpack.packb(fields))[0] for fields in wrong] == [
        ErrorCode.MISSING_FIELD
    ] * 2


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text().filter(lambda key: key not in {"type", "request", "card", "echo"}), ANYTHING)
)
def test_t5_data_04_unknown_fields_are_ignored_whatever_they_hold(extra):
    """Both ends read the message as if the fields were not there."""
    answer = msgpack.packb({**extra, "type": "card", "request": 1, "card": 2})
    pong = msgpack.packb({**extra, "type": "pong", "echo": 3})

    assert decode_from_bot(answer) == Card(request=1, card=2)
    assert decode_from_referee(pong) == Pong(echo=3)


def test_t5_data_04_every_16th_message_of_the_referee_has_a_field_that_means_nothing():
    """Messages 1, 17 and 33 carry `x_ignore_me`, the others do not."""
    bot, referee = Connection(Role.BOT), Connection(Role.REFEREE)
    referee.receive(bot.send(HELLO))
    referee.next_message()
    frames = [referee.send(message) for message in [WELCOME, *[WAITING] * 39]]

    assert [number for number, data in enumerate(frames, 1) if "x_ignore_me" in unpack(data[4:])] == [
        1,
        17,
        33,
    ]


def test_t5_hello_01_anything_but_hello_first_ends_the_connection():
    """An answer or a ping before `hello` is unexpected and fatal."""
    for message in (Ping(), Card(request=1, card=1), Leave()):
        referee = Connection(Role.REFEREE)
        referee.receive(frame(encode(message)))

        assert error_of(referee.next_message) == (ErrorCode.UNEXPECTED_MESSAGE, Severity.FATAL)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"type": "hello", "name": "Ada!", "secret": "s", "versions": [1]}, ErrorCode.BAD_FIELD),
        ({"type": "hello", "name": "ada", "versions": [1]}, ErrorCode.MISSING_FIELD),
        ({"type": "good day"}, ErrorCode.UNKNOWN_TYPE),
        ({}, ErrorCode.UNKNOWN_TYPE),
    ],
)
def test_t5_hello_01_before_welcome_every_error_is_fatal(fields, code):
    """What would be forgiven later ends a connection that has not been welcomed."""
    referee = Connection(Role.REFEREE)
    referee.receive(packed(**fields))

    assert error_of(referee.next_message) == (code, Severity.FATAL)


def test_t5_hello_01_a_bot_waits_for_welcome():
    """A message between `hello` and `welcome` is unexpected, and our own end refuses to send it."""
    bot, referee = Connection(Role.BOT), Connection(Role.REFEREE)
    referee.receive(bot.send(HELLO))
    referee.next_message()
    referee.receive(frame(encode(Ping())))

    assert error_of(referee.next_message) == (ErrorCode.UNEXPECTED_MESSAGE, Severity.FATAL)
    with pytest.raises(LocalError):
        bot.send(Ping())


def test_t5_state_01_a_message_out_of_place_ends_the_connection():
    """A second `hello`, and anything after `leave`, is unexpected and fatal."""
    _, referee = connected()
    referee.receive(frame(encode(HELLO)))
    left, told = connected()
    told.receive(left.send(Leave()))
    told.next_message()
    told.receive(frame(encode(Ping())))

    assert error_of(referee.next_message) == (ErrorCode.UNEXPECTED_MESSAGE, Severity.FATAL)
    assert error_of(told.next_message) == (ErrorCode.UNEXPECTED_MESSAGE, Severity.FATAL)


@pytest.mark.parametrize("last", [FINISHED, FATAL])
def test_t5_state_02_nothing_follows_the_last_message(last):
    """Neither end sends after it, and what still comes in is not read."""
    bot, referee = connected()
    late = bot.send(Ping())
    bot.receive(referee.send(last) + frame(encode(WAITING)))
    referee.receive(late)

    assert bot.next_message() == last
    assert bot.next_message() is None
    assert referee.next_message() is None
    for end, message in ((bot, Ping()), (referee, WAITING)):
        with pytest.raises(LocalError):
            end.send(message)


def test_t5_state_03_an_unknown_type_leaves_the_connection_as_it_was():
    """Each end has a recoverable error for it, and reads the next message as usual."""
    bot, referee = connected()
    unknown = packed(type="curtsy", depth=3)
    referee.receive(unknown + bot.send(Ping(echo=1)))
    bot.receive(unknown + referee.send(Pong(echo=1)))

    assert error_of(referee.next_message) == (ErrorCode.UNKNOWN_TYPE, Severity.RECOVERABLE)
    assert error_of(bot.next_message) == (ErrorCode.UNKNOWN_TYPE, Severity.RECOVERABLE)
    assert (referee.next_message(), bot.next_message()) == (Ping(echo=1), Pong(echo=1))


class Lowest:
    """A bot that is never asked anything in these tests."""

    choose_card = choose_row = None


@pytest.fixture
def sleeps(monkeypatch):
    """Collect what the client would sleep, in seconds, instead of sleeping."""
    found = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


def connect_to(monkeypatch, *attempts):
    """Let each attempt to connect fail (None), or give a connection that brings these messages and ends.

    Returns the list of attempts that are left.
    """
    left = list(attempts)

    def create_connection(*_):
        messages = left.pop(0)
        if messages is None:
            raise ConnectionRefusedError("nobody listens")
        near, far = socket.socketpair()
        end = Connection(Role.REFEREE)
        end.receive(Connection(Role.BOT).send(HELLO))
        end.next_message()
        with far:
            far.sendall(b"".join(end.send(message) for message in messages))
        return near

    monkeypatch.setattr(socket, "create_connection", create_connection)
    # The pair is no TCP connection, so it has no such options.
    monkeypatch.setattr("protocol.client._tuned", lambda link: link)
    return left


SETTINGS = Settings(host="127.0.0.1", port=1, name="ada", secret="s")


def test_t5_bot_01_the_client_comes_back_with_doubling_waits(monkeypatch, sleeps):
    """After a drop it waits 0.1 s, then twice as long after each failure, at most 5 s."""
    left = connect_to(monkeypatch, [WELCOME], *[None] * 7, [WELCOME, FINISHED])

    assert play(Lowest(), SETTINGS) == FINISHED
    assert sleeps == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert left == []


def test_t5_bot_02_the_client_ends_after_closing_without_retry(monkeypatch, sleeps):
    """It makes no further attempt once it was told to end."""
    left = connect_to(monkeypatch, [WELCOME, FINISHED], [WELCOME, FINISHED])

    assert play(Lowest(), SETTINGS) == FINISHED
    assert (sleeps, len(left)) == ([], 1)


def test_t5_bot_02_the_client_comes_back_when_closing_says_when(monkeypatch, sleeps):
    """With `retry_ms` 250 it waits a quarter of a second and connects again."""
    suspended = Closing(reason=ClosingBecause.SUSPENDED, message="Back soon.", retry_ms=250)
    left = connect_to(monkeypatch, [WELCOME, suspended], [WELCOME, FINISHED])

    assert play(Lowest(), SETTINGS) == FINISHED
    assert (sleeps, left) == ([0.25], [])
