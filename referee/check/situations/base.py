"""A situation: a name, what a bot should do in it, the requirement behind that, and how it is played."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs

from referee.check.scene import Scene

Play: TypeAlias = Callable[[Scene], Awaitable[None]]
"""Plays a situation; raises one of `verdicts.Ended` unless the bot passes."""


@attrs.frozen(kw_only=True)
class Situation:
    """One situation.

    Attributes:
        name: How it is called on the command line.
        requirement: The id in SPEC.md that it is about.
        title: What the bot should do, in one sentence.
        play: Plays it.
    """

    name: str
    requirement: str
    title: str
    play: Play


def situation(name: str, requirement: str, title: str) -> Callable[[Play], Situation]:
    """Make a situation of the function that plays it."""

    def make(play: Play) -> Situation:
        return Situation(name=name, requirement=requirement, title=title, play=play)

    return make
