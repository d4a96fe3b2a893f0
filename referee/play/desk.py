"""The open requests of a table: what counts as an answer, and what happens when none comes.

Knows clocks, faults and strikes; knows nothing of the game's course.
"""

from collections.abc import Mapping, Sequence

from protocol.errors import ErrorCode, PeerError
from protocol.messages import Answer
from protocol.parts import ClosedBecause
from referee.play.asking import MOST_WRONG_ANSWERS, Asked
from referee.play.clock import Arrival, ClockRules
from referee.play.events import FaultFound, SeatForfeited, Struck
from referee.play.faults import Fault
from referee.play.publishing import Publisher
from referee.play.seats import Presence, Seat


class Desk:
    """The requests that wait for each other at the moment: those of one trick, one row, one pick.

    Each request goes from open to closed exactly once; when all are closed the table plays on.

    Attributes:
        requests: By seat.
        open_requests: How many of them are open; while there are any, somebody has to be waited for.
    """

    def __init__(self, clock: ClockRules, publisher: Publisher) -> None:
        self.requests: Mapping[int, Asked] = {}
        self._clock = clock
        self._publisher = publisher
        self.open_requests = 0
        self._unsent: list[Asked] = []
        self._new_forfeits: list[SeatForfeited] = []

    def open(self, requests: Mapping[int, Asked]) -> None:
        """Put new requests, by seat, in place of the old; those without an id are defaulted at once."""
        self.requests = requests
        self.open_requests = len(requests)
        for asked in requests.values():
            if asked.id is None:
                forfeited = asked.seat.forfeited
                self._default(asked, ClosedBecause.FORFEITED if forfeited else ClosedBecause.GONE)
            else:
                self._unsent.append(asked)

    def sent(self, times: Sequence[int]) -> bool:
        """Let the clocks run of all requests that were opened since the last call, by seat from then.

        Returns:
            Whether requests are open and all of them have just begun to run.
        """
        unsent, self._unsent = self._unsent, []
        for asked in unsent:
            asked.asked_at = times[asked.seat.index]
        return bool(unsent) and self.open_requests > 0

    def next_deadline(self) -> int | None:
        """Return the last moment before the first open request is overdue; None while no clock runs."""
        first = None
        for asked in self.requests.values():
            if not asked.closed:
                deadline = asked.deadline(self._clock)
                if deadline is not None and (first is None or deadline < first):
                    first = deadline
        return first

    def take_forfeits(self) -> list[SeatForfeited]:
        """Return the forfeits since the last call, by seat: whose came first must not show in the record."""
        found, self._new_forfeits = self._new_forfeits, []
        return sorted(found, key=lambda forfeit: forfeit.seat)

    def answered(self, seat: Seat, answer: Answer, arrival: Arrival) -> bool:
        """Take an answer that could be decoded; return whether it counts as the seat's decision."""
        asked = self.requests.get(seat.index)
        if asked is None or asked.id != answer.request:
            self.count(seat, Fault.STALE)
        elif asked.closed:
            self._refuse_second(asked)
        elif asked.asked_at is None:
            self._refuse_early(asked)
        elif (took := asked.time_taken(arrival, self._clock)) is None:
            self._close_overdue(asked)
        elif (choice := asked.legal_choice(answer)) is None:
            self.count(seat, Fault.ILLEGAL)
            self._count_wrong(asked, asked.complaint(answer), took)
        else:
            seat.charge(took, self._clock)
            seat.took_ns.append(took)
            asked.answer(choice, took)
            self.open_requests -= 1
            return True
        return False

    def malformed(self, seat: Seat, error: PeerError, arrival: Arrival) -> None:
        """Take a message that could be read but not decoded; it may have been meant as an answer."""
        asked = self.requests.get(seat.index)
        self.count(seat, Fault.MALFORMED)
        if asked is None or asked.closed or asked.asked_at is None or asked.id != error.request:
            self._publisher.complain(seat, error)
        elif (took := asked.time_taken(arrival, self._clock)) is None:
            self._close_overdue(asked)
        else:
            self._count_wrong(asked, error, took)

    def close_overdue(self, now: int) -> bool:
        """Close the requests whose time is over at `now`; return whether there were any."""
        overdue = [
            asked for asked in self.requests.values() if not asked.closed and asked.overdue(now, self._clock)
        ]
        for asked in overdue:
            self._close_overdue(asked)
        return bool(overdue)

    def bot_leaves(self, seat: Seat, presence: Presence, now: int) -> None:
        """Settle the request of a bot that goes AWAY, or from wherever it is for good.

        A bank does not run for an absent seat, so a drop in bank time closes the request.
        """
        asked = self.requests.get(seat.index)
        if asked is None or asked.closed:
            return
        used = 0 if asked.asked_at is None else now - asked.asked_at
        if presence is Presence.GONE or used > self._clock.free_ns:
            if seat.presence is Presence.HERE:
                seat.charge(used, self._clock)
            self._default(asked, ClosedBecause.GONE)

    def bot_returns(self, seat: Seat, now: int) -> None:
        """Close the request of a seat that is still AWAY, if it ran out in the meantime.

        Once the bot is HERE the bank would count, and bring to life what was over.
        """
        asked = self.requests.get(seat.index)
        if asked and not asked.closed and seat.presence is Presence.AWAY and asked.overdue(now, self._clock):
            self._close_overdue(asked)

    def strike(self, seat: Seat) -> None:
        """Give a strike; one that forfeits the game closes the seat's request."""
        self._strike(seat)
        asked = self.requests.get(seat.index)
        if seat.forfeited and asked and not asked.closed:
            self._default(asked, ClosedBecause.FORFEITED)

    def count(self, seat: Seat, fault: Fault) -> None:
        """Count a fault."""
        seat.count(fault)
        self._publisher.note(FaultFound(seat=seat.index, fault=fault))

    def _count_wrong(self, asked: Asked, error: PeerError, took_ns: int) -> None:
        """The third wrong answer closes the request; the others leave it open on the same clock."""
        self._publisher.complain(asked.seat, error)
        asked.wrong_answers += 1
        if asked.wrong_answers == MOST_WRONG_ANSWERS:
            asked.seat.charge(took_ns, self._clock)
            self._default(asked, ClosedBecause.ILLEGAL)

    def _refuse_second(self, asked: Asked) -> None:
        in_time = asked.closed is ClosedBecause.ANSWERED
        self.count(asked.seat, Fault.DUPLICATE if in_time else Fault.STALE)
        reason = "it has been answered" if in_time else "it was decided by default"
        sentence = f"Request {asked.id} is closed: {reason}."
        self._publisher.complain(asked.seat, PeerError(ErrorCode.REQUEST_CLOSED, sentence, request=asked.id))

    def _refuse_early(self, asked: Asked) -> None:
        """Refuse an id that the bot has guessed, since the request is yet to be sent."""
        self.count(asked.seat, Fault.MALFORMED)
        sentence = f"Request {asked.id} has not been sent yet."
        self._publisher.complain(asked.seat, PeerError(ErrorCode.UNKNOWN_REQUEST, sentence, request=asked.id))

    def _close_overdue(self, asked: Asked) -> None:
        if asked.seat.presence is Presence.HERE:
            asked.seat.bank_ns = 0
            self._default(asked, ClosedBecause.LATE)
        else:
            self._default(asked, ClosedBecause.GONE)

    def _default(self, asked: Asked, reason: ClosedBecause) -> None:
        """Decide in a bot's place; but for the forfeited, that is a strike."""
        asked.close(reason)
        self.open_requests -= 1
        if reason is ClosedBecause.FORFEITED:
            return
        if reason is not ClosedBecause.ILLEGAL:
            self.count(asked.seat, Fault.LATE if reason is ClosedBecause.LATE else Fault.GONE)
        self._strike(asked.seat)

    def _strike(self, seat: Seat) -> None:
        forfeits = seat.strike(self._clock)
        self._publisher.note(Struck(seat=seat.index, strikes=seat.strikes))
        if forfeits:
            self._new_forfeits.append(SeatForfeited(seat=seat.index))
