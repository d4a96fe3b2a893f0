"""What a bot writes to stdout and stderr: its last words for people, and all of it in a log, both bounded.

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

_FLOOD_PAUSE_S = 0.01
"""A bot that fills the pipe faster than it is read waits for us, not we for it."""


def printable(data: bytes) -> str:
    """Return bytes as text in which all but printable characters and line feeds are escaped.

    So neither terminal escapes nor bidirectional marks nor broken UTF-8 reach a screen.
    """
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return "".join(char if char == "\n" or char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


class Tail:
    """The last bytes of a stream, at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._is_cut = False

    def add(self, data: bytes) -> None:
        """Take in what comes next."""
        self._kept += data
        surplus = len(self._kept) - self._limit
        if surplus > 0:
            del self._kept[:surplus]
            self._is_cut = True

    def text(self) -> str:
        """Return what is kept, printable; a character of which the cut left only the end is dropped."""
        start = 0
        while self._is_cut and start < min(3, len(self._kept)) and self._kept[start] & 0xC0 == 0x80:
            start += 1
        return printable(bytes(self._kept[start:]))


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
        tail: Keeps the end of what was read.
        log: Gets all of it; closed by `finish`, or earlier if it cannot be written.
    """

    pipe: int
    tail: Tail
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
                if len(data) == _CHUNK_BYTES:
                    await trio.sleep(_FLOOD_PAUSE_S)
        except trio.ClosedResourceError:
            return

    def finish(self) -> str:
        """Read what is left without waiting, close everything, and return the tail, printable.

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
        return self.tail.text()

    def _read(self) -> bytes:
        """Take in what the pipe holds, up to one chunk; nothing if it is at its end, empty or closed."""
        if not self._is_open:  # by `finish`, after `follow` was told that there is something to read
            return b""
        try:
            data = os.read(self.pipe, _CHUNK_BYTES)
        except BlockingIOError:
            return b""
        self.tail.add(data)
        self._write_log(data)
        return data

    def _write_log(self, data: bytes) -> None:
        """A full disk costs the log, not the tournament; the tail says so."""
        try:
            if self.log is not None:
                self.log.add(data)
        except OSError as error:
            self.tail.add(f"\n[the log ends here: {error.strerror}]\n".encode())
            self._close_log()

    def _close_log(self) -> None:
        if self.log is not None:
            self.log.close()
            self.log = None
