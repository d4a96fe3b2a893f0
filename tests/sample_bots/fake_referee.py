"""A referee that plays one bot, in blocking calls that a test writes down one after the other."""

import contextlib
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

from protocol.connection import Connection
from protocol.states import Role

GENEROUS_S = 30
"""No test waits for this long unless something is broken."""


class Seat:
    """The referee's end of one accepted connection."""

    def __init__(self, link):
        self._link = link
        self._link.settimeout(GENEROUS_S)
        self._link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = Connection(Role.REFEREE)

    def hear(self):
        """Return the bot's next message, or None when it has hung up."""
        while (message := self._connection.next_message()) is None:
            data = self._link.recv(65536)
            if not data:
                return None
            self._connection.receive(data)
        return message

    def say(self, *messages):
        """Send messages, all in one piece."""
        self.send(self.frames(*messages))

    def frames(self, *messages):
        """Return the bytes of messages, for `send`."""
        return b"".join(map(self._connection.send, messages))

    def send(self, data):
        """Send any bytes."""
        self._link.sendall(data)

    def hang_up(self):
        """Close without a word."""
        self._link.close()

    def reset(self):
        """Close so that the other end gets an error instead of an end."""
        self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._link.close()


class FakeReferee:
    """Listens on a free port and runs one bot as a process of its own."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(GENEROUS_S)
        self.port = self._listener.getsockname()[1]
        self._seats = []
        self._process = None

    def start(self, *command, cwd=None, **changes):
        """Run a bot, in its directory, with the environment that a referee sets, but for `changes`."""
        variables = {
            # Where the referee's own Python comes first, so that the bot finds msgpack and `protocol`.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONWARNINGS": "error",
            "TAKE5_HOST": "127.0.0.1",
            "TAKE5_PORT": str(self.port),
            "TAKE5_NAME": "ann",
            "TAKE5_SECRET": "s3cret",
            **changes,
        }
        environment = {key: value for key, value in variables.items() if value is not None}
        self._process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def accept(self):
        """Return the seat of the next connection."""
        link, _ = self._listener.accept()
        self._seats.append(Seat(link))
        return self._seats[-1]

    def nobody_waits(self):
        """Say whether no further connection was made."""
        self._listener.settimeout(0)
        try:
            self._listener.accept()
        except BlockingIOError:
            return True
        return False

    def ended(self):
        """Wait for the bot's end and return its exit code, stdout and stderr."""
        stdout, stderr = self._process.communicate(timeout=GENEROUS_S)
        return self._process.returncode, stdout, stderr

    def close(self):
        """Leave nothing behind, whatever the test did."""
        self._listener.close()
        for seat in self._seats:
            seat.hang_up()
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(ValueError):  # its pipes may be closed already
                self._process.communicate()
