"""Frames: cut out of the stream however it was torn or joined, and refused with a helpful guess."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import ErrorCode, PeerError, Severity
from protocol.framing import FrameReader, frame

THREE_PAYLOADS = (b"\x80", b"\x81\xa1a\x01", b"x" * 300)


def cut(reader: FrameReader) -> list[bytes]:
    """Return all payloads that are whole."""
    return list(iter(reader.next_frame, None))


def refusal(data: bytes, *, limit: int = 64) -> PeerError:
    """Return the error that the reader raises for these bytes."""
    reader = FrameReader(limit)
    reader.feed(data)
    with pytest.raises(PeerError) as caught:
        reader.next_frame()
    return caught.value


def test_a_frame_is_its_length_in_four_bytes_big_endian_and_the_payload():
    """258 bytes have the length 00 00 01 02."""
    assert frame(b"x" * 258) == b"\x00\x00\x01\x02" + b"x" * 258


def test_joined_frames_come_out_one_by_one():
    """What one read brought together is still three payloads, and nothing is left."""
    reader = FrameReader(300)

    reader.feed(b"".join(map(frame, THREE_PAYLOADS)))

    assert cut(reader) == list(THREE_PAYLOADS)
    assert reader.waiting == 0


def test_a_frame_torn_at_any_byte_comes_out_whole():
    """Wherever the stream is torn in two, the payloads are the same, and none comes before its last byte."""
    stream = b"".join(map(frame, THREE_PAYLOADS))
    ends = [5, 13, 317]
    for tear in range(len(stream) + 1):
        reader = FrameReader(300)

        reader.feed(stream[:tear])
        early = cut(reader)
        reader.feed(stream[tear:])
        late = cut(reader)

        assert len(early) == sum(end <= tear for end in ends)
        assert early + late == list(THREE_PAYLOADS)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.data())
def test_any_chunks_give_the_same_payloads(payloads, data):
    """The payloads do not depend on how the network cut the stream."""
    stream = b"".join(map(frame, payloads))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    reader = FrameReader(40)
    found = []

    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        reader.feed(stream[start:end])
        found += cut(reader)

    assert found == payloads
    assert reader.waiting == 0


def test_what_one_read_brings_too_much_is_kept_for_the_next():
    """A frame and a half in one piece, then the other half, then a whole one in one piece again."""
    reader = FrameReader(300)

    reader.feed(frame(b"first") + frame(b"second")[:7])
    first = cut(reader)
    waiting = reader.waiting
    reader.feed(frame(b"second")[7:])
    second = cut(reader)
    reader.feed(frame(b"third"))
    third = cut(reader)

    assert ([b"first"], 7, [b"second"], [b"third"]) == (first, waiting, second, third)
    assert reader.waiting == 0


def test_what_is_not_yet_a_frame_is_waiting():
    """Three bytes of a header are kept, counted, and yield nothing."""
    reader = FrameReader(64)

    reader.feed(b"\x00\x00\x00")

    assert reader.next_frame() is None
    assert reader.waiting == 3


def test_a_payload_of_exactly_the_limit_passes():
    """The limit itself is allowed."""
    reader = FrameReader(64)

    reader.feed(frame(b"x" * 64))

    assert reader.next_frame() == b"x" * 64


def test_one_byte_over_the_limit_is_refused_by_its_header_alone():
    """No byte of the payload needs to arrive: the announcement is enough."""
    error = refusal(b"\x00\x00\x00\x41")

    assert error.code is ErrorCode.FRAME_TOO_LARGE
    assert error.severity is Severity.FATAL
    assert error.sentence.startswith(
        "The first four bytes announce a frame of 65 bytes; at most 64 are allowed here."
    )


def test_the_limit_can_be_raised():
    """A frame that would have been refused passes once the limit is higher."""
    reader = FrameReader(64)
    reader.limit = 65

    reader.feed(frame(b"x" * 65))

    assert reader.next_frame() == b"x" * 65


def test_an_empty_frame_is_refused():
    """A length of zero holds no message."""
    error = refusal(bytes(4))

    assert (error.code, error.severity) == (ErrorCode.BAD_FRAME, Severity.FATAL)
    assert error.sentence == "A frame of length 0 holds no message."


GUESSES = {
    "a browser": (b"GET / HTTP/1.1\r\n", "This looks like HTTP; this port speaks the Take 5 bot protocol"),
    "a POST": (b"POST /x HTTP/1.1\r\n", "This looks like HTTP;"),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n", "This looks like HTTP;"),
    "a TLS client hello": (b"\x16\x03\x01\x02\x00", "This looks like TLS; this port expects plain TCP."),
    "a TLS alert": (b"\x15\x03\x01\x00\x02", "This looks like TLS;"),
    "msgpack without a length": (b"\x83\xa4type", "This looks like msgpack without a length"),
    "a map16 without a length": (b"\xde\x00\x03\xa4type", "This looks like msgpack without a length"),
    "JSON": (b'{"type": "hello"}', "This looks like JSON; messages are msgpack"),
    "a JSON array": (b'["hello"]', "This looks like JSON;"),
    "a little-endian length": (b"\x2a\x01\x00\x00", "This looks like a little-endian length"),
    "text": (b"hello\n", "This looks like text; messages are msgpack"),
    "an SSH client": (b"SSH-2.0-x\r\n", "This looks like text;"),
    "4 GiB": (b"\xff\xff\xff\xff", "Is the length missing, or not big-endian?"),
}


@pytest.mark.parametrize("case", GUESSES)
def test_something_else_on_the_port_gets_a_guess(case):
    """The refusal ends with what the sender probably is."""
    start, guess = GUESSES[case]

    error = refusal(start)

    assert error.code is ErrorCode.FRAME_TOO_LARGE
    assert error.sentence.split(" are allowed here. ")[1].startswith(guess)
    assert error.sentence.isprintable()
