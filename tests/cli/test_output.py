"""The output file is always whole."""

import os
from pathlib import Path

import click
import pytest

from referee.cli.output import OutputFile


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """A reader who has the old file open still sees all of it, and nothing else is left in the directory."""
    path = tmp_path / "standings.txt"
    path.write_text("before")
    with path.open() as reader:
        OutputFile(path).write("after\n")

        assert reader.read() == "before"
    assert path.read_bytes() == b"after\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_gets_ordinary_permissions(tmp_path: Path) -> None:
    """Others may read it as far as the umask says, though a temporary file starts private."""
    path = tmp_path / "standings.txt"
    mask = os.umask(0o027)
    try:
        OutputFile(path).write("x")
    finally:
        os.umask(mask)

    assert path.stat().st_mode & 0o777 == 0o640


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    """What was private stays private."""
    path = tmp_path / "standings.txt"
    path.write_text("before")
    path.chmod(0o600)
    OutputFile(path).write("after")

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    """The file behind the link is replaced, not the link."""
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/standings.txt")
    OutputFile(link).write("x")

    assert link.is_symlink()
    assert (tmp_path / "there" / "standings.txt").read_text() == "x"


def test_asking_for_a_file_writes_nothing_yet(tmp_path: Path) -> None:
    """Finding out whether it can be written neither makes the file nor touches an old one."""
    old = tmp_path / "old.txt"
    old.write_text("before")
    OutputFile(old)
    OutputFile(tmp_path / "new.txt")

    assert old.read_text() == "before"
    assert list(tmp_path.iterdir()) == [old]


def test_a_failed_write_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full, what was there is there still, and no rest of the new one."""

    def no_space(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "standings.txt"
    path.write_text("before")
    file = OutputFile(path)
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        file.write("after")

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    """The sentence comes before the tournament, not after it."""
    path = tmp_path / "missing" / "standings.txt"
    with pytest.raises(click.UsageError) as refusal:
        OutputFile(path)

    assert refusal.value.message == f"the output file {path} cannot be written: No such file or directory"


def test_a_directory_is_no_output_file(tmp_path: Path) -> None:
    """A directory cannot be replaced by a file."""
    with pytest.raises(click.UsageError) as refusal:
        OutputFile(tmp_path)

    assert refusal.value.message.endswith("is no regular file")
