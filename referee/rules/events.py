"""What happens in a game, as data: the one stream that feeds bots, journal, watchers and replay.

Deals, tricks and picks count from 1; seats and rows are indexes from 0. Tuples "by seat" hold one item for
each seat. Cards are integers; those of a hand, a row or a pool are ascending.

The events of a pick or a trick may be made by position, and the rules do: by name it takes twice as long, and
there are sixty in a deal. Those of a deal or a game are made by name only.
"""

from typing import TypeAlias

from referee.rules.data import frozen

Cards: TypeAlias = tuple[int, ...]


@frozen(kw_only=True)
class DealStarted:
    """A deal begins: the cards are dealt, or lie open to be drafted.

    Attributes:
        deal: Number of the deal.
        hands: Cards by seat; empty in the advanced variant, where they are yet to be drafted.
        rows: The four rows, one card each; empty in the advanced variant.
        cow: Row of the cow; `None` without a cow, and until the draft has ended.
        pool: The cards to draft from; empty in the other variants.
        opener: Seat that picks first; `None` in the other variants.
    """

    deal: int
    hands: tuple[Cards, ...]
    rows: tuple[Cards, ...]
    cow: int | None
    pool: Cards
    opener: int | None


@frozen
class CardDrafted:
    """A seat picked a card from the pool; `pick` counts the picks of the deal."""

    deal: int
    pick: int
    seat: int
    card: int


@frozen(kw_only=True)
class DraftEnded:
    """Each seat has its ten cards, and the four that are left start the rows in ascending order.

    Attributes:
        deal: Number of the deal.
        hands: Cards by seat.
        rows: The four rows, one card each.
        cow: Row of the cow; `None` without a cow.
    """

    deal: int
    hands: tuple[Cards, ...]
    rows: tuple[Cards, ...]
    cow: int | None


@frozen
class CardsRevealed:
    """Everybody has chosen: the cards of the trick, by seat, lie open. None is in a row yet."""

    deal: int
    trick: int
    cards: Cards


@frozen
class CardPlaced:
    """A card was laid in a row. What it took to get there is told before, what the cow did after."""

    deal: int
    trick: int
    seat: int
    card: int
    row: int


@frozen
class RowTaken:
    """A seat took cards of a row.

    It comes before the `CardPlaced` of the card that takes (R5, R6), or after the `CowJumped` that filled
    the row (R13e): then the row's highest card stays and is not among `cards`.

    Attributes:
        deal: Number of the deal.
        trick: Number of the trick.
        seat: Who takes.
        row: Whose cards.
        cards: The cards taken, ascending.
        bullheads: What they cost.
    """

    deal: int
    trick: int
    seat: int
    row: int
    cards: Cards
    bullheads: int


@frozen
class CowJumped:
    """The cow went from one row to another (R13d, R13e)."""

    deal: int
    trick: int
    from_row: int
    to_row: int


@frozen(kw_only=True)
class DealEnded:
    """All tricks of the deal are played.

    Attributes:
        deal: Number of the deal.
        bullheads: Bullheads of this deal, by seat.
        totals: Bullheads of the game so far, by seat, this deal included.
    """

    deal: int
    bullheads: tuple[int, ...]
    totals: tuple[int, ...]


@frozen(kw_only=True)
class GameEnded:
    """The game is over.

    Attributes:
        totals: Bullheads of the game, by seat.
        places: Place of each seat: 1 is the lowest total, equal totals share a place (1-2-2-4).
    """

    totals: tuple[int, ...]
    places: tuple[int, ...]


Event: TypeAlias = (
    DealStarted
    | CardDrafted
    | DraftEnded
    | CardsRevealed
    | CardPlaced
    | RowTaken
    | CowJumped
    | DealEnded
    | GameEnded
)
