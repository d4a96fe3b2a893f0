"""Bots that leave, drop, come late or never, in every phase of a game (promises 4, 6 and 7)."""

import pytest

from protocol.messages import GameStart
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseRow
from referee.play.clock import Arrival
from referee.play.events import BotLeft, BotReturned, Defaulted
from referee.play.faults import Fault
from referee.play.seats import Presence
from referee.rules.events import CardDrafted, CardsRevealed
from referee.rules.variants import Rules, Variant
from tests.play.bench import BANKED, CLOCK, LOW, MS, THREE, Bench, answer_to, kinds

ANSWERED, LATE, GONE = ClosedBecause.ANSWERED, ClosedBecause.LATE, ClosedBecause.GONE
DRAFTING = Rules(variant=Variant.ADVANCED, target=None, deals=1)


def in_card(**more):
    """Return a table that waits for cards, seat 0 among them."""
    return Bench(LOW, **more)


def in_row(**more):
    """Return a table that waits for the row of seat 0."""
    bench = Bench(LOW, **more)
    bench.round_of({0: 1, 1: 91})
    return bench


def in_draft(**more):
    """Return a table that waits for a pick of seat 0."""
    return Bench(None, rules=DRAFTING, **more)


PHASES = pytest.mark.parametrize("phase", [in_card, in_row, in_draft])


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


# --- returns -----------------------------------------------------------------------------------------------


@PHASES
def test_t5_rejoin_02_a_return_gets_game_start_and_the_open_request(phase):
    """Resumed is true; the request is the same but for the 700 ms that are left."""
    bench = phase()
    asked = bench.asked(0)
    bench.later(100).drop(0)
    told = bench.later(200).come(0)

    assert ["game_start", asked.TYPE] == kinds(told)
    assert told[0][1].resumed
    assert 700 == told[1][1].time_ms
    assert type(asked)(**{**fields(asked), "time_ms": 700}) == told[1][1]


def fields(message):
    """Return the fields of a message as they are."""
    return {name: getattr(message, name) for name in message.__slots__ if not name.startswith("__")}


def test_game_start_of_the_beginning_is_not_resumed():
    """All that it says, for seat 1 of the table."""
    bench = Bench()
    start = bench.told[1][0]

    assert isinstance(start, GameStart)
    assert ("r3t2g1", 3, 2, 1, 1, 1, ("ada", "bob"), False) == (
        start.game,
        start.round,
        start.table,
        start.set,
        start.number,
        start.seat,
        start.names,
        start.resumed,
    )


@PHASES
def test_a_superseding_return_is_no_drop(phase):
    """A second connection of a bot that is there: told where it stands, no fault, the clock runs on."""
    bench = phase()
    due = bench.table.wake_at()
    told = bench.later(400).come(0)

    assert ["game_start", bench.asked(0).TYPE] == kinds(told)
    assert 600 == told[1][1].time_ms
    assert {} == bench.faults(0)
    assert due == bench.table.wake_at()


def test_a_superseding_return_in_grace_and_in_bank_time():
    """At 1,100 there are 0 ms and the full bank left; at 1,350, 150 ms of it are used."""
    bench = Bench(clock=BANKED)
    in_grace = bench.at(1100).come(0)[-1][1]
    in_bank = bench.at(1350).come(0)[-1][1]

    assert (0, 500) == (in_grace.time_ms, in_grace.bank_ms)
    assert (0, 350) == (in_bank.time_ms, in_bank.bank_ms)
    assert 500 == bench.bank_ms(0)

    bench.answer(1)
    bench.at(1400).answer(0)

    assert 300 == bench.bank_ms(0)


def test_a_return_of_a_seat_that_has_answered_is_asked_nothing():
    """It waits like the others; its answer stands."""
    bench = Bench()
    bench.answer(0, 29)
    bench.drop(0)
    told = bench.come(0)
    bench.answer(1)

    assert ["game_start"] == kinds(told)
    assert (29, 12) == bench.of(CardsRevealed)[0].cards


def test_a_return_while_another_chooses_its_row_is_asked_nothing():
    """Seat 1 comes back during the row of seat 0."""
    bench = in_row()
    bench.drop(1)

    assert ["game_start"] == kinds(bench.come(1))


def test_what_was_not_yet_sent_is_not_sent_to_the_next_connection():
    """A new request is due to seat 0 in the pass in which it is superseded: told once, after game_start."""
    bench = Bench(listeners=(0,))
    bench.answer(0)
    asked = bench.asked(1)
    bench.table.answered(1, answer_to(asked, 12), Arrival.at(0), 0)
    bench.table.returned(0, 0, wants_events=True)
    told = bench.send()

    assert ["game_start", "deal_start", "trick_result", "choose_card"] == kinds(
        message for seat, message in told if seat == 0
    )
    assert ["request_closed", "choose_card"] == kinds(message for seat, message in told if seat == 1)


def test_t5_clock_04_returning_over_and_over_moves_no_deadline():
    """Nine drops and returns: the request is due when it was due at first."""
    bench = Bench()
    bench.answer(1)
    for _ in range(9):
        bench.later(100).drop(0)
        bench.come(0)

    assert 1000 * MS + 1 == bench.table.wake_at()
    assert 100 == bench.asked(0).time_ms
    assert {"disconnected": 9} == bench.faults(0)


def test_t5_end_01_a_return_after_a_forfeit_is_told_the_game_but_asked_nothing():
    """It gets game_start and, in the end, game_end."""
    bench = Bench(THREE)
    bench.drop(0)
    for _ in range(3):
        bench.answer(1)
        bench.answer(2)
        bench.expire()
    told = bench.come(0)
    bench.play_out()

    assert ["game_start"] == kinds(told)
    assert [True, False, False] == list(bench.end(0).forfeited)
    assert "game_end" == kinds(bench.told[0])[-1]


def test_who_left_for_good_cannot_return():
    """A later connection of that seat is told nothing and asked nothing."""
    bench = Bench(THREE)
    bench.leave(0)

    assert [] == bench.come(0)
    assert Presence.GONE is bench.table.seats[0].presence


def test_a_seat_that_is_away_can_leave_for_good():
    """Then its open request is defaulted at once, and it left only once."""
    bench = Bench()
    bench.answer(1)
    bench.drop(0)
    bench.leave(0)

    assert GONE is bench.of(Defaulted)[0].reason
    assert 1 == len(bench.of(BotLeft))


def test_nothing_happens_after_the_end():
    """Answers, faults, drops, returns, violations and ticks leave a finished game alone."""
    bench = Bench().play_out()
    events, result = len(bench.events), bench.table.result
    told = [bench.answer(0), bench.garble(0, bench.asked(0).request), bench.drop(0), bench.come(0)]
    told += [bench.violate(1), bench.leave(1), bench.later(9999).tick()]
    bench.table.count(0, Fault.STALE)
    told += [bench.send()]

    assert [[]] * 8 == told
    assert events == len(bench.events)
    assert result is bench.table.result


# --- who comes late or never -------------------------------------------------------------------------------


def test_a_first_arrival_in_mid_game():
    """Seat 0 was not there at first: after two defaults it is asked in trick 3, and is no no-show."""
    bench = Bench(here=[1])
    for _ in range(2):
        bench.answer(1)
        bench.expire()
    told = bench.later(250).come(0)
    bench.play_out()

    assert ["game_start", "choose_card"] == kinds(told)
    assert (3, 750) == (told[1][1].trick, told[1][1].time_ms)
    assert {"gone": 2} == bench.faults(0)
    assert [False, False] == [seat.no_show for seat in bench.table.result.seats]
    assert [1, 0] == [event.seat for event in bench.of(BotReturned)]


def test_a_first_arrival_while_choosing_is_asked_the_row():
    """Seat 0 was absent, its card 1 was played for it; it comes in time to choose the row itself."""
    bench = Bench(LOW, here=[1])
    bench.answer(1)
    bench.expire()
    told = bench.come(0)

    assert isinstance(told[1][1], ChooseRow)

    bench.answer(0, 0)

    assert (7, 0) == bench.asked(1).taken


def test_t5_fault_06_a_no_show():
    """Never there: three limits, a forfeit, the last place, and the result says so."""
    bench = Bench(here=[1])
    while bench.table.result is None:
        if bench.open_seats():
            bench.answer(1)
        else:
            bench.expire()

    assert 3 * 1000 * MS + 3 == bench.now
    assert [True, False] == [seat.no_show for seat in bench.table.result.seats]
    assert (2, 1) == bench.end(1).places
    assert {"gone": 3} == bench.faults(0)
    assert [] == bench.told[0]


def test_who_left_and_was_there_is_no_no_show():
    """No-show means absent for the whole game."""
    bench = Bench()
    bench.leave(0)
    bench.play_out()

    assert [False, False] == [seat.no_show for seat in bench.table.result.seats]


def test_a_late_arrival_needs_no_drop_before():
    """An absent seat that comes is counted as disconnected never."""
    bench = Bench(here=[1], clock=CLOCK)
    bench.come(0)
    bench.play_out()

    assert {} == bench.faults(0)
    assert all(isinstance(message, ChooseCard) for message in bench.told[0][1:2])
