"""What metrics say of a moment: read by the loop about once a second, then for other threads to show."""

import time
from collections.abc import Mapping

import attrs
from trio.abc import Instrument

from protocol.parts import ClosedBecause
from referee.journal.metered import Durations, Meter, Stopwatch
from referee.play.faults import Fault
from referee.server.serving import ServedTournament


class PassTimes(Instrument):
    """Times how long the loop is busy between two looks at its connections: about a pass.

    Attributes:
        watch: Adds them up.
    """

    def __init__(self) -> None:
        self.watch = Stopwatch()
        self._looked: int | None = None

    def before_io_wait(self, timeout: float) -> None:
        """Called by Trio before each look."""
        del timeout
        if self._looked is not None:
            self.watch.add(time.monotonic_ns() - self._looked)

    def after_io_wait(self, timeout: float) -> None:
        """Called by Trio after each look."""
        del timeout
        self._looked = time.monotonic_ns()


@attrs.frozen(kw_only=True)
class Snapshot:
    """What metrics say of one moment.

    Attributes:
        connections: Connections, greeted or not.
        entrants: Entrants of whom a bot is connected.
        running: Games that are being played.
        done: Games of this tournament that have ended.
        planned: Games of this tournament in all.
        round: The oldest round that is not finished; 0 before the first.
        rounds: How many rounds there are; 0 before the first.
        decisions: Since the start, by why they were closed; all reasons are there.
        faults: Since the start, by kind; all kinds are there.
        strikes: Since the start.
        games: Games that have ended since the start.
        passes: How long the loop was busy each time.
        commits: How long the journal took each time.
    """

    connections: int
    entrants: int
    running: int
    done: int
    planned: int
    round: int
    rounds: int
    decisions: Mapping[str, int]
    faults: Mapping[str, int]
    strikes: int
    games: int
    passes: Durations
    commits: Durations


def snapshot(meter: Meter, passes: PassTimes, tournament: ServedTournament) -> Snapshot:
    """Return how things are now."""
    engine, director = tournament.engine, tournament.director
    return Snapshot(
        connections=engine.connections,
        entrants=len(engine.entrants_here()),
        running=engine.running,
        done=0 if director is None else director.games_done,
        planned=0 if director is None else director.games_planned,
        round=0 if director is None else director.round,
        rounds=0 if director is None else director.rounds,
        decisions={reason.value: meter.decisions[reason.value] for reason in ClosedBecause},
        faults={fault.value: meter.faults[fault] for fault in Fault},
        strikes=meter.strikes,
        games=meter.games,
        passes=passes.watch.so_far(),
        commits=meter.commits.so_far(),
    )
