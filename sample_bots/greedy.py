#!/usr/bin/env python3
"""Takes the least that it can see coming, and looks no further than its own card.

Card policy: of the cards that fit a row with room, the one nearest to the end of its row, so that little can
come in between. If there is none, the card that would take the fewest bullheads now, the highest of equals.
Row policy: the row that costs least, cow jumps included; the first of equals.
Draft policy: the card nearest to the middle of the deck, since both extremes are hard to play.

It needs msgpack and nothing else; `main` and all below it is as in simple.py.
"""

import contextlib
import os
import socket
import sys
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


def main() -> None:
    """Connect to where the environment says, and play until the end."""
    try:
        host, port, name, secret = (os.environ["TAKE5_" + key] for key in ("HOST", "PORT", "NAME", "SECRET"))
    except KeyError as missing:
        sys.exit(f"{missing.args[0]} is not set: the referee sets it when it starts a bot.")
    hello = {"type": "hello", "name": name, "secret": secret, "versions": [1], "client": "greedy"}
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
