"""The requests: what a seat is asked, self-contained, and the word that a request is closed."""

from typing import Any, ClassVar

import attrs

from protocol.data import frozen
from protocol.fields import (
    BULLHEADS,
    CARD,
    CARDS,
    COUNT,
    GAME,
    MILLISECONDS,
    ORDINAL,
    REQUEST,
    ROW,
    ROWS,
    SEAT,
    array,
    choice,
    integer,
    optional,
    wire,
)
from protocol.packing import MAX_INTEGER
from protocol.parts import (
    Cards,
    ClosedBecause,
    Rows,
    Rules,
)
from protocol.records import record
from protocol.shared import SharedFields

SHARED: Any = attrs.field(default=None, eq=False, repr=False)
"""Not on the wire: the fields that the requests to other seats have too, so that they are packed once."""


@frozen(kw_only=True)
class ChooseCard:
    """Asks for the card to play in this trick."""

    TYPE: ClassVar = "choose_card"
    game: str = wire(GAME, "game id")
    rules: Rules = wire(record(Rules), "the rules of the game")
    deal: int = wire(ORDINAL, "deal")
    trick: int = wire(ORDINAL, "trick of the deal, 1 to 10")
    rows: Rows = wire(ROWS, "the rows")
    row_bullheads: tuple[int, ...] = wire(array(BULLHEADS, longest=4), "bullheads of each row")
    cow: int | None = optional(ROW, "the cow's row, where there is a cow")
    totals: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads of the complete deals, by seat")
    taken: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads taken in this deal, by seat")
    seen: Cards = wire(CARDS, "all cards that have lain open in this deal")
    hands: tuple[Cards, ...] | None = optional(
        array(CARDS, longest=10), "all hands by seat, where a draft made them known"
    )
    request: int = wire(REQUEST, "the id to answer with")
    seat: int = wire(SEAT, "the bot's own seat")
    hand: Cards = wire(CARDS, "the bot's hand")
    choices: tuple[int, ...] = wire(CARDS, "what may be answered: here the hand")
    time_ms: int = wire(MILLISECONDS, "time left for this decision, without grace and bank")
    bank_ms: int = wire(MILLISECONDS, "what is left in the time bank of this game")
    bot_seed: int = wire(integer(0, MAX_INTEGER), "a number for bots that want chance and reproducible games")
    shared: SharedFields | None = SHARED


@frozen(kw_only=True)
class ChooseRow:
    """Asks which row to take, since the bot's card is below all rows."""

    TYPE: ClassVar = "choose_row"
    game: str = wire(GAME, "game id")
    rules: Rules = wire(record(Rules), "the rules of the game")
    deal: int = wire(ORDINAL, "deal")
    trick: int = wire(ORDINAL, "trick of the deal, 1 to 10")
    rows: Rows = wire(ROWS, "the rows at this moment")
    row_bullheads: tuple[int, ...] = wire(array(BULLHEADS, longest=4), "bullheads of each row")
    costs: tuple[int, ...] = wire(
        array(BULLHEADS, longest=4), "what choosing each row costs in all, cow jumps included"
    )
    cow: int | None = optional(ROW, "the cow's row, where there is a cow")
    totals: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads of the complete deals, by seat")
    taken: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads taken in this deal, by seat")
    seen: Cards = wire(CARDS, "all cards that have lain open in this deal, this trick's included")
    hands: tuple[Cards, ...] | None = optional(
        array(CARDS, longest=10), "all hands by seat, where a draft made them known"
    )
    cards: Cards = wire(CARDS, "the open cards of this trick, by seat")
    card: int = wire(CARD, "the bot's card, the lowest of them")
    request: int = wire(REQUEST, "the id to answer with")
    seat: int = wire(SEAT, "the bot's own seat")
    hand: Cards = wire(CARDS, "the bot's hand, without the card played")
    choices: tuple[int, ...] = wire(array(ROW, longest=4), "what may be answered: 0, 1, 2, 3")
    time_ms: int = wire(MILLISECONDS, "time left for this decision, without grace and bank")
    bank_ms: int = wire(MILLISECONDS, "what is left in the time bank of this game")
    bot_seed: int = wire(integer(0, MAX_INTEGER), "a number for bots that want chance and reproducible games")
    shared: SharedFields | None = SHARED


@frozen(kw_only=True)
class ChooseDraft:
    """Asks which card to pick from the open pool."""

    TYPE: ClassVar = "choose_draft"
    game: str = wire(GAME, "game id")
    rules: Rules = wire(record(Rules), "the rules of the game")
    deal: int = wire(ORDINAL, "deal")
    pick: int = wire(ORDINAL, "number of the pick within the deal, from 1")
    opener: int = wire(SEAT, "the seat that picked first; then seats take turns")
    pool: Cards = wire(CARDS, "the cards on offer")
    hands: tuple[Cards, ...] = wire(array(CARDS, longest=10), "all hands so far, by seat")
    totals: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads of the complete deals, by seat")
    request: int = wire(REQUEST, "the id to answer with")
    seat: int = wire(SEAT, "the bot's own seat")
    hand: Cards = wire(CARDS, "the bot's hand so far")
    choices: tuple[int, ...] = wire(CARDS, "what may be answered: here the pool")
    time_ms: int = wire(MILLISECONDS, "time left for this decision, without grace and bank")
    bank_ms: int = wire(MILLISECONDS, "what is left in the time bank of this game")
    bot_seed: int = wire(integer(0, MAX_INTEGER), "a number for bots that want chance and reproducible games")
    shared: SharedFields | None = SHARED


@frozen(kw_only=True)
class RequestClosed:
    """A request of this seat is closed, and what counts."""

    TYPE: ClassVar = "request_closed"
    game: str = wire(GAME, "game id")
    request: int = wire(REQUEST, "the request")
    reason: ClosedBecause = wire(choice(ClosedBecause), "why")
    choice: int = wire(integer(0, 104), "the card or row that counts")
    took_ms: int | None = optional(
        MILLISECONDS, "measured time of the answer that counts; absent for a default"
    )
    bank_ms: int = wire(MILLISECONDS, "what is left in the time bank of this game")
    strikes: int = wire(COUNT, "strikes of this seat in this game so far, also those it was not told of")
