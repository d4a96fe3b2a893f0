#!/usr/bin/env python3
"""Plays at random, and yet the same game again from the same seed.

Card policy: any card of the hand, all alike.
Row policy: the row that costs least, cow jumps included; any of equals.
Draft policy: any card on offer, all alike.

All its chance comes from `bot_seed` of the request. So its answers are a function of the request, and a
tournament with it can be repeated from the tournament's seed.

It needs msgpack and nothing else; `main` and all below it is as in simple.py.
"""

import contextlib
import os
import random
import socket
import sys
from collections.abc import Callable
from typing import IO, Any

import msgpack

Message = dict[str, Any]


def choose_card(request: Message) -> int:
    """Pick any card of the hand."""
    hand: list[int] = request["choices"]
    return dice(request).choice(hand)


def choose_row(request: Message) -> int:
    """Pick any of the cheapest rows."""
    costs: list[int] = request["costs"]
    return dice(request).choice([row for row, cost in enumerate(costs) if cost == min(costs)])


def choose_draft(request: Message) -> int:
    """Pick any card of the pool."""
    pool: list[int] = request["choices"]
    return dice(request).choice(pool)


def dice(request: Message) -> random.Random:
    """Return a fresh source of chance: one that lived on would remember what came before the request."""
    return random.Random(request["bot_seed"])


# For each type of request: who decides, the type of the answer, and its field that holds the decision.
ANSWERS: dict[str, tuple[Callable[[Message], int], str, str]] = {
    "choose_card": (choose_card, "card", "card"),
    "choose_row": (choose_row, "row", "row"),
    "choose_draft": (choose_draft, "draft", "card"),
}


def main() -> None:
    """Connect to where the environment says, and play until the end."""
    try:
        host, port, name, secret = (os.environ["TAKE5_" + key] for key in ("HOST", "PORT", "NAME", "SECRET"))
    except KeyError as missing:
        sys.exit(f"{missing.args[0]} is not set: the referee sets it when it starts a bot.")
    hello = {"type": "hello", "name": name, "secret": secret, "versions": [1], "client": "chance"}
    # The end may also come as a reset or a broken pipe.
    with socket.create_connection((host, int(port))) as link, contextlib.suppress(ConnectionError):
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        send(link, hello)
        play(link)


def play(link: socket.socket) -> None:
    """Answer requests until the referee says goodbye or is gone."""
    incoming = link.makefile("rb")
    while message := receive(incoming):
        kind = message["type"]
        if kind in ANSWERS:
            choose, answer, field = ANSWERS[kind]
            send(link, {"type": answer, "request": message["request"], field: choose(message)})
        elif kind == "closing":
            return
        elif kind == "error":
            print(message["message"], file=sys.stderr)
        # All else may be ignored, and what this bot has never heard of must be.


def send(link: socket.socket, message: Message) -> None:
    """Send one message: its length in 4 bytes, big-endian, then the msgpack."""
    payload = msgpack.packb(message)
    link.sendall(len(payload).to_bytes(4, "big") + payload)


def receive(incoming: IO[bytes]) -> Message | None:
    """Return the next message, or None at the end of the connection."""
    # `read(n)` waits until there are n bytes, however the network tore them; only at the end there are fewer.
    header = incoming.read(4)
    length = int.from_bytes(header, "big")
    payload = incoming.read(length)
    if len(header) < 4 or len(payload) < length:
        return None
    message: Message = msgpack.unpackb(payload)
    return message


if __name__ == "__main__":
    main()
