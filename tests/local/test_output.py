import os

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from referee.local.output import Log, Output, Tail, printable
from tests.local.conftest import PATIENCE_S


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"plain \xc3\xa9 text\n", "plain é text\n"),
        (b"\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        (b"a\r\nb\rc\td", "a\nb\\rc\\td"),
        ("\u202eabc".encode(), "\\u202eabc"),  # a right-to-left override
        (b"\xff\xfe", "\\xff\\xfe"),
        ("\U000e0001".encode(), "\\U000e0001"),  # an invisible tag
    ],
)
def test_printable_by_hand(data, expected):
    """What could act on a terminal, or hide there, is spelled out."""
    assert printable(data) == expected


@given(st.binary(max_size=200))
def test_printable_is_always_printable(data):
    """Whatever a bot writes, only printable characters and line feeds come out."""
    assert all(char.isprintable() for char in printable(data).replace("\n", ""))


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_tail_keeps_the_last_bytes(chunks, limit):
    """However the stream is cut, the tail is its end, less a torn character at the front."""
    tail = Tail(limit)
    for chunk in chunks:
        tail.add(chunk)

    whole = b"".join(chunks)
    ends = [printable(whole[-limit:][torn:]) for torn in range(4)]
    assert tail.text() in ends
    assert len(whole) > limit or tail.text() == ends[0]


def test_tail_drops_a_torn_character():
    """Of a character of two bytes the second alone says nothing; what was not cut is shown as it came."""
    cut, whole = Tail(3), Tail(3)
    cut.add("ééa".encode())
    cut.add(b"b")
    whole.add(b"\xa9ab")

    assert cut.text() == "ab"
    assert whole.text() == "\\xa9ab"


def test_log_is_raw_and_bounded(tmp_path):
    """The log holds the bytes as they came, up to its limit, what was there before included."""
    path = tmp_path / "bot.log"
    first = Log(path, limit=10)
    first.add(b"\x1b[1m")
    first.close()
    second = Log(path, limit=10)
    second.add(b"abcd")
    second.add(b"efgh")
    second.add(b"ijkl")
    second.close()

    assert path.read_bytes() == b"\x1b[1mabcdef"


class FullDisk(Log):
    """A log whose disk is full from the start."""

    def add(self, data: bytes) -> None:
        """Fail as the disk does."""
        raise OSError(28, "No space left on device")


async def test_a_full_disk_costs_the_log_only(tmp_path):
    """The output is still read, and the tail tells why the log ends."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, b"hello")
    output = Output(reading, Tail(100), FullDisk(tmp_path / "bot.log"))

    text = output.finish()
    os.close(writing)

    assert text == "hello\n[the log ends here: No space left on device]\n"


async def test_finish_ends_the_following():
    """Who waits for more output is told when nobody wants it any more, though the writer lives on."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    output = Output(reading, Tail(100), None)

    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(output.follow)
            await trio.testing.wait_all_tasks_blocked()
            os.write(writing, b"last words")
            text = output.finish()
    os.close(writing)

    assert text == "last words"


async def test_finish_waits_for_no_writer_and_can_be_repeated():
    """What is in the pipe is read, though its writer still lives; the second time nothing happens."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, b"last words")
    output = Output(reading, Tail(100), None)

    first, second = output.finish(), output.finish()
    os.close(writing)

    assert (first, second) == ("last words", "last words")
