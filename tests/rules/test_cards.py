"""The cards and the choice of a game: values, limits, and the sentences that refuse."""

import pytest

from referee.rules.cards import BULLHEADS, HIGHEST_CARD, bullheads
from referee.rules.variants import Rules, RulesError, Variant


def test_bullheads_are_indexed_by_card():
    """There is a value for each card from 1 to 104, and index 0, which is no card, holds 0."""
    expected = (HIGHEST_CARD + 1, 0, 1)
    assert expected == (len(BULLHEADS), BULLHEADS[0], BULLHEADS[1])


def test_bullheads_add_up():
    """55 counts 7, 33 counts 5, 40 counts 3, 65 counts 2 and 1 counts 1: 18 together; no card counts 0."""
    expected = (18, 0)
    assert expected == (bullheads([55, 33, 40, 65, 1]), bullheads([]))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"deals": 5}, "set exactly one"),
        ({"target": None}, "set exactly one"),
        ({"target": 0}, "from 1 to 100000 bullheads, not 0"),
        ({"target": -66}, "from 1 to 100000 bullheads, not -66"),
        ({"target": 100_001}, "from 1 to 100000 bullheads, not 100001"),
        ({"target": None, "deals": 0}, "from 1 to 100000, not 0"),
        ({"target": None, "deals": 100_001}, "from 1 to 100000, not 100001"),
    ],
)
def test_rules_that_cannot_be_played(settings, sentence):
    """Neither or both ends of a game, or one out of range, is refused with one sentence."""
    with pytest.raises(RulesError, match=sentence):
        Rules(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"target": 1},
        {"target": 100_000},
        {"target": None, "deals": 1},
        {"target": None, "deals": 100_000},
    ],
)
def test_rules_at_the_limits(settings):
    """The limits themselves can be played; by default a classic game to 66 without a cow."""
    rules = Rules(**settings)

    expected = {"variant": Variant.CLASSIC, "jumping_cow": False, "target": 66, "deals": None} | settings
    assert expected == {name: getattr(rules, name) for name in expected}
