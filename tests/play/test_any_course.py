"""Any course of a game: random answers, noise, drops, returns, violations and time, step by step."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from protocol.messages import Card, EventMessage
from protocol.parts import ClosedBecause
from protocol.requests import RequestClosed
from referee.play.clock import Arrival, ClockRules
from referee.play.defaults import default_choice
from referee.play.events import Defaulted, PlayEvent, SeatForfeited, Struck
from referee.play.faults import Fault
from referee.play.seats import Presence
from referee.rules.events import DealEnded, RowTaken
from referee.rules.variants import Rules, Variant
from tests.play.bench import MS, REQUESTS, Bench, answer_to
from tests.play.lines import digest_of, lines_of

SEATS = st.integers(0, 3)
NUMBERS = st.integers(0, 2**16)
LONGEST = 3 * (20 + 1 + 40 * 3) + 40
"""More wakings than any two deals of four seats need: each pick, card and row runs out once."""


class AnyCourse(RuleBasedStateMachine):
    """A table to which anything may happen."""

    @initialize(
        players=st.integers(2, 4),
        variant=st.sampled_from(Variant),
        cow=st.booleans(),
        strikes=st.sampled_from([0, 1, 3]),
        bank=st.sampled_from([0, 500]),
        present=st.sets(SEATS),
        listeners=st.sets(SEATS),
        seed=NUMBERS,
    )
    def sit_down(self, players, variant, cow, strikes, bank, present, listeners, seed):
        """Begin a game; some bots may be missing."""
        self.clock = ClockRules(move_ns=1000 * MS, grace_ns=100 * MS, bank_ns=bank * MS, strikes=strikes)
        self.bench = Bench(
            None,
            players=players,
            rules=Rules(variant=variant, jumping_cow=cow, target=None, deals=2),
            clock=self.clock,
            here={seat for seat in present if seat < players} or {0},
            listeners=listeners,
            seed=str(seed),
        )
        self.violations = [0] * players
        self.banks = [seat.bank_ns for seat in self.bench.table.seats]

    # --- what can be done ---------------------------------------------------------------------------------

    def step(self, seat, act):
        """Do something at a seat, and see that nothing leaks while the others are still asked."""
        bench = self.bench
        events, wire, over = len(bench.events), len(bench.wire), bench.table.result
        act(seat % bench.players)
        happened, told = bench.events[events:], bench.wire[wire:]
        if over is not None:
            assert [] == happened
            assert bench.table.result is over
            assert not any(isinstance(m, RequestClosed | REQUESTS | EventMessage) for _, m in told)
        if all(isinstance(event, PlayEvent) for event in happened):
            # Nothing was decided: only the seat that did something may have been told something.
            assert {seat % bench.players} >= {to for to, _ in told}
            assert not any(isinstance(message, RequestClosed) for _, message in told)

    def open_at(self, seat):
        """Return the open request of a seat whose bot is here; None if there is none."""
        return self.bench.asked(seat) if seat in self.bench.open_seats() else None

    def answer(self, seat, pick):
        """A seat answers legally: it counts exactly if limit, grace and bank are not over."""

        def act(seat):
            asked = self.open_at(seat)
            if asked is None:
                return
            mine = self.bench.table._desk.requests[seat]
            due = mine.asked_at + 1100 * MS + self.bench.table.seats[seat].bank_ns
            choice = asked.choices[pick % len(asked.choices)]
            self.bench.answer(seat, choice)
            if self.bench.now <= due:
                assert (ClosedBecause.ANSWERED, choice) == (mine.closed, mine.choice)
                assert self.bench.now - mine.asked_at == mine.took_ns
            else:
                default = default_choice(mine.pending, mine.rows)
                assert (ClosedBecause.LATE, default) == (mine.closed, mine.choice)

        self.step(seat, act)

    @rule(seat=SEATS, pick=NUMBERS)
    def answers(self, seat, pick):
        """One seat answers, if it is asked."""
        self.answer(seat, pick)

    @rule(pick=NUMBERS)
    def all_answer(self, pick):
        """Every seat that is asked answers, in some order."""
        open_seats = self.bench.open_seats()
        for seat in open_seats[::-1] if pick % 2 else open_seats:
            self.answer(seat, pick)

    @rule(seat=SEATS)
    def answers_wrong(self, seat):
        """A seat names a card that it cannot have."""
        self.step(seat, lambda seat: self.open_at(seat) and self.bench.answer(seat, 104 + 1))

    @rule(seat=SEATS, known=st.booleans())
    def garbles(self, seat, known):
        """A seat sends an answer with a wrong field, to its request or to none."""
        self.step(
            seat,
            lambda seat: (
                self.open_at(seat)
                and self.bench.garble(seat, self.bench.asked(seat).request if known else None)
            ),
        )

    @rule(seat=SEATS, request=NUMBERS)
    def answers_another_request(self, seat, request):
        """A seat sends an id that is not its open one: an old one, another's, or one of the future."""

        def act(seat):
            asked = self.open_at(seat)
            number = request % (asked.request + 9) if asked else 0
            if asked and number != asked.request:
                self.bench.answer(seat, request=number)
                assert asked.request == self.open_at(seat).request

        self.step(seat, act)

    @rule(seat=SEATS)
    def answers_again(self, seat):
        """A seat repeats its last answer, whatever became of that request."""

        def act(seat):
            closed = self.bench.closings(seat)
            if closed:
                self.bench.say(seat, Card(request=closed[-1].request, card=1))

        self.step(seat, act)

    @rule(seat=SEATS, before=st.integers(0, 2000))
    def answers_in_doubt(self, seat, before):
        """A seat's answer came at some time within a span that ends now."""

        def act(seat):
            asked = self.open_at(seat)
            if asked:
                now = self.bench.now
                answer = answer_to(asked, asked.choices[0])
                self.bench.say(seat, answer, Arrival(now, now - before * MS))
                assert self.bench.table.seats[seat].doubts <= 3

        self.step(seat, act)

    @rule(seat=SEATS)
    def drops(self, seat):
        """A connection is lost."""
        self.step(seat, self.bench.drop)

    @rule(seat=SEATS, events=st.booleans())
    def comes(self, seat, events):
        """A bot comes, or comes back, or supersedes itself."""

        def act(seat):
            self.bench.come(seat, events=events)

        self.step(seat, act)

    @rule(seat=SEATS, sure=st.integers(0, 4))
    def leaves(self, seat, sure):
        """A bot leaves for good; not too often."""
        self.step(seat, self.bench.leave if sure == 0 else self.bench.drop)

    @rule(seat=SEATS, fault=st.sampled_from([Fault.VIOLATION, Fault.FLOODING]))
    def violates(self, seat, fault):
        """A connection is ended for a violation."""

        def act(seat):
            table = self.bench.table
            counts = table.result is None and table.seats[seat].presence is Presence.HERE
            if counts:
                self.violations[seat] += 1
                self.bench.violate(seat, fault)

        self.step(seat, act)

    @rule(ms=st.sampled_from([1, 100, 500, 999, 1000, 1100, 1600, 3000]))
    def time_passes(self, ms):
        """The table is not woken yet."""
        self.bench.later(ms)

    @precondition(lambda self: self.bench.table.wake_at() is not None)
    @rule()
    def wakes(self):
        """The table is woken, at its time or whenever that is possible, and has a new time then."""
        self.bench.expire()
        wake = self.bench.table.wake_at()

        assert wake is None or wake == 0 or wake > self.bench.now

    # --- what always holds ----------------------------------------------------------------------------------

    @invariant()
    def each_request_closes_once(self):
        """No seat is told twice of the end of a request, and all ids it sees come in order."""
        for seat in range(self.bench.players):
            closed = [message.request for message in self.bench.closings(seat)]
            assert sorted(set(closed)) == closed
            asked = [m.request for m in self.bench.told[seat] if isinstance(m, REQUESTS)]
            assert sorted(asked) == asked

    @invariant()
    def strikes_are_defaults_and_violations(self):
        """Each default is one strike, unless the seat had forfeited before; so is each violation."""
        table = self.bench.table
        for seat in table.seats:
            reasons = [e.reason for e in self.bench.of(Defaulted) if e.seat == seat.index]
            asked = table._desk.requests.get(seat.index)
            if asked and asked.closed and asked.took_ns is None:
                reasons.append(asked.closed)
            costly = [reason for reason in reasons if reason is not ClosedBecause.FORFEITED]

            assert len(costly) + self.violations[seat.index] == seat.strikes
            assert seat.strikes == len([e for e in self.bench.of(Struck) if e.seat == seat.index])
            assert seat.forfeited == (0 < self.clock.strikes <= seat.strikes)
            assert reasons.count(ClosedBecause.LATE) == seat.faults[Fault.LATE]
            assert reasons.count(ClosedBecause.GONE) == seat.faults[Fault.GONE]

    @invariant()
    def the_bank_never_grows(self):
        """It only gets smaller, and never less than nothing."""
        banks = [seat.bank_ns for seat in self.bench.table.seats]
        assert all(0 <= bank <= before for bank, before in zip(banks, self.banks, strict=True))
        self.banks = banks

    @invariant()
    def bullheads_add_up(self):
        """What a deal cost each seat is what it took in it, and the totals are the sums."""
        sums = [0] * self.bench.players
        for ended in self.bench.of(DealEnded):
            taken = [0] * self.bench.players
            for event in self.bench.of(RowTaken):
                if event.deal == ended.deal:
                    taken[event.seat] += event.bullheads
            sums = [total + now for total, now in zip(sums, taken, strict=True)]

            assert tuple(taken) == ended.bullheads
            assert tuple(sums) == ended.totals

    @invariant()
    def somebody_is_waited_for_until_the_end(self):
        """The table wants to be woken as long as the game goes on, and no longer."""
        assert (self.bench.table.wake_at() is None) == (self.bench.table.result is not None)

    def teardown(self):
        """When nothing but time happens the game ends, with one result that fits all that was told."""
        if not hasattr(self, "bench"):
            return
        for _ in range(LONGEST):
            if self.bench.table.result is not None:
                break
            self.bench.expire()
        result = self.bench.table.result

        assert result is not None
        self.strikes_are_defaults_and_violations()
        self.bullheads_add_up()
        assert digest_of(lines_of(self.bench)) == result.digest
        totals = self.bench.of(DealEnded)[-1].totals
        assert totals == tuple(sum(seat.bullheads) for seat in result.seats)
        assert [seat.forfeited for seat in result.seats] == [
            any(event.seat == index for event in self.bench.of(SeatForfeited))
            for index in range(self.bench.players)
        ]


TestAnyCourse = AnyCourse.TestCase
TestAnyCourse.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
