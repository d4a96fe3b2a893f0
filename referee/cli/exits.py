"""With what the program exits, and the errors that end it in one sentence."""

import enum

import click


class ExitCode(enum.IntEnum):
    """The exit codes; README.md and --help list them."""

    COMPLETE = 0
    """Everything that was asked for has been done."""

    FAILED = 1
    """It was begun, but could not be done."""

    USAGE = 2
    """It was not begun, since what was asked for makes no sense or cannot be had."""

    CHECK_FAILED = 3
    """The bot that was checked has failed in a situation."""

    NOT_SHOWN = 3
    """A comparison that did not show B to be better than A."""

    UNFIT = 3
    """`doctor` has found a problem."""

    JOURNAL = 4
    """The journal could not be written, so play was stopped; `resume` goes on once there is room."""

    INTERRUPTED = 130
    """It was stopped by Ctrl-C or SIGTERM; what was reached until then has been printed."""


EXIT_CODES_HELP = (
    "Exit codes: 0 complete, 1 the run failed, 2 wrong usage, 3 a bot failed its check, "
    "4 the journal cannot be written, 130 interrupted."
)


class Failure(click.ClickException):
    """Something that was begun and cannot be done; the message is one sentence for the user."""

    exit_code = ExitCode.FAILED


def file_problem(what: str, error: OSError) -> str:
    """Word why a file or directory cannot be used.

    Args:
        what: The beginning of the sentence, such as "the output file x.json cannot be written".
        error: What the system said.
    """
    return f"{what}: {error.strerror or error}"
