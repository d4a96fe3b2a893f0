"""Added latency: from a table's last answer to its next requests, while all bots answer at once."""

import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks.running import Workshop, load, referee

TABLES = (1, 4, 16, 64, 256)
SEATS = 4
REPEATS, QUICK_REPEATS = 3, 1
SECONDS, QUICK_SECONDS = 2.0, 0.5
WARMUP_S = 0.3


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table by number of tables."""
    found: dict[int, list[dict[str, Any]]] = {tables: [] for tables in TABLES}
    for _ in range(QUICK_REPEATS if shop.quick else REPEATS):
        for tables, runs in found.items():
            runs.append(play(shop, tables))
    yield "| tables | p50 us | p99 us | max us | us a decision |"
    yield "| ---: | ---: | ---: | ---: | ---: |"
    for tables, runs in found.items():
        p50, p99, largest = (
            statistics.median(run[key] for run in runs) for key in ("p50_us", "p99_us", "max_us")
        )
        each = statistics.median(run["seconds"] / run["decisions"] * 1e6 for run in runs)
        yield f"| {tables} | {p50:,.0f} | {p99:,.0f} | {largest:,.0f} | {each:.1f} |"


def play(shop: Workshop, tables: int) -> dict[str, Any]:
    """Play at so many tables; return what the load generator counted."""
    bots = tables * SEATS
    with referee(shop, bots, seats=SEATS) as running:
        seconds = QUICK_SECONDS if shop.quick else SECONDS
        return load(shop.programs.bots, running, bots, warmup=WARMUP_S, seconds=seconds)
