"""Snapshots of a served tournament, and the times of passes."""

import contextlib
import time
from collections.abc import AsyncIterator

import pytest
import trio

from referee.journal.metered import Meter
from referee.play.clock import ClockRules
from referee.server.metering import PassTimes, Snapshot, snapshot
from tests.server.network import REQUESTS, S
from tests.server.room import Room, open_listener


def test_a_pass_is_timed_from_one_look_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Woken at 1000 and back at 4000 ns, then at 9000 and back at 9500: two passes of 3500 ns together.

    What was before the first look is not known, and the time in which the loop slept is not counted.
    """
    times = iter([1000, 4000, 9000, 9500])
    passes = PassTimes()
    passes.before_io_wait(1.0)
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(times))
    for _ in range(2):
        passes.after_io_wait(1.0)
        passes.before_io_wait(1.0)

    assert sum(passes.watch.so_far().counts) == 2
    assert passes.watch.so_far().total_s == pytest.approx(3.5e-6)


@pytest.fixture
async def hall() -> AsyncIterator[Room]:
    """Serve a tournament in which nobody is late while a test waits."""
    with contextlib.closing(open_listener()) as listener:
        async with trio.open_nursery() as nursery:
            yield Room(nursery, listener, clock=ClockRules(move_ns=300 * S))
            nursery.cancel_scope.cancel()


def now(hall: Room) -> Snapshot:
    """Take a snapshot."""
    return snapshot(Meter(), PassTimes(), hall.tournament)


async def test_snapshots_of_a_tournament(hall: Room) -> None:
    """Registration: two are there and no round is; then a game of one; then none is left of one planned."""
    ada, bob = await hall.join("ada", "bob", answering=False)
    registration = now(hall)
    hall.do("start")
    await ada.hears(*REQUESTS)
    playing = now(hall)
    await bob.hears(*REQUESTS)
    await ada.answer()
    await bob.answer()
    await hall.ends()
    over = now(hall)

    assert (registration.connections, registration.entrants, registration.rounds) == (2, 2, 0)
    assert (playing.running, playing.done, playing.planned, playing.round) == (1, 0, 1, 1)
    assert (over.running, over.done, over.planned, over.rounds) == (0, 1, 1, 1)
    assert set(over.faults) >= {"late", "stale"}
    assert set(over.decisions) >= {"answered", "late"}
