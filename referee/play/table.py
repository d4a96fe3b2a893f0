"""A table: one game being played by bots that may be slow, wrong, or gone.

A machine without I/O. What comes in: a seat answered (and when the answer arrived), it is now T, a bot left,
a bot came back. What goes out: events, messages to seats, and the next moment it wants to be woken.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import attrs

from protocol.errors import PeerError
from protocol.messages import Answer
from referee.play.asking import Asked
from referee.play.briefing import BotSeed, Briefing, rules_info
from referee.play.clock import Arrival, ClockRules
from referee.play.desk import Desk
from referee.play.events import BotLeft, BotReturned, Defaulted, SeatForfeited, TableEvent
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.publishing import Output, Publisher
from referee.play.record import header_line
from referee.play.results import GameResult, SeatResult, final_places
from referee.play.seats import Presence, Seat
from referee.play.steps import Account, Decision, Step
from referee.rules.events import DealEnded, GameEnded
from referee.rules.game import Game
from referee.rules.variants import Rules

LIMITS_WITHOUT_ANYBODY = 3
"""After so many limits that ran out with nobody there, the game is played out by defaults."""

STEPS_AT_ONCE = 50
"""After so many steps for which nobody was waited, the other tables get their turn."""


@attrs.frozen(kw_only=True)
class TableSetup:
    """What a table is made from.

    Attributes:
        game: The game's place in the schedule.
        names: The entrants by seat.
        rules: What is played.
        clock: The limits.
        opening: The number that moves the opener of a draft; that of the game, unless games begin alike.
        decks: Gives the deck of a deal; None in the advanced variant.
        bot_seed: Gives, from (entrant, decision), the number for bots that want chance.
    """

    game: GameId
    names: tuple[str, ...]
    rules: Rules
    clock: ClockRules
    decks: Callable[[int], Sequence[int]] | None
    bot_seed: BotSeed
    opening: int = attrs.field(default=attrs.Factory(lambda setup: setup.game.game, takes_self=True))


class Table:
    """One game at one table: new -> playing -> over.

    Call `begin` once, then whatever happens; then `take_output`. Call `sent` when its messages are handed
    to the network: the clocks of new requests run from then. A `result` means that the game is over.

    Attributes:
        setup: What it was made from.
        seats: The seats.
        result: What it leaves behind; None until the game is over.
    """

    def __init__(self, setup: TableSetup, next_request_id: Callable[[], int]) -> None:
        clock, players = setup.clock, len(setup.names)
        self.setup = setup
        self.seats = tuple(
            Seat(index=index, name=name, bank_ns=clock.bank_ns) for index, name in enumerate(setup.names)
        )
        self.result: GameResult | None = None
        self._next_request_id = next_request_id
        self._game = Game(rules=setup.rules, players=players, game_number=setup.opening, decks=setup.decks)
        info = rules_info(setup.rules, players)
        self._briefing = Briefing(
            game_id=setup.game, game=self._game, clock=clock, bot_seed=setup.bot_seed, info=info
        )
        header = header_line(setup.game, setup.names, setup.rules)
        self._publisher = Publisher(setup.game, self.seats, info, header)
        self._desk = Desk(clock, self._publisher)
        self._deals: list[tuple[int, ...]] = []
        self._accounts = [Account.of(seat) for seat in self.seats]
        self._empty_limits = 0
        self._delay_ns = 0

    @property
    def position(self) -> Game:
        """The game as it stands; to be looked at only."""
        return self._game

    def take_output(self) -> Output:
        """Return the events and messages that have collected."""
        return self._publisher.take()

    def wake_at(self) -> int | None:
        """Return when `tick` is due, in ns: 0 for at once, None for not before something else happens."""
        if self.result is not None:
            return None
        if not self._desk.open_requests:
            return 0
        deadline = self._desk.next_deadline()
        return None if deadline is None else deadline + 1

    def asked_last(self, seat: int, request: int) -> bool:
        """Say whether `request` is what this seat was asked last, whether it is open or just closed."""
        asked = self._desk.requests.get(seat)
        return asked is not None and asked.id == request

    def begin(self, here: Mapping[int, bool], gone: Iterable[int] = ()) -> None:
        """Start the game, or go on with a restored one: what was open is asked afresh, with the full time.

        Args:
            here: The seats whose bots are here, each with whether it wants event messages.
            gone: The seats for which no bot will ever come; the others are away and may come.
        """
        restored = self._game.deal > 0
        for index in gone:
            self.seats[index].presence = Presence.GONE
        for index, wants_events in here.items():
            self._seat_bot(self.seats[index], wants_events)
            self._publisher.start(self.seats[index], resumed=restored)
            if restored:
                self._publisher.tell_deal_again(self.seats[index])
        if not restored:
            self._step(self._game.begin())
        self._ask()
        self._play_on()

    def restore(self, steps: Iterable[Step]) -> None:
        """Bring a new table to where a game was, from all its steps; nobody is there before `begin`.

        Raises:
            IllegalDecision: The steps are not those of this game.
        """
        for _ in self.retrace(steps):
            pass

    def retrace(self, steps: Iterable[Step]) -> Iterator[tuple[TableEvent, ...]]:
        """Do what `restore` does, and give the events: of the beginning, then of each step.

        A step is fetched when the table stands as it did when the step was taken.

        Raises:
            IllegalDecision: The steps are not those of this game.
        """
        self._step(self._game.begin())
        yield self._publisher.take().events
        for step in steps:
            forfeits = [
                SeatForfeited(seat=seat.index)
                for seat, account in zip(self.seats, step.accounts, strict=True)
                if account.forfeited and not seat.forfeited
            ]
            self._happen(step, forfeits)
            for decision in step.decisions:
                if decision.took_ns is not None:
                    self.seats[decision.seat].took_ns.append(decision.took_ns)
            for seat, account in zip(self.seats, step.accounts, strict=True):
                account.give_back(seat)
            if self._game.over:
                self._finish()
            yield self._publisher.take().events

    def sent(self, now: int, times: Sequence[int] | None = None) -> bool:
        """Let the clocks of the requests run that `take_output` gave.

        Args:
            now: When they were sent.
            times: By seat when exactly, where that is known.

        Returns:
            Whether requests are open and all of them have just begun to run.
        """
        return self._desk.sent((now,) * len(self.seats) if times is None else times)

    def answered(self, seat: int, answer: Answer, arrival: Arrival, now: int) -> bool:
        """Take an answer that could be decoded, judged at `now`; return whether it is the seat's decision."""
        if self.result is not None:
            return False
        if now - arrival.latest > self._delay_ns:
            self._delay_ns = now - arrival.latest
        counts = self._desk.answered(self.seats[seat], answer, arrival)
        if not self._desk.open_requests:  # every answer comes by here, and most are not the last
            self._play_on()
        return counts

    def malformed(self, seat: int, error: PeerError, arrival: Arrival) -> None:
        """Take a message that could be read but not decoded; it may have been meant as an answer."""
        if self.result is not None:
            return
        self._desk.malformed(self.seats[seat], error, arrival)
        self._play_on()

    def tick(self, now: int) -> None:
        """Close the requests whose time is over; call only after all that has arrived was read."""
        if self._desk.close_overdue(now) and not any(seat.can_answer for seat in self.seats):
            self._empty_limits += 1
        self._play_on()

    def left(self, seat: int, presence: Presence, now: int) -> None:
        """Take that a seat's bot is no longer there: AWAY if it may come back, GONE if not."""
        chair = self.seats[seat]
        if self.result is not None or chair.presence in (Presence.GONE, presence):
            return
        self._desk.bot_leaves(chair, presence, now)
        if chair.presence is Presence.HERE:
            self._publisher.note(BotLeft(seat=seat))
            if presence is Presence.AWAY:
                self._desk.count(chair, Fault.DISCONNECTED)
        chair.presence = presence
        chair.wants_events = False
        self._play_on()

    def returned(self, seat: int, now: int, *, wants_events: bool) -> None:
        """Take that a seat's bot is there, again or at last: it is told where the game stands."""
        chair = self.seats[seat]
        if self.result is not None or chair.presence is Presence.GONE:
            return
        self._desk.bot_returns(chair, now)
        self._publisher.forget(chair)
        self._seat_bot(chair, wants_events)
        self._empty_limits = 0
        self._publisher.start(chair, resumed=True)
        self._publisher.tell_deal_again(chair)
        asked = self._desk.requests.get(seat)
        if asked and (again := asked.again(now, self.setup.clock)):
            self._publisher.tell(chair, again)
        self._play_on()

    def violated(self, seat: int, fault: Fault, now: int) -> None:
        """Take that a seat's connection was ended for a violation: a strike, and the bot is away."""
        if self.result is not None:
            return
        self._desk.count(self.seats[seat], fault)
        self._desk.strike(self.seats[seat])
        self.left(seat, Presence.AWAY, now)

    def count(self, seat: int, fault: Fault) -> None:
        """Count a fault that has no consequence for the game, while there is one."""
        if self.result is None:
            self._desk.count(self.seats[seat], fault)

    def _seat_bot(self, seat: Seat, wants_events: bool) -> None:
        seat.presence = Presence.HERE
        seat.was_here = True
        seat.wants_events = wants_events
        self._publisher.note(BotReturned(seat=seat.index))

    def _ask(self) -> None:
        pending = self._game.pending()
        occasion = self._briefing.occasion(pending[0].kind)
        rows = self._game.rows
        played_out = self._empty_limits >= LIMITS_WITHOUT_ANYBODY
        requests = {}
        for owed in pending:
            seat = self.seats[owed.seat]
            request_id = message = None
            if seat.can_answer if played_out else seat.decides:
                request_id = self._next_request_id()
                message = self._briefing.request(occasion, seat, owed, request_id)
                self._publisher.tell(seat, message)
            requests[owed.seat] = Asked(request_id, seat, owed, message, rows)
        self._desk.open(requests)

    def _play_on(self) -> None:
        """Resolve step after step while nobody has to be waited for, up to a bound."""
        for _ in range(STEPS_AT_ONCE):
            if self.result is not None or self._desk.open_requests:
                return
            self._resolve()

    def _resolve(self) -> None:
        """Let what was decided happen, then ask for what comes next."""
        requests = tuple(self._desk.requests.values())
        forfeits = self._desk.take_forfeits()
        decisions = tuple([asked.decision() for asked in requests])
        step = Step(decisions, self._accounts_now())
        self._publisher.keep(step)
        self._publisher.closed(requests)
        self._happen(step, forfeits)
        if self._game.over:
            self._finish()
        else:
            self._ask()

    def _accounts_now(self) -> tuple[Account, ...]:
        for seat in self.seats:
            if seat.account_changed:  # seldom
                self._accounts[seat.index] = Account.of(seat)
                seat.account_changed = False
        return tuple(self._accounts)

    def _happen(self, step: Step, forfeits: Sequence[SeatForfeited]) -> None:
        defaulted = [self._defaulted(decision) for decision in step.decisions if decision.took_ns is None]
        decisions = {decision.seat: decision.choice for decision in step.decisions}
        events = self._game.apply(decisions)
        self._step([*forfeits, *defaulted, *events] if forfeits or defaulted else events)

    def _defaulted(self, decision: Decision) -> Defaulted:
        (kind,) = {owed.kind for owed in self._game.pending()}
        return Defaulted(
            deal=self._game.deal,
            trick=self._game.trick,
            seat=decision.seat,
            kind=kind,
            choice=decision.choice,
            reason=decision.reason,
        )

    def _step(self, events: Sequence[TableEvent]) -> None:
        for event in events[-2:]:  # after the end of a deal comes one more, the next deal or the end of all
            if isinstance(event, DealEnded):
                self._deals.append(event.bullheads)
        # The rules know no forfeits: the record's last line, with them, comes from `_finish`.
        self._publisher.step(events[:-1] if isinstance(events[-1], GameEnded) else events)

    def _finish(self) -> None:
        totals = self._game.totals
        places = final_places(totals, [seat.forfeited for seat in self.seats])
        digest, course = self._publisher.end(totals, places)
        seats = tuple(
            SeatResult.of(seat, bullheads=tuple(deal[seat.index] for deal in self._deals))
            for seat in self.seats
        )
        self._desk.open({})
        self.result = GameResult(
            game=self.setup.game,
            seats=seats,
            digest=digest,
            course=course,
            referee_delay_ns=self._delay_ns,
        )
