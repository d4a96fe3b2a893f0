#!/usr/bin/env python3
"""Plays at random, and yet the same game again from the same seed.

Card policy: any card of the hand, all alike.
Row policy: the row that costs least, cow jumps included; any of equals.
Draft policy: any card on offer, all alike.

All its chance comes from `bot_seed` of the request. So its answers are a function of the request, and a
tournament with it can be repeated from the tournament's seed.

It needs msgpack and nothing else; `WAITS` and all below it is as in simple.py.
"""

import contextlib
import os
import random
import socket
import ssl
import sys
import time
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

WAITS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, *[5.0] * 11)
"""Seconds before each attempt to come back: twice as long each time, up to 5, and a minute in all."""

HOPELESS = {"unsupported_version", "unknown_entrant", "name_taken", "registration_closed"}
"""Errors after which trying again changes nothing."""

NO_BUGS = {"handshake_timeout", "too_many_connections"}
"""Errors that are like a broken connection; all other fatal ones are bugs of the bot."""


def main() -> None:
    """Play as the environment says until told to end, and come back whenever the connection breaks."""
    try:
        host, port, name, secret = (os.environ["TAKE5_" + key] for key in ("HOST", "PORT", "NAME", "SECRET"))
    except KeyError as missing:
        sys.exit(f"{missing.args[0]} is not set: the referee sets it when it starts a bot.")
    hello = {"type": "hello", "name": name, "secret": secret, "versions": [1], "client": "chance"}
    failures = bugs = 0
    while True:
        welcomed, end = play((host, int(port)), hello)
        if welcomed:
            failures = 0
        if end.get("type") == "closing":
            if end.get("retry_ms") is None:
                return
            time.sleep(end["retry_ms"] / 1000)
            continue
        bugs = bugs + 1 if end and end["code"] not in NO_BUGS else 0
        if bugs == 3 or end.get("code") in HOPELESS or failures == len(WAITS):
            sys.exit(f"This bot gives up on the referee at {host}, port {port}.")
        time.sleep(WAITS[failures])
        failures += 1


def play(address: tuple[str, int], hello: Message) -> tuple[bool, Message]:
    """Play on one connection; return whether it was welcome, and the closing or fatal error that ended it."""
    try:
        link = secured(socket.create_connection(address, timeout=5), address[0])
        link.settimeout(None)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        print(f"No referee answers: {error}.", file=sys.stderr)
        return False, {}
    welcomed = False
    with link, link.makefile("rb") as incoming:
        send(link, hello)
        while message := receive(incoming):
            kind = message["type"]
            if kind in ANSWERS:
                choose, answer, field = ANSWERS[kind]
                send(link, {"type": answer, "request": message["request"], field: choose(message)})
            elif kind == "welcome":
                welcomed = True
            elif kind == "error":
                print(message["message"], file=sys.stderr)
            if kind == "closing" or (kind == "error" and message["fatal"]):
                return welcomed, message
            # All else may be ignored, and what this bot has never heard of must be.
    return welcomed, {}


def secured(link: socket.socket, host: str) -> socket.socket:
    """Speak TLS if TAKE5_TLS is set: to 1, trusting whom the system trusts, or to a certificate's file."""
    trusted = os.environ.get("TAKE5_TLS")
    if not trusted:
        return link
    context = ssl.create_default_context(cafile=None if trusted == "1" else trusted)
    return context.wrap_socket(link, server_hostname=host)


def send(link: socket.socket, message: Message) -> None:
    """Send one message: its length in 4 bytes, big-endian, then the msgpack."""
    payload = msgpack.packb(message)
    # If the connection is at its end, `receive` will say so, after what the referee still had to say.
    with contextlib.suppress(OSError):
        link.sendall(len(payload).to_bytes(4, "big") + payload)


def receive(incoming: IO[bytes]) -> Message | None:
    """Return the next message, or None at the end of the connection, which may also come as a reset."""
    # `read(n)` waits until there are n bytes, however the network tore them; only at the end there are fewer.
    with contextlib.suppress(OSError):
        header = incoming.read(4)
        length = int.from_bytes(header, "big")
        payload = incoming.read(length)
        if len(header) == 4 and len(payload) == length:
            message: Message = msgpack.unpackb(payload)
            return message
    return None


if __name__ == "__main__":
    main()
