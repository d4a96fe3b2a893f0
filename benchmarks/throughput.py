"""Decisions a second through the whole referee, beside two bare echo servers that move the same frames."""

import statistics
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs

from benchmarks.running import SOURCES, BenchmarkError, Server, Workshop, load, python, referee, server
from protocol.framing import LIMIT, FrameReader, frame
from protocol.packing import unpack

SIZES = (4, 64, 256, 1024)
REPEATS, QUICK_REPEATS = 5, 1
SECONDS, QUICK_SECONDS = 2.0, 0.5
WARMUP_S, QUICK_WARMUP_S = 0.5, 0.2
GOALS = {4: 0.6, 64: 1.1, 256: 1.3, 1024: 1.6}
"""Times the echo of Trio."""

_TYPICAL_TRICK = 6
"""A hand has ten cards at first and one at last: this request is of middling size."""

REFEREE, TRIO, EPOLL = "referee", "Trio echo", "C echo"
KINDS = (REFEREE, TRIO, EPOLL)


@attrs.frozen(kw_only=True)
class Rate:
    """What one server did with one number of connections.

    Attributes:
        a_second: Decisions, or frames echoed.
        cpu_us: Processor time of the server for each.
    """

    a_second: float
    cpu_us: float


def recorded_reply(shop: Workshop) -> Path:
    """Let the referee play a little, and keep what it sends from one trick to the next; return the file.

    Raises:
        BenchmarkError: The referee sent something else.
    """
    heard, reply = shop.path(".record"), shop.path(".reply")
    with referee(shop, 4) as running:
        load(shop.programs.bots, running, 4, seconds=0.1, decisions=80, record=heard)
    reader = FrameReader(LIMIT)
    reader.feed(heard.read_bytes())
    before = b""
    while (payload := reader.next_frame()) is not None:
        message = unpack(payload)
        if message["type"] == "choose_card" and message["trick"] == _TYPICAL_TRICK:
            reply.write_bytes(before + frame(payload))
            return reply
        before = frame(payload)
    raise BenchmarkError(f"the referee asked for no card of trick {_TYPICAL_TRICK}")


def rate(shop: Workshop, kind: str, bots: int, reply: Path) -> Rate:
    """Let so many bots play with one server."""
    with start(shop, kind, bots, reply) as running:
        counted = load(
            shop.programs.bots,
            running,
            bots,
            warmup=QUICK_WARMUP_S if shop.quick else WARMUP_S,
            seconds=QUICK_SECONDS if shop.quick else SECONDS,
            watch=running.process.pid,
        )
    return _rate(counted)


def start(shop: Workshop, kind: str, bots: int, reply: Path) -> AbstractContextManager[Server]:
    """Start a server: a referee for so many bots, or an echo of a reply."""
    if kind == REFEREE:
        return referee(shop, bots)
    return server(python(SOURCES / "echo.py", reply) if kind == TRIO else [shop.programs.echo, reply])


def _rate(counted: dict[str, Any]) -> Rate:
    decisions = counted["decisions"]
    if not decisions:
        raise BenchmarkError("no decision was made while it was measured")
    return Rate(a_second=decisions / counted["seconds"], cpu_us=counted["watched_cpu_s"] / decisions * 1e6)


def measure(shop: Workshop) -> dict[int, list[dict[str, Rate]]]:
    """Measure all servers with each number of connections, in turn, several times.

    Returns:
        By number of connections what each repetition gave, by kind of server.
    """
    reply = recorded_reply(shop)
    found: dict[int, list[dict[str, Rate]]] = {bots: [] for bots in SIZES}
    for _ in range(QUICK_REPEATS if shop.quick else REPEATS):
        for bots, repetitions in found.items():
            repetitions.append({kind: rate(shop, kind, bots, reply) for kind in KINDS})
    return found


def lines(shop: Workshop) -> Iterator[str]:
    """Give the table in Markdown; each figure, ratios included, is the median of the repetitions."""
    yield (
        "| connections | decisions a second | Trio echo | C echo | : Trio | goal | : C"
        " | CPU us each | Trio | C | CPU, Trio : ours |"
    )
    yield f"|{' ---: |' * 11}"
    for bots, repetitions in measure(shop).items():
        rates = [_median(one[kind].a_second for one in repetitions) for kind in KINDS]
        cpu_us = [_median(one[kind].cpu_us for one in repetitions) for kind in KINDS]
        to_trio, to_epoll = (
            _median(one[REFEREE].a_second / one[kind].a_second for one in repetitions)
            for kind in (TRIO, EPOLL)
        )
        of_cpu = _median(one[TRIO].cpu_us / one[REFEREE].cpu_us for one in repetitions)
        cells = (
            f"{bots:,}",
            *(f"{value:,.0f}" for value in rates),
            f"{to_trio:.2f}",
            f"{GOALS[bots]}",
            f"{to_epoll:.2f}",
            *(f"{value:.1f}" for value in cpu_us),
            f"{of_cpu:.2f}",
        )
        yield f"| {' | '.join(cells)} |"


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)
