"""What all tests share: Hypothesis without a wall-clock deadline, and journals in memory that get closed."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.notes import close_journals

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def _journals_get_closed() -> Iterator[None]:
    """Close the journals in memory once a test is over."""
    yield
    close_journals()
