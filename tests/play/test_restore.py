"""A table that is restored from its steps goes on as if nothing had been (promise 8)."""

import itertools
import random

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import ErrorCode, PeerError
from referee.play.clock import Arrival, ClockRules
from referee.play.events import Defaulted, SeatForfeited
from referee.play.faults import Fault
from referee.play.seats import Presence, Seat
from referee.play.steps import Account
from referee.play.table import Table
from referee.rules.decisions import IllegalDecision
from referee.rules.variants import Rules, Variant
from tests.play.bench import LOW, MS, REPORTS, REQUESTS, STEADY, Bench, answer_to, kinds

CLOCK = ClockRules(move_ns=1000 * MS, grace_ns=100 * MS, bank_ns=400 * MS, strikes=4)
FREE = 1100 * MS
"""Limit and grace: what exceeds them is paid from the bank."""


class Course:
    """A game in which everything happens, and always the same at the same step.

    What a seat does follows from the number of the step alone, so a table that was restored to a step sees
    from there on what the other one saw.

    Attributes:
        steps: All steps, those it was restored from included.
        told: What each seat was told.
        ids: All ids of requests that were told.
    """

    def __init__(self, like: Bench, chance: int, here: set[int], *, steps=(), first_id=1, now=0):
        self._ids = itertools.count(first_id)
        self.table = Table(like.table.setup, lambda: next(self._ids))
        self.steps = list(steps)
        self.told = {seat: [] for seat in range(like.players)}
        self.here = here
        self.now = now
        self._chance = chance
        if steps:
            self.table.restore(steps)
        if self.table.result is None:
            self.table.begin(dict.fromkeys(here, True))
        self.send()

    @property
    def ids(self):
        """The ids of all requests."""
        return [
            message.request
            for told in self.told.values()
            for message in told
            if isinstance(message, REQUESTS)
        ]

    def reports(self, seat):
        """Return the event messages that a seat was told, each once: what is told again is the same."""
        return {
            (message.deal, message.seq): message
            for message in self.told[seat]
            if isinstance(message, REPORTS)
        }

    def accounts(self):
        """Return what all seats have on their accounts, and their answer times."""
        return [(Account.of(seat), tuple(seat.took_ns)) for seat in self.table.seats]

    def send(self):
        """Take what the table wants kept and told."""
        output = self.table.take_output()
        self.steps += output.steps
        for seat, message in output.messages:
            self.told[seat].append(message)
        self.table.sent(self.now)

    def play(self, until=None):
        """Play to the end, or until so many steps were made."""
        while self.table.result is None and (until is None or len(self.steps) < until):
            self._point(len(self.steps))
        return self

    def _point(self, number):
        """Let everybody be there again who can be, then everybody do something, and the time be over."""
        for seat in self.here:
            if self.table.seats[seat].presence is Presence.AWAY:
                self.table.returned(seat, self.now, wants_events=True)
        self.send()
        begun = self.now
        requests = [asked for asked in self.table._desk.requests.values() if not asked.closed]
        for asked in requests:
            if asked.seat.presence is Presence.HERE and len(self.steps) == number:
                rng = random.Random(f"{self._chance} {number} {asked.seat.index}")
                self._act(asked, rng, begun)
                self.send()
        if self.table.result is None and len(self.steps) == number:
            self.now = max(self.now, self.table.wake_at())
            self.table.tick(self.now)
            self.send()

    def _act(self, asked, rng, begun):
        table, seat, message = self.table, asked.seat.index, asked.message
        answer = answer_to(message, rng.choice(message.choices))
        wrong = answer_to(message, 999 if message.choices[0] > 3 else 9)
        action = rng.choice(
            ("answer",) * 12
            + ("bank", "late", "wrong", "illegal", "violate", "drop", "away", "doubt", "stale")
        )
        took = rng.randrange(1, 300) * MS
        match action:
            case "bank":
                took += FREE
            case "late" | "away":
                if action == "away":
                    table.left(seat, Presence.AWAY, self.now)
                return
            case "wrong" | "illegal":
                for _ in range(3 if action == "wrong" else 1):
                    if not asked.closed:  # or it would be a fault of the next step, which nobody takes yet
                        table.answered(seat, wrong, Arrival.at(begun + took), self.now)
            case "violate":
                table.violated(seat, Fault.VIOLATION, self.now)
                table.returned(seat, self.now, wants_events=True)
            case "drop":
                table.left(seat, Presence.AWAY, self.now)
                table.returned(seat, self.now, wants_events=True)
            case "stale":
                table.count(seat, Fault.STALE)
                error = PeerError(ErrorCode.BAD_FIELD, "No card.", request=message.request)
                table.malformed(seat, error, Arrival.at(begun + took))
        arrival = Arrival.at(begun + took)
        if action == "doubt":
            arrival = Arrival(begun + FREE + 900 * MS, begun + took)
        self.now = max(self.now, arrival.latest)
        if not asked.closed and table.result is None:
            table.answered(seat, answer, arrival, self.now)


def outcome(course):
    """Return all that a game leaves behind but for the delay of the referee, which is measured by session."""
    return attrs.evolve(course.table.result, referee_delay_ns=0)


def agree(restored, whole):
    """Say whether a follower was told all of this deal and of later ones, and nothing else.

    It may be told more than in the undisturbed game, where it was away for a moment at the end.
    """
    known = {key: report for key, report in whole.items() if restored and key >= min(restored)}
    shared = {key: report for key, report in restored.items() if key in whole}
    return known == shared


def game(variant, players, *, cow=True, deals=2):
    """Return a bench whose table is to be played again."""
    rules = Rules(variant=variant, jumping_cow=cow, target=None, deals=deals)
    return Bench(None, players=players, rules=rules, clock=CLOCK, seed="restore")


@given(
    variant=st.sampled_from(Variant),
    cow=st.booleans(),
    players=st.integers(2, 6),
    chance=st.integers(0, 2**32),
    missing=st.booleans(),
    points=st.lists(st.floats(0, 1), min_size=2, max_size=2),
)
@settings(max_examples=25)
def test_a_restored_game_ends_as_if_nothing_had_been(variant, cow, players, chance, missing, points):
    """Wherever it is restored: the same digest, bullheads, strikes, bank, doubts, faults and answer times.

    And the same reports, number for number, to a bot that follows; and no id a second time.
    """
    like = game(variant, players, cow=cow)
    here = set(range(players - 1 if missing and players > 2 else players))
    whole = Course(like, chance, here).play()
    for point in points:
        at = round(point * len(whole.steps))
        restored = Course(like, chance, here, steps=whole.steps[:at], first_id=1 << 32, now=whole.now).play()

        assert outcome(restored) == outcome(whole)
        assert restored.accounts() == whole.accounts()
        assert restored.steps == whole.steps
        assert all(agree(restored.reports(seat), whole.reports(seat)) for seat in here)
        assert not set(restored.ids) & set(whole.ids)


@pytest.mark.parametrize("variant", Variant)
def test_a_game_restored_at_every_step(variant):
    """None is left out: drafts, rows, the ends of deals, the last step."""
    like, here = game(variant, 3, deals=2), {0, 1, 2}
    whole = Course(like, 7, here).play()
    outcomes = [
        outcome(Course(like, 7, here, steps=whole.steps[:at], now=whole.now).play())
        for at in range(len(whole.steps) + 1)
    ]

    assert all(found == outcome(whole) for found in outcomes)
    assert len(outcomes) > 25


def test_the_courses_hold_what_they_should():
    """Among some games there are forfeits, doubts, defaults of all kinds and banks that were used up."""
    courses = [
        Course(game(variant, 4), chance, {0, 1, 2}).play() for variant in Variant for chance in range(6)
    ]
    steps = [step for course in courses for step in course.steps]
    reasons = {decision.reason.value for step in steps for decision in step.decisions}
    accounts = [account for step in steps for account in step.accounts]

    assert reasons == {"answered", "late", "illegal", "gone", "forfeited"}
    assert any(account.forfeited for account in accounts)
    assert any(account.doubts for account in accounts)
    assert {0, 400 * MS} < {account.bank_ns for account in accounts}
    assert not all(account.was_here for account in accounts)


def restored(bench, steps, *, here, first_id=100):
    """Restore the table of a bench, let it begin, and return it with what it tells."""
    ids = itertools.count(first_id)
    table = Table(bench.table.setup, lambda: next(ids))
    table.restore(steps)
    silent = table.take_output()
    assert (silent.steps, silent.messages) == ((), ()), "to restore is to tell nobody"
    table.begin(here)
    return table, table.take_output()


def steps_of(bench, monkeypatch):
    """Have a bench collect the steps of its table."""
    steps, take = [], bench.table.take_output

    def taking():
        output = take()
        steps.extend(output.steps)
        return output

    monkeypatch.setattr(bench.table, "take_output", taking)
    return steps


def test_what_was_open_is_asked_afresh(monkeypatch):
    """Seat 0 had answered, seat 1 had 10 ms left: both are asked again, with new ids and the full second.

    The trick before is decided and stays; to a follower this deal is told again, with the numbers it had.
    """
    bench = Bench(STEADY, listeners=(0, 1))
    steps = steps_of(bench, monkeypatch)
    bench.round_of({0: 11, 1: 12})
    before = bench.reports(0)
    bench.answer(0)
    bench.later(990)
    table, output = restored(bench, steps, here={0: True, 1: False})
    to_0 = [message for seat, message in output.messages if seat == 0]
    to_1 = [message for seat, message in output.messages if seat == 1]
    table.sent(5000 * MS)

    assert kinds(to_0) == ["game_start", "deal_start", "trick_result", "choose_card"]
    assert kinds(to_1) == ["game_start", "choose_card"]
    assert to_0[0].resumed
    assert to_0[1:3] == before
    assert [(asked.request, asked.trick, asked.time_ms) for asked in (to_0[-1], to_1[-1])] == [
        (100, 2, 1000),
        (101, 2, 1000),
    ]
    assert table.wake_at() == 6000 * MS + 1
    assert [seat.strikes for seat in table.seats] == [0, 0]
    assert not any(seat.faults for seat in table.seats)


def test_a_row_is_asked_again_and_its_trick_is_not():
    """The cards of the trick are decided; the row that is owed is asked for, of its seat alone."""
    bench = Bench(LOW)
    whole = Course(bench, 0, {0, 1})
    for seat, card in ((0, 1), (1, 91)):
        asked = whole.told[seat][-1]
        whole.table.answered(seat, answer_to(asked, card), Arrival.at(0), 0)
    whole.send()
    _, output = restored(bench, whole.steps, here={0: False, 1: False})

    assert [(seat, type(m).TYPE) for seat, m in output.messages] == [
        (0, "game_start"),
        (1, "game_start"),
        (0, "choose_row"),
    ]


def test_downtime_is_charged_to_nobody():
    """Whoever was away, late or in its bank when the referee died is on the account of the last step."""
    bench = Bench(STEADY, clock=CLOCK)
    whole = Course(bench, 0, {0, 1})
    for seat in (0, 1):
        whole.table.answered(
            seat, answer_to(whole.told[seat][-1], 11 + seat), Arrival.at(FREE + 50 * MS), FREE
        )
    whole.send()
    whole.table.left(0, Presence.AWAY, 2 * FREE)
    whole.table.tick(10**12)
    whole.table.take_output()
    table, _ = restored(bench, whole.steps[:1], here={1: False})
    banks = [seat.bank_ns for seat in table.seats]
    table.sent(10**15)
    table.returned(0, 10**15, wants_events=False)
    told = [type(message).TYPE for seat, message in table.take_output().messages if seat == 0]

    assert banks == [350 * MS, 350 * MS]
    assert [seat.strikes for seat in table.seats] == [0, 0]
    assert not any(seat.faults for seat in table.seats)
    assert told == ["game_start", "choose_card"]


def test_a_forfeit_is_kept():
    """A seat that had forfeited is asked no more, and ends in the last place."""
    bench = Bench(STEADY, clock=ClockRules(move_ns=1000 * MS, strikes=1))
    whole = Course(bench, 0, {0, 1})
    whole.table.answered(1, answer_to(whole.told[1][-1], 12), Arrival.at(0), 0)
    whole.table.tick(1001 * MS)
    whole.send()
    table, output = restored(bench, whole.steps, here={0: False, 1: False})
    asked = [seat for seat, message in output.messages if isinstance(message, REQUESTS)]

    assert table.seats[0].forfeited
    assert asked == [1]
    assert not any(isinstance(event, SeatForfeited | Defaulted) for event in output.events), "known already"


def test_a_game_that_was_over_stays_over():
    """Restored from all its steps it has its result, and tells nobody anything."""
    like = game(Variant.CLASSIC, 2, deals=1)
    whole = Course(like, 3, {0, 1}).play()
    table = Table(like.table.setup, lambda: 1)
    table.restore(whole.steps)
    output = table.take_output()

    assert attrs.evolve(table.result, referee_delay_ns=0) == outcome(whole)
    assert (output.messages, output.steps, table.wake_at()) == ((), (), None)


def test_steps_of_another_game_are_refused():
    """Cards that nobody holds, and steps without all their seats, are no steps of this game."""
    steps = Course(game(Variant.CLASSIC, 3), 1, {0, 1, 2}).play().steps
    other = game(Variant.CLASSIC, 3, deals=1).table.setup
    table = Table(attrs.evolve(other, decks=lambda deal: tuple(range(1, 35))), lambda: 1)
    with pytest.raises(IllegalDecision):
        table.restore(steps)
    short = attrs.evolve(steps[0], decisions=steps[0].decisions[1:])
    with pytest.raises(IllegalDecision):
        Table(other, lambda: 1).restore([short])


@pytest.mark.parametrize("name", [field.name for field in attrs.fields(Account) if field.name != "faults"])
def test_each_change_of_an_account_is_marked(name):
    """Whatever a step keeps of a seat: when it is set, the seat says that its account has changed."""
    seat = Seat(index=0, name="ada", bank_ns=500)
    before = seat.account_changed
    setattr(seat, name, getattr(seat, name))

    assert (False, True) == (before, seat.account_changed)


def test_a_fault_changes_the_account():
    """Faults are kept with each step too."""
    seat = Seat(index=0, name="ada", bank_ns=500)
    seat.count(Fault.STALE)

    assert seat.account_changed
