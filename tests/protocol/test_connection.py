"""One end of a connection: limits, recoverable and fatal errors, the meaningless field, torn streams."""

import msgpack
import pytest

from protocol.connection import MEANINGLESS_EVERY, Connection
from protocol.errors import ErrorCode, LocalError, PeerError, Severity
from protocol.framing import LIMIT, LIMIT_BEFORE_HELLO, frame
from protocol.messages import Card, ChooseCard, Closing, Leave, Ping, Pong, Waiting, Welcome
from protocol.packing import pack
from protocol.parts import ClosingBecause, WaitingFor
from protocol.states import Role, State

from .samples import hello, smallest


def padded(size, **values):
    """Return a frame whose payload has exactly `size` bytes, filled up in an unknown field."""
    bare = len(pack({**values, "x": "a" * 300})) - 300
    payload = pack({**values, "x": "a" * (size - bare)})
    assert len(payload) == size
    return frame(payload)


HELLO = {"type": "hello", "name": "ann", "secret": "s", "versions": [1]}


def open_referee():
    """Return the referee's end of an accepted connection."""
    referee = Connection(Role.REFEREE)
    referee.receive(Connection(Role.BOT).send(hello()))
    referee.next_message()
    referee.send(smallest(Welcome))
    return referee


def refusal(end):
    """Return the error that the next frame causes."""
    with pytest.raises(PeerError) as caught:
        end.next_message()
    return caught.value


def test_a_hello_may_have_4_kib():
    """A payload of exactly the limit before hello is read."""
    referee = Connection(Role.REFEREE)

    referee.receive(padded(LIMIT_BEFORE_HELLO, **HELLO))

    assert referee.next_message() == hello()


def test_a_hello_of_one_byte_more_is_refused():
    """Who has not said who he is gets no more memory than that."""
    referee = Connection(Role.REFEREE)

    referee.receive(padded(LIMIT_BEFORE_HELLO + 1, **HELLO))

    assert refusal(referee).code is ErrorCode.FRAME_TOO_LARGE


def test_between_hello_and_welcome_the_small_bound_holds():
    """Nothing may come there anyway, and so no more than 4 KiB have to be kept."""
    referee = Connection(Role.REFEREE)
    referee.receive(frame(pack(HELLO)))
    referee.next_message()

    referee.receive((LIMIT_BEFORE_HELLO + 1).to_bytes(4, "big"))

    assert refusal(referee).code is ErrorCode.FRAME_TOO_LARGE


def test_a_closed_connection_keeps_nothing_of_what_it_had_not_read():
    """60 KiB of a frame that never ends are gone with the last message, long before the socket is."""
    referee = open_referee()
    referee.receive(LIMIT.to_bytes(4, "big") + b"a" * 60_000)

    referee.send(Closing(reason=ClosingBecause.REMOVED, message=""))

    assert referee.waiting == 0


def test_after_welcome_a_bot_may_send_64_kib():
    """The limit rises with the welcome."""
    referee = open_referee()

    referee.receive(padded(LIMIT, type="ping", echo=5))

    assert referee.next_message() == Ping(echo=5)


def test_after_welcome_one_byte_more_than_64_kib_is_refused():
    """The limit holds to the byte."""
    referee = open_referee()

    referee.receive(padded(LIMIT + 1, type="ping"))

    error = refusal(referee)

    assert (error.code, error.severity) == (ErrorCode.FRAME_TOO_LARGE, Severity.FATAL)


def test_a_bot_reads_64_kib_from_the_start():
    """The referee may use the whole limit in its first message."""
    bot = Connection(Role.BOT)
    bot.send(hello())

    bot.receive(padded(LIMIT, type="closing", reason="removed", message=""))

    assert bot.next_message().TYPE == "closing"


@pytest.mark.parametrize(
    "values",
    [{**HELLO, "name": "NO"}, {"type": "hello"}, {"type": "nonsense"}, {"type": "ping"}],
    ids=["bad field", "missing field", "unknown type", "out of turn"],
)
def test_before_hello_every_error_is_fatal(values):
    """Nothing can follow a first message that is no good hello."""
    referee = Connection(Role.REFEREE)
    referee.receive(frame(pack(values)))

    assert refusal(referee).severity is Severity.FATAL


def test_after_a_recoverable_error_the_next_frame_is_read():
    """The bad frame is done with."""
    referee = open_referee()
    referee.receive(frame(pack({"type": "card", "request": 3, "card": 0})))
    referee.receive(frame(pack({"type": "card", "request": 3, "card": 9})))

    error = refusal(referee)

    assert (error.code, error.severity, error.request) == (ErrorCode.BAD_FIELD, Severity.RECOVERABLE, 3)
    assert referee.next_message() == Card(request=3, card=9)
    assert referee.next_message() is None


def test_a_frame_that_cannot_be_decoded_is_fatal():
    """Bytes that are no map end the connection in any state."""
    referee = open_referee()
    referee.receive(frame(b"\xc1"))

    error = refusal(referee)

    assert (error.code, error.severity) == (ErrorCode.BAD_FRAME, Severity.FATAL)


def test_a_stream_fed_byte_by_byte_gives_the_same_messages():
    """Each message comes out with its last byte and not before."""
    referee = open_referee()
    sent = [Ping(echo=1), Card(request=1, card=7), Ping(), Leave()]
    frames = [
        frame(pack({"type": message.TYPE, **fields}))
        for message, fields in zip(sent, [{"echo": 1}, {"request": 1, "card": 7}, {}, {}], strict=True)
    ]

    for data, message in zip(frames, sent, strict=True):
        for byte in data[:-1]:
            referee.receive(bytes([byte]))
            assert referee.next_message() is None
        assert referee.waiting == len(data) - 1
        referee.receive(data[-1:])
        assert referee.next_message() == message
    assert referee.state is State.LEAVING


def test_every_sixteenth_message_of_the_referee_carries_a_meaningless_field():
    """The 1st, 17th and 33rd, so that bots stay tolerant; to a bot on this package it makes no difference."""
    bot, referee = Connection(Role.BOT), Connection(Role.REFEREE)
    referee.receive(bot.send(hello()))
    referee.next_message()

    frames = [referee.send(message) for message in [smallest(Welcome), *[Pong(echo=5)] * 39]]

    marked = [number for number, data in enumerate(frames, 1) if "x_ignore_me" in msgpack.unpackb(data[4:])]
    assert marked == [1, 1 + MEANINGLESS_EVERY, 1 + 2 * MEANINGLESS_EVERY] == [1, 17, 33]
    bot.receive(b"".join(frames))
    assert [bot.next_message() for _ in frames] == [smallest(Welcome), *[Pong(echo=5)] * 39]


def test_a_bot_sends_nothing_meaningless():
    """Only the referee teaches tolerance."""
    data = Connection(Role.BOT).send(hello())

    assert "x_ignore_me" not in msgpack.unpackb(data[4:])


def test_a_message_beyond_the_limit_cannot_be_sent():
    """It would only be refused at the other end, so it is our own bug."""
    referee = open_referee()

    with pytest.raises(LocalError, match="exceeds the limit of 65536"):
        referee.send(Waiting(reason=WaitingFor.ROUND, message="a" * LIMIT))


def test_the_largest_request_fits_the_limit_by_far():
    """Ten players, a whole deck seen, hands known: a request stays below 4 KiB."""
    cards = list(range(1, 105))
    referee = open_referee()

    data = referee.send(
        smallest(
            ChooseCard,
            rows=[cards[-5:]] * 4,
            row_bullheads=[35] * 4,
            totals=[2**53 - 1] * 10,
            taken=[171] * 10,
            seen=cards,
            hands=[cards[-10:]] * 10,
            hand=cards[-10:],
            choices=cards[-10:],
        )
    )

    assert len(data) < 4096
