"""The benefit of the doubt, where the arrival of an answer is only known as a span (promise 4)."""

from protocol.messages import Card
from protocol.parts import ClosedBecause
from referee.play.clock import Arrival
from tests.play.bench import BANKED, MS, Bench

ANSWERED, LATE = ClosedBecause.ANSWERED, ClosedBecause.LATE


def doubtful(bench, seat=0, card=None):
    """Let an answer arrive that came at some time from 5 ms before to 5 ms after the deadline."""
    due = bench.table.wake_at() - 1
    asked = bench.asked(seat)
    bench.now = due + 20 * MS
    answer = Card(request=asked.request, card=card or asked.hand[-1])
    return bench.say(seat, answer, Arrival(due + 5 * MS, due - 5 * MS))


def test_t5_clock_05_a_span_that_holds_the_deadline_is_in_time_three_times():
    """The fourth such answer of the game is late; the time told for the others is the earliest possible."""
    bench = Bench()
    for _ in range(4):
        bench.answer(1)
        doubtful(bench)

    assert [ANSWERED] * 3 + [LATE] == bench.reasons(0)
    assert [995, 995, 995, None] == [closed.took_ms for closed in bench.closings(0)]
    assert [1, 0] == bench.strikes()


def test_doubts_are_counted_for_each_seat_alone():
    """Three doubts of seat 0 leave seat 1 its own three."""
    bench = Bench()
    for _ in range(3):
        bench.answer(1)
        doubtful(bench)
    bench.answer(0)
    doubtful(bench, seat=1)

    assert [ANSWERED] * 4 == bench.reasons(1)


def test_a_span_before_the_deadline_uses_no_doubt():
    """Four answers whose latest possible arrival is in time, then three real doubts: all are in time."""
    bench = Bench()
    for _ in range(4):
        bench.answer(1)
        bench.later(1000)
        answer = Card(request=bench.asked(0).request, card=bench.asked(0).hand[0])
        bench.say(0, answer, Arrival(bench.now, bench.now - 9))
    for _ in range(3):
        bench.answer(1)
        doubtful(bench)

    assert [ANSWERED] * 7 == bench.reasons(0)
    assert [1000] * 4 == [closed.took_ms for closed in bench.closings(0)][:4]


def test_a_span_behind_the_deadline_is_late():
    """If even the earliest possible arrival is 1 ns too late there is no doubt."""
    bench = Bench()
    bench.answer(1)
    bench.say(0, Card(request=bench.asked(0).request, card=13), Arrival(1200 * MS, 1000 * MS + 1))

    assert [LATE] == bench.reasons(0)


def test_earliest_exactly_at_the_deadline_is_in_doubt():
    """The doubt is the bot's when the earliest possible arrival is exactly in time."""
    bench = Bench()
    bench.answer(1)
    bench.say(0, Card(request=bench.asked(0).request, card=13), Arrival(1200 * MS, 1000 * MS))

    assert [ANSWERED] == bench.reasons(0)


def test_a_doubtful_answer_uses_the_bank_up_to_its_earliest_arrival():
    """The deadline is 1,700; known is 1,695 to 1,705: 495 of 500 ms are taken."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    doubtful(bench)

    assert 5 == bench.bank_ms(0)
