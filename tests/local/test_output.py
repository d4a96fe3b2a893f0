import os

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from referee.local.output import Excerpt, Log, Output, printable
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


@given(st.lists(st.binary(max_size=20)), st.integers(4, 40))
def test_an_excerpt_is_the_beginning_and_the_end(chunks, limit):
    """However the stream is cut into chunks, a quarter of the limit is its beginning and the rest its end."""
    excerpt = Excerpt(limit)
    for chunk in chunks:
        excerpt.add(chunk)

    whole = b"".join(chunks)
    at_once = Excerpt(limit)
    at_once.add(whole)

    assert excerpt.text() == at_once.text()
    assert len(whole) > limit or excerpt.text() == printable(whole)


def test_an_excerpt_says_how_much_is_left_out():
    """Of 12 bytes a limit of 8 keeps the first two and the last six."""
    excerpt = Excerpt(8)
    excerpt.add(b"abcdef")
    excerpt.add(b"ghijkl")

    assert excerpt.text() == "ab\n[4 bytes are left out here]\nghijkl"


@pytest.mark.parametrize(
    ("first", "rest", "expected"),
    [
        # Two bytes of the beginning: a, and one of the two of an e with an accent.
        ("aé", "bcdefghi", "a\n[4 bytes are left out here]\ndefghi"),
        ("é", "bcdefghi", "é\n[2 bytes are left out here]\ndefghi"),
        ("a€", "bcdefghi", "a\n[5 bytes are left out here]\ndefghi"),
        # Six bytes of the end: one of a character of three, and five letters.
        ("ab", "cd€efghi", "ab\n[5 bytes are left out here]\nefghi"),
        ("ab", "cdéefghij", "ab\n[4 bytes are left out here]\nefghij"),
        # What is not cut in two is shown as it came, be it no character at all.
        ("ab", "\udca9bcdef", "ab\\xa9bcdef"),
    ],
)
def test_no_half_characters_where_an_excerpt_is_cut(first, rest, expected):
    """A part of a character at the place where something is left out says nothing, and is left out too."""
    excerpt = Excerpt(8)
    excerpt.add(first.encode())
    excerpt.add(rest.encode("utf-8", "surrogateescape"))

    assert excerpt.text() == expected


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
    """The output is still read, and the excerpt tells why the log ends."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, b"hello")
    output = Output(reading, Excerpt(100), FullDisk(tmp_path / "bot.log"))

    text = output.finish()
    os.close(writing)

    assert text == "hello\n[the log ends here: No space left on device]\n"


async def test_finish_ends_the_following():
    """Who waits for more output is told when nobody wants it any more, though the writer lives on."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    output = Output(reading, Excerpt(100), None)

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
    output = Output(reading, Excerpt(100), None)

    first, second = output.finish(), output.finish()
    os.close(writing)

    assert (first, second) == ("last words", "last words")
