"""Idle bots: how long it takes to greet very many, and what memory each of them holds."""

import resource
import time
from collections.abc import Iterator

from benchmarks.processes import cpu_of, resident_kib
from benchmarks.running import BenchmarkError, Workshop, generator, referee

SIZES = (1_000, 10_000)
QUICK_SIZES = (1_000,)
GOAL_KIB = 20

_SPARE_DESCRIPTORS = 200
_SETTLED_S = 1.0


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table by number of bots."""
    yield "| bots | greeted in s | a second | resident KiB each | goal | CPU s to greet | CPU % held |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for bots in QUICK_SIZES if shop.quick else SIZES:
        yield _line(shop, bots)


def _line(shop: Workshop, bots: int) -> str:
    _raise_limit(bots + _SPARE_DESCRIPTORS)
    with referee(shop, bots, never_begin=True) as running:
        pid = running.process.pid
        resident, used = resident_kib(pid), cpu_of(pid)
        with generator(shop.programs.bots, running, bots, hold=True) as held:
            seconds = held.greeted()
            to_greet = cpu_of(pid) - used
            time.sleep(_SETTLED_S)
            each = (resident_kib(pid) - resident) / bots
            idle = (cpu_of(pid) - used - to_greet) / _SETTLED_S
    return (
        f"| {bots:,} | {seconds:.2f} | {bots / seconds:,.0f} | {each:.1f}"
        f" | {GOAL_KIB} | {to_greet:.2f} | {idle:.0%} |"
    )


def _raise_limit(descriptors: int) -> None:
    """Let this process and those it starts have so many descriptors.

    Raises:
        BenchmarkError: The system does not allow it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < descriptors:
        raise BenchmarkError(f"{descriptors} file descriptors are needed, but `ulimit -Hn` is {hard}")
    if soft != resource.RLIM_INFINITY and soft < descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard))
