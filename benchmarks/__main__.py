"""All measurements by one command: `python -m benchmarks [NAME...] [--quick] [--io KIND]`."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from benchmarks import idle, latency, lateness, local, rules, split, throughput
from benchmarks.running import BenchmarkError, Workshop, workshop
from referee.server.readers import Io, available

Measurement = Callable[[Workshop], Iterator[str]]

MEASUREMENTS: dict[str, tuple[str, Measurement]] = {
    "throughput": ("Decisions a second", throughput.lines),
    "split": ("Processor time of a decision", split.lines),
    "lateness": ("False time-outs", lateness.lines),
    "latency": ("Added latency", latency.lines),
    "idle": ("Idle bots", idle.lines),
    "local": ("run-local", local.lines),
    "rules": ("The rules alone", rules.lines),
}


def main() -> int:
    """Run what the command line names, or everything, and print it as Markdown; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(MEASUREMENTS)}")
    parser.add_argument("--quick", action="store_true", help="shorter and rougher: a minute in all")
    parser.add_argument(
        "--io",
        type=Io,
        default=available()[0],
        choices=available(),
        metavar="KIND",
        help="how the referee is to read connections: fast, portable; the best that there is",
    )
    options = parser.parse_args()
    unknown = set(options.names) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}")
    try:
        with workshop(quick=options.quick, io=options.io) as shop:
            for name in options.names or MEASUREMENTS:
                run(name, shop)
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def run(name: str, shop: Workshop) -> None:
    """Print one measurement."""
    title, measurement = MEASUREMENTS[name]
    begun = time.monotonic()
    print(f"\n## {title} ({name})\n", flush=True)
    for line in measurement(shop):
        print(line, flush=True)
    print(f"\n({time.monotonic() - begun:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
