#!/usr/bin/env python3
"""Weighs the chance that a row fills before its card's turn comes.

Card policy: for each card of the hand, what it is expected to cost in this trick, less what it is worth to be
rid of it (`relief`), plus what its stride over unplayed cards spoils for the rest of the hand (`stride`).
The expectation takes every opponent to play any card that it may hold with the same probability: any card not
seen yet or, after a draft, any of its known hand. That gives the probability of each number of cards that may
come between the row's end and our card, and one such number makes ours the sixth.
Row policy: the row that costs least, cow jumps included; of equals the one with the lowest end.
Draft policy: the card nearest to the middle of the deck, since both extremes are hard to play.

It needs msgpack and nothing else; `WAITS` and all below it is as in simple.py.
"""

import contextlib
import os
import socket
import ssl
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import IO, Any

import msgpack

Message = dict[str, Any]
Rows = list[list[int]]

MEAN_BULLHEADS = 171 / 104
"""Of one card of the full deck, for the cards that come into a row before ours."""

ROW_LIMIT = 5
"""What a row holds; the cow counts."""


def choose_card(request: Message) -> int:
    """Pick the card with the best balance, the first of equals."""
    rivals = possible_cards(request)
    hand: list[int] = request["choices"]
    highest: int = request["rules"]["highest_card"]

    def balance(card: int) -> float:
        return expected_cost(request, rivals, card) + stride(request, card) - relief(card, highest)

    return min(hand, key=balance)


def choose_row(request: Message) -> int:
    """Pick the row to take, since the card played is below all rows."""
    costs, rows = request["costs"], request["rows"]
    return min(range(4), key=lambda row: (costs[row], rows[row][-1]))


def choose_draft(request: Message) -> int:
    """Pick a card from the pool, in the advanced variant."""
    middle = request["rules"]["highest_card"] / 2
    pool: list[int] = request["choices"]
    return min(pool, key=lambda card: abs(card - middle))


def possible_cards(request: Message) -> list[list[int]]:
    """For each opponent, return the cards that it may hold, ascending."""
    if request.get("hands"):
        return [sorted(hand) for seat, hand in enumerate(request["hands"]) if seat != request["seat"]]
    known = {*request["seen"], *request["hand"]}
    hidden = [card for card in range(1, request["rules"]["highest_card"] + 1) if card not in known]
    return [hidden] * (len(request["totals"]) - 1)


def expected_cost(request: Message, rivals: list[list[int]], card: int) -> float:
    """Return the bullheads that a card is expected to take in this trick."""
    rows: Rows = request["rows"]
    heads: list[int] = request["row_bullheads"]
    cow = request.get("cow")
    row = row_for(rows, card)
    if row is None:
        # Only the lowest card of a trick has to take a row; ours would choose the cheapest.
        return landing_before(rivals, 0, card)[0] * min(heads)
    room = ROW_LIMIT - len(rows[row]) - (row == cow)
    landing = landing_before(rivals, rows[row][-1], card)
    sixth = landing[room] if room < len(landing) else 0.0
    cost = sixth * (heads[row] + room * MEAN_BULLHEADS)
    return cost + jump_cost(rows, row) if row == cow else cost


def row_for(rows: Rows, card: int) -> int | None:
    """Return the row that a card goes to, the one with the highest end below it; None if it is too low."""
    below = [row for row, cards in enumerate(rows) if cards[-1] < card]
    return max(below, key=lambda row: rows[row][-1]) if below else None


def landing_before(rivals: list[list[int]], end: int, card: int) -> list[float]:
    """Return the probabilities that 0, 1, 2 ... opponents play between `end` and `card`."""
    landing = [1.0]
    for cards in rivals:
        inside = bisect_left(cards, card) - bisect_right(cards, end)
        chance = inside / len(cards)
        stays = [part * (1 - chance) for part in landing] + [0.0]
        grows = [0.0] + [part * chance for part in landing]
        landing = [one + other for one, other in zip(stays, grows, strict=True)]
    return landing


def jump_cost(rows: Rows, cow: int) -> int:
    """Return what the cow's next jump costs: it goes to the lowest end and is the sixth in a full row."""
    target = min((cards for row, cards in enumerate(rows) if row != cow), key=lambda cards: cards[-1])
    return sum(map(bullheads, target[:-1])) if len(target) == ROW_LIMIT else 0


def relief(card: int, highest: int) -> float:
    """Return the bullheads that it saves later to have played a card now.

    Fitted by trial, deals of four: high cards cost most to keep, for they land where the rows fill up, and
    very low ones have to take a row one day.
    """
    return 1.5 * (card / highest) ** 3 + max(0.0, 1 - card / 12)


def stride(request: Message, card: int) -> float:
    """Return the bullheads that it costs later to have moved a row's end up to `card`.

    Our lower cards may have fitted into the gap and now become too low. Fitted by trial, 2 to 9 players: the
    more there are, the less the ends depend on us.
    """
    rows: Rows = request["rows"]
    row = row_for(rows, card)
    gap = 0 if row is None else card - rows[row][-1]
    players, highest = len(request["totals"]), int(request["rules"]["highest_card"])
    return 10 / players * gap / highest


def bullheads(card: int) -> int:
    """Return the bullheads on a card."""
    if card == 55:
        return 7
    for divisor, heads in ((11, 5), (10, 3), (5, 2)):
        if card % divisor == 0:
            return heads
    return 1


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
    hello = {"type": "hello", "name": name, "secret": secret, "versions": [1], "client": "careful"}
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
