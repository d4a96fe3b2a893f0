"""What messages are made of: the words they use, and the maps inside them."""

import enum

import attrs

from protocol.fields import (
    BULLHEADS,
    CARD,
    CARDS,
    COUNT,
    MILLISECONDS,
    NAME,
    ORDINAL,
    ROW,
    SEAT,
    array,
    boolean,
    choice,
    integer,
    optional,
    text,
    wire,
)
from protocol.records import record

Cards = tuple[int, ...]
Rows = tuple[Cards, ...]


class Variant(enum.StrEnum):
    """How cards come to hands."""

    CLASSIC = "classic"
    TACTIC = "tactic"
    ADVANCED = "advanced"


class Format(enum.StrEnum):
    """How a tournament decides who meets whom."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    ALL_COMBINATIONS = "all-combinations"
    COMPARISON = "comparison"


class By(enum.StrEnum):
    """Who made a choice: the bot, or the referee in its place."""

    BOT = "bot"
    DEFAULT = "default"


class ClosedBecause(enum.StrEnum):
    """Why a request is closed."""

    ANSWERED = "answered"
    LATE = "late"
    ILLEGAL = "illegal"
    GONE = "gone"
    FORFEITED = "forfeited"


class WaitingFor(enum.StrEnum):
    """What a bot without a game is waiting for."""

    REGISTRATION = "registration"
    ROUND = "round"
    TABLE = "table"


class ClosingBecause(enum.StrEnum):
    """Why the referee ends a connection that did nothing wrong, or was told before what it did wrong."""

    SUPERSEDED = "superseded"
    SUSPENDED = "suspended"
    FINISHED = "finished"
    REMOVED = "removed"
    LEFT = "left"


@attrs.frozen(kw_only=True)
class Rules:
    """The rules a game is played by."""

    variant: Variant = wire(choice(Variant), "how cards come to hands")
    jumping_cow: bool = wire(boolean(), "whether the cow is in play")
    target: int | None = optional(ORDINAL, "the game ends after the deal in which a total reaches this")
    deals: int | None = optional(ORDINAL, "the game ends after this many deals")
    highest_card: int | None = optional(CARD, "the deck is the cards from 1 to this; absent in `welcome`")


@attrs.frozen(kw_only=True)
class TournamentInfo:
    """What is being played for."""

    format: Format = wire(choice(Format), "how tables are formed")
    table_size: int = wire(integer(2, 10), "seats at a full table")
    games: int = wire(ORDINAL, "games a full table plays in a round")
    rounds: int | None = optional(ORDINAL, "rounds, once it is known")
    rules: Rules = wire(record(Rules), "the rules of every game")


@attrs.frozen(kw_only=True)
class Limits:
    """The clock and the other bounds."""

    move_ms: int = wire(MILLISECONDS, "time for one decision")
    grace_ms: int = wire(MILLISECONDS, "what is added for the network, free of charge")
    bank_ms: int = wire(MILLISECONDS, "extra time per game, used up by what exceeds both; 0: none")
    strikes: int = wire(COUNT, "strikes that forfeit a game; 0: never")
    frame_bytes: int = wire(ORDINAL, "the largest payload of a frame, both ways")
    games: int = wire(ORDINAL, "the most games that this connection will be given at once")


@attrs.frozen(kw_only=True)
class Take:
    """Cards taken from one row."""

    row: int = wire(ROW, "the row")
    cards: Cards = wire(CARDS, "the cards taken, in the order in which they lay")
    bullheads: int = wire(BULLHEADS, "their bullheads")


@attrs.frozen(kw_only=True)
class Placement:
    """One card laid."""

    seat: int = wire(SEAT, "whose card")
    card: int = wire(CARD, "the card")
    row: int = wire(ROW, "the row it now lies in")
    takes: tuple[Take, ...] = wire(
        array(record(Take), longest=4),
        "what its player took, the card's own take first, then those of the jumps; mostly empty",
    )
    jumps: tuple[int, ...] = wire(array(ROW, longest=4), "the rows the cow jumped to, in order; mostly empty")


@attrs.frozen(kw_only=True)
class StandingsLine:
    """One line of the standings."""

    rank: int = wire(ORDINAL, "rank; equal points share one, as in 1-2-2-4")
    name: str = wire(NAME, "the entrant")
    points: str = wire(text(64, pattern=r"[0-9]+(/[0-9]+)?", name="fraction"), 'exact points, such as "13/3"')
    games: int = wire(COUNT, "games played")
