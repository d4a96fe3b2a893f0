"""Sources of a bot and what was made of them."""

import os

import pytest

from referee.local.sources import is_due, source_files

OLD, BUILT, NEW = 1_000, 2_000, 3_000
"""Times of change, in seconds."""


@pytest.fixture
def write(tmp_path):
    """Write a file that was changed at a given time."""

    def make(name, changed):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (changed, changed))
        return path

    return make


def test_products_are_no_sources(tmp_path, write):
    """Neither the directories of build tools nor their files, at any depth; all else is."""
    for name in ("a.c", "a.o", "src/b.java", "src/B.class", "build/x", "src/__pycache__/y", ".gitignore"):
        write(name, OLD)

    assert list(source_files(tmp_path)) == [
        tmp_path / ".gitignore",
        tmp_path / "a.c",
        tmp_path / "src/b.java",
    ]


def test_what_was_never_built_is_due(tmp_path, write):
    """There is no artifact."""
    write("a.c", OLD)

    assert is_due(tmp_path / "build" / "bot", tmp_path)


@pytest.mark.parametrize(
    ("name", "due"), [("a.c", True), ("src/new.c", True), ("build/cache", False), ("a.o", False)]
)
def test_what_has_changed_since_it_was_built_is_due(tmp_path, write, name, due):
    """A newer source makes it due, a newer product does not."""
    write("a.c", OLD)
    artifact = write("build/bot", BUILT)
    assert not is_due(artifact, tmp_path)

    write(name, NEW)

    assert is_due(artifact, tmp_path) == due


def test_an_artifact_among_the_sources(tmp_path, write):
    """It is no source, and a link to nothing is none that has changed."""
    write("a.c", OLD)
    (tmp_path / "link").symlink_to("nothing")

    assert not is_due(write("bot", BUILT), tmp_path)
