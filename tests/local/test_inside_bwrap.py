"""Real bots under bwrap, which look around and try to get out."""

import os
import signal
import socket
import sys
from pathlib import Path

import pytest
import trio

from referee.local import bubblewrap
from referee.local.environment import build_environment
from referee.local.processes import BotProcess, ExitKind, StartFailed, stop_all
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind
from tests.local.conftest import PATIENCE_S
from tests.sandboxes import bwrap_works

pytestmark = pytest.mark.skipif(not bwrap_works(), reason="bwrap is missing, or may not make namespaces here")

SANDBOX = Sandbox(kind=SandboxKind.BWRAP)


@pytest.fixture(autouse=True)
async def patience():
    """No test waits longer than this, and none comes near to it."""
    with trio.fail_after(PATIENCE_S):
        yield


def program(directory, *command):
    """A bot with a directory of its own."""
    return BotProgram(name="bot", command=command, cwd=directory, source="bot", owns_directory=True)


@pytest.fixture
def look(tmp_path):
    """Run a program in a sandbox, by default Python on a script, and return how it ended."""

    async def run(script, *words, sandbox=SANDBOX):
        (tmp_path / "bot").mkdir(exist_ok=True)
        command = words or (sys.executable, "-c", script)
        bot = program(tmp_path / "bot", *command)
        process = await BotProcess.start(bot, env=build_environment(os.environ), log=None, sandbox=sandbox)
        with process.listener:
            return await process.watch()

    return run


async def test_no_network_of_the_host(look):
    """Not even a listener on the loopback device can be reached, which any other program here reaches."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()
        ended = await look(f"""
import socket
for address in ("127.0.0.1", "10.0.0.1", "192.0.2.1"):
    try:
        socket.create_connection((address, {port}), timeout=10)
    except OSError as error:
        print(error.strerror)
print([name for _, name in socket.if_nameindex()])
""")

    assert ended.output == ("Connection refused\nNetwork is unreachable\nNetwork is unreachable\n['lo']\n")


async def test_no_processes_of_the_host(look):
    """It sees itself and what keeps its namespace; the pid of the referee means nothing there."""
    ended = await look(f"""
import os
print(sorted(int(name) for name in os.listdir("/proc") if name.isdecimal()), os.getpid())
try:
    os.kill({os.getpid()}, 0)
except ProcessLookupError:
    print("nobody")
""")

    assert ended.output == "[1, 2] 2\nnobody\n"


async def test_no_file_but_its_own_can_be_read(look, tmp_path):
    """Neither a neighbour, nor the journal, nor the home, nor what else lies on the machine."""
    (tmp_path / "bot" / "inner").mkdir(parents=True)
    (tmp_path / "bot" / "own").write_text("mine")
    (tmp_path / "bot" / "x.journal").write_text("seed")
    (tmp_path / "bot" / "inner" / "bot.py").write_text("other")
    (tmp_path / "neighbour").write_text("his")
    hidden = SANDBOX.hiding([tmp_path / "bot" / "x.journal", tmp_path / "bot" / "inner"])
    ended = await look(
        f"""
import os
def read(path):
    try:
        return open(path).read()
    except OSError as error:
        return error.strerror
print(read("own"), read("x.journal"), os.listdir("inner"), os.listdir("{tmp_path}"))
places = ("{tmp_path}/neighbour", "{Path.home()}/.profile", "{__file__}")
for path in (*places, "/etc/shadow", "/sys/kernel", "/var/log", "/run"):
    print(read(path))
""",
        sandbox=hidden,
    )

    assert ended.output == "mine Permission denied [] ['bot']\n" + "No such file or directory\n" * 7


async def test_nothing_of_the_system_can_be_written(look):
    """Only its scratch space, which is gone with it; a bot of root cannot write to the kernel either."""
    ended = await look("""
import os
def write(path):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
    except OSError:
        return "refused"
    return "written"
for path in ("/x", "/usr/x", "/etc/x", "x", "/dev/x", "/proc/sys/kernel/core_pattern", "/proc/self/comm"):
    print(path, write(path))
print(write("/tmp/x"), write("/dev/shm/x"), os.getuid())
""")

    places = ("/x", "/usr/x", "/etc/x", "x", "/dev/x", "/proc/sys/kernel/core_pattern", "/proc/self/comm")
    refused = "".join(f"{place} refused\n" for place in places)

    assert ended.output == f"{refused}written written 65534\n"


async def test_no_capabilities_and_no_more_namespaces(look):
    """Inside it is nobody, also if root is the referee, and becomes nobody else in a further namespace."""
    ended = await look(
        "", "sh", "-c", "grep -E '^Cap(Prm|Eff|Bnd)' /proc/self/status; unshare -U true || echo no"
    )

    assert ended.output.splitlines()[:3] == [
        f"Cap{kind}:\\t0000000000000000" for kind in ("Prm", "Eff", "Bnd")
    ]
    assert ended.output.splitlines()[-1] == "no"


async def test_the_referee_is_reached_through_the_listener_that_is_handed_out(tmp_path):
    """It is opened inside, in the bot's own network, and accepted from out here."""
    script = """
import socket
with socket.create_connection(("127.0.0.1", 5104)) as link:
    print(link.recv(100).decode())
"""
    bot = program(tmp_path, sys.executable, "-c", script)
    process = await BotProcess.start(bot, env=build_environment(os.environ), log=None, sandbox=SANDBOX)
    with process.listener as listener:
        await trio.lowlevel.wait_readable(listener)
        link, _ = listener.accept()
        with link:
            link.sendall(b"hello inside")
        ended = await process.watch()

    assert SANDBOX.address("::1", 4711) == ("127.0.0.1", 5104)
    assert ended.output == "hello inside\n"


@pytest.mark.parametrize(
    ("script", "code", "number", "kind"),
    [
        ("exit 0", 0, None, ExitKind.ENDED),
        ("exit 3", 3, None, ExitKind.CRASHED),
        ("kill -SEGV $$", None, signal.SIGSEGV, ExitKind.CRASHED),
        ("kill -KILL $$", None, signal.SIGKILL, ExitKind.KILLED),
    ],
)
async def test_ends_are_told_apart_inside_too(look, script, code, number, kind):
    """What bwrap tells like a shell, by a code above 128, is the signal that it was."""
    ended = await look("", "sh", "-c", script)

    assert (ended.code, ended.signal, ended.kind) == (code, number, kind)


async def test_a_bot_inside_has_time_to_end_by_itself(tmp_path):
    """SIGTERM reaches the bot and not bwrap, whose end would kill the bot at once."""
    script = "trap 'echo goodbye; exit 0' TERM; echo ready; sleep 600 & wait"
    bot = program(tmp_path, "sh", "-c", script)
    process = await BotProcess.start(bot, env=build_environment(os.environ), log=None, sandbox=SANDBOX)
    with process.listener:
        await trio.lowlevel.wait_readable(process._output.pipe)
        await stop_all([process], grace=PATIENCE_S)
        ended = await process.watch()

    assert (ended.output, ended.kind) == ("ready\ngoodbye\n", ExitKind.ENDED)


async def test_a_bot_inside_that_ignores_sigterm_is_killed(tmp_path):
    """After the grace, from outside, where SIGKILL ends the whole namespace."""
    script = "trap '' TERM; echo ready; while :; do sleep 1; done"
    bot = program(tmp_path, "sh", "-c", script)
    process = await BotProcess.start(bot, env=build_environment(os.environ), log=None, sandbox=SANDBOX)
    with process.listener:
        await trio.lowlevel.wait_readable(process._output.pipe)
        await stop_all([process], grace=0.05)

    assert (await process.watch()).signal == signal.SIGKILL


async def test_what_cannot_be_seen_cannot_be_run(look, tmp_path):
    """The sentence says that it may be there, outside."""
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)

    with pytest.raises(StartFailed) as caught:
        await look("", "sh", "-c", "true", sandbox=SANDBOX) and await look("", str(tmp_path / "missing"))

    assert caught.value.reason == (
        f"bot cannot be started: {tmp_path}/missing or its interpreter does not exist "
        "in the sandbox, where --bot-path shows it more"
    )


async def test_a_sandbox_that_cannot_be_made(tmp_path, monkeypatch):
    """What bwrap says of it is the reason; nothing is left open."""
    monkeypatch.setattr(bubblewrap, "_ISOLATION", ("--uid", "none"))
    before = os.listdir("/proc/self/fd")
    bot = program(tmp_path, "true")

    with pytest.raises(StartFailed) as caught:
        await BotProcess.start(bot, env=build_environment(os.environ), log=None, sandbox=SANDBOX)

    assert caught.value.reason.startswith("bot cannot be confined: bwrap: ")
    assert os.listdir("/proc/self/fd") == before
