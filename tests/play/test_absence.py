"""Bots that leave or drop, in every phase of a game, and what that does to bank and clock."""

from protocol.parts import ClosedBecause
from referee.play.events import BotLeft, Defaulted
from referee.rules.events import CardDrafted, CardsRevealed
from tests.play.bench import BANKED, MS, THREE, Bench, kinds
from tests.play.phases import PHASES, in_card, in_draft

ANSWERED, LATE, GONE = ClosedBecause.ANSWERED, ClosedBecause.LATE, ClosedBecause.GONE


# --- a drop ------------------------------------------------------------------------------------------------


@PHASES
def test_t5_rejoin_03_a_drop_while_asked_leaves_the_request_open(phase):
    """The clock runs on; within its limit the bot may come back, and answer."""
    bench = phase()
    due = bench.table.wake_at()
    bench.later(100).drop(0)

    assert due == bench.table.wake_at()

    bench.later(800).come(0)
    bench.answer(0)
    if phase is in_card:
        bench.answer(1)

    assert {ANSWERED} == set(bench.reasons(0))
    assert {"disconnected": 1} == bench.faults(0)
    assert [0, 0] == bench.strikes()


@PHASES
def test_a_drop_until_the_deadline_is_gone_not_late(phase):
    """Nobody came back: the default, reason gone, one strike."""
    bench = phase()
    bench.later(100).drop(0)
    if phase is in_card:
        bench.answer(1)
    bench.expire()

    assert [GONE] == [event.reason for event in bench.of(Defaulted)]
    assert {"disconnected": 1, "gone": 1} == bench.faults(0)
    assert [1, 0] == bench.strikes()
    assert [] == [closed for closed in bench.closings(0) if closed.reason is GONE]


@PHASES
def test_leaving_defaults_at_once(phase):
    """Gone for good: the open request and all later ones, without any time passing, and the last place."""
    bench = phase()
    bench.leave(0)
    start = bench.now
    bench.play_out()

    assert start == bench.now
    assert GONE is bench.of(Defaulted)[0].reason
    assert "disconnected" not in bench.faults(0)
    assert [BotLeft(seat=0)] == bench.of(BotLeft)
    assert (2, 1) == bench.end(1).places


def test_a_drop_after_the_answer_changes_nothing():
    """Seat 0 has chosen 29 and drops: 29 is played."""
    bench = Bench()
    bench.answer(0, 29)
    bench.drop(0)
    bench.answer(1, 30)

    assert (29, 30) == bench.of(CardsRevealed)[0].cards
    assert {"disconnected": 1} == bench.faults(0)


def test_leaving_after_the_answer_leaves_the_answer():
    """The card that was chosen before counts; what comes after is defaulted."""
    bench = Bench()
    bench.answer(0, 29)
    bench.leave(0)
    bench.answer(1, 30)
    bench.answer(1, 12)

    assert [(29, 30), (11, 12)] == [event.cards for event in bench.of(CardsRevealed)]


def test_a_drop_before_being_asked_is_waited_for():
    """In a draft seat 1 drops while seat 0 picks: its pick is asked, on the clock, and defaulted as gone."""
    bench = in_draft()
    bench.drop(1)
    bench.answer(0, 24)

    assert bench.now + 1000 * MS + 1 == bench.table.wake_at()

    bench.expire()

    assert [24, 1] == [event.card for event in bench.of(CardDrafted)]
    assert [(1, GONE)] == [(event.seat, event.reason) for event in bench.of(Defaulted)]
    assert [0] == bench.open_seats()


def test_leaving_before_being_asked_is_not_waited_for():
    """In a draft seat 1 leaves while seat 0 picks: seat 0 is asked again at once."""
    bench = in_draft()
    bench.leave(1)
    told = bench.answer(0, 24)

    assert ["request_closed", "choose_draft"] == kinds(told)
    assert [(0, 24), (1, 1)] == [(event.seat, event.card) for event in bench.of(CardDrafted)]


def test_a_seat_that_is_away_is_told_nothing():
    """Nothing is kept for it: after its return it is told where the game stands instead."""
    bench = Bench(listeners=(0, 1))
    bench.drop(0)
    before = len(bench.told[0])
    bench.answer(1)
    bench.expire()

    assert before == len(bench.told[0])


# --- the bank ----------------------------------------------------------------------------------------------


def test_t5_clock_03_a_drop_in_bank_time_closes_at_once():
    """At 1,300 ms, 100 into the bank: gone at once, and the bank has 400 left."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.at(1300)
    told = bench.drop(0)

    assert "request_closed" in kinds(told)
    assert [GONE] == [event.reason for event in bench.of(Defaulted)]
    assert 400 == bench.bank_ms(0)


def test_a_drop_exactly_at_the_end_of_free_time_leaves_the_request_open():
    """Limit and grace, 1,200 ms, are not exceeded; one ns later nobody can be in time."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.at(1200).drop(0)

    assert [] == bench.of(Defaulted)
    assert 1200 * MS + 1 == bench.table.wake_at()


def test_a_drop_one_nanosecond_into_the_bank_closes_at_once():
    """1 ns of bank was used."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.now = 1200 * MS + 1
    bench.drop(0)

    assert [GONE] == [event.reason for event in bench.of(Defaulted)]
    assert 500 * MS - 1 == bench.table.seats[0].bank_ns


def test_t5_clock_03_the_bank_does_not_run_while_the_seat_is_away():
    """Dropped at 100: due at 1,200 instead of 1,700; the bank stays full."""
    bench = Bench(clock=BANKED)
    bench.answer(1)

    assert 1700 * MS + 1 == bench.table.wake_at()

    bench.at(100).drop(0)

    assert 1200 * MS + 1 == bench.table.wake_at()

    bench.expire()

    assert 500 == bench.bank_ms(0)


def test_the_bank_counts_again_after_a_return_in_time():
    """Away from 100 to 1,100: the request is due at 1,700 again, and an answer at 1,500 costs 300."""
    bench = Bench(clock=BANKED)
    bench.answer(1)
    bench.at(100).drop(0)
    bench.at(1100).come(0)

    assert 1700 * MS + 1 == bench.table.wake_at()

    bench.at(1500).answer(0)

    assert [200] == [closed.bank_ms for closed in bench.closings(0)]


def test_a_return_after_limit_and_grace_finds_the_request_closed():
    """Away from 100; back at 1,300, before the table has looked at the clock: gone, no bank is used."""
    bench = Bench(clock=BANKED)
    bench.at(100).drop(0)
    told = bench.at(1300).come(0)

    assert ["game_start"] == kinds(told)
    assert {"disconnected": 1, "gone": 1} == bench.faults(0)

    bench.answer(1)

    assert [GONE] == bench.reasons(0)
    assert [500] == [closed.bank_ms for closed in bench.closings(0)]
    assert 2 == bench.asked(0).trick


def test_a_return_after_the_deadline_lets_the_trick_go_on():
    """It was the last seat to be waited for: it is told the game, the closed request and the next one."""
    bench = Bench()
    bench.answer(1)
    bench.at(100).drop(0)
    told = [message for seat, message in bench.at(1001).come(0) if seat == 0]

    assert ["game_start", "request_closed", "choose_card"] == kinds(told)
    assert GONE is told[1].reason


def test_a_return_exactly_at_the_deadline_is_in_time():
    """There is 0 ms left, but an answer that arrives at that moment counts."""
    bench = Bench()
    bench.answer(1)
    bench.at(100).drop(0)
    told = bench.at(1000).come(0)

    assert 0 == told[-1][1].time_ms

    bench.answer(0)

    assert [ANSWERED] == bench.reasons(0)


def test_a_second_word_that_an_absent_bot_is_away_takes_nothing_from_its_bank():
    """Away since 100 and reported away again at 1,400, late: no second drop, and the bank is untouched."""
    bench = Bench(clock=BANKED)
    bench.at(100).drop(0)
    bench.at(1400).drop(0)
    bench.expire()

    assert {"disconnected": 1, "gone": 1} == bench.faults(0)
    assert 500 == bench.bank_ms(0)
    assert 1 == len(bench.of(BotLeft))


def test_leaving_for_good_while_away_takes_nothing_from_the_bank():
    """Away since 100, and at 1,400 known to be gone for good: it was not thinking in its bank time."""
    bench = Bench(clock=BANKED)
    bench.at(100).drop(0)
    bench.at(1400).leave(0)

    assert 500 == bench.bank_ms(0)


def test_a_seat_for_which_nobody_will_come_is_not_waited_for():
    """Seat 1 withdrew before the game: defaults from the first trick on, a no-show, no limit passes."""
    bench = Bench(THREE, here=[0, 2], gone=[1])
    bench.round_of({0: 11, 2: 13})

    assert [(11, 12, 13)] == [event.cards for event in bench.of(CardsRevealed)]

    bench.play_out()

    assert 0 == bench.now
    assert [False, True, False] == [seat.no_show for seat in bench.table.result.seats]
    assert {"gone": 3} == bench.faults(1)
