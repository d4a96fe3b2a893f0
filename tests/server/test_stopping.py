"""Signals: what each does in each stage of the stopping, with real signals and virtual time."""

import os
import signal
from collections.abc import Sequence

import attrs
import pytest
import trio
import trio.testing

from referee.server import terminal
from referee.server.news import Draining, StopCause, Stopping
from referee.server.stopping import Stopper

BY_TERM, BY_CTRL_C, BY_HANGUP = (
    Stopping(cause=cause) for cause in (StopCause.SIGTERM, StopCause.CTRL_C, StopCause.HANGUP)
)


@attrs.define
class Show:
    """Something with games that notes what it is told to do, and the news of it, in order."""

    running: int = 2
    done: list[object] = attrs.field(factory=list)

    def drain(self) -> None:
        """Note it."""
        self.done.append("drain")

    def interrupt(self) -> None:
        """Note it."""
        self.done.append("interrupt")

    def hurry(self) -> None:
        """Note it."""
        self.done.append("hurry")

    def tell(self, news: Sequence[object]) -> None:
        """Note it."""
        self.done += news


async def pulled(number: int) -> None:
    """Send this process a signal, and let it be dealt with."""
    signal.raise_signal(number)
    await trio.testing.wait_all_tasks_blocked()


@pytest.fixture
def show() -> Show:
    """Two games are being played."""
    return Show()


@pytest.fixture
async def obeying(show: Show, nursery: trio.Nursery) -> Show:
    """The same, stopped by signals, with ten seconds to drain."""
    await nursery.start(Stopper(show, drain_s=10.0, tell=show.tell).obey)
    return show


@pytest.fixture(autouse=True)
def streams_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hang-up in a test must not take the streams of the test away."""
    monkeypatch.setattr(terminal, "abandon", lambda: None)


async def test_ctrl_c_stops_at_once_and_twice_is_out(obeying: Show, autojump_clock: object) -> None:
    """A third one finds nothing more to hurry, and says so again."""
    await pulled(signal.SIGINT)
    once = list(obeying.done)
    await pulled(signal.SIGINT)

    assert [BY_CTRL_C, "interrupt"] == once
    assert [*once, "hurry"] == obeying.done


async def test_sigterm_lets_games_end_and_then_stops(obeying: Show, autojump_clock: object) -> None:
    """Two games, of which one ends after 3 s and the other after 7: stopped just then, not after 10."""
    await pulled(signal.SIGTERM)
    draining = list(obeying.done)
    await trio.sleep(3)
    obeying.running = 1
    await trio.sleep(4)
    still = list(obeying.done)
    obeying.running = 0
    await trio.sleep(0.1)

    assert [Draining(games=2, seconds=10.0), "drain"] == draining == still
    assert [*draining, BY_TERM, "interrupt"] == obeying.done


async def test_games_that_do_not_end_are_stopped_when_the_time_is_up(
    obeying: Show, autojump_clock: object
) -> None:
    """After 9.9 s not yet, after 10.1 s so."""
    await pulled(signal.SIGTERM)
    await trio.sleep(9.9)
    before = list(obeying.done)
    await trio.sleep(0.2)

    assert "interrupt" not in before
    assert [*before, BY_TERM, "interrupt"] == obeying.done


async def test_ctrl_c_cuts_the_draining_short(obeying: Show, autojump_clock: object) -> None:
    """And the end of the draining does not stop it a second time."""
    await pulled(signal.SIGTERM)
    await pulled(signal.SIGINT)
    await trio.sleep(20)

    assert [Draining(games=2, seconds=10.0), "drain", BY_CTRL_C, "interrupt"] == obeying.done


async def test_a_further_sigterm_changes_nothing(obeying: Show, autojump_clock: object) -> None:
    """The program `timeout` sends two at once; neither cuts the draining short nor hurries."""
    await pulled(signal.SIGTERM)
    await pulled(signal.SIGTERM)
    await trio.sleep(5)
    draining = list(obeying.done)
    await pulled(signal.SIGINT)
    stopped = list(obeying.done)
    await pulled(signal.SIGTERM)

    assert [Draining(games=2, seconds=10.0), "drain"] == draining
    assert stopped == obeying.done


async def test_without_games_there_is_nothing_to_wait_for(obeying: Show, autojump_clock: object) -> None:
    """As in a registration: SIGTERM is like Ctrl-C."""
    obeying.running = 0
    await pulled(signal.SIGTERM)

    assert [BY_TERM, "interrupt"] == obeying.done


async def test_without_time_to_drain_sigterm_is_like_ctrl_c(show: Show, nursery: trio.Nursery) -> None:
    """--drain 0."""
    await nursery.start(Stopper(show, drain_s=0.0, tell=show.tell).obey)
    await pulled(signal.SIGTERM)

    assert [BY_TERM, "interrupt"] == show.done


async def test_a_terminal_that_goes_away_stops_at_once(obeying: Show, autojump_clock: object) -> None:
    """Like Ctrl-C, but it never means out: nobody is there who is in a hurry."""
    await pulled(signal.SIGHUP)
    await pulled(signal.SIGHUP)

    assert [BY_HANGUP, "interrupt"] == obeying.done


async def test_under_nohup_a_hang_up_is_ignored(show: Show, nursery: trio.Nursery) -> None:
    """Whoever wanted it ignored gets it ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        await nursery.start(Stopper(show, drain_s=0.0, tell=show.tell).obey)
        await pulled(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)

    assert [] == show.done


def test_only_what_was_a_terminal_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the three streams the two that are devices lead nowhere then; the pipe leads where it did."""
    monkeypatch.undo()
    ours, theirs = os.openpty()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        for descriptor, stream in ((theirs, 0), (writer, 1), (theirs, 2)):
            os.dup2(descriptor, stream)
        terminal.abandon()
        kept = os.fstat(1).st_ino == os.fstat(writer).st_ino
        gone = all(os.fstat(stream).st_rdev == os.stat(os.devnull).st_rdev for stream in (0, 2))
        os._exit(0 if kept and gone else 1)
    _, status = os.waitpid(child, 0)
    for descriptor in (ours, theirs, reader, writer):
        os.close(descriptor)

    assert 0 == status
