"""Journals that several tests only read."""

from pathlib import Path

import pytest

from referee.journal.reading import Reading
from tests.journal.keeping import Evening, begin


@pytest.fixture(scope="session")
def finished() -> Evening:
    """A Swiss of nine over three rounds that is over, with faults of all kinds and a bot that never came."""
    return begin(absent=["ida"]).play()


@pytest.fixture(scope="session")
def reading(finished: Evening) -> Reading:
    """What its journal holds."""
    return finished.director.journal.reading()


@pytest.fixture(scope="session")
def finished_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tournament in a file, closed."""
    path = tmp_path_factory.mktemp("finished") / "a.journal"
    begin(path, absent=["ida"]).play().director.journal.close()
    return path
