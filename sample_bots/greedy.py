#!/usr/bin/env python3
"""Takes the least that it can see coming, and looks no further than its own card.

Card policy: of the cards that fit a row with room, the one nearest to the end of its row, so that little can
come in between. If there is none, the card that would take the fewest bullheads now, the highest of equals.
Row policy: the row that costs least, cow jumps included; the first of equals.
Draft policy: the card nearest to the middle of the deck, since both extremes are hard to play.

It needs msgpack and nothing else; `WAITS` and all below it is as in simple.py.
"""

import contextlib
import os
import socket
import ssl
import sys
import time
from collections.abc import Callable
from typing import IO, Any

import msgpack

Message = dict[str, Any]

ROW_LIMIT = 5
"""What a row holds; the cow counts."""


def choose_card(request: Message) -> int:
    """Pick the closest fit, or else the smallest loss."""
    hand: list[int] = request["choices"]
    gaps = {card: gap(request, card) for card in hand}
    fitting = {card: distance for card, distance in gaps.items() if distance is not None}
    if fitting:
        return min(fitting, key=lambda card: fitting[card])
    return min(hand, key=lambda card: (loss(request, card), -card))


def choose_row(request: Message) -> int:
    """Pick the row to take, since the card played is below all rows."""
    costs: list[int] = request["costs"]
    return costs.index(min(costs))


def choose_draft(request: Message) -> int:
    """Pick a card from the pool, in the advanced variant."""
    middle = request["rules"]["highest_card"] / 2
    pool: list[int] = request["choices"]
    return min(pool, key=lambda card: abs(card - middle))


def row_for(request: Message, card: int) -> int | None:
    """Return the row that a card goes to, the one with the highest end below it; None if it is too low."""
    ends = {row: cards[-1] for row, cards in enumerate(request["rows"]) if cards[-1] < card}
    return max(ends, key=lambda row: ends[row]) if ends else None


def gap(request: Message, card: int) -> int | None:
    """Return how far a card is above its row's end; None if it would take a row."""
    row = row_for(request, card)
    if row is None:
        return None
    cards: list[int] = request["rows"][row]
    full = len(cards) + (row == request.get("cow")) >= ROW_LIMIT
    return None if full else card - cards[-1]


def loss(request: Message, card: int) -> int:
    """Return the bullheads that a card takes if nobody plays before it: its full row, or the cheapest."""
    heads: list[int] = request["row_bullheads"]
    row = row_for(request, card)
    return min(heads) if row is None else heads[row]


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
    hello = {"type": "hello", "name": name, "secret": secret, "versions": [1], "client": "greedy"}
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
