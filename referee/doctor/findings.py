"""What the doctor says of one thing."""

import enum

import attrs


class Verdict(enum.Enum):
    """How something is."""

    OK = "ok"
    NOTE = "note"
    """It works; it is worth knowing that something could be better, or is not there."""
    PROBLEM = "problem"
    """What needs it will fail, or be unfair."""


@attrs.frozen(kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: What was looked at, in one word or two; the name of the finding for programs.
        verdict: How it is.
        text: What was seen.
        advice: What to do; empty if there is nothing to do.
    """

    check: str
    verdict: Verdict
    text: str
    advice: str = ""
