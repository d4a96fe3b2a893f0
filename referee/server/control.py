"""The door for `ctl`: a Unix socket that only the user who runs the referee can open.

One line comes in, one reply goes out, the connection ends: `ok` or `no` on the first line, then the text.
"""

import contextlib
import functools
import os
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import trio

LONGEST_LINE = 4096
PATIENCE_S = 5.0
"""A caller has so long to say its line and to take the reply."""

_AT_ONCE = 8


class ControlError(Exception):
    """The door cannot be opened, or nobody answers it; the text says what to do."""


def default_path(port: int) -> Path:
    """Return where the door of the referee on a port is."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return Path(runtime) / f"take5-referee-{port}.sock"
    return Path(tempfile.gettempdir()) / f"take5-referee-{os.getuid()}" / f"{port}.sock"


@contextlib.asynccontextmanager
async def opened(path: Path, execute: Callable[[str], tuple[bool, str]]) -> AsyncIterator[None]:
    """Hold the door open.

    Args:
        path: Where; its directory is made for its owner alone if it is not there.
        execute: Called with each line; returns whether it was done, and the text of the reply.

    Raises:
        ControlError: the socket cannot be made there.
    """
    listener = _listen(path)
    places = trio.CapacityLimiter(_AT_ONCE)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, functools.partial(_answer, execute, places), [listener])
            yield
            nursery.cancel_scope.cancel()
    finally:
        _remove(path)


def ask(path: Path, line: str) -> tuple[bool, str]:
    """Say a line at the door; return whether it was done, and the text of the reply.

    Raises:
        ControlError: nobody answers.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(2 * PATIENCE_S)
        try:
            door.connect(str(path))
            door.sendall(line.encode(errors="replace") + b"\n")
            with door.makefile("rb") as reply:
                verdict, _, text = reply.read().decode().partition("\n")
        except OSError as error:
            raise ControlError(
                f"no referee answers at {path} ({error.strerror or error}); is it running, and on this port?"
            ) from error
    if not verdict:
        raise ControlError(f"the referee at {path} ended before it answered")
    return verdict == "ok", text


def _listen(path: Path) -> trio.SocketListener:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.parent.stat().st_uid not in _trusted():
            raise PermissionError(0, f"its directory {path.parent} belongs to somebody else")
        _clear(path)
        before = os.umask(0o177)
        try:
            sock.bind(str(path))
        finally:
            os.umask(before)
        sock.listen(_AT_ONCE)
    except OSError as error:
        sock.close()
        raise ControlError(f"the control socket {path} cannot be made: {error.strerror or error}") from error
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))


def _trusted() -> set[int]:
    """Return who may own the directory of the socket: the user, or the system as with /tmp."""
    return {os.getuid(), 0}


def _clear(path: Path) -> None:
    """Remove the socket that a crashed referee has left behind; anything else that is there stays."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(0, "there is something else of that name")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
            knock.settimeout(PATIENCE_S)
            knock.connect(str(path))
    except FileNotFoundError:
        return
    except ConnectionRefusedError:
        _remove(path)
        return
    raise FileExistsError(0, "another referee answers there")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


async def _answer(
    execute: Callable[[str], tuple[bool, str]], places: trio.CapacityLimiter, stream: trio.SocketStream
) -> None:
    with contextlib.suppress(trio.BrokenResourceError):
        async with stream, places:
            with trio.move_on_after(PATIENCE_S):
                line = await _line(stream)
                if line is None:
                    done, text = False, f"a command is one line of at most {LONGEST_LINE} bytes"
                else:
                    done, text = execute(line)
                await stream.send_all(f"{'ok' if done else 'no'}\n{text}".encode())


async def _line(stream: trio.SocketStream) -> str | None:
    """Return the first line of a stream, None if it is too long or has no end."""
    line = bytearray()
    while b"\n" not in line and len(line) <= LONGEST_LINE:
        data = await stream.receive_some(LONGEST_LINE)
        if not data:
            return None
        line += data
    text, end, _ = line.partition(b"\n")
    return text.decode(errors="replace") if end and len(text) <= LONGEST_LINE else None
