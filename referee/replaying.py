"""The course of one game as data, deal by deal and trick by trick, made again from its decisions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from protocol.parts import ClosedBecause, Placement
from referee.play.board import Board
from referee.play.events import GameClosed, SeatForfeited, TableEvent
from referee.play.steps import Decision, Step
from referee.play.table import Table, TableSetup
from referee.rules import events as rules
from referee.rules.decisions import DecisionKind, IllegalDecision
from referee.rules.game import Game

Rows = tuple[rules.Cards, ...]


@attrs.frozen(kw_only=True)
class Choice:
    """A decision that counted.

    Attributes:
        deal: In which deal.
        trick: In which trick; 0 in a draft.
        seat: Whose.
        kind: What was decided.
        choice: The card or row.
        reason: ANSWERED, or why it was made by default.
        took_ns: The answer's measured time; None for a default.
    """

    deal: int
    trick: int
    seat: int
    kind: DecisionKind
    choice: int
    reason: ClosedBecause
    took_ns: int | None


@attrs.frozen(kw_only=True)
class Trick:
    """One trick.

    Attributes:
        number: From 1.
        rows_before: The rows when the cards were chosen.
        cow_before: The cow's row then; None without a cow.
        cards: The cards by seat.
        choices: Their choices, by seat, and the choice of a row at the end if there was one.
        placements: What each card did, in order; empty while a row is still to be chosen.
        rows_after: The rows when all cards were laid.
        cow_after: The cow's row then.
        taken: Bullheads taken in the deal so far, by seat.
        forfeits: Seats that forfeited the game in it.
    """

    number: int
    rows_before: Rows
    cow_before: int | None
    cards: rules.Cards
    choices: tuple[Choice, ...]
    placements: tuple[Placement, ...]
    rows_after: Rows
    cow_after: int | None
    taken: tuple[int, ...]
    forfeits: tuple[int, ...]


@attrs.frozen(kw_only=True)
class DealCourse:
    """One deal.

    Attributes:
        number: From 1.
        hands: The cards by seat as the play began; as far as they are drafted in a draft that is not over.
        rows: The rows as the play began.
        cow: The cow's row as the play began.
        picks: The picks of the draft, in order.
        tricks: The tricks so far.
        bullheads: Bullheads of the deal, by seat; None while it is played.
        totals: Bullheads of the game after it, by seat; None while it is played.
    """

    number: int
    hands: tuple[rules.Cards, ...]
    rows: Rows
    cow: int | None
    picks: tuple[Choice, ...] = ()
    tricks: tuple[Trick, ...] = ()
    bullheads: tuple[int, ...] | None = None
    totals: tuple[int, ...] | None = None


@attrs.frozen(kw_only=True)
class Course:
    """A game as far as it was played; `end` is None while it is."""

    setup: TableSetup
    deals: tuple[DealCourse, ...]
    end: GameClosed | None


def course(setup: TableSetup, steps: Iterable[Step]) -> Course:
    """Return the course of a game.

    Args:
        setup: What the table was made from, see `setup.table_setup`.
        steps: All its steps.

    Raises:
        ValueError: The steps are not those of this game.
    """
    follower = _Follower(len(setup.names))
    try:
        for decisions, events in played(setup, steps):
            follower.take(decisions, events)
    except IllegalDecision as error:
        raise ValueError(f"game {setup.game} cannot be replayed: {error}") from error
    return Course(setup=setup, deals=tuple(follower.deals), end=follower.end)


def played(
    setup: TableSetup, steps: Iterable[Step]
) -> Iterator[tuple[tuple[Choice, ...], tuple[TableEvent, ...]]]:
    """Give what was decided at once and what came of it; at first nothing, and the first deal.

    Raises:
        IllegalDecision: The steps are not those of this game.
    """
    table = Table(setup, _no_request)
    decided: list[tuple[Choice, ...]] = [()]

    def watched() -> Iterator[Step]:
        for step in steps:
            decided.append(tuple(_choice(decision, table.position) for decision in step.decisions))
            yield step

    for events in table.retrace(watched()):
        yield decided.pop(), events


class _Follower:
    """Sorts decisions and events into deals and tricks."""

    def __init__(self, players: int) -> None:
        self.deals: list[DealCourse] = []
        self.end: GameClosed | None = None
        self._board = Board(players)
        self._choices: list[Choice] = []
        self._events: list[TableEvent] = []

    def take(self, choices: Sequence[Choice], events: Sequence[TableEvent]) -> None:
        """Take in one step."""
        self._choices += choices
        for event in events:
            self._take(event)
        self._lay()

    def _take(self, event: TableEvent) -> None:
        match event:
            case rules.DealStarted():
                self._board.lay_out(event.rows, event.cow)
                deal = DealCourse(number=event.deal, hands=event.hands, rows=event.rows, cow=event.cow)
                self.deals.append(deal)
            case rules.CardDrafted():
                self._draft(event)
            case rules.DraftEnded():
                self._board.lay_out(event.rows, event.cow)
                self._change(hands=event.hands, rows=event.rows, cow=event.cow)
            case rules.DealEnded():
                self._lay()
                self._change(bullheads=event.bullheads, totals=event.totals)
            case GameClosed():
                self.end = event
            case _:
                self._events.append(event)

    def _draft(self, event: rules.CardDrafted) -> None:
        deal = self.deals[-1]
        hands = list(deal.hands)
        hands[event.seat] = tuple(sorted((*hands[event.seat], event.card)))
        self._change(hands=tuple(hands), picks=(*deal.picks, *self._choices))
        self._choices, self._events = [], []

    def _lay(self) -> None:
        """Make a trick of what has collected, once its cards are laid."""
        if any(isinstance(event, rules.CardPlaced) for event in self._events):
            self._change(tricks=(*self.deals[-1].tricks, self._trick()))
            self._choices, self._events = [], []

    def _trick(self) -> Trick:
        (revealed,) = (event for event in self._events if isinstance(event, rules.CardsRevealed))
        rows, cow = tuple(self._board.rows), self._board.cow
        placements = self._board.follow(self._events)
        return Trick(
            number=revealed.trick,
            rows_before=rows,
            cow_before=cow,
            cards=revealed.cards,
            choices=tuple(self._choices),
            placements=placements,
            rows_after=tuple(self._board.rows),
            cow_after=self._board.cow,
            taken=tuple(self._board.taken),
            forfeits=tuple(event.seat for event in self._events if isinstance(event, SeatForfeited)),
        )

    def _change(self, **changes: Any) -> None:  # noqa: ANN401
        self.deals[-1] = attrs.evolve(self.deals[-1], **changes)


def _choice(decision: Decision, position: Game) -> Choice:
    """Return a decision with the place at which it is made; the rules have not judged it yet."""
    pending = position.pending()
    return Choice(
        deal=position.deal,
        trick=position.trick,
        seat=decision.seat,
        kind=pending[0].kind if pending else DecisionKind.CARD,
        choice=decision.choice,
        reason=decision.reason,
        took_ns=decision.took_ns,
    )


def _no_request() -> int:
    raise AssertionError("a replay asks nobody")
