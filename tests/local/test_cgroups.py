"""Control groups that were delegated to us: on files that look like them, as real ones need systemd."""

import os
import shutil
from pathlib import Path

import pytest

from referee.local.cgroups import groups_if_delegated
from referee.local.sandbox import MOST_TASKS

ME = str(os.getpid())


@pytest.fixture
def delegated(tmp_path, monkeypatch):
    """A tree with our group in it; a group is removed with the files that the kernel has made in it."""
    monkeypatch.setattr(Path, "rmdir", shutil.rmtree)
    base = tmp_path / "fs" / "user.slice" / "run.scope"
    base.mkdir(parents=True)
    (base / "cgroup.controllers").write_text("cpu memory pids\n")
    (base / "cgroup.subtree_control").write_text("")
    (base / "cgroup.procs").write_text(f"{ME}\n")
    (tmp_path / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup2 {tmp_path}/fs cgroup2 rw 0 0\n")
    (tmp_path / "membership").write_text("1:name=systemd:/x\n0::/user.slice/run.scope\n")
    return base


def groups(tmp_path):
    """Look for our group in the tree."""
    return groups_if_delegated(membership=tmp_path / "membership", mounts=tmp_path / "mounts")


def test_each_bot_gets_a_group_that_counts_its_processes(delegated, tmp_path):
    """We move into a group beside them, as one with members hands nothing on; in the end all is undone."""
    with groups(tmp_path) as found:
        one, other = found.make(), found.make()
        moved = (delegated / f"take5-{ME}" / "cgroup.procs").read_text()
        handed_on = (delegated / "cgroup.subtree_control").read_text()
        bounds = [(group.path / "pids.max").read_text() for group in (one, other)]
        one.remove()
        is_left = (one.path.exists(), other.path.exists())

    assert (moved, handed_on) == (ME, "+pids")
    assert bounds == [str(MOST_TASKS)] * 2
    assert is_left == (False, True)
    assert sorted(path.name for path in delegated.iterdir()) == [
        "cgroup.controllers",
        "cgroup.procs",
        "cgroup.subtree_control",
    ]
    assert (delegated / "cgroup.procs").read_text() == ME


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("fs/user.slice/run.scope/cgroup.controllers", "cpu memory\n"),
        ("fs/user.slice/run.scope/cgroup.procs", "1\nME\n"),
        ("membership", "4:memory:/x\n"),
        ("membership", "0::/elsewhere\n"),
        ("mounts", "cgroup /sys/fs/cgroup/pids cgroup rw 0 0\n"),
    ],
)
def test_where_none_was_delegated_nothing_is_touched(delegated, tmp_path, file, content):
    """Without the controller, among other processes, or with groups of the old kind: no bound, no error."""
    (tmp_path / file).write_text(content.replace("ME", ME))

    with groups(tmp_path) as found:
        assert found is None

    assert (delegated / "cgroup.subtree_control").read_text() == ""


def test_a_group_that_may_not_hand_on_is_left_as_it_was(delegated, tmp_path, monkeypatch):
    """If the kernel refuses we go back to where we were."""
    write = Path.write_text

    def refuse(path, text):
        if path.name == "cgroup.subtree_control":
            raise OSError(16, "Device or resource busy")
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", refuse)

    with groups(tmp_path) as found:
        assert found is None

    assert (delegated / "cgroup.procs").read_text() == ME
    assert not (delegated / f"take5-{ME}").exists()
