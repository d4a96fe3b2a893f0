"""The referee's processor time for a decision, split by layer, from samples of its stack."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.profiling import LAYERS, read
from benchmarks.running import BenchmarkError, Workshop, generator, load, referee

SIZES = (4, 64, 1024)
WINDOW_S, QUICK_WINDOW_S = 6.0, 1.0
WARMUP_S, QUICK_WARMUP_S = 0.5, 0.2
MOST_FUNCTIONS = 15

_PATIENCE_S = 10.0


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table of layers, and the functions that take the most."""
    split = {bots: _split(shop, bots) for bots in SIZES}
    plain = {bots: _cpu_us(_counted(shop, bots)) for bots in SIZES}
    yield "| CPU us a decision | " + " | ".join(f"{bots:,} connections" for bots in SIZES) + " |"
    yield "| --- |" + " ---: |" * len(SIZES)
    for layer in LAYERS:
        yield f"| {layer} | " + " | ".join(f"{_of(split[bots], layer):.1f}" for bots in SIZES) + " |"
    yield "| all, profiled | " + " | ".join(f"{split[bots][1]:.1f}" for bots in SIZES) + " |"
    yield "| all, not profiled | " + " | ".join(f"{plain[bots]:.1f}" for bots in SIZES) + " |"
    yield ""
    yield "| function, at 64 connections | CPU us a decision |"
    yield "| --- | ---: |"
    profile, cpu_us = split[64]
    samples = sum(profile["layers"].values())
    for function, count in profile["functions"][:MOST_FUNCTIONS]:
        yield f"| `{function}` | {count / samples * cpu_us:.1f} |"


def _of(found: tuple[dict[str, Any], float], layer: str) -> float:
    profile, cpu_us = found
    layers = profile["layers"]
    share: float = layers.get(layer, 0) / sum(layers.values())
    return share * cpu_us


def _cpu_us(counted: dict[str, Any]) -> float:
    """Return the referee's processor time for a decision."""
    if not counted["decisions"]:
        raise BenchmarkError("no decision was made while it was measured")
    return float(counted["watched_cpu_s"] / counted["decisions"] * 1e6)


def _counted(shop: Workshop, bots: int) -> dict[str, Any]:
    with referee(shop, bots) as running:
        return load(
            shop.programs.bots,
            running,
            bots,
            warmup=_warmup(shop),
            seconds=_window(shop),
            watch=running.process.pid,
        )


def _split(shop: Workshop, bots: int) -> tuple[dict[str, Any], float]:
    """Return the profile, and the processor time for a decision while it was taken."""
    path = shop.path(".profile")
    with (
        referee(shop, bots, profile=path) as running,
        generator(
            shop.programs.bots,
            running,
            bots,
            warmup=_warmup(shop),
            seconds=_window(shop),
            watch=running.process.pid,
        ) as playing,
    ):
        playing.greeted()
        # The window of the profile lies within the generator's; both are long enough to be alike.
        time.sleep(_warmup(shop) * 1.5)
        running.process.send_signal(signal.SIGUSR1)
        time.sleep(_window(shop) * 0.8)
        running.process.send_signal(signal.SIGUSR2)
        counted = playing.line()
        _await(path)
    return read(path), _cpu_us(counted)


def _await(path: Path) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not path.exists():
        if time.monotonic() > until:
            raise BenchmarkError("the referee wrote no profile")
        time.sleep(0.01)


def _warmup(shop: Workshop) -> float:
    return QUICK_WARMUP_S if shop.quick else WARMUP_S


def _window(shop: Workshop) -> float:
    return QUICK_WINDOW_S if shop.quick else WINDOW_S
