"""Where a journal may be: locks that hold between processes, files for their owner, no network shares."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.journal import place
from referee.journal.errors import JournalTaken, JournalUnusable
from referee.journal.journal import Journal
from referee.journal.place import Lock, check_file_system, check_new, make_file
from tests.journal.keeping import setup

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from referee.journal.journal import Journal
journal = Journal.open(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""
"""Opens a journal and keeps it open until its stdin ends, or it is killed."""


def made(path: Path) -> Path:
    """Make a journal that nobody has open."""
    Journal.create(path, setup().head("test", {})).close()
    return path


@pytest.fixture
def hold() -> Iterator[Callable[[Path], "subprocess.Popen[str]"]]:
    """Let another process open a journal."""
    started: list[subprocess.Popen[str]] = []

    def begin(path: Path) -> "subprocess.Popen[str]":
        words = [sys.executable, "-c", HOLD, str(path)]
        process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *mounts: tuple[str, str]) -> None:
    """Let the system have these mounts, each a directory with its kind, in the order of mounting."""
    table = tmp_path / "mounts"
    table.write_text("".join(f"source {where} {kind} rw 0 0\n" for where, kind in mounts))
    monkeypatch.setattr(place, "_MOUNTS", table)


# --- the lock ----------------------------------------------------------------------------------------------


def test_a_second_referee_is_kept_out_of_a_journal(tmp_path: Path, hold: Callable[..., object]) -> None:
    """While a process has it open, another one is told so; and no second journal is made of that name."""
    path = made(tmp_path / "a.journal")
    hold(path)

    with pytest.raises(JournalTaken, match="another referee is at work on this journal"):
        Journal.open(path)
    with pytest.raises(JournalTaken):
        Journal.create(path, setup().head("test", {}))


def test_a_killed_referee_gives_its_journal_back(tmp_path: Path, hold: Callable[..., object]) -> None:
    """Its lock file stays behind, and is in nobody's way."""
    path = made(tmp_path / "a.journal")
    process = hold(path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = (tmp_path / "a.journal.lock").exists()
    journal = Journal.open(path)
    journal.close()

    assert left
    assert sorted(os.listdir(tmp_path)) == ["a.journal"]


def test_a_link_to_a_journal_has_its_lock(tmp_path: Path, hold: Callable[..., object]) -> None:
    """Two names of one file do not let two referees in."""
    path = made(tmp_path / "a.journal")
    link = tmp_path / "link.journal"
    link.symlink_to(path)
    hold(link)

    with pytest.raises(JournalTaken):
        Journal.open(path)


def test_a_lock_can_be_taken_again_after_its_release(tmp_path: Path) -> None:
    """Two locks of one journal exclude each other, one after the other is fine; no file is left."""
    first, second = Lock(tmp_path / "a"), Lock(tmp_path / "a")
    with first, pytest.raises(JournalTaken):
        second.take()
    with second:
        there = (tmp_path / "a.lock").exists()
    second.release()

    assert there
    assert os.listdir(tmp_path) == []


def test_a_lock_whose_file_was_just_removed_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One releases between another's opening and locking: what was locked is in no directory any more.

    The lock is taken anew on the file that others find, and a third one is kept out.
    """
    really, opened = fcntl.flock, []

    def flock(descriptor: int, operation: int) -> None:
        if not opened:
            (tmp_path / "a.lock").unlink()
        opened.append(descriptor)
        really(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with Lock(tmp_path / "a"), pytest.raises(JournalTaken):
        Lock(tmp_path / "a").take()

    assert len(opened) == 3


def test_a_lock_that_cannot_be_made(tmp_path: Path) -> None:
    """The reason is given in a sentence."""
    with pytest.raises(JournalUnusable, match=r"the lock .* cannot be made: No such file or directory"):
        Lock(tmp_path / "nowhere" / "a").take()


# --- the file ----------------------------------------------------------------------------------------------


def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    """Its mode is 0600 even where the mask would allow everything."""
    before = os.umask(0)
    try:
        make_file(tmp_path / "a")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["file", "directory", "dangling link"])
def test_what_is_there_is_not_overwritten(tmp_path: Path, kind: str) -> None:
    """Whatever has the name already, even a link to nothing, stays as it is."""
    path = tmp_path / "a"
    match kind:
        case "file":
            path.write_text("precious")
        case "directory":
            path.mkdir()
        case "dangling link":
            path.symlink_to(tmp_path / "nothing")
    for refuse in (make_file, check_new):
        with pytest.raises(JournalTaken, match="is there already; `take5-referee resume"):
            refuse(path)

    assert not (tmp_path / "nothing").exists()
    assert kind != "file" or path.read_text() == "precious"


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """It is said at once, and nothing is made."""
    path = tmp_path / "nowhere" / "a"
    with pytest.raises(JournalUnusable, match="there is no directory"):
        check_new(path)
    with pytest.raises(JournalUnusable, match="cannot be made: No such file or directory"):
        make_file(path)


def test_a_directory_that_may_not_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said at once; the system is asked, since whoever runs tests may be allowed everything."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    with pytest.raises(JournalUnusable, match="may not be written to"):
        check_new(tmp_path / "a")


# --- file systems ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "lustre"])
def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """The sentence names the kind, and what to do."""
    mounted(monkeypatch, tmp_path, ("/", "ext4"), (str(tmp_path), kind))

    with pytest.raises(JournalUnusable, match=rf"network file system \({kind}\).* with --journal"):
        check_file_system(tmp_path / "deep" / "a.journal")


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "fuseblk"])
def test_file_systems_of_this_machine_are_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Even below a share, or beside one of a similar name."""
    mounted(monkeypatch, tmp_path, ("/", "nfs4"), (str(tmp_path), kind), (f"{tmp_path}/sub", "nfs"))

    check_file_system(tmp_path / "submarine" / "a.journal")


def test_of_two_mounts_at_one_place_the_later_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A share that is mounted on first use stands in the list after the `autofs` that waited for it."""
    mounted(monkeypatch, tmp_path, ("/", "ext4"), (str(tmp_path), "autofs"), (str(tmp_path), "nfs4"))

    with pytest.raises(JournalUnusable, match="nfs4"):
        check_file_system(tmp_path / "a.journal")


def test_the_last_root_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The root of a machine without a disk is mounted twice: first `rootfs`, then the share."""
    mounted(monkeypatch, tmp_path, ("/", "rootfs"), ("/", "nfs"))

    with pytest.raises(JournalUnusable, match=r"\(nfs\)"):
        check_file_system(tmp_path / "a.journal")


@pytest.mark.parametrize("name", ["with blank", "with\ttab", "with\\backslash", "größe"])
def test_odd_names_of_mount_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Linux writes blank, tab and backslash in them as three octal digits."""
    escaped = name.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011")
    mounted(monkeypatch, tmp_path, ("/", "ext4"), (f"{tmp_path}/{escaped}", "nfs"))

    with pytest.raises(JournalUnusable):
        check_file_system(tmp_path / name / "a.journal")


def test_a_link_into_a_share_is_seen_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is where the file really is that counts."""
    (tmp_path / "share").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "share")
    mounted(monkeypatch, tmp_path, ("/", "ext4"), (f"{tmp_path}/share", "cifs"))

    with pytest.raises(JournalUnusable, match="cifs"):
        check_file_system(tmp_path / "home" / "a.journal")


def test_without_a_list_of_mounts_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some containers hide it, and other systems have none."""
    monkeypatch.setattr(place, "_MOUNTS", tmp_path / "hidden")

    check_file_system(tmp_path / "a.journal")


def test_a_journal_is_neither_made_nor_opened_on_a_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even its lock is left there."""
    path = made(tmp_path / "a.journal")
    mounted(monkeypatch, tmp_path, ("/", "nfs4"))
    for attempt in (
        lambda: Journal.create(tmp_path / "b", setup().head("test", {})),
        lambda: Journal.open(path),
    ):
        with pytest.raises(JournalUnusable, match="network file system"):
            attempt()

    assert sorted(os.listdir(tmp_path)) == ["a.journal", "mounts"]
