"""A table without anybody: played out after three limits, in bounded steps (promises 1 and 6)."""

import attrs
import pytest

from referee.play.events import Defaulted
from referee.play.table import LIMITS_WITHOUT_ANYBODY, STEPS_AT_ONCE
from referee.rules.events import CardsRevealed
from referee.rules.variants import Rules, Variant
from tests.play.bench import CLOCK, LOW, MS, Bench, kinds

NEVER = attrs.evolve(CLOCK, strikes=0)
LONG = Rules(target=None, deals=20)


@pytest.mark.parametrize("clock", [CLOCK, NEVER])
@pytest.mark.parametrize("variant", Variant)
def test_t5_fault_05_a_game_without_anybody_is_over_after_three_limits(clock, variant):
    """Nobody ever comes: three limits pass, and the rest is played at once, with or without forfeits."""
    rules = Rules(variant=variant, target=None, deals=2)
    bench = Bench(None, rules=rules, clock=clock, here=[]).run_down()

    assert LIMITS_WITHOUT_ANYBODY * (1000 * MS + 1) == bench.now
    assert [bool(clock.strikes)] * 2 == [seat.forfeited for seat in bench.table.seats]
    assert [True, True] == [seat.no_show for seat in bench.table.result.seats]
    assert [] == bench.wire


def test_all_drop_in_mid_game():
    """Two tricks are played, then both drop: three more limits, five tricks with a clock in all."""
    bench = Bench(clock=NEVER)
    for _ in range(2):
        bench.round_of({0: bench.asked(0).hand[0], 1: bench.asked(1).hand[0]})
    bench.later(5).drop(0)
    bench.drop(1)
    bench.run_down()

    assert 3 * (1000 * MS + 1) == bench.now
    assert 10 == len(bench.of(CardsRevealed))
    assert [8, 8] == [len([e for e in bench.of(Defaulted) if e.seat == seat]) for seat in (0, 1)]


def test_all_leave():
    """Gone for good: not one limit is waited for."""
    bench = Bench(clock=NEVER)
    bench.leave(0)
    bench.leave(1)

    assert bench.table.result is not None
    assert 0 == bench.now


def test_one_left_and_one_away():
    """What is left to wait for is the one that may come back: three limits."""
    bench = Bench(clock=NEVER)
    bench.leave(0)
    bench.drop(1)
    bench.run_down()

    assert 3 * (1000 * MS + 1) == bench.now


def test_a_silent_seat_that_is_here_is_waited_for_in_every_trick():
    """The away seat does not hurry the other one: ten limits."""
    bench = Bench(clock=NEVER, here=[0]).run_down()

    assert 10 * (1000 * MS + 1) == bench.now


def test_a_row_is_a_limit_as_well():
    """LOW without anybody: card, row, card, and then at once."""
    bench = Bench(LOW, clock=NEVER, here=[]).run_down()

    assert 3 * (1000 * MS + 1) == bench.now


def test_a_return_within_three_limits_starts_the_count_anew():
    """Both drop; after two limits one comes back and goes: three limits more."""
    bench = Bench(clock=NEVER)
    bench.drop(0)
    bench.drop(1)
    bench.expire()
    bench.expire()
    bench.come(0)
    bench.drop(0)
    bench.run_down()

    assert 5 * (1000 * MS + 1) == bench.now


def test_steps_for_nobody_are_bounded():
    """20 deals are 200 tricks: after the third limit 50 are played, and the table wants to be woken at once.

    Trick 3 is the first of these 50, hence 52 are played; then three times 50 more, the last 48 by then.
    """
    bench = Bench(rules=LONG, clock=NEVER, here=[])
    for _ in range(3):
        bench.expire()
    played = [len(bench.of(CardsRevealed))]
    waits = [bench.table.wake_at()]
    while bench.table.result is None:
        bench.tick()
        played.append(len(bench.of(CardsRevealed)))
        waits.append(bench.table.wake_at())

    assert 50 == STEPS_AT_ONCE
    assert [52, 102, 152, 200] == played
    assert [0, 0, 0, None] == waits


def test_leaving_is_bounded_too():
    """The last bot leaves a long game: 50 steps, and the rest when the table is woken."""
    bench = Bench(rules=LONG, clock=NEVER)
    bench.leave(0)
    bench.leave(1)

    assert 50 == len(bench.of(CardsRevealed))
    assert 0 == bench.table.wake_at()

    bench.run_down()

    assert 200 == len(bench.of(CardsRevealed))


def test_a_bot_that_comes_between_such_steps_is_asked_again():
    """After 52 tricks without anybody seat 0 comes: the next trick that is asked waits for it."""
    bench = Bench(rules=LONG, clock=NEVER, here=[])
    for _ in range(3):
        bench.expire()
    bench.come(0)
    bench.tick()

    assert [0] == bench.open_seats()
    assert "choose_card" == kinds(bench.told[0])[-1]

    bench.answer(0)

    # Seat 1 may still come, and so has the rest of its limit.
    assert bench.now + 1000 * MS + 1 == bench.table.wake_at()
