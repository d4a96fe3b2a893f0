"""Chance that comes back from a seed."""

import random
from collections.abc import Iterable
from typing import TypeVar

_Item = TypeVar("_Item")


def generator(*parts: object) -> random.Random:
    """A random generator that depends on the parts and on nothing else.

    Only its `random()` may be drawn from: that sequence is the one which Python promises to keep between
    versions.
    """
    return random.Random("/".join(map(str, parts)))


def shuffled(items: Iterable[_Item], chance: random.Random) -> list[_Item]:
    """The items in random order."""
    return sorted(items, key=lambda _: chance.random())


def index(chance: random.Random, size: int) -> int:
    """A random index below `size`."""
    return int(chance.random() * size)
