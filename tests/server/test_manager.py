"""What a service manager is told: readiness, signs of life, a status, the end; without one, nothing."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from referee.server.manager import ServiceManager


@attrs.define
class Ear:
    """The manager's end of it."""

    path: str
    sock: socket.socket

    def heard(self) -> list[str]:
        """Return the datagrams that have come since the last call."""
        found = []
        while True:
            try:
                found.append(self.sock.recv(4096).decode())
            except BlockingIOError:
                return found


@pytest.fixture(params=["a file", "an abstract name"])
def ear(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ear]:
    """A manager that listens at a path, and one that listens at a name without a file."""
    path = f"{tmp_path}/notify" if request.param == "a file" else f"@{tmp_path}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(path.replace("@", "\0", 1))
        sock.setblocking(False)
        yield Ear(path, sock)


def test_it_is_told_what_it_waits_for(ear: Ear) -> None:
    """A status is sent when it changes; nobody watches, so there are no signs of life."""
    manager = ServiceManager.of({"NOTIFY_SOCKET": ear.path})
    manager.ready()
    for status in ("round 1", "round 1", "round 2"):
        manager.alive(status)
    manager.stopping()

    assert ear.heard() == ["READY=1", "STATUS=round 1", "STATUS=round 2", "STOPPING=1"]


def test_a_watchdog_is_fed_twice_in_its_time(ear: Ear) -> None:
    """One of 0.8 s wants a sign every 0.4 s; one of 30 s gets more than it wants."""
    environment = {"NOTIFY_SOCKET": ear.path, "WATCHDOG_PID": str(os.getpid())}
    quick = ServiceManager.of(environment | {"WATCHDOG_USEC": "800000"})
    slow = ServiceManager.of(environment | {"WATCHDOG_USEC": "30000000"})
    quick.alive("here")
    quick.alive("here")

    assert (quick.every_s, slow.every_s) == (0.4, 1.0)
    assert ear.heard() == ["WATCHDOG=1", "STATUS=here", "WATCHDOG=1"]


@pytest.mark.parametrize(
    "watched",
    [{"WATCHDOG_USEC": "800000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "x"}],
)
def test_a_watchdog_that_is_not_ours_is_not_fed(ear: Ear, watched: dict[str, str]) -> None:
    """It is meant for another process, or makes no sense."""
    manager = ServiceManager.of({"NOTIFY_SOCKET": ear.path, **watched})
    manager.alive("here")

    assert ear.heard() == ["STATUS=here"]
    assert manager.every_s == 1.0


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "/nowhere/at/all"}])
def test_without_a_manager_nothing_happens(environment: dict[str, str]) -> None:
    """None is there, or it has gone away."""
    manager = ServiceManager.of(environment)
    manager.ready()
    manager.alive("here")
    manager.stopping()


def test_a_manager_that_does_not_listen_is_not_waited_for(ear: Ear) -> None:
    """Its queue is full: what does not fit is lost, and nobody waits."""
    manager = ServiceManager.of({"NOTIFY_SOCKET": ear.path})
    for number in range(10_000):
        manager.alive(str(number))

    assert 0 < len(ear.heard()) < 10_000
