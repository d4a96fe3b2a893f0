"""Event messages: what happened at a table, told to the bots that want to follow the game.

They are made only when somebody listens: until then the events of the deal are kept as they are, so that a
bot that returns can be told the whole deal again.
"""

from collections.abc import Sequence

import attrs

from protocol.messages import DealEnd, DealStart, Drafted, DraftEnd, EventMessage, TrickResult
from protocol.parts import By
from referee.play.board import Board
from referee.play.events import Defaulted, TableEvent
from referee.rules import events as rules
from referee.rules.decisions import DecisionKind


@attrs.frozen(kw_only=True)
class Report:
    """One thing to tell, the same to every seat but for the hand.

    Attributes:
        message: The message; for a `DealStart` without the hand.
        hands: The hands by seat for a `DealStart`, otherwise None.
    """

    message: EventMessage
    hands: tuple[rules.Cards, ...] | None = None

    def for_seat(self, seat: int) -> EventMessage:
        """Return the message for one seat: nobody is told another's hand."""
        if self.hands is None or not isinstance(self.message, DealStart):
            return self.message
        return attrs.evolve(self.message, hand=self.hands[seat])


class Reporter:
    """Turns the events of one game into reports, numbered within each deal."""

    def __init__(self, game: str, players: int) -> None:
        self._game = game
        self._board = Board(players)
        self._totals: tuple[int, ...] = (0,) * players
        self._untold: list[Sequence[TableEvent]] = []
        self._told: list[Report] = []
        self._trick: list[TableEvent] = []

    def take(self, step: Sequence[TableEvent]) -> None:
        """Take in what followed from one step of the game: the cards of a trick, a row, a pick."""
        self._untold.append(step)

    def forget_ended_deals(self) -> None:
        """Drop what nobody can ask for any more; to be called after each step after which `news` is not."""
        for event in self._untold[-1][-2:]:  # one deal ends and the next begins at the end of a step
            if isinstance(event, rules.DealEnded):
                self._totals = event.totals
            elif isinstance(event, rules.DealStarted):
                self._untold = [[event]]

    def news(self) -> list[Report]:
        """Return what was not reported before, oldest first."""
        found = [report for step in self._untold for report in self._step(step)]
        self._untold = []
        return found

    def deal_so_far(self) -> list[Report]:
        """Return all reports of the deal being played, oldest first."""
        self.news()
        return list(self._told)

    def _step(self, step: Sequence[TableEvent]) -> list[Report]:
        row_was_chosen = any(isinstance(event, rules.CardsRevealed) for event in self._trick)
        found = []
        for event in step:
            if isinstance(event, (rules.DealStarted, rules.DealEnded)):
                found += self._end_trick(row_was_chosen)
            found += self._event(event)
        return found + self._end_trick(row_was_chosen)

    def _event(self, event: TableEvent) -> list[Report]:
        match event:
            case rules.DealStarted():
                return self._start(event)
            case rules.CardDrafted():
                return self._drafted(event)
            case rules.DraftEnded():
                self._board.lay_out(event.rows, event.cow)
                return self._tell(
                    DraftEnd(
                        game=self._game,
                        seq=self._seq,
                        deal=event.deal,
                        hands=event.hands,
                        rows=event.rows,
                        cow=event.cow,
                    )
                )
            case rules.DealEnded():
                self._totals = event.totals
                return self._tell(
                    DealEnd(
                        game=self._game,
                        seq=self._seq,
                        deal=event.deal,
                        bullheads=event.bullheads,
                        totals=event.totals,
                    )
                )
            case _:
                self._trick.append(event)
                return []

    @property
    def _seq(self) -> int:
        return len(self._told) + 1

    def _tell(self, message: EventMessage, hands: tuple[rules.Cards, ...] | None = None) -> list[Report]:
        report = Report(message=message, hands=hands)
        self._told.append(report)
        return [report]

    def _start(self, event: rules.DealStarted) -> list[Report]:
        self._told = []
        # A trick whose end nobody listened to may have been left open in an earlier deal.
        self._trick = []
        self._board.lay_out(event.rows, event.cow)
        message = DealStart(
            game=self._game,
            seq=self._seq,
            deal=event.deal,
            hand=(),
            rows=event.rows,
            cow=event.cow,
            pool=event.pool,
            opener=event.opener,
            totals=self._totals,
        )
        return self._tell(message, event.hands)

    def _drafted(self, event: rules.CardDrafted) -> list[Report]:
        defaulted = any(isinstance(earlier, Defaulted) for earlier in self._trick)
        self._trick = []
        return self._tell(
            Drafted(
                game=self._game,
                seq=self._seq,
                deal=event.deal,
                pick=event.pick,
                seat=event.seat,
                card=event.card,
                by=By.DEFAULT if defaulted else By.BOT,
            )
        )

    def _end_trick(self, row_was_chosen: bool) -> list[Report]:
        """Tell the trick if its cards have been laid; a row may still have to be chosen."""
        if not any(isinstance(event, rules.CardPlaced) for event in self._trick):
            return []
        events, self._trick = self._trick, []
        (revealed,) = (event for event in events if isinstance(event, rules.CardsRevealed))
        defaulted = {(event.seat, event.kind) for event in events if isinstance(event, Defaulted)}
        row_by = By.DEFAULT if any(kind is DecisionKind.ROW for _, kind in defaulted) else By.BOT
        placements = self._board.follow(events)
        message = TrickResult(
            game=self._game,
            seq=self._seq,
            deal=revealed.deal,
            trick=revealed.trick,
            cards=revealed.cards,
            by=tuple(
                By.DEFAULT if (seat, DecisionKind.CARD) in defaulted else By.BOT
                for seat in range(len(revealed.cards))
            ),
            placements=placements,
            row_by=row_by if row_was_chosen else None,
            rows=tuple(self._board.rows),
            cow=self._board.cow,
            taken=tuple(self._board.taken),
        )
        return self._tell(message)
