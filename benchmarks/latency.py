"""Added latency: from a table's last answer to its next requests, by number of tables."""

import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks.running import Workshop, load, referee

TABLES = (1, 4, 16, 64, 256)
SEATS = 4
THINK_MS = 200
REPEATS, QUICK_REPEATS = 3, 1
SECONDS, QUICK_SECONDS = 2.0, 0.5
WARMUP_S = 0.3


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table by number of tables: with bots that think, and with bots that answer at once."""
    found: dict[int, list[tuple[dict[str, Any], dict[str, Any]]]] = {tables: [] for tables in TABLES}
    for _ in range(QUICK_REPEATS if shop.quick else REPEATS):
        for tables, runs in found.items():
            runs.append((play(shop, tables, think_ms=THINK_MS), play(shop, tables, think_ms=0)))
    yield (
        f"| tables | bots think up to {THINK_MS} ms: p50 us | p99 us | max us | decisions a second"
        " | answer at once: p50 us | p99 us | max us | decisions a second |"
    )
    yield f"|{' ---: |' * 9}"
    for tables, runs in found.items():
        cells = [cell for kind in zip(*runs, strict=True) for cell in _cells(kind)]
        yield f"| {tables} | {' | '.join(cells)} |"


def play(shop: Workshop, tables: int, *, think_ms: int) -> dict[str, Any]:
    """Play at so many tables; return what the load generator counted."""
    bots = tables * SEATS
    with referee(shop, bots, seats=SEATS) as running:
        seconds = QUICK_SECONDS if shop.quick else SECONDS
        return load(shop.programs.bots, running, bots, warmup=WARMUP_S, seconds=seconds, think_ms=think_ms)


def _cells(runs: tuple[dict[str, Any], ...]) -> Iterator[str]:
    for key in ("p50_us", "p99_us", "max_us"):
        yield f"{statistics.median(run[key] for run in runs):,.0f}"
    yield f"{statistics.median(run['decisions'] / run['seconds'] for run in runs):,.0f}"
