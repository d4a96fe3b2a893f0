"""How signals stop a tournament: SIGTERM lets games end first, Ctrl-C stops at once, Ctrl-C twice is out.

    PLAYING -- SIGTERM --> DRAINING -- games over, or time up --> STOPPING -- Ctrl-C again --> OUT
    PLAYING, DRAINING -- Ctrl-C, or the terminal went away --> STOPPING

A further SIGTERM changes nothing: `timeout` sends two, and a service manager that has lost patience sends
SIGKILL, after which `resume` goes on.
"""

import enum
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

import trio

from referee.server import terminal
from referee.server.news import Draining, StopCause, Stopping

_LOOK_EVERY_S = 0.05

_CAUSES = {
    signal.SIGINT: StopCause.CTRL_C,
    signal.SIGTERM: StopCause.SIGTERM,
}
if hasattr(signal, "SIGHUP"):
    _CAUSES[signal.SIGHUP] = StopCause.HANGUP


class Stoppable(Protocol):
    """What can be stopped."""

    @property
    def running(self) -> int:
        """How many games are being played."""

    def drain(self) -> None:
        """Start no further games."""

    def interrupt(self) -> None:
        """Stop at once, in good order; doing so twice does nothing."""

    def hurry(self) -> None:
        """Leave out whatever of that takes time."""


class Stage(enum.Enum):
    """How far the stopping has come."""

    PLAYING = "playing"
    DRAINING = "draining"
    STOPPING = "stopping"
    OUT = "out"


class Stopper:
    """Stops something as signals say.

    Args:
        target: What is stopped.
        drain_s: How long games may go on after SIGTERM, in seconds; 0 for not at all.
        tell: Takes the news of it.
    """

    def __init__(
        self, target: Stoppable, *, drain_s: float, tell: Callable[[Sequence[Draining | Stopping]], None]
    ) -> None:
        self._target = target
        self._drain_s = drain_s
        self._tell = tell
        self._stage = Stage.PLAYING

    async def obey(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take signals until cancelled; started once none is missed."""
        with trio.open_signal_receiver(*_heeded()) as signals:
            task_status.started()
            async with trio.open_nursery() as nursery:
                await self._follow(signals, nursery)

    async def _follow(self, signals: AsyncIterator[int], nursery: trio.Nursery) -> None:
        async for number in signals:
            cause = _CAUSES[signal.Signals(number)]
            if cause is StopCause.SIGTERM:
                self._terminated(nursery)
            elif self._stage in {Stage.PLAYING, Stage.DRAINING}:
                self._stop(cause)
            elif cause is StopCause.CTRL_C:
                self._stage = Stage.OUT
                self._target.hurry()

    def _terminated(self, nursery: trio.Nursery) -> None:
        if self._stage is not Stage.PLAYING:
            return
        if not self._drain_s or not self._target.running:
            self._stop(StopCause.SIGTERM)
            return
        self._stage = Stage.DRAINING
        self._tell([Draining(games=self._target.running, seconds=self._drain_s)])
        self._target.drain()
        nursery.start_soon(self._stop_when_drained)

    async def _stop_when_drained(self) -> None:
        with trio.move_on_after(self._drain_s):
            while self._target.running:  # noqa: ASYNC110 - games also end by a word of the organiser
                await trio.sleep(_LOOK_EVERY_S)
        if self._stage is Stage.DRAINING:
            self._stop(StopCause.SIGTERM)

    def _stop(self, cause: StopCause) -> None:
        self._stage = Stage.STOPPING
        if cause is StopCause.HANGUP:
            terminal.abandon()
        self._tell([Stopping(cause=cause)])
        self._target.interrupt()


def _heeded() -> list[signal.Signals]:
    """Return the signals to take: a hang-up that is to be ignored, as under nohup, still is."""
    return [
        number
        for number, cause in _CAUSES.items()
        if cause is not StopCause.HANGUP or signal.getsignal(number) is not signal.SIG_IGN
    ]
