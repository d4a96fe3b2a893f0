"""`--metrics`: what Prometheus fetches, rendered by other threads from what the loop has left for them."""

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click
import trio

from referee.cli.ctl import HIGHEST_PORT
from referee.cli.exits import Failure, file_problem
from referee.cli.settings import setting
from referee.journal.head import Head
from referee.journal.journal import Journal
from referee.journal.metered import BOUNDS_S, Durations, Meter, MeteredJournal
from referee.server.metering import PassTimes, Snapshot, snapshot
from referee.server.serving import ServedTournament

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

DEFAULT_ADDRESS = "127.0.0.1"

_PLACE = re.compile(r"(?:(?P<address>[^:\s\[\]]+|\[[0-9a-fA-F:.]+\]):)?(?P<port>\d{1,5})")
_MISSING = "--metrics needs one more package: pip install 'take5-referee[metrics]'"

Function = TypeVar("Function", bound=Callable[..., Any])


@attrs.frozen(kw_only=True)
class Place:
    """Where metrics can be fetched."""

    address: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{host}:{self.port}/metrics"


class PlaceType(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.2
    """An option that takes a port, with or without an address before it."""

    name = "place"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Place:
        """Return the place, or fail with a sentence that says what is possible."""
        if isinstance(value, Place):
            return value
        found = _PLACE.fullmatch(str(value))
        if found is None or int(found["port"]) > HIGHEST_PORT:
            self.fail(f"{value!r} is no place: write 9105, or 0.0.0.0:9105, or [::1]:9105.", param, ctx)
        address = (found["address"] or DEFAULT_ADDRESS).strip("[]")
        return Place(address=address, port=int(found["port"]))


def metrics_option() -> Callable[[Function], Function]:
    """Declare `--metrics`, which a command gets as `metrics`."""
    return setting(
        "--metrics",
        metavar="[ADDRESS:]PORT",
        type=PlaceType(),
        help="Serve metrics for Prometheus there; on this machine only unless an address is given.",
    )


class Metrics:
    """Takes a snapshot when the loop has time, and shows the last one to whoever asks.

    Attributes:
        meter: Counts what is kept.
    """

    def __init__(self) -> None:
        self.meter = Meter()
        self._passes = PassTimes()
        self._last: Snapshot | None = None

    def create(self, path: Path, head: Head) -> Journal:
        """Make a journal that counts; see `Journal.create`."""
        journal = MeteredJournal.create(path, head)
        journal.meter = self.meter
        return journal

    def open(self, path: Path) -> Journal:
        """Open a journal again so that it counts; see `Journal.open`."""
        journal = MeteredJournal.open(path)
        journal.meter = self.meter
        return journal

    def attach(self) -> None:
        """Begin to time the loop; call it in the loop."""
        trio.lowlevel.add_instrument(self._passes)

    def look(self, tournament: ServedTournament) -> None:
        """Take a snapshot; what is fetched until the next one says the same."""
        self._last = snapshot(self.meter, self._passes, tournament)

    def collect(self) -> "Iterator[Metric]":
        """Give what Prometheus is told; called by its threads."""
        now = self._last
        if now is not None:
            yield from _families(now)


@contextlib.contextmanager
def served(place: Place | None) -> Iterator[Metrics | None]:
    """Serve metrics as long as this lasts; nothing at all without a place.

    Raises:
        click.UsageError: The package that it takes is not installed.
        Failure: The port cannot be had.
    """
    if place is None:
        yield None
        return
    try:
        from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
    except ImportError as error:
        raise click.UsageError(_MISSING) from error
    metrics, registry = Metrics(), CollectorRegistry()
    registry.register(metrics)
    ProcessCollector(registry=registry)
    try:
        server, thread = start_http_server(place.port, place.address, registry)
    except OSError as error:
        what = f"metrics cannot be served at {place}"
        raise Failure(f"{file_problem(what, error)}; choose another place for --metrics") from error
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _families(now: Snapshot) -> "Iterator[Metric]":
    """Give all metrics; docs/operating.md lists them."""
    yield _gauge("connections", "Connections, greeted or not.", now.connections)
    yield _gauge("entrants_connected", "Entrants of whom a bot is connected.", now.entrants)
    yield _gauge("games_running", "Games that are being played.", now.running)
    yield _gauge("games_done", "Games of this tournament that have ended.", now.done)
    yield _gauge("games_planned", "Games of this tournament in all.", now.planned)
    yield _gauge("round", "The oldest round that is not finished.", now.round)
    yield _gauge("rounds", "Rounds of this tournament.", now.rounds)
    yield _counters("games", "Games that have ended.", "", {"": now.games})
    yield _counters("decisions", "Decisions, by why their request was closed.", "reason", now.decisions)
    yield _counters("faults", "Faults, by kind.", "kind", now.faults)
    yield _counters("strikes", "Strikes.", "", {"": now.strikes})
    yield _durations("pass", "Time the loop was busy between two looks at its connections.", now.passes)
    yield _durations("commit", "Time the journal took to make a pass durable.", now.commits)


def _gauge(name: str, text: str, value: int) -> "Metric":
    from prometheus_client.metrics_core import GaugeMetricFamily

    return GaugeMetricFamily(f"take5_{name}", text, value=value)


def _counters(name: str, text: str, label: str, values: Mapping[str, int]) -> "Metric":
    from prometheus_client.metrics_core import CounterMetricFamily

    labels: Sequence[str] = (label,) if label else ()
    family = CounterMetricFamily(f"take5_{name}", text, labels=labels)
    for value, count in values.items():
        family.add_metric((value,) if label else (), count)
    return family


def _durations(name: str, text: str, durations: Durations) -> "Metric":
    from prometheus_client.metrics_core import HistogramMetricFamily

    bounds = (*map(str, BOUNDS_S), "+Inf")
    buckets = list(zip(bounds, map(float, itertools.accumulate(durations.counts)), strict=True))
    return HistogramMetricFamily(f"take5_{name}_seconds", text, buckets=buckets, sum_value=durations.total_s)
