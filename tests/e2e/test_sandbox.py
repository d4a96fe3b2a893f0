"""Whole tournaments in each kind of sandbox: the same record, nothing left, nobody harmed by a neighbour."""

import os
import select
import signal
from pathlib import Path

import pytest

from referee.server.readers import available
from tests.e2e.conftest import PATIENCE_S, SAMPLE_BOTS, Play, Start, Stubborn, environment, odd
from tests.sandboxes import bwrap_works

pytestmark = pytest.mark.parametrize("start", available()[:1], indirect=True)
"""How connections are read makes no difference to how bots are started."""

bwrap_only = pytest.mark.skipif(not bwrap_works(), reason="bwrap is missing, or may not make namespaces here")
BWRAP = pytest.param("bwrap", marks=bwrap_only)
SHORT = ("--deals", 1, "--move-timeout", "30s", "--seed", "sandbox", "--format", "json")


@bwrap_only
def test_the_record_is_the_same_in_every_sandbox(play: Play) -> None:
    """How a bot is started changes nothing of what is played; that is so by default, too."""
    kinds = [(), ("--sandbox", "none"), ("--sandbox", "limits"), ("--sandbox", "bwrap")]
    outcomes = [play("run-local", *kind, *SHORT, *SAMPLE_BOTS) for kind in kinds]
    rows = [row for outcome in outcomes for row in outcome.standings.values()]

    assert [0] * 4 == [outcome.code for outcome in outcomes]
    assert 1 == len({outcome.digest for outcome in outcomes})
    assert [] == [row["name"] for row in rows if row["faults"]]


@pytest.mark.parametrize("kind", ["limits", BWRAP])
def test_a_flood_slows_nobody_down(play: Play, kind: str) -> None:
    """A bot writes to stderr as fast as it can while it plays: its neighbour has no fault, none is shown."""
    bots = (odd("loud", "flooding"), odd("calm", "lowest"))
    outcome = play("run-local", "--sandbox", kind, *SHORT, *bots)

    assert 0 == outcome.code
    assert not outcome.standings["calm"]["faults"]
    assert "flood" not in outcome.err


@pytest.mark.parametrize("kind", ["none", "limits", BWRAP])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_bot_outlives_the_referee(
    start: Start, stubborn: Stubborn, kind: str, number: signal.Signals
) -> None:
    """Bots that ignore SIGTERM are gone when it is; when it is killed, the kernel sees to it at once."""
    words = ("run-local", "--sandbox", kind, "--games", 1000, odd("one", "hanging"), odd("two", "hanging"))
    process = start(*words, "--concurrency", 1, "--move-timeout", "10m", env=telling(stubborn))
    stubborn.await_lines(2)
    bots = [os.pidfd_open(pid) for pid in bots_of(stubborn.path) if pid != process.pid]
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    dead = [ended(bot, within=0 if number is signal.SIGINT else PATIENCE_S) for bot in bots]
    for bot in bots:
        os.close(bot)

    # Under bwrap a bot has two processes around it.
    assert [True] * (6 if kind == "bwrap" else 2) == dead


def telling(stubborn: Stubborn) -> dict[str, str]:
    """Return an environment whose pipe is for bots in all sandboxes."""
    return environment(
        ODD_PIPE=str(stubborn.path),
        TAKE5_REFEREE_BOT_ENV="ODD_PIPE",
        TAKE5_REFEREE_BOT_PATH=str(stubborn.path),
    )


def ended(pidfd: int, *, within: float) -> bool:
    """Wait until a process has ended, so many seconds at most; say whether it has."""
    return bool(select.select([pidfd], [], [], within)[0])


def bots_of(pipe: Path) -> list[int]:
    """Return the processes that know of a pipe by their environment, whatever their pids are inside."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if f"ODD_PIPE={pipe}".encode() in variables:
            found.append(int(pid))
    return found


@bwrap_only
def test_a_check_in_a_sandbox(play: Play) -> None:
    """The referee goes away and comes back there too, though the port is in a network of the bot's own."""
    few = ("--only", "hello", "--only", "referee-restarts")
    outcome = play("check", "--sandbox", "bwrap", *few, "--move-timeout", "30s", SAMPLE_BOTS[0])

    assert (0, "") == (outcome.code, outcome.err), outcome.out


@bwrap_only
def test_the_sandbox_is_kept_for_resume(start: Start, play: Play, stubborn: Stubborn, tmp_path: Path) -> None:
    """A tournament goes on in the sandbox in which it began, or in another one if that is wanted."""
    journal = tmp_path / "x.journal"
    words = (
        "--sandbox",
        "bwrap",
        "--journal",
        journal,
        "--move-timeout",
        "30s",
        "--games",
        300,
        "--deals",
        1,
    )
    process = start("run-local", *words, odd("one", "breeding"), odd("two", "lowest"), env=telling(stubborn))
    assert select.select([stubborn.pipe], [], [], PATIENCE_S)[0]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    refused = play("resume", journal, env=environment(PATH="/nowhere"))
    resumed = play("resume", "--sandbox", "none", journal, env=environment(ODD_PIPE="/dev/null"))

    assert refused.code == 2
    assert "--sandbox bwrap: bwrap is not installed; install the package bubblewrap" in refused.err
    assert resumed.code == 0
