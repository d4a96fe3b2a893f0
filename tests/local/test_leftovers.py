"""What each kind of death of a bot leaves behind, in each sandbox: no process, descriptor or socket."""

import errno
import os
import select
import signal
import socket
import sys
from pathlib import Path

import pytest
import trio

from referee.local.processes import StartFailed, running, stop_all
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind
from referee.local.warden import warden
from tests.local.conftest import BWRAP, PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what there is in /proc")

DAEMON = "setsid sh -c 'trap \"\" TERM HUP; sleep 600 & echo up; wait' & sleep 600 & "
"""Leaves a child in the group, and one that has left group and session with a child of its own."""

DEATHS = {
    "ends": "exit 0",
    "crashes": "exit 3",
    "faults": "kill -SEGV $$",
    "is killed": "kill -KILL $$",
    "ends with a daemon": f"{DAEMON} read line < fifo; exit 0",
    "crashes with a daemon": f"{DAEMON} read line < fifo; kill -SEGV $$",
    "forks on and on": "f() { sleep 0.02; setsid sh -c : ; f & }; echo up; f & f & read line < fifo; exit 1",
    "is stopped": "echo up; exec sleep 600",
    "is stopped with a daemon": f"{DAEMON} wait",
    "is deaf": "trap '' TERM; echo up; while :; do sleep 1; done",
    "is deaf with a daemon": f"trap '' TERM; {DAEMON} wait; wait",
    "floods": "exec yes",
}


@pytest.fixture(autouse=True)
async def patience():
    """No test waits longer than this, and none comes near to it."""
    with trio.fail_after(PATIENCE_S):
        yield


@pytest.fixture(params=[SandboxKind.NONE, SandboxKind.LIMITS, BWRAP])
def kind(request):
    """Each kind of sandbox."""
    return request.param


def descriptors():
    """What this process has open, sockets included, by its numbers and what they stand for."""
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            found[number] = os.readlink(f"/proc/self/fd/{number}")
        except FileNotFoundError:  # that of the listing itself
            continue
    return found


def children():
    """The pids of our children, unreaped ones included."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


async def start(keeper, directory, script):
    """Start a bot that is a shell script in a directory of its own."""
    program = BotProgram(
        name="bot", command=("sh", "-c", script), cwd=directory, source="bot", owns_directory=True
    )
    return await keeper.start(program, host="127.0.0.1", port=4711, secret="s", log=None)


@pytest.mark.parametrize("death", DEATHS)
async def test_nothing_is_left(tmp_path, kind, death):
    """Before the run and after the death the same processes, files and sockets are there."""
    os.mkfifo(tmp_path / "fifo")
    fifo = os.open(tmp_path / "fifo", os.O_RDWR)
    before = descriptors(), children()
    with warden(Sandbox(kind=kind)) as keeper:
        process = await start(keeper, tmp_path, DEATHS[death])
        if any(word in death for word in ("stopped", "deaf", "daemon", "floods", "on and on")):
            await trio.lowlevel.wait_readable(process._output.pipe)  # it is up
        if any(word in death for word in ("stopped", "deaf", "floods")):
            await stop_all([process], grace=0.05)
        os.write(fifo, b"go\n" * 2)
        await process.watch()
        if process.listener is not None:
            process.listener.close()
        await keeper.clear(process)
        after = descriptors(), children()
    os.close(fifo)

    assert after == before
    assert not running


@pytest.mark.parametrize("kind", [SandboxKind.NONE, SandboxKind.LIMITS])
async def test_no_port_stays_taken(tmp_path, kind, mailbox):
    """What a bot or a daemon of it listened on is free again; under bwrap it could take no port of ours."""
    listening = f"""exec {sys.executable} -c '
import socket, time
taken = socket.create_server(("127.0.0.1", 0))
print(taken.getsockname()[1], file=open("mailbox", "w"))
time.sleep(600)'"""
    with warden(Sandbox(kind=kind)) as keeper:
        (tmp_path / "listen").write_text(listening)
        process = await start(keeper, tmp_path, "setsid sh listen & sh listen")
        ports = [int(await mailbox.line()) for _ in range(2)]
        process.kill()
        await process.watch()
        await keeper.clear(process)

    refused = []
    for port in ports:
        with socket.socket() as one:
            refused.append(one.connect_ex(("127.0.0.1", port)))

    assert refused == [errno.ECONNREFUSED] * 2


async def test_nothing_is_left_of_what_never_started(tmp_path, kind):
    """Neither of a program that is not there nor of its launcher."""
    before = descriptors(), children()
    with warden(Sandbox(kind=kind)) as keeper:
        program = BotProgram(name="bot", command=("./missing",), cwd=tmp_path, source="bot")
        with pytest.raises(StartFailed):
            await keeper.start(program, host="127.0.0.1", port=4711, secret="s", log=None)
        after = descriptors(), children()

    assert after == before
    assert not running


async def test_nothing_is_left_of_a_start_that_was_cancelled(tmp_path, kind):
    """Ctrl-C while a bot is being started takes its launcher along."""
    before = descriptors(), children()
    with warden(Sandbox(kind=kind)) as keeper:
        with trio.CancelScope() as scope:
            scope.cancel()
            await start(keeper, tmp_path, "exec sleep 600")
        after = descriptors(), children()

    assert scope.cancelled_caught
    assert after == before
    assert not running


@pytest.mark.parametrize("kind", [SandboxKind.NONE, SandboxKind.LIMITS])
async def test_a_death_does_not_cost_the_neighbours_their_children(tmp_path, kind, mailbox):
    """A bot keeps its own orphans while it lives, so what a dead one leaves is told from what others have."""
    forking_twice = "sh -c 'setsid sh -c \"echo \\$\\$ > mailbox; exec sleep 600\" &'; exec sleep 600"
    pidfds = []
    with warden(Sandbox(kind=kind)) as keeper:
        both = []
        for _ in range(2):
            both.append(await start(keeper, tmp_path, forking_twice))
            pidfds.append(os.pidfd_open(int(await mailbox.line())))
        dying, living = both
        dying.kill()
        await dying.watch()
        await keeper.clear(dying)
        dead, _, _ = select.select(pidfds, [], [], 0)
        alive = [pidfd not in dead for pidfd in pidfds]
        await stop_all([living], grace=0.05)
    for pidfd in pidfds:
        os.close(pidfd)

    assert alive == [False, True]


async def test_a_stranger_among_our_children_is_left_alone(tmp_path, kind):
    """What somebody else has started in this process before is none of the bots'."""
    stranger = await trio.lowlevel.open_process(["sleep", "600"])
    with warden(Sandbox(kind=kind)) as keeper:
        process = await start(keeper, tmp_path, f"{DAEMON} exit 0")
        await process.watch()
        if process.listener is not None:
            process.listener.close()
        await keeper.clear(process)
        alive = stranger.returncode is None and stranger.poll() is None
        stranger.send_signal(signal.SIGKILL)
        await stranger.wait()

    assert alive
