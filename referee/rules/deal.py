"""One deal: the draft if there is one, then ten tricks (R3 to R7, R12, R13)."""

import copy
import enum
from collections.abc import Mapping

from referee.rules.cards import HAND_SIZE, ROWS
from referee.rules.decisions import DecisionKind, Pending, checked_choices
from referee.rules.events import (
    CardDrafted,
    CardPlaced,
    Cards,
    CardsRevealed,
    CowJumped,
    DealStarted,
    DraftEnded,
    Event,
    RowTaken,
)
from referee.rules.layout import Layout, Take

NO_ROWS: tuple[Cards, ...] = ((),) * ROWS
_ROW_CHOICES = tuple(range(ROWS))


class Phase(enum.Enum):
    """What a deal waits for."""

    DRAFT = enum.auto()
    """The pick of one seat."""

    CARDS = enum.auto()
    """A card of every seat."""

    ROW = enum.auto()
    """The row that the seat of the lowest card takes."""

    DONE = enum.auto()
    """Nothing more."""


# Python 3.11 takes 0.1 us to look up a member of an enum, and a trick needs a dozen: the hot paths use these.
_DRAFT, _CARDS, _ROW, _DONE = Phase.DRAFT, Phase.CARDS, Phase.ROW, Phase.DONE
_A_CARD, _A_ROW, _A_DRAFT = DecisionKind.CARD, DecisionKind.ROW, DecisionKind.DRAFT


class Deal:
    """One deal, from the start to the last trick: DRAFT -> CARDS <-> ROW -> DONE.

    It starts in DRAFT if it has a pool, in CARDS if it has hands, and is DONE if it has neither.

    Attributes:
        number: Number of the deal, from 1.
        phase: What it waits for.
        hands: The cards in hand: a list by seat of ascending tuples.
        layout: The rows (four empty ones until a draft has ended) and the cow.
        pool: The cards that can still be drafted, ascending.
        opener: Seat that picks first; `None` if there is no draft.
        trick: Number of the trick, from 1; 0 during a draft.
        trick_cards: The open cards by seat while a row is awaited; otherwise empty.
        taken: Bullheads taken so far: a list by seat.
        seen: The cards that have lain open: a list, in any order.
    """

    def __init__(
        self,
        *,
        number: int,
        hands: tuple[Cards, ...],
        rows: tuple[Cards, ...] = NO_ROWS,
        jumping_cow: bool,
        pool: Cards = (),
        opener: int | None = None,
    ) -> None:
        self.number = number
        self.hands = list(hands)
        self.pool = pool
        self.opener = opener
        self.trick_cards: Cards = ()
        self.taken = [0] * len(hands)
        self._jumping_cow = jumping_cow
        self._seats = range(len(hands))
        self._queue: list[int] = []
        self._pending: tuple[Pending, ...] | None = None
        if any(hands):
            self.seen = [card for (card,) in rows]
            self._start_tricks(rows)
        else:
            self.seen = list(pool)
            self.trick = 0
            self.layout = Layout(NO_ROWS, None)
            self.phase = Phase.DRAFT if pool else Phase.DONE

    def copy(self) -> "Deal":
        """Give an independent copy."""
        twin = copy.copy(self)
        twin.hands = self.hands.copy()
        twin.layout = self.layout.copy()
        twin.taken = self.taken.copy()
        twin.seen = self.seen.copy()
        return twin

    def started(self) -> DealStarted:
        """Give the event that opens the deal; ask before the first decision."""
        return DealStarted(
            deal=self.number,
            hands=tuple(self.hands),
            rows=tuple(self.layout.rows),
            cow=self.layout.cow,
            pool=self.pool,
            opener=self.opener,
        )

    def pending(self) -> tuple[Pending, ...]:
        """Give the decisions that are awaited, in the order of seats."""
        if self._pending is None:
            self._pending = self._owed()
        return self._pending

    def apply(self, decisions: Mapping[int, int]) -> list[Event]:
        """Take the decisions that are pending and play on until the next ones, or to the end of the deal.

        Args:
            decisions: The choice of each pending seat, and of no other.

        Returns:
            What happened, in order.

        Raises:
            IllegalDecision: If a decision is missing, not asked for, or not among the choices; nothing has
                changed then.
        """
        pending = self.pending()
        choices = checked_choices(decisions, pending)
        self._pending = None
        if self.phase is _CARDS:
            return self._reveal(choices)
        (choice,) = choices
        if self.phase is _ROW:
            return self._lay_cards(choice)
        return self._draft(pending[0].seat, choice)

    def _owed(self) -> tuple[Pending, ...]:
        if self.phase is _CARDS:
            return tuple([Pending(seat, _A_CARD, hand) for seat, hand in enumerate(self.hands)])
        if self.phase is _ROW:
            return (Pending(self._queue[0], _A_ROW, _ROW_CHOICES),)
        if self.phase is _DRAFT:
            return (Pending(self._picker(), _A_DRAFT, self.pool),)
        return ()

    def _draft(self, seat: int, card: int) -> list[Event]:
        pick = sum(map(len, self.hands)) + 1
        self.hands[seat] = tuple(sorted((*self.hands[seat], card)))
        self.pool = _without(self.pool, card)
        events: list[Event] = [CardDrafted(self.number, pick, seat, card)]
        if len(self.pool) == ROWS:
            rows = tuple((left,) for left in self.pool)
            self.pool = ()
            self._start_tricks(rows)
            events.append(
                DraftEnded(deal=self.number, hands=tuple(self.hands), rows=rows, cow=self.layout.cow)
            )
        return events

    def _picker(self) -> int:
        """Turn in plain rotation from the opener, not in a snake (R12)."""
        assert self.opener is not None, "a deal with a pool has an opener"
        return (self.opener + sum(map(len, self.hands))) % len(self.hands)

    def _start_tricks(self, rows: tuple[Cards, ...]) -> None:
        self.layout = Layout(rows, None)
        if self._jumping_cow:
            self.layout.cow = self.layout.lowest_row()
        self.trick = 1
        self.phase = Phase.CARDS

    def _reveal(self, cards: Cards) -> list[Event]:
        """Open the cards, and lay them unless the lowest is too low: then its seat chooses first (R6)."""
        self.hands = list(map(_without, self.hands, cards))
        if self.opener is None:
            self.seen += cards
        self.trick_cards = cards
        self._queue = sorted(self._seats, key=cards.__getitem__)
        events: list[Event] = [CardsRevealed(self.number, self.trick, cards)]
        if self.layout.fitting_row(cards[self._queue[0]]) is None:
            self.phase = _ROW
        else:
            events += self._lay_cards(None)
        return events

    def _lay_cards(self, chosen_row: int | None) -> list[Event]:
        """Lay the cards of the trick, lowest first; only the lowest can need a chosen row (R3, R6)."""
        events: list[Event] = []
        place, deal, trick, cards = self.layout.place, self.number, self.trick, self.trick_cards
        for seat in self._queue:
            card = cards[seat]
            placement = place(card, chosen_row)
            chosen_row = None
            if placement.take is not None:
                events.append(self._take(seat, placement.take))
            events.append(CardPlaced(deal, trick, seat, card, placement.row))
            for jump in placement.jumps:
                events.append(CowJumped(deal, trick, jump.from_row, jump.to_row))
                if jump.take is not None:
                    events.append(self._take(seat, jump.take))
        self._end_trick()
        return events

    def _end_trick(self) -> None:
        self.trick_cards = ()
        if self.trick == HAND_SIZE:
            self.phase = _DONE
        else:
            self.trick += 1
            self.phase = _CARDS

    def _take(self, seat: int, take: Take) -> RowTaken:
        """Charge a seat for what it took, and tell it."""
        self.taken[seat] += take.bullheads
        return RowTaken(self.number, self.trick, seat, take.row, take.cards, take.bullheads)


def _without(cards: Cards, card: int) -> Cards:
    # A list knows how to lose a card faster than two slices can be joined.
    left = list(cards)
    left.remove(card)
    return tuple(left)
