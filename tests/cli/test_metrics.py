"""`--metrics`: where, without the package, what is shown, and that docs/operating.md lists it."""

import builtins
import re
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import click
import pytest

from referee.cli.metrics import Metrics, Place, PlaceType, served
from referee.journal.metered import Durations
from referee.server.metering import Snapshot
from tests.cli.conftest import Outcome

DOCUMENT = Path(__file__).parents[2] / "docs" / "operating.md"
NOTHING = Durations(counts=(0,) * 13, total_s=0.0)
SNAPSHOT = Snapshot(
    connections=7,
    entrants=5,
    running=2,
    done=3,
    planned=12,
    round=2,
    rounds=4,
    decisions={"answered": 30, "late": 2},
    faults={"late": 2, "stale": 1},
    strikes=2,
    games=3,
    passes=Durations(counts=(1, 2, *(0,) * 10, 3), total_s=4.5),
    commits=NOTHING,
)


@pytest.mark.parametrize(
    ("text", "place", "shown"),
    [
        ("9105", Place(address="127.0.0.1", port=9105), "http://127.0.0.1:9105/metrics"),
        ("0.0.0.0:1", Place(address="0.0.0.0", port=1), "http://0.0.0.0:1/metrics"),
        ("box.example:80", Place(address="box.example", port=80), "http://box.example:80/metrics"),
        ("[::1]:9105", Place(address="::1", port=9105), "http://[::1]:9105/metrics"),
    ],
)
def test_places(text: str, place: Place, shown: str) -> None:
    """A port is one of this machine only; an address goes before it, one of IPv6 in brackets."""
    assert PlaceType().convert(text, None, None) == place
    assert str(place) == shown


@pytest.mark.parametrize("text", ["", "here", ":9105", "::1:9105", "9105:", "1.2.3.4:65536", "-1"])
def test_no_places(text: str) -> None:
    """One sentence that shows how it is written."""
    with pytest.raises(click.BadParameter, match=r"is no place: write 9105, or 0\.0\.0\.0:9105, or \[::1\]"):
        PlaceType().convert(text, None, None)


def test_without_the_package_it_is_said_how_to_get_it(
    referee: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, before anything is begun; without --metrics nobody misses it."""
    imported = builtins.__import__

    def missing(name: str, *others: Any) -> Any:
        if name.startswith("prometheus_client"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return imported(name, *others)

    monkeypatch.setattr(builtins, "__import__", missing)
    shown = referee("serve", "--metrics", "9105", "--port", 0)

    assert (shown.code, shown.out) == (2, "")
    assert shown.err == (
        "take5-referee: --metrics needs one more package: pip install 'take5-referee[metrics]'.\n"
    )
    with served(None) as nothing:
        assert nothing is None


# --- with the package --------------------------------------------------------------------------------------


@pytest.fixture
def package() -> None:
    """Skip what cannot be done without it."""
    pytest.importorskip("prometheus_client", reason="prometheus-client, which metrics take, is not installed")


@attrs.define
class Fetched:
    """What Prometheus gets."""

    text: str

    @property
    def values(self) -> dict[str, float]:
        """The samples by name and labels, those of the process apart."""
        lines = [line for line in self.text.splitlines() if line.startswith("take5_")]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    @property
    def names(self) -> set[str]:
        """The names of the metrics, as they are declared."""
        return set(re.findall(r"^# TYPE (take5_\w+) ", self.text, re.MULTILINE))


def fetched(port: int) -> Fetched:
    """Fetch them."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        return Fetched(answer.read().decode())


@pytest.fixture
def port() -> int:
    """Return a port on which nobody listens at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


@pytest.mark.usefixtures("package")
def test_a_snapshot_is_shown_until_the_next(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the tournament before the first; then its numbers, and buckets that add up."""
    from referee.cli import metrics as module

    monkeypatch.setattr(module, "snapshot", lambda *_: SNAPSHOT)
    with served(Place(address="127.0.0.1", port=port)) as metrics:
        assert metrics is not None
        before = fetched(port)
        metrics.look(None)
        after = fetched(port).values

    assert before.values == {}
    assert "process_open_fds" in before.text
    assert after["take5_connections"] == 7
    assert (after["take5_games_done"], after["take5_games_total"]) == (3, 3)
    assert after['take5_decisions_total{reason="late"}'] == 2
    assert after['take5_faults_total{kind="stale"}'] == 1
    assert after["take5_strikes_total"] == 2
    assert after['take5_pass_seconds_bucket{le="0.0001"}'] == 1
    assert after['take5_pass_seconds_bucket{le="1.0"}'] == 3
    assert after['take5_pass_seconds_bucket{le="+Inf"}'] == after["take5_pass_seconds_count"] == 6
    assert after["take5_pass_seconds_sum"] == 4.5


@pytest.mark.usefixtures("package")
def test_every_metric_is_documented() -> None:
    """The table of docs/operating.md has these names and no others."""
    metrics = Metrics()
    metrics._last = SNAPSHOT
    shown = {family.name + ("_total" if family.type == "counter" else "") for family in metrics.collect()}
    listed = set(re.findall(r"^\| `(take5_\w+)", DOCUMENT.read_text("utf-8"), re.MULTILINE))

    assert listed == shown


@pytest.mark.usefixtures("package")
def test_a_port_that_is_taken_is_a_failure(referee: Callable[..., Outcome], port: int) -> None:
    """Said in one sentence, with what to do; nothing is served then."""
    with socket.create_server(("127.0.0.1", port)):
        shown = referee("serve", "--metrics", port, "--port", 0)

    assert (shown.code, shown.out) == (1, "")
    assert shown.err == (
        f"take5-referee: metrics cannot be served at http://127.0.0.1:{port}/metrics: Address already in use;"
        " choose another place for --metrics.\n"
    )
