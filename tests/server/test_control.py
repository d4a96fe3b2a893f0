"""The door for `ctl`: who may open it, what comes through, and what it leaves behind."""

import os
import socket
import stat
from pathlib import Path

import pytest
import trio
import trio.testing

from referee.server import control
from referee.server.control import LONGEST_LINE, ControlError


def echo(line: str) -> tuple[bool, str]:
    """Do everything but what is wrong."""
    return line != "wrong", f"<{line}>"


async def asked(path: Path, line: str) -> tuple[bool, str]:
    """Say a line as another process would."""
    return await trio.to_thread.run_sync(control.ask, path, line)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the door is."""
    return tmp_path / "rooms" / "door.sock"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)


@pytest.mark.parametrize(
    ("line", "reply"),
    [("status", (True, "<status>")), ("wrong", (False, "<wrong>")), ("remove é 🐄", (True, "<remove é 🐄>"))],
)
async def test_a_line_gets_its_reply(path: Path, line: str, reply: tuple[bool, str]) -> None:
    """Whether it was done, and the text."""
    async with control.opened(path, echo):
        assert reply == await asked(path, line)


async def test_replies_of_many_lines_and_letters_come_whole(path: Path) -> None:
    """As the standings of a thousand."""
    text = "é\n" * 100_000
    async with control.opened(path, lambda line: (True, text)):
        assert (True, text) == await asked(path, "standings")


async def test_only_its_owner_can_open_it(path: Path) -> None:
    """The socket has mode 0600 and its directory 0700, whatever the umask; the umask is as before."""
    before = os.umask(0)
    try:
        async with control.opened(path, echo):
            modes = [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent)]

            assert [0o600, 0o700] == modes
            assert os.umask(0) == 0
    finally:
        os.umask(before)


async def test_it_is_gone_afterwards(path: Path) -> None:
    """No socket is left, and who asks is told so."""
    async with control.opened(path, echo):
        pass

    assert [] == os.listdir(path.parent)
    with pytest.raises(ControlError, match="is it running, and on this port"):
        control.ask(path, "status")


async def test_a_directory_of_somebody_else_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns it could put another socket there."""
    monkeypatch.setattr(control, "_trusted", lambda: {os.getuid() + 1})
    with pytest.raises(ControlError, match="belongs to somebody else"):
        async with control.opened(path, echo):
            pass

    assert [] == os.listdir(path.parent)


async def test_what_a_crashed_referee_left_is_replaced(path: Path) -> None:
    """A socket on which nobody listens any more is no reason to go without."""
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    async with control.opened(path, echo):
        assert (True, "<status>") == await asked(path, "status")


async def test_another_referee_keeps_its_door(path: Path) -> None:
    """The second is told; the first goes on answering, also when the second has gone."""
    async with control.opened(path, echo):
        with pytest.raises(ControlError, match="another referee answers there"):
            async with control.opened(path, lambda line: (True, "second")):
                pass

        assert (True, "<status>") == await asked(path, "status")


async def test_a_file_that_is_no_socket_stays(path: Path) -> None:
    """As after a slip in --control."""
    _write(path, "precious")
    with pytest.raises(ControlError, match="there is something else of that name"):
        async with control.opened(path, echo):
            pass

    assert stat.S_ISREG(os.lstat(path).st_mode)


@pytest.mark.parametrize("length", [LONGEST_LINE + 1, 50 * LONGEST_LINE])
async def test_a_long_line_is_refused(path: Path, length: int) -> None:
    """It is not done, and the next one is."""
    done: list[str] = []

    def execute(line: str) -> tuple[bool, str]:
        done.append(line)
        return True, ""

    async with control.opened(path, execute):
        try:
            reply = await asked(path, "x" * length)
        except ControlError:
            pass  # the door was shut while the line was still being said
        else:
            assert (False, "a command is one line of at most 4096 bytes") == reply
        await asked(path, "y" * LONGEST_LINE)

    assert ["y" * LONGEST_LINE] == done


async def test_a_line_without_an_end_is_not_done(path: Path) -> None:
    """Its speaker may have been cut off in the middle of `finish...`."""
    done: list[str] = []

    def execute(line: str) -> tuple[bool, str]:
        done.append(line)
        return True, ""

    async with control.opened(path, execute), await trio.open_unix_socket(str(path)) as caller:
        await caller.send_all(b"finish")
        await caller.send_eof()
        answer = b"".join([data async for data in caller])

    assert answer.startswith(b"no\n")
    assert [] == done


async def test_silent_callers_keep_nobody_waiting_for_ever(
    path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Eight that say nothing take all places for five seconds; then the ninth has its turn."""
    async with control.opened(path, echo), trio.open_nursery() as nursery:
        silent = [await trio.open_unix_socket(str(path)) for _ in range(8)]
        for _ in range(8):
            await trio.testing.wait_all_tasks_blocked()
        caller = await trio.open_unix_socket(str(path))
        await caller.send_all(b"status\n")
        answer = b"".join([data async for data in caller])
        took = trio.current_time()
        for stream in (*silent, caller):
            await stream.aclose()
        nursery.cancel_scope.cancel()

    assert b"ok\n<status>" == answer
    assert 4.9 < took < 5.1


@pytest.mark.parametrize("runtime", [None, "/run/user/1"])
def test_the_door_is_found_by_the_port(runtime: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the user's runtime directory, or else in one of the user's own among the temporary ones."""
    if runtime is None:
        monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    else:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    found = control.default_path(5104)

    if runtime is None:
        assert (f"take5-referee-{os.getuid()}", "5104.sock") == found.parts[-2:]
    else:
        assert Path("/run/user/1/take5-referee-5104.sock") == found


async def test_what_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A path beyond what sockets allow, as one below a file, ends in a sentence."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / ("x" * 200), tmp_path / "file" / "door.sock"):
        with pytest.raises(ControlError, match=r"the control socket .* cannot be made: "):
            async with control.opened(place, echo):
                pass
