"""False time-outs: does the referee ever call an answer late that was in time by the bots' own stamps?"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs

from benchmarks.running import Server, Workshop, end, generator, referee
from referee.journal.reading import Reading
from referee.play.faults import Fault

TABLES, SEATS = 64, 10
LIMIT_MS, THINK_MS = 50, 40
DECISIONS, QUICK_DECISIONS = 100_000, 10_000
STALL_S, STALL_EVERY_S = 0.2, 1.0
GOAL = 0


@contextlib.contextmanager
def calm(running: Server) -> Iterator[None]:
    """Let the referee work."""
    del running
    yield


@contextlib.contextmanager
def stalled(running: Server) -> Iterator[None]:
    """Stop the referee for a moment again and again, wherever it is."""
    over = threading.Event()

    def stop_and_go() -> None:
        while not over.wait(STALL_EVERY_S - STALL_S):
            os.kill(running.process.pid, signal.SIGSTOP)
            time.sleep(STALL_S)
            os.kill(running.process.pid, signal.SIGCONT)

    thread = threading.Thread(target=stop_and_go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def crowded(running: Server) -> Iterator[None]:
    """Keep all processors busy with something else."""
    del running
    # Started afresh, since this process may have threads.
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=spin, daemon=True) for _ in range(os.cpu_count() or 1)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.join()


def spin() -> None:
    """Use a processor until killed."""
    while True:
        pass


@attrs.frozen(kw_only=True)
class Scene:
    """In what circumstances it is played.

    Attributes:
        name: For people.
        around: What goes on around the referee.
        think_ms: The bots take up to so long for each answer.
    """

    name: str
    around: Callable[[Server], AbstractContextManager[None]]
    think_ms: int = 0


SCENES = (
    Scene(name="calm", around=calm),
    Scene(name=f"bots take up to {THINK_MS} ms", around=calm, think_ms=THINK_MS),
    Scene(name=f"stopped {STALL_S * 1e3:.0f} ms every {STALL_EVERY_S:.0f} s", around=stalled),
    Scene(name="all processors busy with others", around=crowded),
)


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table with a line for each scene."""
    yield (
        "| scene | decisions | late, says the referee | false | true | unknown | in the journal"
        " | added latency p99 ms | max ms |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for scene in SCENES:
        counted, in_journal = play(shop, scene)
        yield (
            f"| {scene.name} | {counted['answers']:,} | {counted['late']} | {counted['late_false']}"
            f" | {counted['late_true']} | {counted['late_unknown']} | {in_journal}"
            f" | {counted['p99_us'] / 1e3:.1f} | {counted['max_us'] / 1e3:.1f} |"
        )
    yield ""
    yield f"Goal: {GOAL} false ones; {TABLES} tables of {SEATS}, {LIMIT_MS} ms, {shop.io.value} I/O."


def play(shop: Workshop, scene: Scene) -> tuple[dict[str, Any], int]:
    """Play in a scene; return what the load generator counted, and the late decisions in the journal."""
    path, bots = shop.path(".journal"), TABLES * SEATS
    decisions = QUICK_DECISIONS if shop.quick else DECISIONS
    with (
        referee(shop, bots, seats=SEATS, move_ms=LIMIT_MS, journal=path) as running,
        generator(
            shop.programs.bots,
            running,
            bots,
            decisions=decisions,
            limit_ms=LIMIT_MS,
            think_ms=scene.think_ms,
            hold=True,
        ) as playing,
    ):
        with scene.around(running):
            playing.greeted()
            window = playing.line()
        # The bots play on until the referee has ended, so that both have seen the same.
        end(running.process)
        return {**window, **playing.line()}, late_in(path)


def late_in(journal: Path) -> int:
    """Count the late decisions in a journal."""
    with contextlib.closing(Reading.opened(journal)) as reading:
        return sum(fault is Fault.LATE for found in reading.faults().values() for _, fault in found)
