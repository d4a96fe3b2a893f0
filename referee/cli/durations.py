"""Durations as people write them: `250ms`, `1.5s`, `1m`."""

import re
from fractions import Fraction

import click

NS_PER_MS = 1_000_000

_MS_PER_UNIT = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
_PATTERN = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]*)")


class Duration(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.2
    """An option that takes a duration and gives whole milliseconds, in nanoseconds.

    Args:
        lowest: The shortest allowed, as people write it.
        highest: The longest allowed, as people write it.
    """

    name = "duration"

    def __init__(self, lowest: str, highest: str) -> None:
        self._lowest = lowest
        self._highest = highest

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the duration in nanoseconds, or fail with a sentence that says what is possible."""
        try:
            duration = parse_duration(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
        if not parse_duration(self._lowest) <= duration <= parse_duration(self._highest):
            self.fail(f"{value} is not in the range from {self._lowest} to {self._highest}.", param, ctx)
        return duration


def parse_duration(text: str) -> int:
    """Return a duration in nanoseconds, a whole number of milliseconds.

    Args:
        text: A number and one of ms, s, m and h; the unit may be left out of a plain 0.

    Raises:
        ValueError: It cannot be understood; the text says why and what would be.
    """
    match = _PATTERN.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is no duration: write for instance 250ms or 2s")
    number, unit = match.groups()
    if not unit and Fraction(number):
        raise ValueError(f"{text} has no unit: write {number}ms or {number}s")
    if unit not in {"", *_MS_PER_UNIT}:
        raise ValueError(f"{text!r} has the unknown unit {unit!r}: use ms, s, m or h")
    milliseconds = Fraction(number) * _MS_PER_UNIT.get(unit, 1)
    if milliseconds.denominator != 1:
        raise ValueError(f"{text} is no whole number of milliseconds: round it")
    return int(milliseconds) * NS_PER_MS
