"""In which form this process writes its log; set before a command begins."""

import enum


class LogFormat(enum.Enum):
    """How the log is written."""

    TEXT = "text"
    """Lines for people."""
    JSON = "json"
    """One object a line, for programs."""


class _Chosen:
    """The form that holds now."""

    format = LogFormat.TEXT


def use(form: LogFormat) -> None:
    """Write the log of this process in a form from now on."""
    _Chosen.format = form


def chosen() -> LogFormat:
    """Return the form in which the log is written."""
    return _Chosen.format
