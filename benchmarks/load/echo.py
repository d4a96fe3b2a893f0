"""A bare Trio echo server, one task a connection: whatever it reads, it sends the same bytes back.

`python echo.py REPLY`, the file that holds the bytes to send. Prints its port.
"""

import sys
from pathlib import Path

import trio

BACKLOG = 1024
_READ_BYTES = 64 * 1024


async def echo(reply: bytes) -> None:
    """Serve for ever, on a port of this machine that is free."""

    async def answer(stream: trio.SocketStream) -> None:
        try:
            while await stream.receive_some(_READ_BYTES):
                await stream.send_all(reply)
        except trio.BrokenResourceError:
            return

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=BACKLOG)
    print(listeners[0].socket.getsockname()[1], flush=True)
    await trio.serve_listeners(answer, listeners)


if __name__ == "__main__":
    trio.run(echo, Path(sys.argv[1]).read_bytes())
