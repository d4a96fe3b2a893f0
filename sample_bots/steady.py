#!/usr/bin/env python3
"""Gets rid of its high cards while it is safe; the bot on `protocol.client`, which does the talking.

Card policy: the highest card that goes to a row with two free places or more; if there is none, the highest
card that is too low for all rows, since a row taken early is cheap; else the card with most room in its row.
Row policy: the row that costs least, cow jumps included; of equals the longest, so that the long one is gone.
Draft policy: the card nearest to the middle of the deck, since both extremes are hard to play.

It needs `protocol` of this repository in the Python that runs it (the referee's own has it). Its decisions
depend on the request alone; events only serve its log on stderr.
"""

import sys

from protocol.client import run
from protocol.messages import DealEnd, GameEnd, GameStart, Message
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow

ROW_LIMIT = 5
"""What a row holds; the cow counts."""


class Steady:
    """The decisions, and the log of what came of them."""

    def __init__(self) -> None:
        self._seats: dict[str, int] = {}

    def choose_card(self, request: ChooseCard) -> int:
        """Pick the card to play."""
        rooms = {card: room_for(card, request) for card in request.choices}
        safe = [card for card, room in rooms.items() if room is not None and room >= 2]
        too_low = [card for card, room in rooms.items() if room is None]
        return max(safe or too_low or [max(request.choices, key=lambda card: rooms[card] or 0)])

    def choose_row(self, request: ChooseRow) -> int:
        """Pick the row to take, since the card played is below all rows."""
        return min(request.choices, key=lambda row: (request.costs[row], -len(request.rows[row])))

    def choose_draft(self, request: ChooseDraft) -> int:
        """Pick a card from the pool, in the advanced variant."""
        middle = (request.rules.highest_card or 104) / 2
        return min(request.choices, key=lambda card: abs(card - middle))

    def on_event(self, message: Message) -> None:
        """Log each deal and game. A game that goes on after a reconnect starts with `game_start` again."""
        if isinstance(message, GameStart):
            self._seats[message.game] = message.seat
            log(f"{message.game}: {'back at' if message.resumed else 'sitting down with'} {message.names}")
        elif isinstance(message, DealEnd):
            seat = self._seats[message.game]
            log(f"{message.game}: deal {message.deal} cost {message.bullheads[seat]} bullheads")
        elif isinstance(message, GameEnd):
            log(f"{message.game}: finished in place {message.places[self._seats.pop(message.game)]}")


def room_for(card: int, request: ChooseCard) -> int | None:
    """Return how many places are free in the row that a card goes to; None if it is too low for all rows."""
    ends = {row: cards[-1] for row, cards in enumerate(request.rows) if cards[-1] < card}
    if not ends:
        return None
    row = max(ends, key=lambda row: ends[row])
    return ROW_LIMIT - len(request.rows[row]) - (row == request.cow)


def log(line: str) -> None:
    """Print to stderr, which the referee keeps if it was asked to."""
    print(line, file=sys.stderr)


if __name__ == "__main__":
    run(Steady())
