"""What is shown on stderr while a tournament runs: nothing, plain lines, or a live display."""

import abc
import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TextIO

import attrs

from referee.cli.estimate import spoken, time_left
from referee.cli.log import Fact, JsonLog
from referee.cli.logformat import LogFormat, chosen
from referee.cli.narrator import Narrator
from referee.local.news import LocalNews
from referee.server.news import RoundOver
from referee.tournament.standings import StandingsRow

LINE_EVERY_S = 2.0
"""Finished rounds get a line each, but no more often than this."""

SIGN_OF_LIFE_S = 15.0
"""After so long without any line one says how far things are."""


@attrs.frozen(kw_only=True)
class Snapshot:
    """How far a tournament is.

    Attributes:
        round: The oldest round that is being played.
        rounds: How many rounds there are.
        done: Games that have ended.
        planned: Games in all.
        running: Tables that are being played.
        rows: The standings so far, best first.
    """

    round: int
    rounds: int
    done: int
    planned: int
    running: int
    rows: Sequence[StandingsRow]


Look = Callable[[], Snapshot]


class Progress(abc.ABC):
    """Shows a tournament: `open`, then any number of `news` and `tick`, then `close`."""

    @abc.abstractmethod
    def open(self, look: Look) -> None:
        """Begin; `look` returns how far the tournament is."""

    @abc.abstractmethod
    def news(self, items: Sequence[LocalNews]) -> None:
        """Take in what has happened."""

    @abc.abstractmethod
    def tick(self) -> None:
        """Show what has changed; called a few times a second."""

    @abc.abstractmethod
    def close(self) -> None:
        """Leave the terminal as it was found; closing twice does nothing."""

    @abc.abstractmethod
    def say(self, line: str) -> None:
        """Show a line at once."""

    def tell(self, fact: Fact) -> None:
        """Show a fact at once, line by line."""
        for line in fact.lines:
            self.say(line)


class Silent(Progress):
    """Shows nothing."""

    def open(self, look: Look) -> None:
        """Do nothing."""

    def news(self, items: Sequence[LocalNews]) -> None:
        """Do nothing."""

    def tick(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def say(self, line: str) -> None:
        """Do nothing."""


class Plain(Progress):
    """Writes lines: trouble at once, finished rounds now and then.

    Args:
        stream: Where to.
        clock: Seconds, rising.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._narrator = Narrator()
        self._look: Look | None = None
        self._began = self._last = clock()

    def open(self, look: Look) -> None:
        """Start the clock."""
        self._look = look
        self._began = self._last = self._clock()

    def news(self, items: Sequence[LocalNews]) -> None:
        """Write a line for each trouble, and one if a round is over and the last such line is old enough."""
        for line in self._narrator.lines(items):
            self.say(line)
        if any(isinstance(item, RoundOver) for item in items):
            self._tell_how_far(LINE_EVERY_S)

    def tick(self) -> None:
        """Write a sign of life after a long silence."""
        self._tell_how_far(SIGN_OF_LIFE_S)

    def close(self) -> None:
        """Do nothing: every line is out."""
        self._look = None

    def say(self, line: str) -> None:
        """Write a line; if nobody reads them any more, that is no reason to stop a tournament."""
        with contextlib.suppress(OSError):
            print(line, file=self._stream, flush=True)

    def _tell_how_far(self, pause: float) -> None:
        now = self._clock()
        if self._look is not None and now - self._last >= pause:
            self._last = now
            self.say(how_far(self._look(), now - self._began))


def how_far(snapshot: Snapshot, seconds: float) -> str:
    """Return one line on how far a tournament is after so many seconds."""
    left = time_left(done=snapshot.done, planned=snapshot.planned, seconds=seconds)
    line = f"round {snapshot.round} of {snapshot.rounds}, {snapshot.done} of {snapshot.planned} games done"
    tables = "1 table" if snapshot.running == 1 else f"{snapshot.running} tables"
    rest = "" if left is None or snapshot.done == snapshot.planned else f", about {spoken(left)} left"
    return f"{line}, {tables} running{rest}"


def make_progress(*, quiet: bool, environment: Mapping[str, str] = os.environ) -> Progress:
    """Choose how to show a tournament.

    That is nothing if quiet, objects if the log is JSON, a live display on a terminal, and lines otherwise.

    Args:
        quiet: Whether nothing is wanted.
        environment: Where TERM and NO_COLOR (https://no-color.org) are looked up.
    """
    if quiet:
        return Silent()
    if chosen() is LogFormat.JSON:
        from referee.cli.jsonlog import JsonProgress

        return JsonProgress(JsonLog(sys.stderr))
    if not sys.stderr.isatty() or environment.get("TERM", "dumb") in {"dumb", "unknown"}:
        return Plain(sys.stderr)
    from referee.cli.live import Live

    return Live(sys.stderr, colours=not environment.get("NO_COLOR"))
