"""Help for the tests of a table: one table on a bench, with a clock that the test turns."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from protocol.errors import ErrorCode, PeerError
from protocol.messages import (
    Answer,
    Card,
    DealEnd,
    DealStart,
    Draft,
    Drafted,
    DraftEnd,
    Error,
    GameEnd,
    RefereeMessage,
    Row,
    TrickResult,
)
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow, RequestClosed
from referee.play.clock import Arrival, ClockRules
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.seats import Presence
from referee.play.table import Table, TableSetup
from referee.rules.decks import DealId, bot_seed, deck
from referee.rules.variants import Rules, Variant, cards_in_play

MS = 1_000_000
REPORTS = (DealStart, Drafted, DraftEnd, TrickResult, DealEnd)
REQUESTS = (ChooseCard, ChooseRow, ChooseDraft)
Request = ChooseCard | ChooseRow | ChooseDraft
GAME = GameId(round=3, table=2, deal_set=1, game=1)
SEED = "bench"
NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida", "joe")
ONE_DEAL = Rules(target=None, deals=1)
MOST_STEPS = 2000
"""More than any game of these tests takes."""

CLOCK = ClockRules(move_ns=1000 * MS)
BANKED = ClockRules(move_ns=1000 * MS, grace_ns=200 * MS, bank_ns=500 * MS)


@attrs.frozen
class Dealt:
    """Hands and row starts of every deal of a game."""

    hands: tuple[tuple[int, ...], ...]
    rows: tuple[int, int, int, int]


STEADY = Dealt((tuple(range(11, 31, 2)), tuple(range(12, 32, 2))), (1, 2, 3, 4))
"""Two seats, odd against even cards: no card is ever too low."""

LOW = Dealt((tuple(range(1, 11)), tuple(range(91, 101))), (55, 66, 81, 82))
"""Two seats: the cards 1 to 10 of seat 0 are too low at first. Rows cost 7, 5, 1 and 1."""

COW = Dealt(
    ((9, 32, 34, 40, 41, 42, 43, 44, 45, 46), (33, 35, 50, 51, 52, 53, 54, 56, 57, 100)), (21, 31, 90, 95)
)
"""Two seats: 32 and 33, then 34 and 35 fill row 1 to five; then the 9 of seat 0 is too low."""

THREE = Dealt((tuple(range(11, 41, 3)), tuple(range(12, 42, 3)), tuple(range(13, 43, 3))), (1, 2, 3, 4))
"""Three seats; no card is ever too low."""


class Bench:
    """A table, what it has told and what has happened, and the time.

    Attributes:
        table: The table.
        now: The time in ns; messages are sent at once.
        events: All events so far.
        told: All messages so far, by seat.
        wire: All (seat, message) pairs so far, in order.
    """

    def __init__(
        self,
        dealt: Dealt | None = STEADY,
        *,
        players: int = 2,
        rules: Rules = ONE_DEAL,
        clock: ClockRules = CLOCK,
        here: Iterable[int] | None = None,
        gone: Iterable[int] = (),
        listeners: Iterable[int] = (),
        game: GameId = GAME,
        seed: str = SEED,
        names: Sequence[str] | None = None,
        now: int = 0,
    ) -> None:
        self.players = len(dealt.hands) if dealt else players
        names = tuple(names or NAMES[: self.players])
        self.seeds_asked: list[tuple[str, str]] = []

        def seeded(entrant: str, decision: str) -> int:
            self.seeds_asked.append((entrant, decision))
            return bot_seed(seed, game=str(game), entrant=entrant, decision=decision)

        setup = TableSetup(
            game=game,
            names=names,
            rules=rules,
            clock=clock,
            decks=decks_of(dealt, rules, self.players, seed, game),
            bot_seed=seeded,
        )
        ids = itertools.count(1)
        self.table = Table(setup, lambda: next(ids))
        self.now = now
        self.events: list[object] = []
        self.told: dict[int, list[RefereeMessage]] = {seat: [] for seat in range(self.players)}
        self.wire: list[tuple[int, RefereeMessage]] = []
        self._wanted = set(listeners)
        present = range(self.players) if here is None else here
        self.table.begin({seat: seat in self._wanted for seat in present}, gone)
        self.send()

    # --- what happens ---------------------------------------------------------------------------------

    def send(self) -> list[tuple[int, RefereeMessage]]:
        """Take what the table wants sent, send it now, and return it."""
        output = self.table.take_output()
        self.events += output.events
        self.wire += output.messages
        for seat, message in output.messages:
            self.told[seat].append(message)
        self.table.sent(self.now)
        return list(output.messages)

    def at(self, ms: float) -> "Bench":
        """Turn the clock to so many ms."""
        self.now = round(ms * MS)
        return self

    def later(self, ms: float) -> "Bench":
        """Turn the clock on by so many ms."""
        self.now += round(ms * MS)
        return self

    def answer(self, seat: int, choice: int | None = None, *, request: int | None = None) -> list[object]:
        """Let a seat answer what it was asked last, by default the lowest choice; return what is told."""
        asked = self.asked(seat)
        message = answer_to(asked, min(asked.choices) if choice is None else choice, request)
        return self.say(seat, message)

    def say(self, seat: int, answer: Answer, arrival: Arrival | None = None) -> list[object]:
        """Let any answer of a seat arrive; return what is told thereupon."""
        self.table.answered(seat, answer, arrival or Arrival.at(self.now), self.now)
        return list(self.send())

    def garble(self, seat: int, request: int | None) -> list[object]:
        """Let an answer arrive whose fields are wrong."""
        error = PeerError(ErrorCode.BAD_FIELD, "The field 'card' must be an integer.", request=request)
        self.table.malformed(seat, error, Arrival.at(self.now))
        return list(self.send())

    def tick(self) -> list[object]:
        """Let the table look at the clock."""
        self.table.tick(self.now)
        return list(self.send())

    def expire(self) -> list[object]:
        """Turn the clock to the moment the table wants to be woken at, and wake it."""
        wake = self.table.wake_at()
        assert wake is not None, "the table waits for nothing"
        self.now = max(self.now, wake)
        return self.tick()

    def drop(self, seat: int) -> list[object]:
        """Let a seat's connection be lost."""
        self.table.left(seat, Presence.AWAY, self.now)
        return list(self.send())

    def leave(self, seat: int) -> list[object]:
        """Let a seat's bot leave for good."""
        self.table.left(seat, Presence.GONE, self.now)
        return list(self.send())

    def come(self, seat: int, *, events: bool = False) -> list[object]:
        """Let a seat's bot come, again or at last."""
        self.table.returned(seat, self.now, wants_events=events)
        return list(self.send())

    def violate(self, seat: int, fault: Fault = Fault.VIOLATION) -> list[object]:
        """Let a seat's connection be ended for a violation."""
        self.table.violated(seat, fault, self.now)
        return list(self.send())

    def round_of(self, choices: Mapping[int, int]) -> None:
        """Let these seats answer in this order with these choices."""
        for seat, choice in choices.items():
            self.answer(seat, choice)

    def play_out(self, choose: Callable[[Request], int] | None = None) -> "Bench":
        """Let all seats that are asked answer at once until the game is over."""
        for _ in range(MOST_STEPS):
            if self.table.result is not None:
                return self
            for seat in self.open_seats():
                asked = self.asked(seat)
                self.answer(seat, choose(asked) if choose else min(asked.choices))
        raise AssertionError("the game does not end")

    def run_down(self) -> "Bench":
        """Let nobody do anything until the game is over."""
        for _ in range(MOST_STEPS):
            if self.table.result is not None:
                return self
            self.expire()
        raise AssertionError("the game does not end")

    # --- what can be seen -------------------------------------------------------------------------------

    def asked(self, seat: int) -> Request:
        """Return the request that a seat was told last."""
        return next(message for message in reversed(self.told[seat]) if isinstance(message, REQUESTS))

    def open_seats(self) -> list[int]:
        """Return the seats that have been told of a request which is not closed yet."""
        found = []
        for seat, asked in self.table._desk.requests.items():
            if asked.id is not None and not asked.closed and self.table.seats[seat].can_answer:
                found.append(seat)
        return found

    def closings(self, seat: int) -> list[RequestClosed]:
        """Return what a seat was told about closed requests."""
        return [message for message in self.told[seat] if isinstance(message, RequestClosed)]

    def reasons(self, seat: int) -> list[ClosedBecause]:
        """Return why the requests of a seat were closed, as it was told."""
        return [message.reason for message in self.closings(seat)]

    def errors(self, seat: int) -> list[str]:
        """Return the error codes that a seat was told."""
        return [message.code for message in self.told[seat] if isinstance(message, Error)]

    def faults(self, seat: int) -> dict[str, int]:
        """Return the faults of a seat by name, without zeros."""
        return {fault.value: count for fault, count in self.table.seats[seat].faults.items() if count}

    def strikes(self) -> list[int]:
        """Return the strikes by seat."""
        return [seat.strikes for seat in self.table.seats]

    def bank_ms(self, seat: int) -> float:
        """Return what is left of a seat's bank."""
        return self.table.seats[seat].bank_ns / MS

    def of(self, kind: type) -> list:
        """Return the events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def reports(self, seat: int) -> list:
        """Return the event messages that a seat was told."""
        return [message for message in self.told[seat] if isinstance(message, REPORTS)]

    def results(self, seat: int = 0) -> list[TrickResult]:
        """Return the trick results that a seat was told."""
        return [message for message in self.told[seat] if isinstance(message, TrickResult)]

    def end(self, seat: int = 0) -> GameEnd:
        """Return the last word to a seat."""
        (message,) = (message for message in self.told[seat] if isinstance(message, GameEnd))
        return message

    def digest(self) -> str:
        """Return the digest of the finished game."""
        assert self.table.result is not None
        return self.table.result.digest


def answer_to(asked: Request, choice: int, request: int | None = None) -> Answer:
    """Make the kind of answer that a request wants."""
    number = asked.request if request is None else request
    if isinstance(asked, ChooseRow):
        return Row(request=number, row=choice)
    if isinstance(asked, ChooseDraft):
        return Draft(request=number, card=choice)
    return Card(request=number, card=choice)


def decks_of(
    dealt: Dealt | None, rules: Rules, players: int, seed: str, game: GameId
) -> Callable[[int], Sequence[int]] | None:
    """Deal the same in each deal, or from the seed; nothing where cards are drafted."""
    if rules.variant is Variant.ADVANCED:
        return None
    if dealt:
        return lambda _: (*itertools.chain(*dealt.hands), *dealt.rows)
    highest, count = rules.highest_card(players), cards_in_play(players)

    def from_seed(deal: int) -> Sequence[int]:
        where = DealId(round=game.round, table=game.table, deal_set=game.deal_set, deal=deal)
        return deck(seed, where, highest=highest, count=count)

    return from_seed


def chance(asked: Request) -> int:
    """Choose by the number in the request."""
    return asked.choices[asked.bot_seed % len(asked.choices)]


def without_hand(message: RefereeMessage) -> RefereeMessage:
    """Blank the only thing in which what events bots are told differs."""
    return attrs.evolve(message, hand=()) if isinstance(message, DealStart) else message


def kinds(messages: Iterable[object]) -> list[str]:
    """Return the types of messages, or of (seat, message) pairs, as the wire names them."""
    return [(item[1] if isinstance(item, tuple) else item).TYPE for item in messages]
