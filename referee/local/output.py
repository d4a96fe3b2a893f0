"""What a bot writes to stdout and stderr: first and last words for people, all of it in a log, both bounded.

A bot may write without end and may write anything, so nothing here grows without a bound and
`printable` makes it safe to show.
"""

import os
from pathlib import Path

import attrs
import trio

LOG_BYTES = 10 * 1024 * 1024
"""The most that the log of one bot holds."""

_CHUNK_BYTES = 64 * 1024
_LAST_CHUNKS = 16
"""What a pipe can hold (1 MiB): more than this has not been written by the time that the bot ended."""

_PAUSE_S = 0.01
_FLOOD_PAUSE_S = 0.05
"""Between two reads of one pipe, if it was full, so that many flooding bots take little of our time.

A bot that fills the pipe faster than it is read waits for us, not we for it.
"""


def printable(data: bytes) -> str:
    """Return bytes as text in which all but printable characters and line feeds are escaped.

    So neither terminal escapes nor bidirectional marks nor broken UTF-8 reach a screen.
    """
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return "".join(char if char == "\n" or char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


class Excerpt:
    """The beginning and the end of a stream, together at most `limit` bytes: a quarter is the beginning."""

    def __init__(self, limit: int) -> None:
        self._room = limit // 4
        self._limit = limit - self._room
        self._head = bytearray()
        self._tail = bytearray()
        self._cut = 0

    def add(self, data: bytes) -> None:
        """Take in what comes next."""
        room = self._room - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        surplus = len(self._tail) - self._limit
        if surplus > 0:
            del self._tail[:surplus]
            self._cut += surplus

    def text(self) -> str:
        """Return what is kept, printable, with a line about what was left out between, if anything was.

        Of a character that was cut in two there neither part is kept.
        """
        if not self._cut:
            return printable(bytes(self._head + self._tail))
        start = 0
        while start < min(3, len(self._tail)) and self._tail[start] & 0xC0 == 0x80:
            start += 1
        head, tail = _whole(bytes(self._head)), bytes(self._tail[start:])
        cut = self._cut + start + len(self._head) - len(head)
        return f"{printable(head)}\n[{cut} bytes are left out here]\n{printable(tail)}"


def _whole(data: bytes) -> bytes:
    """Return bytes without the beginning of a character at their end that is not all there."""
    for length in range(1, min(3, len(data)) + 1):
        byte = data[-length]
        if byte & 0xC0 == 0xC0:  # a character begins here; its length is the number of leading ones
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-length] if length < needed else data
        if byte & 0x80 == 0:
            break
    return data


class Log:
    """A file that takes a bot's output as it is, until it holds `limit` bytes.

    Raises:
        OSError: If it cannot be opened.
    """

    def __init__(self, path: Path, *, limit: int = LOG_BYTES) -> None:
        self._file = path.open("ab", buffering=0)
        self._room = limit - self._file.tell()

    def add(self, data: bytes) -> None:
        """Append as much of it as there is room for.

        Raises:
            OSError: If it cannot be written, for instance since the disk is full.
        """
        if self._room > 0:
            self._file.write(data[: self._room])
            self._room -= len(data)

    def close(self) -> None:
        """Close the file; further calls do nothing."""
        self._file.close()


@attrs.define(eq=False)
class Output:
    """The reading end of the pipe into which a bot writes; open until `finish`.

    Attributes:
        pipe: A non-blocking file descriptor, closed by `finish`.
        excerpt: Keeps the beginning and the end of what was read.
        log: Gets all of it; closed by `finish`, or earlier if it cannot be written.
    """

    pipe: int
    excerpt: Excerpt
    log: Log | None
    _is_open: bool = attrs.field(default=True, init=False)

    async def follow(self) -> None:
        """Read until every writer has closed the pipe, or until `finish`."""
        try:
            while self._is_open:
                await trio.lowlevel.wait_readable(self.pipe)
                data = self._read()
                if not data:
                    return
                await trio.sleep(_FLOOD_PAUSE_S if len(data) == _CHUNK_BYTES else _PAUSE_S)
        except trio.ClosedResourceError:
            return

    def finish(self) -> str:
        """Read what is left without waiting, close everything, and return the excerpt, printable.

        The pipe may still have writers: processes that the bot left behind. They are not waited for.
        """
        if self._is_open:
            for _ in range(_LAST_CHUNKS):
                if not self._read():
                    break
            self._is_open = False
            trio.lowlevel.notify_closing(self.pipe)
            os.close(self.pipe)
            self._close_log()
        return self.excerpt.text()

    def _read(self) -> bytes:
        """Take in what the pipe holds, up to one chunk; nothing if it is at its end, empty or closed."""
        if not self._is_open:  # by `finish`, after `follow` was told that there is something to read
            return b""
        try:
            data = os.read(self.pipe, _CHUNK_BYTES)
        except BlockingIOError:
            return b""
        self.excerpt.add(data)
        self._write_log(data)
        return data

    def _write_log(self, data: bytes) -> None:
        """A full disk costs the log, not the tournament; the excerpt says so."""
        try:
            if self.log is not None:
                self.log.add(data)
        except OSError as error:
            self.excerpt.add(f"\n[the log ends here: {error.strerror}]\n".encode())
            self._close_log()

    def _close_log(self) -> None:
        if self.log is not None:
            self.log.close()
            self.log = None
