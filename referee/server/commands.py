"""What the organiser can say to a running referee, at the console or by `ctl`: words to commands. Pure."""

import difflib
import enum
import re

import attrs


class Verb(enum.Enum):
    """The commands; the values are the words that people type."""

    START = "start"
    PAUSE = "pause"
    CONTINUE = "continue"
    STATUS = "status"
    STANDINGS = "standings"
    REMOVE = "remove"
    ADD = "add"
    VOID = "void"
    FINISH = "finish"
    HELP = "help"


USAGE = {
    Verb.START: ("start", "begin the tournament with those who are there"),
    Verb.PAUSE: ("pause", "start no further games; those being played go on"),
    Verb.CONTINUE: ("continue", "start games again"),
    Verb.STATUS: ("status", "who is there, what is being played"),
    Verb.STANDINGS: ("standings", "the standings so far"),
    Verb.REMOVE: ("remove NAME REASON", "take an entrant out for good; the reason is told to it"),
    Verb.ADD: ("add NAME", "let a new entrant in, also late; prints its secret if secrets are used"),
    Verb.VOID: ("void ROUND REASON", "have a round played again with other cards; marked in the standings"),
    Verb.FINISH: ("finish", "end the tournament now; what was played counts"),
    Verb.HELP: ("help", "this list"),
}


_NUMBER = re.compile("[0-9]{1,9}")
_WORD_SHOWN = 40

LONGEST_REASON = 200
"""In characters; a reason is told to a bot, in a field that is bounded."""


class CommandError(ValueError):
    """What was typed is no command, or cannot be done now; the text is one sentence."""


@attrs.frozen(kw_only=True)
class Command:
    """One command.

    Attributes:
        verb: What to do.
        name: The entrant, for REMOVE and ADD.
        round: The round, for VOID.
        reason: The reason, for REMOVE and VOID.
    """

    verb: Verb
    name: str = ""
    round: int = 0
    reason: str = ""


def parse(line: str) -> Command:
    """Return the command that a line holds.

    Raises:
        CommandError: it holds none; the text says what was meant or expected.
    """
    word, first, reason = (*line.split(maxsplit=2), "", "", "")[:3]
    try:
        verb = Verb(word.lower())
    except ValueError:
        raise CommandError(_unknown(word)) from None
    reason = reason.strip()
    _check_reason(reason)
    match verb:
        case Verb.REMOVE if reason:
            return Command(verb=verb, name=first, reason=reason)
        case Verb.ADD if first and not reason:
            return Command(verb=verb, name=first)
        case Verb.VOID if _NUMBER.fullmatch(first) and reason:
            return Command(verb=verb, round=int(first), reason=reason)
        case Verb.REMOVE | Verb.ADD | Verb.VOID:
            raise CommandError(f"write: {USAGE[verb][0]}")
        case _ if first:
            raise CommandError(f"'{verb.value}' stands alone")
        case _:
            return Command(verb=verb)


def help_text() -> str:
    """Return the list of commands, a line each."""
    width = max(len(usage) for usage, _ in USAGE.values())
    return "\n".join(f"{usage:<{width}}  {meaning}" for usage, meaning in USAGE.values())


def _check_reason(reason: str) -> None:
    if len(reason) > LONGEST_REASON or not reason.isprintable():
        raise CommandError(f"a reason is at most {LONGEST_REASON} printable characters")


def _unknown(word: str) -> str:
    near = difflib.get_close_matches(word.lower(), [verb.value for verb in Verb], n=1)
    hint = f"did you mean '{near[0]}'?" if near else "'help' lists the commands"
    return f"{word[:_WORD_SHOWN]!r} is no command; {hint}"
