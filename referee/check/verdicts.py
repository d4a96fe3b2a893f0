"""What a situation can come to, and the exceptions by which its play ends early."""

import enum

import attrs

from referee.check.log import Entry


class Verdict(enum.Enum):
    """How a bot did in one situation."""

    PASSED = "pass"
    FAILED = "fail"
    ADVISED = "advice"
    """It breaks no requirement, but a good bot does otherwise."""
    NOT_APPLICABLE = "n/a"


class Ended(Exception):
    """The play of a situation is over; the text is one sentence for the author of the bot."""

    verdict: Verdict


class Fault(Ended):
    """The bot has broken a requirement.

    Args:
        sentence: What it did.
        requirement: Which one, if it is another than the situation is about.
    """

    verdict = Verdict.FAILED

    def __init__(self, sentence: str, requirement: str | None = None) -> None:
        super().__init__(sentence)
        self.requirement = requirement


class Advice(Ended):
    """The bot may do this, and would do better not to."""

    verdict = Verdict.ADVISED


class NotApplicable(Ended):
    """The situation says nothing about this bot."""

    verdict = Verdict.NOT_APPLICABLE


@attrs.frozen(kw_only=True)
class Result:
    """What a situation came to.

    Attributes:
        name: The situation.
        title: What the bot should have done.
        requirement: The id in SPEC.md that it passed or broke.
        section: The heading in SPEC.md under which the requirement stands.
        verdict: How it did.
        sentence: What it did wrong or why nothing can be said; empty if it passed.
        seconds: How long the situation took.
        entries: All that was said.
        output: The end of what the bot wrote to stdout and stderr, printable.
    """

    name: str
    title: str
    requirement: str
    section: str
    verdict: Verdict
    sentence: str
    seconds: float
    entries: tuple[Entry, ...]
    output: str
