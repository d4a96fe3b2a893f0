"""What the launcher tells of a bot that it is about to become: that it runs, or why it does not."""

import os
import socket

import trio

from referee.local import confine

_PACKET_BYTES = 64


class NotConfined(Exception):
    """The launcher, or bwrap before it, ended before it could become the bot; what it wrote says why."""


async def until_running(control: socket.socket) -> socket.socket | None:
    """Wait until the program runs; `control` is closed in any case.

    Returns:
        The listener in the bot's own network, which does not block; None if it has none.

    Raises:
        OSError: The program cannot be run, with the number of the reason.
        NotConfined: The launcher did not get so far.
    """
    listener = None
    try:
        with control:
            listener = await _until_ready(control)
            failure = await _next(control)
            if failure:
                raise OSError(int(failure), os.strerror(int(failure)))
    except BaseException:
        if listener is not None:
            listener.close()
        raise
    return listener


async def _until_ready(control: socket.socket) -> socket.socket | None:
    await trio.lowlevel.wait_readable(control)
    data, descriptors, _, _ = socket.recv_fds(control, _PACKET_BYTES, 1)
    if data != confine.READY:
        raise NotConfined
    if not descriptors:
        return None
    listener = socket.socket(fileno=descriptors[0])
    listener.setblocking(False)
    return listener


async def _next(control: socket.socket) -> bytes:
    await trio.lowlevel.wait_readable(control)
    return control.recv(_PACKET_BYTES)
