"""One request to one seat: from being asked to being closed."""

from collections.abc import Sequence

import attrs

from protocol.errors import ErrorCode, PeerError
from protocol.messages import Answer, Card, Draft, Row, answer_value
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from referee.play.clock import Arrival, ClockRules, whole_ms
from referee.play.defaults import default_choice
from referee.play.seats import HERE, MOST_DOUBTS, Seat
from referee.play.steps import Decision
from referee.rules.decisions import DecisionKind, Pending

MOST_WRONG_ANSWERS = 3
"""The wrong answer of this number closes a request."""

ANSWER_TYPES: dict[DecisionKind, type[Answer]] = {
    DecisionKind.CARD: Card,
    DecisionKind.ROW: Row,
    DecisionKind.DRAFT: Draft,
}

RequestMessage = ChooseCard | ChooseRow | ChooseDraft


_ANSWERED = ClosedBecause.ANSWERED


@attrs.define(eq=False)
class Asked:
    """A request and what became of it: asked -> (clock runs) -> closed.

    Attributes:
        id: The request id; None where the seat is not asked but defaulted at once.
        seat: Who decides.
        pending: What is decided, and the choices.
        message: The request as first sent; None where the seat is not asked.
        rows: The rows when it was asked.
        asked_at: When it was first sent; None before that.
        wrong_answers: How many answers could be read but were wrong.
        closed: Why it is closed; None while it is open.
        choice: What counts, once closed.
        took_ns: The measured time of the answer that counts, if one does.
    """

    # Made for every request, hence by position: by name it takes twice as long.
    id: int | None
    seat: Seat
    pending: Pending
    message: RequestMessage | None
    rows: Sequence[Sequence[int]]
    asked_at: int | None = None
    wrong_answers: int = 0
    closed: ClosedBecause | None = None
    choice: int | None = None
    took_ns: int | None = None

    def deadline(self, clock: ClockRules) -> int | None:
        """Return the last moment at which an answer is in time; None before the clock runs.

        The bank counts only while the bot is here.
        """
        if self.asked_at is None:
            return None
        bank = self.seat.bank_ns if self.seat.presence is HERE else 0
        return self.asked_at + clock.free_ns + bank

    def overdue(self, now: int, clock: ClockRules) -> bool:
        """Say whether no answer that arrives from `now` on is in time."""
        deadline = self.deadline(clock)
        return deadline is not None and now > deadline

    def time_taken(self, arrival: Arrival, clock: ClockRules) -> int | None:
        """Return what an answer took, in ns, if it was in time; otherwise None.

        Where the arrival is only known as a span that holds the deadline, the doubt is the bot's, a few
        times a game.
        """
        if self.asked_at is None:
            return None
        took_ns = arrival.latest - self.asked_at
        if took_ns <= clock.free_ns:  # nearly always
            return max(0, took_ns)
        deadline = self.deadline(clock)
        if deadline is None:
            return None
        if arrival.latest <= deadline:
            return took_ns
        if arrival.earliest <= deadline and self.seat.doubts < MOST_DOUBTS:
            self.seat.doubts += 1
            return max(0, arrival.earliest - self.asked_at)
        return None

    def again(self, now: int, clock: ClockRules) -> RequestMessage | None:
        """Return the request with what is left of its time and of the bank; None where none is open."""
        if self.message is None or self.closed:
            return None
        used = 0 if self.asked_at is None else now - self.asked_at
        time_left = max(0, clock.move_ns - used)
        bank_left = max(0, self.seat.bank_ns - max(0, used - clock.free_ns))
        return attrs.evolve(self.message, time_ms=whole_ms(time_left), bank_ms=whole_ms(bank_left))

    def answer(self, choice: int, took_ns: int) -> None:
        """Close the request with the bot's choice."""
        self.closed, self.choice, self.took_ns = _ANSWERED, choice, took_ns

    def close(self, reason: ClosedBecause) -> None:
        """Close the request with the default."""
        self.closed, self.choice = reason, default_choice(self.pending, self.rows)

    def legal_choice(self, answer: Answer) -> int | None:
        """Return what an answer to this request chooses; None if it is not legal, see `complaint`."""
        pending = self.pending
        if type(answer) is not ANSWER_TYPES[pending.kind]:
            return None
        choice = answer_value(answer)
        return choice if choice in pending.choices else None

    def complaint(self, answer: Answer) -> PeerError:
        """Return what is wrong with an answer to this request that is not legal."""
        expected = ANSWER_TYPES[self.pending.kind]
        if type(answer) is not expected:
            kind = self.pending.kind.value
            sentence = f"A 'choose_{kind}' is answered with a '{expected.TYPE}', not a '{answer.TYPE}'."
        else:
            choices = ", ".join(map(str, self.pending.choices))
            sentence = f"{answer_value(answer)} is not among the choices: {choices}."
        return PeerError(ErrorCode.ILLEGAL_CHOICE, sentence, request=answer.request)

    def decision(self) -> Decision:
        """Return what was decided, once the request is closed."""
        assert self.closed is not None, "an open request has decided nothing"
        assert self.choice is not None, "a closed request has a choice"
        return Decision(self.seat.index, self.choice, self.closed, self.took_ns)
