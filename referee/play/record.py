"""The canonical record of a game: its events as lines of JSON, the same bytes whenever the same was played.

Times, connections and faults that changed nothing are not in it. SPEC.md documents the lines; their
SHA-256 is the digest that `game_end` carries.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import attrs

from protocol.parts import ClosedBecause
from referee.play.events import Defaulted, SeatForfeited, TableEvent
from referee.play.names import GameId
from referee.rules import events as rules
from referee.rules.cards import HIGHEST_CARD
from referee.rules.decisions import DecisionKind
from referee.rules.variants import Rules

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

_SELDOM: dict[type, str] = {
    rules.CardDrafted: "card_drafted",
    rules.DraftEnded: "draft_ended",
    Defaulted: "defaulted",
    SeatForfeited: "seat_forfeited",
}
"""The names of the events that have no form of their own below; all others are in no record."""
_CARD_PLACED = b'{"card":%d,"deal":%d,"event":"card_placed","row":%d,"seat":%d,"trick":%d}\n'
_CARDS_REVEALED = b'{"cards":[%b],"deal":%d,"event":"cards_revealed","trick":%d}\n'
_ROW_TAKEN = b'{"bullheads":%d,"cards":[%b],"deal":%d,"event":"row_taken","row":%d,"seat":%d,"trick":%d}\n'
_COW_JUMPED = b'{"deal":%d,"event":"cow_jumped","from_row":%d,"to_row":%d,"trick":%d}\n'
_DEAL_ENDED = b'{"bullheads":[%b],"deal":%d,"event":"deal_ended","totals":[%b]}\n'
_DEAL_STARTED = (
    b'{"cow":%b,"deal":%d,"event":"deal_started","hands":[%b],"opener":%b,"pool":[%b],"rows":[%b]}\n'
)
_LISTS = tuple([b",".join([b"%d"] * length) for length in range(HIGHEST_CARD + 1)])
"""The insides of lists of numbers, by length."""
_FIELDS = {cls: tuple(field.name for field in attrs.fields(cls)) for cls in _SELDOM}


def header_line(game: GameId, names: Iterable[str], game_rules: Rules) -> bytes:
    """Return the first line of a record: which game, who sits where, by which rules."""
    return _line(
        {
            "event": "game",
            "game": str(game),
            "round": game.round,
            "table": game.table,
            "set": game.deal_set,
            "number": game.game,
            "names": list(names),
            "variant": game_rules.variant.value,
            "jumping_cow": game_rules.jumping_cow,
            "target": game_rules.target,
            "deals": game_rules.deals,
        }
    )


def event_line(event: TableEvent) -> bytes:
    """Return the line for an event, or nothing if the record leaves it out."""
    # The kinds of lines that every game has: filling in a form takes a fifth of the time of the general way.
    if isinstance(event, rules.CardPlaced):
        return _CARD_PLACED % (event.card, event.deal, event.row, event.seat, event.trick)
    if isinstance(event, rules.CardsRevealed):
        return _CARDS_REVEALED % (_inside(event.cards), event.deal, event.trick)
    if isinstance(event, rules.RowTaken):
        cards = _inside(event.cards)
        return _ROW_TAKEN % (event.bullheads, cards, event.deal, event.row, event.seat, event.trick)
    if isinstance(event, rules.CowJumped):
        return _COW_JUMPED % (event.deal, event.from_row, event.to_row, event.trick)
    if isinstance(event, rules.DealEnded):
        return _DEAL_ENDED % (_inside(event.bullheads), event.deal, _inside(event.totals))
    if isinstance(event, rules.DealStarted):
        return _deal_started(event)
    name = _SELDOM.get(type(event))
    if name is None:
        return b""
    values: dict[str, Any] = {field: _plain(getattr(event, field)) for field in _FIELDS[type(event)]}
    return _line({"event": name, **values})


def closing_line(totals: Iterable[int], places: Iterable[int], forfeited: Iterable[bool]) -> bytes:
    """Return the last line of a record."""
    return _line(
        {
            "event": "game_ended",
            "totals": list(totals),
            "places": list(places),
            "forfeited": list(forfeited),
        }
    )


class RecordDigest:
    """SHA-256 over the lines of one game, taken in as they come."""

    def __init__(self, header: bytes) -> None:
        self._hash = hashlib.sha256(header)
        self._course = hashlib.sha256()

    def add(self, lines: bytes) -> None:
        """Take in the next line, or several."""
        self._hash.update(lines)
        self._course.update(lines)

    def hexdigest(self) -> str:
        """Return the digest so far."""
        return self._hash.hexdigest()

    def course(self) -> str:
        """Return the digest so far of all lines but the first: the same for games that went the same way."""
        return self._course.hexdigest()


def tournament_digest(games: Iterable[tuple[GameId, str]]) -> str:
    """Return SHA-256 over the digests of all games, in the order of the schedule, one a line."""
    return hashlib.sha256("".join(f"{digest}\n" for _, digest in sorted(games)).encode()).hexdigest()


def _deal_started(event: rules.DealStarted) -> bytes:
    return _DEAL_STARTED % (
        _or_null(event.cow),
        event.deal,
        b",".join([b"[%b]" % _inside(hand) for hand in event.hands]),
        _or_null(event.opener),
        _inside(event.pool),
        b",".join([b"[%b]" % _inside(row) for row in event.rows]),
    )


def _inside(numbers: tuple[int, ...]) -> bytes:
    return _LISTS[len(numbers)] % numbers


def _or_null(number: int | None) -> bytes:
    return b"null" if number is None else b"%d" % number


def _line(values: dict[str, Any]) -> bytes:
    return _encode(values).encode() + b"\n"


def _plain(value: object) -> object:
    return value.value if isinstance(value, (ClosedBecause, DecisionKind)) else value
