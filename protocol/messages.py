"""The messages, one attrs class each; SPEC.md's field tables are generated from this file and its parts."""

from typing import ClassVar

import attrs

from protocol.data import frozen
from protocol.fields import (
    BULLHEADS,
    CARD,
    CARDS,
    COUNT,
    DIGEST,
    GAME,
    MILLISECONDS,
    NAME,
    ORDINAL,
    REQUEST,
    ROW,
    ROWS,
    SEAT,
    SENTENCE,
    array,
    boolean,
    choice,
    integer,
    optional,
    text,
    wire,
)
from protocol.parts import (
    By,
    Cards,
    ClosingBecause,
    Limits,
    Placement,
    Rows,
    Rules,
    StandingsLine,
    TournamentInfo,
    WaitingFor,
)
from protocol.records import record
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow, RequestClosed

VERSION = 1
"""The version of the protocol that this package speaks."""

# --- from the bot ------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Hello:
    """The first message of a connection: who the bot is and what it can do."""

    TYPE: ClassVar = "hello"
    name: str = wire(NAME, "the entrant this bot plays for")
    secret: str = wire(text(128), "the entrant's secret; proves the name, also on return")
    versions: tuple[int, ...] = wire(
        array(integer(1, 1000), longest=16, shortest=1), "protocol versions it speaks"
    )
    games: int = optional(integer(1, 64), "games it can play at once on this connection", 1)
    events: bool = optional(boolean(), "whether it wants the event messages", False)
    client: str = optional(text(64), "program and version, for people", "")


@frozen(kw_only=True)
class Card:
    """The answer to `choose_card`."""

    TYPE: ClassVar = "card"
    request: int = wire(REQUEST, "the id of the request")
    card: int = wire(CARD, "the card to play, one of `choices`")


@frozen(kw_only=True)
class Row:
    """The answer to `choose_row`."""

    TYPE: ClassVar = "row"
    request: int = wire(REQUEST, "the id of the request")
    row: int = wire(ROW, "the row to take, one of `choices`")


@frozen(kw_only=True)
class Draft:
    """The answer to `choose_draft`."""

    TYPE: ClassVar = "draft"
    request: int = wire(REQUEST, "the id of the request")
    card: int = wire(CARD, "the card to pick, one of `choices`")


@attrs.frozen(kw_only=True)
class Leave:
    """The bot leaves the tournament for good; open games go on with defaults in its place."""

    TYPE: ClassVar = "leave"


@attrs.frozen(kw_only=True)
class Ping:
    """Asks for a `pong`; needed by nobody."""

    TYPE: ClassVar = "ping"
    echo: int | None = optional(COUNT, "comes back in the pong")


# --- from the referee: the connection ----------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Welcome:
    """The answer to a `hello` that was accepted."""

    TYPE: ClassVar = "welcome"
    version: int = wire(integer(1, 1000), "the protocol version spoken from now on")
    referee: str = wire(text(64), "program and version")
    name: str = wire(NAME, "the entrant")
    tournament: TournamentInfo = wire(record(TournamentInfo), "what is being played")
    limits: Limits = wire(record(Limits), "clock and bounds")
    commitment: str = wire(DIGEST, "SHA-256 of nonce and seed; both are published at the end")
    open_games: tuple[str, ...] = wire(array(GAME, longest=64), "games of this bot that are under way")


@attrs.frozen(kw_only=True)
class Waiting:
    """There is nothing to do at the moment, and why."""

    TYPE: ClassVar = "waiting"
    reason: WaitingFor = wire(choice(WaitingFor), "what has to come first")
    message: str = wire(SENTENCE, "the same for people")


@attrs.frozen(kw_only=True)
class Pong:
    """The answer to a `ping`."""

    TYPE: ClassVar = "pong"
    echo: int | None = optional(COUNT, "as in the ping")


@attrs.frozen(kw_only=True)
class Error:
    """Something the bot sent was wrong."""

    TYPE: ClassVar = "error"
    code: str = wire(text(32, pattern="[a-z_]+", name="error code"), "which error; see the list of errors")
    message: str = wire(SENTENCE, "what was wrong and what to do, for people")
    fatal: bool = wire(boolean(), "whether the connection ends with this")
    request: int | None = optional(REQUEST, "the request that the wrong message answered")


@attrs.frozen(kw_only=True)
class Closing:
    """The last message of a connection that ends in good order."""

    TYPE: ClassVar = "closing"
    reason: ClosingBecause = wire(choice(ClosingBecause), "why")
    message: str = wire(SENTENCE, "the same for people")
    retry_ms: int | None = optional(MILLISECONDS, "come back after this long; absent: do not come back")


@attrs.frozen(kw_only=True)
class TournamentEnd:
    """The result, and what proves the deals."""

    TYPE: ClassVar = "tournament_end"
    complete: bool = wire(boolean(), "whether everything scheduled was played")
    standings: tuple[StandingsLine, ...] = wire(
        array(record(StandingsLine), longest=100), "the first hundred"
    )
    you: StandingsLine = wire(record(StandingsLine), "the entrant's own line")
    nonce: str = wire(DIGEST, "the 32 bytes that were hashed before the seed")
    seed: str = wire(text(1024), "the seed of all deals")
    digest: str = wire(DIGEST, "SHA-256 over the records of all games")


# --- from the referee: a game ------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class GameStart:
    """A game begins for this seat, or is under way when its bot comes (back)."""

    TYPE: ClassVar = "game_start"
    game: str = wire(GAME, "the id of the game, in all its messages")
    round: int = wire(ORDINAL, "round")
    table: int = wire(ORDINAL, "table of the round")
    set: int = wire(ORDINAL, "deal set of the table; games of one set use the same decks")
    number: int = wire(ORDINAL, "game of the table")
    seat: int = wire(SEAT, "the bot's own seat")
    names: tuple[str, ...] = wire(array(NAME, longest=10, shortest=2), "the entrants by seat")
    rules: Rules = wire(record(Rules), "the rules of the game")
    resumed: bool = wire(boolean(), "whether the game was under way before this connection")


@attrs.frozen(kw_only=True)
class DealStart:
    """(event) A deal begins."""

    TYPE: ClassVar = "deal_start"
    game: str = wire(GAME, "game id")
    seq: int = wire(ORDINAL, "number of the event within the deal, from 1")
    deal: int = wire(ORDINAL, "deal of the game")
    hand: Cards = wire(CARDS, "the cards dealt to the bot; empty before a draft")
    rows: Rows = wire(ROWS, "the rows; empty before a draft")
    cow: int | None = optional(ROW, "the cow's row; absent before a draft and where there is no cow")
    pool: Cards = wire(CARDS, "the cards to draft from; empty where there is no draft")
    opener: int | None = optional(SEAT, "the seat that picks first")
    totals: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads of the complete deals, by seat")


@attrs.frozen(kw_only=True)
class Drafted:
    """(event) A card was picked in a draft."""

    TYPE: ClassVar = "drafted"
    game: str = wire(GAME, "game id")
    seq: int = wire(ORDINAL, "number of the event within the deal, from 1")
    deal: int = wire(ORDINAL, "deal")
    pick: int = wire(ORDINAL, "number of the pick within the deal")
    seat: int = wire(SEAT, "who picked")
    card: int = wire(CARD, "the card")
    by: By = wire(choice(By), "who chose; one string")


@attrs.frozen(kw_only=True)
class DraftEnd:
    """(event) The draft is over and the rows are laid."""

    TYPE: ClassVar = "draft_end"
    game: str = wire(GAME, "game id")
    seq: int = wire(ORDINAL, "number of the event within the deal, from 1")
    deal: int = wire(ORDINAL, "deal")
    hands: tuple[Cards, ...] = wire(array(CARDS, longest=10), "all hands, by seat")
    rows: Rows = wire(ROWS, "the rows")
    cow: int | None = optional(ROW, "the cow's row, where there is a cow")


@attrs.frozen(kw_only=True)
class TrickResult:
    """(event) A trick was played."""

    TYPE: ClassVar = "trick_result"
    game: str = wire(GAME, "game id")
    seq: int = wire(ORDINAL, "number of the event within the deal, from 1")
    deal: int = wire(ORDINAL, "deal")
    trick: int = wire(ORDINAL, "trick of the deal")
    cards: Cards = wire(CARDS, "the cards played, by seat")
    by: tuple[By, ...] = wire(array(choice(By), longest=10), "who chose the card; an array, by seat")
    placements: tuple[Placement, ...] = wire(array(record(Placement), longest=10), "in the order of laying")
    row_by: By | None = optional(choice(By), "who chose the row, where one was chosen; one string")
    rows: Rows = wire(ROWS, "the rows after the trick")
    cow: int | None = optional(ROW, "the cow's row after the trick, where there is a cow")
    taken: tuple[int, ...] = wire(
        array(BULLHEADS, longest=10), "bullheads taken in this deal so far, by seat"
    )


@attrs.frozen(kw_only=True)
class DealEnd:
    """(event) A deal is over."""

    TYPE: ClassVar = "deal_end"
    game: str = wire(GAME, "game id")
    seq: int = wire(ORDINAL, "number of the event within the deal, from 1")
    deal: int = wire(ORDINAL, "deal")
    bullheads: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "taken in this deal, by seat")
    totals: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "of all deals so far, by seat")


@attrs.frozen(kw_only=True)
class GameEnd:
    """A game is over."""

    TYPE: ClassVar = "game_end"
    game: str = wire(GAME, "game id")
    totals: tuple[int, ...] = wire(array(BULLHEADS, longest=10), "bullheads by seat; the lowest wins")
    places: tuple[int, ...] = wire(
        array(ORDINAL, longest=10), "places by seat, such as 1-2-2-4; forfeited seats last"
    )
    forfeited: tuple[bool, ...] = wire(array(boolean(), longest=10), "by seat")
    digest: str = wire(DIGEST, "SHA-256 of the game's record")


FROM_BOT: tuple[type, ...] = (Hello, Card, Row, Draft, Leave, Ping)
FROM_REFEREE: tuple[type, ...] = (
    Welcome,
    Waiting,
    GameStart,
    DealStart,
    ChooseCard,
    ChooseRow,
    ChooseDraft,
    RequestClosed,
    Drafted,
    DraftEnd,
    TrickResult,
    DealEnd,
    GameEnd,
    TournamentEnd,
    Error,
    Pong,
    Closing,
)

BotMessage = Hello | Card | Row | Draft | Leave | Ping
Answer = Card | Row | Draft
Request = ChooseCard | ChooseRow | ChooseDraft
EventMessage = DealStart | Drafted | DraftEnd | TrickResult | DealEnd
RefereeMessage = (
    Welcome
    | Waiting
    | GameStart
    | EventMessage
    | Request
    | RequestClosed
    | GameEnd
    | TournamentEnd
    | Error
    | Pong
    | Closing
)
Message = BotMessage | RefereeMessage


def answer_value(answer: Answer) -> int:
    """Return the card or row that an answer names."""
    return answer.row if isinstance(answer, Row) else answer.card
