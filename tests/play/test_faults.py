"""Faults are typed and counted on the right seat; strikes and what they lead to (promise 6)."""

import attrs
import pytest

from protocol.messages import Card
from protocol.parts import ClosedBecause
from referee.play.clock import Arrival, ClockRules
from referee.play.events import Defaulted, FaultFound, SeatForfeited, Struck
from referee.play.faults import Fault
from referee.play.results import final_places
from referee.rules.variants import Rules
from tests.play.bench import CLOCK, LOW, MS, REQUESTS, THREE, Bench

NEVER = attrs.evolve(CLOCK, strikes=0)
ONE = attrs.evolve(CLOCK, strikes=1)
FORFEITED = ClosedBecause.FORFEITED


def late(bench, seat):
    """Let everybody but this seat answer, and the time run out."""
    for other in bench.open_seats():
        if other != seat:
            bench.answer(other)
    bench.expire()


def illegal(bench, seat):
    """Let a seat give three wrong answers, and the others right ones."""
    for _ in range(3):
        bench.answer(seat, 99)
    for other in bench.open_seats():
        bench.answer(other)


def gone(bench, seat):
    """Let a seat drop, be away until its time is over, and come back."""
    bench.drop(seat)
    late(bench, seat)
    bench.come(seat)


def stale(bench, seat):
    """Let a seat send an old id."""
    bench.answer(seat, 40, request=0)


def duplicate(bench, seat):
    """Let a seat answer twice."""
    bench.answer(seat)
    bench.answer(seat)


def malformed(bench, seat):
    """Let a seat send something with a wrong field."""
    bench.garble(seat, bench.asked(seat).request)


def drop_and_return(bench, seat):
    """Let a seat drop and come back at once."""
    bench.drop(seat)
    bench.come(seat)


def wrong_once(bench, seat):
    """Let a seat answer wrong once."""
    bench.answer(seat, 99)


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize(
    ("course", "faults"),
    [
        (late, {"late": 1}),
        (illegal, {"illegal": 3}),
        (gone, {"gone": 1, "disconnected": 1}),
    ],
)
def test_t5_fault_01_each_default_is_one_strike(course, faults, seat):
    """Whether late, illegal or gone: counted by its kind, one strike, and nothing for the other seats."""
    bench = Bench(THREE)
    course(bench, seat)

    check_faults(bench, seat, faults)
    assert [1 if other == seat else 0 for other in range(3)] == bench.strikes()


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize(
    ("course", "faults"),
    [
        (stale, {"stale": 1}),
        (duplicate, {"duplicate": 1}),
        (malformed, {"malformed": 1}),
        (drop_and_return, {"disconnected": 1}),
        (wrong_once, {"illegal": 1}),
    ],
)
def test_t5_fault_03_other_faults_are_only_counted(course, faults, seat):
    """What cost no decision is counted by its kind, on that seat alone, and is no strike."""
    bench = Bench(THREE)
    course(bench, seat)

    check_faults(bench, seat, faults)
    assert [0, 0, 0] == bench.strikes()


def check_faults(bench, seat, faults):
    """See that one seat has these faults, and the others none, in the accounts as in the events."""
    assert faults == bench.faults(seat)
    assert [{}, {}] == [bench.faults(other) for other in range(3) if other != seat]
    assert {seat} == {event.seat for event in bench.of(FaultFound)}
    assert sum(faults.values()) == len(bench.of(FaultFound))


@pytest.mark.parametrize("fault", [Fault.VIOLATION, Fault.FLOODING])
def test_t5_fault_02_a_connection_ended_for_a_violation_is_one_strike(fault):
    """It is counted by its kind; the request stays open for the bot that comes back in time."""
    bench = Bench(THREE)
    bench.violate(1, fault)
    bench.come(1)
    bench.round_of({0: 11, 1: 15, 2: 13})

    assert {fault.value: 1, "disconnected": 1} == bench.faults(1)
    assert [0, 1, 0] == bench.strikes()
    assert [ClosedBecause.ANSWERED] == bench.reasons(1)
    assert 1 == bench.closings(1)[0].strikes


def test_a_violation_and_the_default_after_it_are_two_strikes():
    """The bot does not come back: the violation, and the decision that had to be defaulted."""
    bench = Bench()
    bench.violate(0)
    bench.answer(1)
    bench.expire()

    assert [2, 0] == bench.strikes()
    assert 1 == bench.faults(0)["gone"]


def test_t5_fault_04_the_third_strike_forfeits_the_game():
    """Late, illegal, late: the forfeit names the seat, and nothing more than the three is asked of it."""
    bench = Bench(THREE)
    late(bench, 1)
    illegal(bench, 1)
    late(bench, 1)

    assert [SeatForfeited(seat=1)] == bench.of(SeatForfeited)
    assert [1, 2, 3] == [event.strikes for event in bench.of(Struck) if event.seat == 1]
    assert [1, 2, 3] == [closed.strikes for closed in bench.closings(1)]
    assert [0, 2] == bench.open_seats()

    bench.play_out()

    assert 3 == len([m for m in bench.told[1] if isinstance(m, REQUESTS)])
    assert 3 == len(bench.closings(1))


def test_t5_fault_04_a_forfeited_seat_is_defaulted_at_once_and_without_strikes():
    """From then on the table waits for the others alone; its lowest cards are played, reason forfeited."""
    bench = Bench(THREE, clock=ONE)
    late(bench, 1)
    start = bench.now
    bench.play_out()

    defaults = [event for event in bench.of(Defaulted) if event.seat == 1]
    assert start == bench.now
    assert [12, 15, 18, 21, 24, 27, 30, 33, 36, 39] == [event.choice for event in defaults]
    assert [ClosedBecause.LATE] + [FORFEITED] * 9 == [event.reason for event in defaults]
    assert [0, 1, 0] == bench.strikes()
    assert {"late": 1} == bench.faults(1)


def test_t5_fault_04_a_forfeited_seat_is_last_whatever_it_took():
    """THREE played upwards: 17, 15 and 17 bullheads. Seat 1 took the fewest but forfeited: 1, 3, 1."""
    bench = Bench(THREE, clock=ONE)
    late(bench, 1)
    bench.play_out()
    end = bench.end()

    assert (17, 15, 17) == end.totals
    assert (1, 3, 1) == end.places
    assert (False, True, False) == end.forfeited
    assert [False, True, False] == [seat.forfeited for seat in bench.table.result.seats]
    assert end == bench.end(1)


@pytest.mark.parametrize(
    ("totals", "forfeited", "places"),
    [
        ((10, 20, 30, 40), "....", (1, 2, 3, 4)),
        ((20, 10, 20, 40), "....", (2, 1, 2, 4)),
        ((10, 20, 30, 40), "f...", (4, 1, 2, 3)),
        ((10, 20, 30, 40), "f.f.", (3, 1, 3, 2)),
        ((10, 20, 66, 66), "..f.", (1, 2, 4, 3)),
        ((10, 0, 66, 5), "ffff", (1, 1, 1, 1)),
        ((0, 0), ".f", (1, 2)),
        ((0, 0, 0, 0), "....", (1, 1, 1, 1)),
    ],
)
def test_final_places(totals, forfeited, places):
    """Lowest first, 1-2-2-4; forfeited seats tie for last, also behind the highest total."""
    assert places == final_places(totals, [mark == "f" for mark in forfeited])


def test_t5_fault_04_two_forfeits_tie_for_the_last_place():
    """Seats 0 and 2 of three forfeit: places 2, 1, 2."""
    bench = Bench(THREE, clock=ONE)
    late(bench, 0)
    late(bench, 2)
    bench.play_out()

    assert (2, 1, 2) == bench.end().places
    assert [0, 2] == [event.seat for event in bench.of(SeatForfeited)]


def test_everybody_forfeits():
    """Three silent tricks of two seats: six strikes, two forfeits; the rest at once; both are first."""
    bench = Bench().run_down()

    assert 3 * 1000 * MS + 3 == bench.now
    assert [3, 3] == bench.strikes()
    assert (1, 1) == bench.end().places
    assert (True, True) == bench.end().forfeited
    assert (20, 12) == bench.end().totals


def test_forfeits_of_one_trick_are_recorded_in_the_order_of_seats():
    """Whoever got the last strike first: the record lists seat 0 before seat 1."""
    digests = set()
    for order in ((0, 1), (1, 0)):
        bench = Bench(THREE, clock=ONE)
        for seat in order:
            for _ in range(3):
                bench.answer(seat, 99)
        bench.answer(2)
        assert [0, 1] == [event.seat for event in bench.of(SeatForfeited)]
        digests.add(bench.play_out().digest())

    assert 1 == len(digests)


def test_t5_fault_04_strikes_0_never_forfeits():
    """Ten late decisions and a violation: eleven strikes, no forfeit, and the seat is asked to the end."""
    bench = Bench(clock=NEVER)
    bench.violate(0)
    bench.come(0)
    while bench.table.result is None:
        late(bench, 0)

    assert [11, 0] == bench.strikes()
    assert [] == bench.of(SeatForfeited)
    assert (False, False) == bench.end().forfeited
    assert (2, 1) == bench.end().places


def test_a_violation_that_forfeits_closes_the_open_request():
    """Two late tricks and a violation: the trick does not wait for the rest of the second."""
    bench = Bench()
    late(bench, 0)
    late(bench, 0)
    bench.answer(1)
    start = bench.now
    bench.violate(0)

    assert [3, 0] == bench.strikes()
    assert start == bench.now
    assert FORFEITED is bench.of(Defaulted)[-1].reason
    assert 4 == bench.asked(1).trick


def test_a_violation_of_a_seat_that_has_answered_leaves_its_answer():
    """The card it chose is played, not the default, even if this strike forfeits the game."""
    bench = Bench(clock=ONE)
    bench.answer(0, 29)
    bench.violate(0)
    bench.answer(1, 30)

    assert [] == [event for event in bench.of(Defaulted) if event.trick == 1]
    assert [SeatForfeited(seat=0)] == bench.of(SeatForfeited)


def test_a_seat_that_forfeits_in_its_card_does_not_choose_its_row():
    """Seat 0 is late with the lowest card 1: its row is taken by default at once, without being asked."""
    bench = Bench(LOW, clock=ONE)
    bench.answer(1)
    bench.expire()

    assert [(0, "card", 1), (0, "row", 2)] == [
        (event.seat, event.kind.value, event.choice) for event in bench.of(Defaulted)[:2]
    ]
    assert not any(message.TYPE == "choose_row" for message in bench.told[0])
    assert 2 == bench.asked(1).trick


def test_the_faults_of_one_seat_cost_the_other_nothing():
    """The orderly seat keeps its bank and its limit while the other is late in every trick."""
    clock = ClockRules(move_ns=1000 * MS, grace_ns=10 * MS, bank_ns=100 * MS, strikes=0)
    bench = Bench(clock=clock)
    while bench.table.result is None:
        late(bench, 0)

    result = bench.table.result.seats
    assert [{Fault.LATE: 10}, {}] == [dict(seat.faults) for seat in result]
    assert [0, 10] == [len(seat.took_ns) for seat in result]
    assert 100 == bench.bank_ms(1)


def test_the_result_holds_bullheads_by_deal_names_and_faults():
    """Two deals of STEADY played upwards: 20 and 12 each; nobody is a no-show."""
    bench = Bench(rules=Rules(target=None, deals=2))
    bench.answer(0, 99)
    bench.play_out()
    result = bench.table.result

    assert ["ada", "bob"] == [seat.name for seat in result.seats]
    assert [(20, 20), (12, 12)] == [seat.bullheads for seat in result.seats]
    assert [{Fault.ILLEGAL: 1}, {}] == [dict(seat.faults) for seat in result.seats]
    assert [False, False] == [seat.no_show for seat in result.seats]
    assert (bench.table.setup.game, bench.end().digest) == (result.game, result.digest)


def test_faults_can_be_counted_from_outside():
    """What the connection finds, such as an unknown type, is counted without a consequence."""
    bench = Bench()
    bench.table.count(1, Fault.MALFORMED)

    assert {"malformed": 1} == bench.faults(1)
    assert [] == bench.send()
    assert [0, 0] == bench.strikes()


def test_a_third_late_seat_does_not_take_the_others_with_it():
    """Seat 0 forfeits; the answer of seat 1 in that same trick counts."""
    bench = Bench(clock=ONE)
    bench.say(1, Card(request=bench.asked(1).request, card=30), Arrival.at(0))
    bench.expire()

    assert [ClosedBecause.ANSWERED] == bench.reasons(1)
    assert 30 == bench.closings(1)[0].choice
