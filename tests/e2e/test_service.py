"""The example of a system service, run as a service manager would run it, and the example of a container."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from referee.cli.durations import parse_duration
from tests.e2e.conftest import PATIENCE_S, ROOT, environment
from tests.e2e.test_serve import PROGRAM, Process, await_that

UNIT = ROOT / "deploy" / "take5-referee.service"
GUEST = ROOT / "tests" / "e2e" / "bots" / "guest.py"
INSTALLED = "/usr/local/bin/take5-referee"


def settings() -> dict[str, str]:
    """Return the settings of the unit; of those given twice the last one."""
    lines = (line.partition("=") for line in UNIT.read_text("utf-8").splitlines() if line[:1].isalpha())
    return {key: value for key, _, value in lines}


@attrs.define
class Manager:
    """Starts the service of the unit, and listens to what it tells.

    Attributes:
        directory: Has the directories of the service.
        port: Where it serves.
        told: What it has told since its last start.
    """

    directory: Path
    port: int
    sock: socket.socket
    started: list[Process] = attrs.field(factory=list)
    told: list[str] = attrs.field(factory=list)

    def start(self) -> Process:
        """Start the service as the unit says, but for the place of the program, the options and hardening."""
        shell, script = re.fullmatch(r"(/bin/sh) -c '(.*)'", settings()["ExecStart"]).groups()
        options = f"--entrants 2 --games 3 --deals 2 --move-timeout 60s --port {self.port}"
        env = environment(
            OPTIONS=options,
            STATE_DIRECTORY=str(self.directory / "state"),
            RUNTIME_DIRECTORY=str(self.directory / "run"),
            CREDENTIALS_DIRECTORY=str(self.directory / "credentials"),
            NOTIFY_SOCKET=str(self.directory / "notify"),
            WATCHDOG_USEC="30000000",
        )
        self.told.clear()
        words = [shell, "-c", script.replace(INSTALLED, str(PROGRAM))]
        self.started.append(Process(words, watch="stderr", env=env, cwd=self.directory / "state"))
        self.waits_for("READY=1")
        return self.started[-1]

    def waits_for(self, beginning: str) -> None:
        """Wait until it has told something that begins so."""

        def is_told() -> bool:
            while True:
                try:
                    self.told.append(self.sock.recv(4096).decode())
                except BlockingIOError:
                    return any(line.startswith(beginning) for line in self.told)

        await_that(is_told, lambda: f"{beginning!r} not in {self.told}")

    def visit(self, name: str, behaviour: str, secret: str) -> Process:
        """Let a bot come."""
        where = {"TAKE5_HOST": "127.0.0.1", "TAKE5_PORT": str(self.port)}
        env = environment(**where, TAKE5_NAME=name, TAKE5_SECRET=secret)
        self.started.append(Process([sys.executable, GUEST, behaviour], watch="stdout", env=env))
        return self.started[-1]

    def secrets(self, *names: str) -> dict[str, str]:
        """Make secrets for the credentials of the service."""
        file = self.directory / "credentials" / "secrets"
        words = [PROGRAM, "secret", "new", "--file", file, *names]
        made = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True)
        return {name: re.search(rf"{name}\s+(\S+)", made.stdout)[1] for name in names}


@pytest.fixture
def manager(tmp_path: Path, free_port: int) -> Iterator[Manager]:
    """A service manager with empty directories for the service."""
    for name in ("state", "run", "credentials"):
        (tmp_path / name).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.setblocking(False)
        ours = Manager(tmp_path, free_port, sock)
        yield ours
        for process in reversed(ours.started):
            process.clear()


def test_the_service_survives_what_kills_it(manager: Manager) -> None:
    """Killed in a game and started again it resumes; told to stop it says so; started once more it ends.

    And when it is over, a further start (after a reboot, say) finds nothing to do.
    """
    secrets = manager.secrets("ada", "bob")
    referee = manager.start()
    guests = [manager.visit(name, "paced", secret) for name, secret in secrets.items()]
    guests[0].says('"choose_card"')
    manager.waits_for("WATCHDOG=1")
    manager.waits_for("STATUS=round 1 of 1: ")
    referee.process.kill()
    referee.ends()

    referee = manager.start()
    resumed = [manager.visit(name, "paced", secret) for name, secret in secrets.items()]
    resumed[0].says('"choose_card"')
    referee.process.send_signal(signal.SIGTERM)
    manager.waits_for("STOPPING=1")
    stopped = referee.ends()
    events = [json.loads(line)["event"] for line in referee.lines]

    assert stopped == int(settings()["SuccessExitStatus"])
    assert events.count("draining") == events.count("resumable") == 1

    referee = manager.start()
    last = [manager.visit(name, "lowest", secret) for name, secret in secrets.items()]
    assert [0, 0, 0] == [process.ends() for process in (referee, *last)]

    shell, script = re.fullmatch(r"(/bin/sh) -c '(.*)'", settings()["ExecStart"]).groups()
    again = subprocess.run(
        [shell, "-c", script.replace(INSTALLED, str(PROGRAM))],
        env=environment(STATE_DIRECTORY=str(manager.directory / "state")),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (again.returncode, again.stdout) == (0, "")
    assert "this tournament is over" in again.stderr


def test_the_service_is_not_killed_while_it_drains() -> None:
    """SIGKILL comes well after the games have had their time, in both branches of the command."""
    unit = settings()
    drains = re.findall(r"--drain (\w+)", unit["ExecStart"])

    assert len(drains) == 2
    assert all(parse_duration(unit["TimeoutStopSec"]) - parse_duration(drain) >= 10e9 for drain in drains)


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze, which judges units, is not installed"
)
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """No complaint, and of what a service can reach it says that little is left (0 is nothing, 10 all)."""
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text("utf-8").replace(INSTALLED, str(PROGRAM)))
    verified, rated = (
        subprocess.run(
            ["systemd-analyze", *words, unit], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        for words in (("verify",), ("security", "--offline=true", "--no-pager"))
    )

    assert (verified.returncode, verified.stderr) == (0, "")
    exposure = re.search(r"Overall exposure level for \S+: (\d+\.\d)", rated.stdout)
    assert exposure
    assert float(exposure[1]) < 2


def test_the_container_runs_as_nobody_in_particular_and_keeps_its_journal() -> None:
    """What can be said without an engine: a number for a user, a volume where it works, the right signal."""
    words = [
        line.split(maxsplit=1)
        for line in (ROOT / "deploy" / "Containerfile").read_text("utf-8").splitlines()
        if line[:1].isupper()
    ]
    last = {key: value for key, value in words}  # noqa: C416 - of those given twice the last one
    copied = [value.split()[-2:] for key, value in words if key == "COPY"]

    assert int(last["USER"]) > 0
    assert last["VOLUME"] == last["WORKDIR"]
    assert (last["ENTRYPOINT"], last["STOPSIGNAL"]) == ('["take5-referee"]', "SIGTERM")
    assert copied[0][0] == "."
    assert os.path.exists(ROOT / ".dockerignore")
