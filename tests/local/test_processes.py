import functools
import os
import signal
import sys
import threading

import pytest
import trio

from referee.local import processes
from referee.local.environment import bot_environment
from referee.local.output import Log
from referee.local.processes import BotProcess, Exit, ExitKind, StartFailed, stop_all
from referee.local.programs import BotProgram
from referee.local.sandbox import UNCONFINED
from tests.local.conftest import PATIENCE_S, wait_for_death


@pytest.fixture(autouse=True)
async def patience():
    """No test waits longer than this, and none comes near to it."""
    with trio.fail_after(PATIENCE_S):
        yield


@pytest.fixture(params=["pidfd", "polling"])
def way_of_waiting(request, monkeypatch):
    """Both ways in which the end of a process is noticed."""
    if request.param == "polling":
        monkeypatch.setattr(processes, "_open_pidfd", lambda _pid: None)


@pytest.mark.usefixtures("way_of_waiting")
@pytest.mark.parametrize(
    ("script", "code", "number", "kind"),
    [
        ("exit 0", 0, None, ExitKind.ENDED),
        ("exit 3", 3, None, ExitKind.CRASHED),
        ("kill -SEGV $$", None, signal.SIGSEGV, ExitKind.CRASHED),
        ("kill -ABRT $$", None, signal.SIGABRT, ExitKind.CRASHED),
        ("kill -KILL $$", None, signal.SIGKILL, ExitKind.KILLED),
        ("kill -TERM $$", None, signal.SIGTERM, ExitKind.KILLED),
    ],
)
async def test_ends_are_told_apart(start_bot, script, code, number, kind):
    """An orderly end, a crash by code or by a fault, and a kill from outside each have their name."""
    process = await start_bot(f"echo out; echo err >&2; {script}")

    ended = await process.watch()

    assert ended == Exit(
        name="bot", pid=process.pid, code=code, signal=number, output="out\nerr\n", kind=kind
    )


@pytest.mark.usefixtures("way_of_waiting")
async def test_a_bot_that_we_stop_is_killed_whatever_its_code(start_bot, mailbox):
    """A bot that answers our SIGTERM with an exit code of its own (Java: 143) did not crash."""
    process = await start_bot("trap 'exit 143' TERM; echo ready > mailbox; while :; do sleep 0.01; done")
    await mailbox.line()

    await stop_all([process], grace=PATIENCE_S)
    ended = await process.watch()

    assert (ended.code, ended.signal, ended.kind) == (143, None, ExitKind.KILLED)


async def test_a_crash_before_we_stop_it_stays_a_crash(start_bot):
    """What had crashed when everything was stopped is not passed off as killed by us."""
    process = await start_bot("exit 3")
    wait_for_death(os.pidfd_open(process.pid))

    await stop_all([process], grace=PATIENCE_S)

    assert (await process.watch()).kind is ExitKind.CRASHED


@pytest.mark.parametrize(
    ("name", "text", "mode", "expected"),
    [
        ("missing", None, 0, "{} or its interpreter does not exist"),
        ("plain", "#!/bin/sh\n", 0o644, "{} is not executable; chmod +x may help"),
        (
            "textual",
            "hello\n",
            0o755,
            "{} is no program that this machine can run; a script begins with a #! line",
        ),
        ("orphan", "#!/no/such/thing\n", 0o755, "{} or its interpreter does not exist"),
        ("zero\0byte", None, 0, "{} fails with: embedded null byte"),
    ],
)
async def test_a_bot_that_never_starts(make_file, start_bot, tmp_path, name, text, mode, expected):
    """What cannot be run is no crash: starting it fails with one sentence, and leaves no descriptor open."""
    path = tmp_path / name
    if text is not None:
        make_file(name, text, mode)
    before = os.listdir("/proc/self/fd")

    with pytest.raises(StartFailed) as caught:
        await start_bot(str(path), "argument", log=tmp_path / "log")

    printed = str(path).replace("\0", "\\x00")
    assert caught.value.reason == f"bot cannot be started: {expected.format(printed)}"
    assert os.listdir("/proc/self/fd") == before


async def test_a_log_that_cannot_be_opened(start_bot, tmp_path):
    """A bad place for the log is said before anything is started."""
    log = tmp_path / "no" / "log"

    with pytest.raises(StartFailed) as caught:
        await start_bot("true", log=log)

    assert caught.value.reason == (
        f"the log {log} cannot be written: No such file or directory; choose another place for it"
    )


async def test_bots_are_started_on_the_main_thread_only(start_bot):
    """The kernel would kill the bot as soon as the other thread ends."""
    caught = []

    def start():
        with pytest.raises(RuntimeError, match="main thread") as info:
            trio.run(start_bot, "true")
        caught.append(info)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()

    assert len(caught) == 1


async def test_a_flood_is_bounded(start_bot, tmp_path, monkeypatch):
    """Of what a bot writes 2 KiB of the beginning and 6 KiB of the end are kept, and the log is bounded."""
    monkeypatch.setattr(processes, "Log", functools.partial(Log, limit=100_000))
    process = await start_bot("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo done", log=tmp_path / "log")

    ended = await process.watch()

    left_out = 1_000_006 - 8 * 1024
    middle = f"\n[{left_out} bytes are left out here]\n"

    assert ended.output == "x" * 2048 + middle + "x" * (6 * 1024 - 6) + "\ndone\n"
    assert (tmp_path / "log").read_bytes() == b"x" * 100_000


async def test_control_characters_of_the_excerpt_are_escaped(start_bot, tmp_path):
    """The excerpt is safe to print; the log has the bytes as they came."""
    process = await start_bot(r"printf '\033[2J\007\377ok\n'", log=tmp_path / "log")

    ended = await process.watch()

    assert ended.output == "\\x1b[2J\\x07\\xffok\n"
    assert (tmp_path / "log").read_bytes() == b"\x1b[2J\x07\xffok\n"


async def test_a_second_start_appends_to_the_log(start_bot, tmp_path):
    """What a bot wrote before it died is kept when it is started again."""
    await (await start_bot("echo one", log=tmp_path / "log")).watch()
    await (await start_bot("echo two", log=tmp_path / "log")).watch()

    assert (tmp_path / "log").read_text() == "one\ntwo\n"


async def test_standard_input_is_empty(start_bot):
    """A bot that reads from its stdin finds the end at once, and takes no key from the referee's terminal."""
    reading, writing = os.pipe()
    ours = os.dup(0)
    os.dup2(reading, 0)
    process = await start_bot("readlink /proc/$$/fd/0; cat")
    os.dup2(ours, 0)
    for descriptor in (reading, writing, ours):
        os.close(descriptor)

    assert (await process.watch()).output == "/dev/null\n"


async def test_a_python_bot_finds_our_interpreter_and_none_of_our_settings(make_file, tmp_path, monkeypatch):
    """`#!/usr/bin/env python3` is the referee's Python, with nothing activated; the settings stay with us."""
    monkeypatch.setenv("TAKE5_REFEREE_SEED", "17")
    path = make_file(
        "bot.py",
        """\
        #!/usr/bin/env python3
        import os, sys
        print(sys.prefix, sorted(key for key in os.environ if key.startswith("TAKE5")))
        """,
    )
    program = BotProgram(name="b", command=(str(path),), cwd=tmp_path, source="b")
    base = {**os.environ, "PATH": "/usr/bin:/bin"}
    env = bot_environment(base, UNCONFINED, host="::1", port=1, name="b", secret="s")

    process = await BotProcess.start(program, env=env, log=None, sandbox=UNCONFINED)

    assert (
        await process.watch()
    ).output == f"{sys.prefix} ['TAKE5_HOST', 'TAKE5_NAME', 'TAKE5_PORT', 'TAKE5_SECRET']\n"


async def test_a_bot_that_ignores_sigterm_is_killed(start_bot, mailbox):
    """After the grace comes SIGKILL, for it and for its children that ignore SIGTERM too."""
    process = await start_bot("trap '' TERM; sleep 600 & echo $! > mailbox; wait")
    child = os.pidfd_open(int(await mailbox.line()))

    await stop_all([process], grace=0.05)

    assert (await process.watch()).signal == signal.SIGKILL
    assert wait_for_death(child)


async def test_children_of_a_bot_that_ended_are_killed(start_bot, mailbox, gate):
    """A bot that forks and exits leaves nothing of its process group behind."""
    process = await start_bot("sleep 600 & echo $! > mailbox; read go < gate; exit 0")
    child = os.pidfd_open(int(await mailbox.line()))
    gate.open()

    ended = await process.watch()

    assert ended.kind is ExitKind.ENDED
    assert wait_for_death(child)


@pytest.mark.usefixtures("way_of_waiting")
async def test_a_grandchild_that_holds_the_pipe_does_not_hold_us(start_bot, mailbox, gate):
    """The watch is over when the bot is, though something that left its session still could write."""
    process = await start_bot("echo hello; setsid sh -c 'echo $$ > mailbox; exec sleep 600' & read go < gate")
    grandchild = int(await mailbox.line())
    gate.open()

    ended = await process.watch()
    os.kill(grandchild, signal.SIGKILL)

    assert (ended.output, ended.kind) == ("hello\n", ExitKind.ENDED)


async def test_all_are_stopped_within_one_grace(start_bot, mailbox):
    """The grace is given once for all, not to one after the other; each gets its own end."""
    deaf = "trap '' TERM; echo ready > mailbox; while :; do sleep 1; done"
    stubborn = [await start_bot(deaf) for _ in range(PATIENCE_S + 1)]
    polite = [await start_bot("echo ready > mailbox; exec sleep 600") for _ in range(3)]
    for _ in range(PATIENCE_S + 4):
        await mailbox.line()

    await stop_all([*stubborn, *polite], grace=1)

    assert {(await process.watch()).signal for process in stubborn} == {signal.SIGKILL}
    assert {(await process.watch()).signal for process in polite} == {signal.SIGTERM}


async def test_stopping_goes_on_when_cancelled(start_bot):
    """Ctrl-C cancels everything, and yet no bot may survive; while somebody watches it, too."""
    process = await start_bot("exec sleep 600")
    seen = []

    async def watch():
        seen.append(await process.watch())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        with trio.CancelScope() as scope:
            scope.cancel()
            await stop_all([process], grace=PATIENCE_S)

    assert [ended.signal for ended in seen] == [signal.SIGTERM]


async def test_a_cancelled_watch_leaves_the_bot_alive(start_bot):
    """Who stops watching has not stopped the bot; watching again still finds how it ended."""
    process = await start_bot("exec sleep 600")

    with trio.CancelScope() as scope:
        scope.cancel()
        await process.watch()

    os.kill(process.pid, 0)  # raises if there is no such process
    await stop_all([process], grace=PATIENCE_S)
    assert (await process.watch()).kind is ExitKind.KILLED


async def test_what_was_stopped_gets_no_more_signals(start_bot, monkeypatch):
    """Once reaped, a pid may be somebody else's: no signal is sent to it."""
    process = await start_bot("exit 0")
    await process.watch()
    sent = []
    monkeypatch.setattr(os, "killpg", lambda *arguments: sent.append(arguments))

    await stop_all([process], grace=1)

    assert sent == []
