"""Who is told what, and what goes into the record: everything that leaves a table passes here."""

from collections.abc import Iterable, Sequence

from protocol.errors import PeerError, Severity
from protocol.messages import Error, GameEnd, GameStart, RefereeMessage
from protocol.parts import Rules as RulesInfo
from protocol.requests import RequestClosed
from referee.play.asking import Asked
from referee.play.clock import whole_ms
from referee.play.events import GameClosed, TableEvent
from referee.play.names import GameId
from referee.play.record import RecordDigest, closing_line, event_line
from referee.play.reporting import Report, Reporter
from referee.play.seats import HERE, Seat
from referee.play.steps import Step
from referee.rules.data import frozen


@frozen
class Output:
    """What a table wants done, in this order: steps and events kept, then the messages sent.

    Attributes:
        steps: What was decided.
        events: What happened.
        messages: (seat, message) pairs, in order.
    """

    steps: tuple[Step, ...]
    events: tuple[TableEvent, ...]
    messages: tuple[tuple[int, RefereeMessage], ...]


NOTHING = Output((), (), ())


class Publisher:
    """Collects the events and messages of one game until they are taken."""

    def __init__(self, game: GameId, seats: Sequence[Seat], info: RulesInfo, header: bytes) -> None:
        self._game = game
        self._name = str(game)
        self._seats = seats
        self._info = info
        self._reporter = Reporter(self._name, len(seats))
        self._digest = RecordDigest(header)
        self._steps: list[Step] = []
        self._events: list[TableEvent] = []
        self._messages: list[tuple[int, RefereeMessage]] = []

    def take(self) -> Output:
        """Return what has collected since the last call."""
        if not (self._messages or self._events or self._steps):  # as after most answers
            return NOTHING
        output = Output(tuple(self._steps), tuple(self._events), tuple(self._messages))
        self._steps, self._events, self._messages = [], [], []
        return output

    def keep(self, step: Step) -> None:
        """Have a step kept, from which the game can be restored."""
        self._steps.append(step)

    def note(self, event: TableEvent) -> None:
        """Keep an event that is in no record and that no bot is told of."""
        self._events.append(event)

    def tell(self, seat: Seat, message: RefereeMessage) -> None:
        """Send a message to a seat whose bot is here."""
        if seat.presence is HERE:
            self._messages.append((seat.index, message))

    def complain(self, seat: Seat, error: PeerError) -> None:
        """Tell a seat what was wrong with its message."""
        fatal = error.severity is Severity.FATAL
        message = Error(code=error.code.value, message=error.sentence, fatal=fatal, request=error.request)
        self.tell(seat, message)

    def start(self, seat: Seat, *, resumed: bool) -> None:
        """Tell a seat that the game begins, or goes on."""
        message = GameStart(
            game=self._name,
            round=self._game.round,
            table=self._game.table,
            set=self._game.deal_set,
            number=self._game.game,
            seat=seat.index,
            names=tuple(other.name for other in self._seats),
            rules=self._info,
            resumed=resumed,
        )
        self.tell(seat, message)

    def forget(self, seat: Seat) -> None:
        """Drop what was to be sent to a seat: its next connection is told where the game stands instead."""
        self._messages = [(to, message) for to, message in self._messages if to != seat.index]

    def tell_deal_again(self, seat: Seat) -> None:
        """Tell a bot that came back what has happened in this deal."""
        if seat.wants_events:
            self._report(seat, self._reporter.deal_so_far())

    def step(self, events: Sequence[TableEvent]) -> None:
        """Record what followed from one step of the game, and tell those who listen."""
        self._events += events
        self._digest.add(b"".join([event_line(event) for event in events]))
        self._reporter.take(events)
        listeners = [seat for seat in self._seats if seat.wants_events and seat.presence is HERE]
        if not listeners:
            self._reporter.forget_ended_deals()
            return
        news = self._reporter.news()
        for seat in listeners:
            self._report(seat, news)

    def closed(self, requests: Iterable[Asked]) -> None:
        """Tell each seat that was asked what became of its request."""
        for asked in requests:
            if asked.id is not None and asked.closed is not None and asked.choice is not None:
                message = RequestClosed(
                    game=self._name,
                    request=asked.id,
                    reason=asked.closed,
                    choice=asked.choice,
                    took_ms=None if asked.took_ns is None else whole_ms(asked.took_ns),
                    bank_ms=whole_ms(asked.seat.bank_ns),
                    strikes=asked.seat.strikes,
                )
                self.tell(asked.seat, message)

    def end(self, totals: tuple[int, ...], places: tuple[int, ...]) -> tuple[str, str]:
        """Close the record, tell everybody the result; return the digests of the record and of the course."""
        forfeited = tuple(seat.forfeited for seat in self._seats)
        self._digest.add(closing_line(totals, places, forfeited))
        digest = self._digest.hexdigest()
        self.note(GameClosed(totals=totals, places=places, forfeited=forfeited, digest=digest))
        message = GameEnd(game=self._name, totals=totals, places=places, forfeited=forfeited, digest=digest)
        for seat in self._seats:
            self.tell(seat, message)
        return digest, self._digest.course()

    def _report(self, seat: Seat, reports: Iterable[Report]) -> None:
        for report in reports:
            self.tell(seat, report.for_seat(seat.index))
