"""A journal that counts and times what it does, for metrics; the usual one pays nothing for that."""

import bisect
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs

from referee.journal.journal import Journal
from referee.journal.place import Lock
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult
from referee.play.steps import Step

BOUNDS_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""The upper bounds of the buckets of all durations, in seconds; a last one has no bound."""

_NS_PER_S = 1e9


@attrs.frozen(kw_only=True)
class Durations:
    """How long something took, so far.

    Attributes:
        counts: How often, for each bucket; the last has no bound.
        total_s: Seconds in all.
    """

    counts: tuple[int, ...]
    total_s: float


class Stopwatch:
    """Adds up durations."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS_S) + 1)
        self._total_ns = 0

    def add(self, nanoseconds: int) -> None:
        """Add a duration."""
        self._counts[bisect.bisect_left(BOUNDS_S, nanoseconds / _NS_PER_S)] += 1
        self._total_ns += nanoseconds

    def so_far(self) -> Durations:
        """Return what has been added."""
        return Durations(counts=tuple(self._counts), total_s=self._total_ns / _NS_PER_S)


class Meter:
    """Counts what was kept since the referee was started, through all tournaments of that time.

    Attributes:
        decisions: Decisions that count, by why they were closed (the values of `ClosedBecause`).
        faults: Faults, by kind.
        strikes: Strikes.
        games: Games that have ended.
        commits: How long it took to make a pass durable.
    """

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        self.faults: Counter[Fault] = Counter()
        self.strikes = 0
        self.games = 0
        self.commits = Stopwatch()


class MeteredJournal(Journal):
    """A journal that counts what it is told to keep.

    Attributes:
        meter: Where to; one of its own until it is given another.
    """

    def __init__(self, path: Path, lock: Lock | None, connection: sqlite3.Connection) -> None:
        self.meter = Meter()
        self._strikes: dict[GameId, int] = {}
        super().__init__(path, lock, connection)

    def game_began(self, game: GameId, names: Sequence[str]) -> None:
        """Add a game."""
        super().game_began(game, names)
        self._strikes[game] = 0

    def stepped(self, game: GameId, steps: Sequence[Step]) -> None:
        """Add what was decided in a game, and count it."""
        super().stepped(game, steps)
        for step in steps:
            self.meter.decisions.update(decision.reason.value for decision in step.decisions)
        if steps:
            strikes = sum(account.strikes for account in steps[-1].accounts)
            # Those of a game that was resumed were counted before the referee was stopped.
            self.meter.strikes += strikes - self._strikes.get(game, strikes)
            self._strikes[game] = strikes

    def found(self, game: GameId, seat: int, fault: Fault) -> None:
        """Add a fault, and count it."""
        super().found(game, seat, fault)
        self.meter.faults[fault] += 1

    def strayed(self, name: str, fault: Fault) -> None:
        """Add a fault that belongs to no game, and count it."""
        super().strayed(name, fault)
        self.meter.faults[fault] += 1

    def game_ended(self, result: GameResult) -> None:
        """Add a result, and count it."""
        super().game_ended(result)
        self._strikes.pop(result.game, None)
        self.meter.games += 1

    def commit(self) -> None:
        """Make durable what was added, and time it if there was something."""
        before, began = self._commits_in_log, time.monotonic_ns()
        super().commit()
        if self._commits_in_log != before:
            self.meter.commits.add(time.monotonic_ns() - began)
