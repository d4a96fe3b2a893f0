"""One deadline, judged by arrival: limits, grace, the bank, and the benefit of the doubt (promise 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import Card
from protocol.parts import ClosedBecause
from referee.play.clock import Arrival, ClockRules, whole_ms
from referee.play.names import GameId
from referee.rules.variants import Rules
from tests.play.bench import BANKED, CLOCK, LOW, MS, THREE, Bench, kinds

SECOND = 1000 * MS
ANSWERED, LATE, GONE = ClosedBecause.ANSWERED, ClosedBecause.LATE, ClosedBecause.GONE
CLOCKS = {
    "plain": (ClockRules(move_ns=SECOND), SECOND),
    "grace": (ClockRules(move_ns=SECOND, grace_ns=200 * MS), 1200 * MS),
    "bank": (ClockRules(move_ns=SECOND, bank_ns=500 * MS), 1500 * MS),
    "both": (BANKED, 1700 * MS),
}


def answer_at(clock, arrival, asked_at=0):
    """Let seat 0 answer with its second-lowest card at a time; seat 1 answers at once. Return the bench."""
    bench = Bench(clock=clock, now=asked_at)
    bench.answer(1)
    bench.now = asked_at + arrival
    bench.answer(0, 13)
    return bench


@pytest.mark.parametrize("name", CLOCKS)
def test_t5_clock_02_exactly_at_the_deadline_is_in_time(name):
    """The last nanosecond of limit, grace and bank still counts."""
    clock, deadline = CLOCKS[name]
    bench = answer_at(clock, deadline, asked_at=7)

    assert [ANSWERED] == bench.reasons(0)
    assert 13 == bench.closings(0)[0].choice
    assert deadline // MS == bench.closings(0)[0].took_ms
    assert {} == bench.faults(0)


@pytest.mark.parametrize("name", CLOCKS)
def test_t5_clock_02_one_nanosecond_later_is_late(name):
    """Then the default counts, no time is told, and it is late: not illegal, not stale."""
    clock, deadline = CLOCKS[name]
    bench = answer_at(clock, deadline + 1, asked_at=7)

    assert [LATE] == bench.reasons(0)
    assert (11, None) == (bench.closings(0)[0].choice, bench.closings(0)[0].took_ms)
    assert {"late": 1} == bench.faults(0)
    assert [1, 0] == bench.strikes()


@pytest.mark.parametrize("name", CLOCKS)
def test_the_table_wakes_right_after_the_deadline(name):
    """wake_at is the first moment at which nothing can be in time; a tick before that closes nothing."""
    clock, deadline = CLOCKS[name]
    bench = Bench(clock=clock, now=7)
    bench.answer(1)

    assert 7 + deadline + 1 == bench.table.wake_at()

    bench.now = 7 + deadline

    assert [] == bench.tick()
    assert "request_closed" in kinds(bench.expire())


def test_ten_thousand_answers_at_nine_tenths_of_the_limit_are_in_time():
    """500 deals of ten tricks and two seats, each answer after 900 of 1,000 ms: nobody is ever late."""
    bench = Bench(rules=Rules(target=None, deals=500), clock=BANKED)
    while bench.table.result is None:
        bench.later(900)
        bench.table.answered(0, Card(request=bench.asked(0).request, card=bench.asked(0).hand[0]), *at(bench))
        bench.answer(1)
        bench.told = {seat: messages[-12:] for seat, messages in bench.told.items()}
        bench.events.clear()
        bench.wire.clear()

    assert [5000, 5000] == [len(seat.took_ns) for seat in bench.table.result.seats]
    assert {900 * MS} == {took for seat in bench.table.result.seats for took in seat.took_ns}
    assert [{}, {}] == [bench.faults(0), bench.faults(1)]
    assert [500.0, 500.0] == [bench.bank_ms(0), bench.bank_ms(1)]


def at(bench):
    """Return the arrival and the moment of judging for now."""
    return Arrival.at(bench.now), bench.now


def test_slow_on_trick_seven_is_charged_on_trick_seven_only():
    """Seat 0 takes 1,300 ms once; its other nine answers and all of seat 1 cost nothing."""
    bench = Bench(clock=BANKED)
    for trick in range(1, 11):
        bench.later(10).answer(1)
        bench.later(1290 if trick == 7 else 10).answer(0)

    assert [500] * 6 + [400] * 4 == [closed.bank_ms for closed in bench.closings(0)]
    assert [20] * 6 + [1300] + [20] * 3 == [closed.took_ms for closed in bench.closings(0)]
    assert [500] * 10 == [closed.bank_ms for closed in bench.closings(1)]


def test_late_on_trick_seven_is_late_on_trick_seven_only():
    """After one deadline has passed the next request has its own full second."""
    bench = Bench()
    for trick in range(1, 11):
        bench.later(1).answer(1)
        if trick == 7:
            bench.expire()
        else:
            bench.later(998).answer(0)

    assert [ANSWERED] * 6 + [LATE] + [ANSWERED] * 3 == bench.reasons(0)
    assert [ANSWERED] * 10 == bench.reasons(1)


def test_time_left_over_is_not_carried_to_the_next_decision():
    """After an answer within 1 ms the next is still due after 1,000 ms and not after 1,999."""
    bench = Bench()
    bench.at(1).round_of({0: 11, 1: 12})

    assert 1001 * MS + 1 == bench.table.wake_at()


def test_the_row_has_its_own_clock():
    """The card took 900 ms; the row that is asked then may take 1,000 again."""
    bench = Bench(LOW)
    bench.at(900).round_of({1: 91, 0: 1})

    bench.at(1900).answer(0, 3)

    assert [900, 1000] == [closed.took_ms for closed in bench.closings(0)]


def test_t5_clock_01_the_clock_runs_from_sent():
    """A request made at 0 and sent at 300 is due at 1,300; before it is sent no clock runs."""
    bench = Bench()
    for seat in (0, 1):
        bench.table.answered(seat, Card(request=seat + 1, card=11 + seat), Arrival.at(0), 0)

    assert None is bench.table.wake_at()

    bench.at(300).send()

    assert 1300 * MS + 1 == bench.table.wake_at()


def test_sent_again_does_not_move_the_deadline():
    """Later messages that are sent, such as an error, leave the clock as it is."""
    bench = Bench()
    bench.at(400).answer(0, 99)
    bench.at(500).send()

    assert 1000 * MS + 1 == bench.table.wake_at()


@given(st.lists(st.sampled_from(["illegal", "garbled", "stale", "second", "void", "other"]), max_size=12))
def test_t5_clock_04_nothing_a_bot_sends_moves_its_deadline(noise):
    """Whatever is sent short of a third wrong answer: the deadline stands, and then the bot is late."""
    bench = Bench(THREE)
    bench.round_of({0: 11, 1: 12, 2: 13})
    old, due, wrong = 1, bench.table.wake_at(), 0
    bench.answer(1)
    for kind in noise:
        bench.later(10)
        wrong += kind in {"illegal", "garbled"}
        if kind in {"illegal", "garbled"} and wrong > 2:
            continue
        match kind:
            case "illegal":
                bench.answer(0, 99)
            case "garbled":
                bench.garble(0, bench.asked(0).request)
            case "stale":
                bench.answer(0, 14, request=old)
            case "second":
                bench.answer(1)
            case "void":
                bench.garble(0, None)
            case "other":
                bench.answer(0, 14, request=bench.asked(2).request)

    assert due == bench.table.wake_at()

    bench.now = due
    bench.answer(0)

    assert 1 == bench.faults(0)["late"]


def test_t5_clock_02_the_bank_pays_only_the_excess():
    """Limit 1,000 and grace 200 are free: 1,200 costs nothing, 1,250 costs 50."""
    bench = Bench(clock=BANKED)

    bench.answer(1)
    bench.later(1200).answer(0)
    bench.answer(1)
    bench.later(1250).answer(0)

    assert [500, 450] == [closed.bank_ms for closed in bench.closings(0)]


def test_t5_clock_02_the_example_of_the_specification():
    """1,040 ms cost nothing, 1,800 take 750 of 3,000 ms, and the next answer is in time up to 3,300 ms."""
    bench = Bench(clock=ClockRules(move_ns=SECOND, grace_ns=50 * MS, bank_ns=3000 * MS))
    for took in (1040, 1800, 3300):
        bench.answer(1)
        bench.later(took).answer(0)

    assert [ANSWERED] * 3 == bench.reasons(0)
    assert [3000, 2250, 0] == [closed.bank_ms for closed in bench.closings(0)]


def test_the_bank_is_for_the_whole_game():
    """Of 500 ms, 400 are used in trick 1; trick 2 may take 1,200 + 100 and not a nanosecond more."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.later(1600).answer(0)
    bench.answer(1)

    assert bench.now + 1300 * MS + 1 == bench.table.wake_at()

    bench.now += 1300 * MS + 1
    bench.answer(0, 29)

    assert [ANSWERED, LATE] == bench.reasons(0)
    assert [100, 0] == [closed.bank_ms for closed in bench.closings(0)]


def test_a_late_seat_has_no_bank_left():
    """It has used all of it; the next decision has limit and grace alone."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.expire()
    bench.answer(1)

    assert 0 == bench.bank_ms(0)
    assert bench.now + 1200 * MS + 1 == bench.table.wake_at()


def test_a_third_wrong_answer_in_bank_time_costs_what_it_used():
    """The request closes at 1,500 ms: 300 ms beyond limit and grace are gone from the bank."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.later(1500)
    for _ in range(3):
        bench.answer(0, 99)

    assert [ClosedBecause.ILLEGAL] == bench.reasons(0)
    assert 200 == bench.bank_ms(0) == bench.closings(0)[0].bank_ms


def test_clocks_start_anew_in_the_next_game():
    """A bank used up in one game is full in the next, as is the limit."""
    first = Bench(clock=BANKED).run_down()
    second = Bench(clock=BANKED, game=GameId(round=3, table=2, deal_set=1, game=2), now=first.now)

    assert 0 == first.bank_ms(0)
    assert 500 == second.bank_ms(0)
    assert first.now + 1700 * MS + 1 == second.table.wake_at()


def test_the_next_deadline_is_that_of_the_seat_with_the_smaller_bank():
    """Seat 0 has 100 ms of bank left, seat 1 all 500: the table wakes for seat 0 and waits on for seat 1."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.later(1600).answer(0)
    start = bench.now

    bench.expire()

    assert start + 1300 * MS + 1 == bench.now
    assert [1] == bench.open_seats()
    assert start + 1700 * MS + 1 == bench.table.wake_at()


def test_an_arrival_before_the_request_was_sent_took_no_time():
    """The time told is never negative."""
    bench = Bench(now=50 * MS)
    bench.answer(1)
    bench.say(0, Card(request=bench.asked(0).request, card=13), Arrival.at(49 * MS))

    assert [0] == [closed.took_ms for closed in bench.closings(0)]


def test_the_delay_of_the_referee_is_kept_apart():
    """An answer that arrived at 900 and is judged at 5,000 is in time; the result names 4,100 ms of delay."""
    bench = Bench()
    bench.answer(1)
    bench.at(5000).say(0, Card(request=bench.asked(0).request, card=13), Arrival.at(900 * MS))
    bench.play_out()

    assert ANSWERED is bench.reasons(0)[0]
    assert {} == bench.faults(0)
    assert 4100 * MS == bench.table.result.referee_delay_ns


@pytest.mark.parametrize(("nanoseconds", "ms"), [(0, 0), (999_999, 0), (1_000_000, 1), (1_999_999, 1)])
def test_t5_clock_01_measured_time_is_rounded_down(nanoseconds, ms):
    """Whole ms, never more than really passed."""
    assert ms == whole_ms(nanoseconds)


def test_an_absent_seat_has_limit_and_grace_but_no_bank():
    """Seat 0 was never there: its request is due at 1,200, and it is gone, not late."""
    bench = Bench(clock=BANKED, here=[1])
    bench.answer(1)

    assert 1200 * MS + 1 == bench.table.wake_at()

    bench.expire()

    assert {"gone": 1} == bench.faults(0)
    assert 500 == bench.bank_ms(0)


def test_the_default_clock_has_three_strikes_and_nothing_free():
    """What a clock is when only the limit is named."""
    assert (0, 0, 3, SECOND) == (CLOCK.grace_ns, CLOCK.bank_ns, CLOCK.strikes, CLOCK.free_ns)
