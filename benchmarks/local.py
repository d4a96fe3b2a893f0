"""`run-local` as anybody would run it: how soon the first card is asked for, and what the referee costs."""

import contextlib
import os
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

from benchmarks.processes import cpu_of, cpu_of_descendants
from benchmarks.running import HOME, BenchmarkError, Workshop, environment, python
from referee.journal.errors import JournalUnusable
from referee.journal.reading import Reading

BOTS = 8
MANY_TABLES = 16
REPEATS, QUICK_REPEATS = 5, 1
SECONDS, QUICK_SECONDS = 6.0, 2.0
GOAL_US = 40
"""Of the referee's processor time for a decision, at 16 tables."""

_PYTHON_BOTS = tuple(sorted((HOME / "sample_bots").glob("*.py")))
_POLL_S = 0.002
_PATIENCE_S = 60.0
_ENDING_S = 20.0


@attrs.frozen(kw_only=True)
class Moment:
    """Where a run has come to.

    Attributes:
        at: In seconds.
        games: Games that have ended.
        decisions: Decisions that bots made in them.
        referee_s: Processor time of the referee.
        bots_s: Processor time of all bots.
    """

    at: float
    games: int
    decisions: int
    referee_s: float
    bots_s: float


def lines(shop: Workshop) -> Iterator[str]:
    """Give the time to the first card, and a table by processors and tables."""
    times = [first_card_s(shop) for _ in range(QUICK_REPEATS if shop.quick else REPEATS)]
    yield f"From the start to the first card, {BOTS} Python bots: {statistics.median(times):.2f} s."
    yield ""
    yield (
        "| processors | tables at once | games a second | decisions a second"
        " | referee CPU us a decision | goal | share of all CPU |"
    )
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    everything = os.cpu_count() or 1
    runs = ((1, 1), (everything, everything), (1, MANY_TABLES), (everything, MANY_TABLES))
    for processors, tables in runs[-1:] if shop.quick else runs:
        before, after = watch(shop, processors, tables)
        yield _line(processors, tables, before, after)


def _line(processors: int, tables: int, before: Moment, after: Moment) -> str:
    seconds, decisions = after.at - before.at, after.decisions - before.decisions
    if not decisions:
        raise BenchmarkError("no game ended while it was measured")
    ours, theirs = after.referee_s - before.referee_s, after.bots_s - before.bots_s
    goal = GOAL_US if tables == MANY_TABLES else ""
    return (
        f"| {processors} | {tables} | {(after.games - before.games) / seconds:.1f}"
        f" | {decisions / seconds:,.0f} | {ours / decisions * 1e6:.1f} | {goal}"
        f" | {ours / (ours + theirs):.0%} |"
    )


@contextlib.contextmanager
def run_local(shop: Workshop, bots: int, *options: object) -> Iterator["subprocess.Popen[bytes]"]:
    """Let so many Python bots play as by `take5-referee run-local`; end it by SIGINT."""
    programs = [_PYTHON_BOTS[number % len(_PYTHON_BOTS)] for number in range(bots)]
    named = [f"bot-{number}={' '.join(python(path))}" for number, path in enumerate(programs, start=1)]
    command = python("-c", "from referee.cli.main import main; main()", "run-local")
    running = subprocess.Popen(
        [*command, "--quiet", "--io", shop.io.value, *map(str, options), *named],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        yield running
    finally:
        running.send_signal(signal.SIGINT)
        try:
            running.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def first_card_s(shop: Workshop) -> float:
    """Return the seconds from the start until the first card is asked for."""
    trace = shop.path(".trace")
    options = ("--journal", shop.path(".journal"), "--trace", trace)
    begun = time.monotonic()
    with run_local(shop, BOTS, *options) as running:
        while not (trace.exists() and b'"choose_card"' in trace.read_bytes()):
            _still_runs(running, begun)
            time.sleep(_POLL_S)
        return time.monotonic() - begun


def watch(shop: Workshop, processors: int, tables: int) -> tuple[Moment, Moment]:
    """Let the sample bots play; return two moments of it."""
    path = shop.path(".journal")
    options = ("--journal", path, "--concurrency", tables, "--games", 100_000)
    begun = time.monotonic()
    with restricted_to(processors), run_local(shop, len(_PYTHON_BOTS), *options) as running:
        while (before := moment(running.pid, path)).games < tables:
            _still_runs(running, begun)
            time.sleep(0.1)
        time.sleep(QUICK_SECONDS if shop.quick else SECONDS)
        return before, moment(running.pid, path)


def _still_runs(running: "subprocess.Popen[bytes]", begun: float) -> None:
    if running.poll() is not None:
        raise BenchmarkError(f"run-local ended by itself, with the exit code {running.returncode}")
    if time.monotonic() > begun + _PATIENCE_S:
        raise BenchmarkError(f"run-local came to nothing within {_PATIENCE_S:.0f} s")


@contextlib.contextmanager
def restricted_to(processors: int) -> Iterator[None]:
    """Let processes that are started meanwhile use no more than so many processors."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(all_of_them)[:processors])
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def moment(pid: int, journal: Path) -> Moment:
    """Return where a run has come to."""
    at, ours, theirs = time.monotonic(), cpu_of(pid), cpu_of_descendants(pid)
    games = decisions = 0
    with contextlib.suppress(JournalUnusable), contextlib.closing(Reading.opened(journal)) as reading:
        for result in reading.results():
            games += 1
            decisions += sum(len(seat.took_ns) for seat in result.seats)
    return Moment(at=at, games=games, decisions=decisions, referee_s=ours, bots_s=theirs)
