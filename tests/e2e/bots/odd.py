#!/usr/bin/env python3
"""A bot that misbehaves as it is told to: `odd.py BEHAVIOUR`. Where it plays, it plays its lowest choice.

What it does depends on the requests alone, so that a tournament with it can be played again.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import msgpack

Message = dict[str, Any]

ANSWERS = {"choose_card": ("card", "card"), "choose_row": ("row", "row"), "choose_draft": ("draft", "card")}


class Link:
    """The connection to the referee.

    Attributes:
        requests: How many requests have come.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.sock = socket.create_connection((os.environ["TAKE5_HOST"], int(os.environ["TAKE5_PORT"])))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._incoming = self.sock.makefile("rb")
        name, secret = os.environ["TAKE5_NAME"], os.environ["TAKE5_SECRET"]
        self.send({"type": "hello", "name": name, "secret": secret, "versions": [1]})

    def send(self, message: Message) -> None:
        """Send a message."""
        payload = msgpack.packb(message)
        self.sock.sendall(len(payload).to_bytes(4, "big") + payload)

    def receive(self) -> Message | None:
        """Return the next message, None at the end."""
        payload = self._incoming.read(int.from_bytes(self._incoming.read(4), "big"))
        return msgpack.unpackb(payload) if payload else None


def lowest(link: Link, request: Message) -> None:
    """Answer with the lowest choice."""
    kind, field = ANSWERS[request["type"]]
    link.send({"type": kind, "request": request["request"], field: min(request["choices"])})


def sleepy(link: Link, request: Message) -> None:
    """Never answer."""


def illegal(link: Link, request: Message) -> None:
    """Give three answers that can be read and are wrong; the first is a card that is not in the hand."""
    kind, field = ANSWERS[request["type"]]
    wrong = min(set(range(1, 105)) - set(request["choices"]))
    for value in (wrong, "seven", None):
        link.send({"type": kind, "request": request["request"], field: value})


def nonsense(link: Link, request: Message) -> None:
    """Send what is no frame."""
    link.sock.sendall(b"GET / HTTP/1.1\r\n\r\n")


def crashing(link: Link, request: Message) -> None:
    """Die with coloured words on stderr."""
    print("odd: \x1b[31mI am about to crash", file=sys.stderr)
    os._exit(3)


def leaving(link: Link, request: Message) -> None:
    """Say goodbye in the middle of a game."""
    link.send({"type": "leave"})


def breeding(link: Link, request: Message) -> None:
    """Play on, but leave a child behind that ignores polite signals; its pid goes into the pipe $ODD_PIPE."""
    if link.requests == 1:
        stubborn = "trap '' TERM HUP INT; while :; do sleep 1; done"
        child = subprocess.Popen(["setsid", "sh", "-c", stubborn])
        tell(child.pid)
    lowest(link, request)


def tell(pid: int) -> None:
    """Write a line into the pipe $ODD_PIPE."""
    with open(os.environ["ODD_PIPE"], "w") as pipe:
        print(pid, file=pipe)


def hanging(link: Link, request: Message) -> None:
    """Stop reading, and do not end when asked to; both is told to the pipe $ODD_PIPE by a line each."""
    signal.signal(signal.SIGTERM, lambda *_: tell(os.getpid()))
    tell(os.getpid())
    while True:
        signal.pause()


def patient(link: Link, request: Message) -> None:
    """Think before the first answer until SIGUSR1 comes, and tell the pipe $ODD_PIPE of it before."""
    if link.requests == 1:
        tell(os.getpid())
        signal.sigwait({signal.SIGUSR1})
    lowest(link, request)


def flooding(link: Link, request: Message) -> None:
    """Play on, but write to stderr without end beside that, terminal escapes included."""
    if link.requests == 1:
        threading.Thread(target=flood, daemon=True).start()
    lowest(link, request)


def flood() -> None:
    """Write to stderr, as much as anybody takes."""
    while True:
        os.write(2, b"\x1b[31mflood " * 5000)


def asking(link: Link, request: Message) -> None:
    """Play on, but tell stderr which of the referee's variables are there, and which Python this is."""
    if link.requests == 1:
        print("variables:", *sorted(key for key in os.environ if key.startswith("TAKE5_")), file=sys.stderr)
        print("python:", sys.executable, file=sys.stderr)
    lowest(link, request)


ALL = (lowest, sleepy, illegal, nonsense, crashing, leaving, breeding, hanging, flooding, patient, asking)
BEHAVIOURS: dict[str, Callable[[Link, Message], None]] = {behaviour.__name__: behaviour for behaviour in ALL}


def main() -> None:
    """Play as the first argument says; `absent` does not even say hello."""
    if sys.argv[1] == "absent":
        sys.exit("odd: I will not come")
    behaviour = BEHAVIOURS[sys.argv[1]]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    link = Link()
    while (message := link.receive()) and message["type"] != "closing":
        if message["type"] in ANSWERS:
            link.requests += 1
            behaviour(link, message)


if __name__ == "__main__":
    main()
