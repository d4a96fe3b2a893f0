#!/usr/bin/env python3
"""A bot that comes to a served tournament and behaves as it is told to: `guest.py BEHAVIOUR`.

Each message that it hears is a line of JSON on its stdout. Where it plays, it plays its lowest choice.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

import msgpack

Message = dict[str, Any]

ANSWERS = {"choose_card": ("card", "card"), "choose_row": ("row", "row"), "choose_draft": ("draft", "card")}
PACE_S = 0.05


class Link:
    """A connection to the referee, on which hello has been said."""

    def __init__(self) -> None:
        self._sock = socket.create_connection((os.environ["TAKE5_HOST"], int(os.environ["TAKE5_PORT"])))
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._incoming = self._sock.makefile("rb")
        name, secret = os.environ["TAKE5_NAME"], os.environ["TAKE5_SECRET"]
        self.send({"type": "hello", "name": name, "secret": secret, "versions": [1], "client": "guest 1"})

    def send(self, message: Message) -> None:
        """Send a message."""
        payload = msgpack.packb(message)
        self._sock.sendall(len(payload).to_bytes(4, "big") + payload)

    def messages(self) -> Iterator[Message]:
        """Give all messages to the end, and note each."""
        while header := self._incoming.read(4):
            message = msgpack.unpackb(self._incoming.read(int.from_bytes(header, "big")))
            print(json.dumps(message), flush=True)
            yield message


def visit(behaviour: str) -> str | None:
    """Take part until the end; return why the referee said goodbye."""
    link = Link()
    reason = None
    for message in link.messages():
        if message["type"] == "closing":
            reason = message["reason"]
        elif message["type"] == "game_end" and behaviour == "leaving":
            link.send({"type": "leave"})
        elif message["type"] in ANSWERS and behaviour != "silent":
            if behaviour == "paced":
                time.sleep(PACE_S)
            kind, field = ANSWERS[message["type"]]
            link.send({"type": kind, "request": message["request"], field: min(message["choices"])})
    return reason


def main() -> None:
    """Come as often as the behaviour wants."""
    behaviour = sys.argv[1]
    visits = 0
    try:
        while visit(behaviour) == "finished" and behaviour == "returning":
            visits += 1
    except ConnectionError:
        # After a tournament the referee may be gone.
        if not visits:
            raise


if __name__ == "__main__":
    main()
