"""A real game in which the bot that is checked has one seat, and everybody else answers at once."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from protocol.messages import Answer, Card, Draft, RefereeMessage, Request, Row
from protocol.requests import ChooseCard, ChooseRow, RequestClosed
from referee.play.clock import NS_PER_MS, Arrival, ClockRules
from referee.play.names import GameId
from referee.play.seats import Presence
from referee.play.table import Table, TableSetup
from referee.rules.decks import DealId, bot_seed, deck
from referee.rules.variants import Rules, Variant, cards_in_play

if TYPE_CHECKING:
    from referee.play.steps import Step

SEED = "take5-referee check"
"""Of all games here, so that a bot that is checked again meets the same cards."""

ONE_DEAL = Rules(target=None, deals=1)
"""The classic game, one deal of it."""

STRIKES = 3


@attrs.frozen(kw_only=True)
class Plan:
    """What is played.

    Attributes:
        rules: The rules of the game.
        players: How many seats.
        seat: The seat of the bot that is checked.
        number: Number of the game; it moves the opener of a draft and is in the game's id.
        lowest_hand: Whether the bot is dealt 1 to 10 below rows of 101 to 104, so that it has to take rows.
        move_ms: The time for a decision.
    """

    rules: Rules = ONE_DEAL
    players: int = 4
    seat: int = 0
    number: int = 1
    lowest_hand: bool = False
    move_ms: int = 2000


class Match:
    """One game: new -> playing -> over. Its methods return what is to be sent to the bot, in order.

    Attributes:
        asked: The request that the bot has not answered yet; None if it owes nothing.
        over: Whether the game has ended.
    """

    def __init__(self, plan: Plan, name: str, ids: Iterator[int]) -> None:
        self.asked: Request | None = None
        self._plan = plan
        self._ids = ids
        self._now = 0
        self._steps: list[Step] = []
        self._setup = TableSetup(
            game=GameId(round=1, table=1, deal_set=1, game=plan.number),
            names=_names(name, plan),
            rules=plan.rules,
            clock=ClockRules(move_ns=plan.move_ms * NS_PER_MS, strikes=STRIKES),
            decks=_decks(plan),
            bot_seed=lambda entrant, decision: bot_seed(
                SEED, game=self.game, entrant=entrant, decision=decision
            ),
        )
        self._table = Table(self._setup, lambda: next(ids))

    @property
    def game(self) -> str:
        """The id of the game."""
        return str(self._setup.game)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._table.result is not None

    def begin(self, *, events: bool) -> list[RefereeMessage]:
        """Start the game."""
        self._table.begin({seat: events and seat == self._plan.seat for seat in range(self._plan.players)})
        return self._go_on()

    def take(self, answer: Answer) -> list[RefereeMessage]:
        """Take the bot's answer, which has been checked."""
        self._table.answered(self._plan.seat, answer, Arrival.at(self._now), self._now)
        return self._go_on()

    def decide_by_default(self) -> list[RefereeMessage]:
        """Let the time of the open request run out."""
        wake_at = self._table.wake_at()
        assert wake_at is not None, "a request is open"
        self._now = wake_at
        self._table.tick(self._now)
        return self._go_on()

    def lose_bot(self) -> None:
        """Let the bot's connection break."""
        self._table.left(self._plan.seat, Presence.AWAY, self._now)
        self._go_on()

    def regain_bot(self, *, events: bool, after_ms: int = 0) -> list[RefereeMessage]:
        """Let the bot come back so many milliseconds later."""
        self._now += after_ms * NS_PER_MS
        self._table.returned(self._plan.seat, self._now, wants_events=events)
        return self._go_on()

    def restart(self, *, events: bool) -> list[RefereeMessage]:
        """Let the referee itself have been stopped: the same game, with open requests asked afresh."""
        self._table = Table(self._setup, lambda: next(self._ids))
        self._table.restore(self._steps)
        self._table.begin({seat: events and seat == self._plan.seat for seat in range(self._plan.players)})
        return self._go_on()

    def _go_on(self) -> list[RefereeMessage]:
        """Answer for the others until it is the bot's turn; return what the bot is told meanwhile."""
        told: list[RefereeMessage] = []
        while messages := self._output():
            others = [message for seat, message in messages if seat != self._plan.seat]
            told += [message for seat, message in messages if seat == self._plan.seat]
            for seat, message in messages:
                if seat != self._plan.seat and isinstance(message, Request):
                    self._table.answered(seat, _highest(message), Arrival.at(self._now), self._now)
            if not others:
                break
        for message in told:
            if isinstance(message, Request):
                self.asked = message
            elif isinstance(message, RequestClosed):
                self.asked = None
        return told

    def _output(self) -> Sequence[tuple[int, RefereeMessage]]:
        output = self._table.take_output()
        self._steps += output.steps
        self._table.sent(self._now)
        return output.messages


def request_ids(start: int = 1, step: int = 1) -> Iterator[int]:
    """Count requests; other tables of the tournament use those between."""
    return itertools.count(start, step)


def answer_of(request: Request, choice: int) -> Answer:
    """Return the answer to a request that makes a choice."""
    if isinstance(request, ChooseCard):
        return Card(request=request.request, card=choice)
    if isinstance(request, ChooseRow):
        return Row(request=request.request, row=choice)
    return Draft(request=request.request, card=choice)


def _highest(request: Request) -> Answer:
    """Play high, so that the bot that is checked has the low cards of a trick more often than not."""
    return answer_of(request, max(request.choices))


def _names(name: str, plan: Plan) -> tuple[str, ...]:
    others = (other for number in itertools.count(1) if (other := f"other-{number}") != name)
    return tuple(name if seat == plan.seat else next(others) for seat in range(plan.players))


def _decks(plan: Plan) -> Callable[[int], Sequence[int]] | None:
    rules, players = plan.rules, plan.players
    if rules.variant is Variant.ADVANCED:
        return None
    if plan.lowest_hand:
        return lambda deal: _lowest_hand(plan)
    count, highest = cards_in_play(players), rules.highest_card(players)
    return lambda deal: deck(
        SEED, DealId(round=1, table=1, deal_set=1, deal=deal), highest=highest, count=count
    )


def _lowest_hand(plan: Plan) -> Sequence[int]:
    """Return a deck of the classic game in which the bot has 1 to 10 and the rows begin at 101 to 104."""
    others = iter(range(11, 101))
    hands = [
        range(1, 11) if seat == plan.seat else list(itertools.islice(others, 10))
        for seat in range(plan.players)
    ]
    return [*itertools.chain.from_iterable(hands), 101, 102, 103, 104]
