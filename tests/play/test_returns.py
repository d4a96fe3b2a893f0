"""Bots that come back, come late, or never come, in every phase of a game (promises 6 and 7)."""

from protocol.messages import GameStart
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseRow
from referee.play.clock import Arrival
from referee.play.events import BotLeft, BotReturned, Defaulted
from referee.play.faults import Fault
from referee.play.seats import Presence
from referee.rules.events import CardsRevealed
from tests.play.bench import BANKED, CLOCK, LOW, MS, THREE, Bench, answer_to, kinds
from tests.play.phases import PHASES, in_row

ANSWERED, LATE, GONE = ClosedBecause.ANSWERED, ClosedBecause.LATE, ClosedBecause.GONE


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
