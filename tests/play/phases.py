"""Help for the tests of absence and return: a table in each phase, waiting for seat 0."""

import pytest

from referee.rules.variants import Rules, Variant
from tests.play.bench import LOW, Bench

DRAFTING = Rules(variant=Variant.ADVANCED, target=None, deals=1)


def in_card(**more):
    """Return a table that waits for cards, seat 0 among them."""
    return Bench(LOW, **more)


def in_row(**more):
    """Return a table that waits for the row of seat 0."""
    bench = Bench(LOW, **more)
    bench.round_of({0: 1, 1: 91})
    return bench


def in_draft(**more):
    """Return a table that waits for a pick of seat 0."""
    return Bench(None, rules=DRAFTING, **more)


PHASES = pytest.mark.parametrize("phase", [in_card, in_row, in_draft])
