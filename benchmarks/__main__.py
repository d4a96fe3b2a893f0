"""All measurements by one command: `python -m benchmarks [NAME...] [--quick] [--io KIND]`."""

import argparse
import importlib.metadata
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from benchmarks import bytecodes, idle, journal, latency, lateness, local, pairing, rules, split, throughput
from benchmarks.running import BenchmarkError, Workshop, workshop
from referee.server.readers import Io, available


@attrs.frozen(kw_only=True)
class Measurement:
    """One that can be asked for by its name.

    Attributes:
        title: Its heading.
        lines: Measures, and gives lines of Markdown as they come.
    """

    title: str
    lines: Callable[[Workshop], Iterator[str]]


OF_THE_REFEREE = {
    "throughput": Measurement(title="Decisions a second", lines=throughput.lines),
    "split": Measurement(title="Processor time of a decision", lines=split.lines),
    "bytecodes": Measurement(title="What the interpreter does for a decision", lines=bytecodes.lines),
    "lateness": Measurement(title="False time-outs", lines=lateness.lines),
    "latency": Measurement(title="Added latency", lines=latency.lines),
    "idle": Measurement(title="Idle bots", lines=idle.lines),
    "local": Measurement(title="run-local", lines=local.lines),
    "rules": Measurement(title="The rules alone", lines=rules.lines),
}
"""Those that are run if nothing else is asked for."""

OF_PARTS = {
    "journal": Measurement(title="The journal", lines=lambda _: journal.lines()),
    "pairing": Measurement(title="Pairing a Swiss", lines=lambda _: pairing.table_lines()),
}
MEASUREMENTS = {**OF_THE_REFEREE, **OF_PARTS}


def main() -> int:
    """Run what the command line names and print it as Markdown; return the exit code."""
    options = read_options()
    try:
        with workshop(quick=options.quick, io=options.io) as shop:
            print(surroundings(options.io), flush=True)
            for name in options.names or OF_THE_REFEREE:
                run(name, shop)
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def read_options() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"{', '.join(OF_THE_REFEREE)}: these by default; {', '.join(OF_PARTS)}",
    )
    parser.add_argument("--quick", action="store_true", help="shorter and rougher: less than a minute in all")
    parser.add_argument(
        "--io",
        type=Io,
        default=available()[0],
        choices=available(),
        metavar="KIND",
        help="how the referee is to read connections: fast or portable; the best that there is",
    )
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"there is no measurement {', '.join(unknown)}")
    return options


def surroundings(io: Io) -> str:
    """Say in a line what the figures depend on."""
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("trio", "msgpack", "attrs")
    )
    return (
        f"{os.cpu_count()} x {_processor()}, {platform.system()} {platform.release()},"
        f" Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {versions};"
        f" {io.value} I/O; load before: {os.getloadavg()[0]:.1f}"
    )


def _processor() -> str:
    """Return what the processor calls itself, where the system tells that."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def run(name: str, shop: Workshop) -> None:
    """Print one measurement."""
    measurement = MEASUREMENTS[name]
    begun = time.monotonic()
    print(f"\n## {measurement.title} ({name})\n", flush=True)
    for line in measurement.lines(shop):
        print(line, flush=True)
    print(f"\n({time.monotonic() - begun:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
