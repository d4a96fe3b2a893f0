"""The organiser's words: what they mean, and what is said of those that mean nothing."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.server.commands import USAGE, Command, CommandError, Verb, help_text, parse


def complaint(line: str) -> str:
    """Return what is said of a line that is no command."""
    with pytest.raises(CommandError) as caught:
        parse(line)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("start", Command(verb=Verb.START)),
        ("  START \n", Command(verb=Verb.START)),
        ("add\teve", Command(verb=Verb.ADD, name="eve")),
        ("pause", Command(verb=Verb.PAUSE)),
        ("continue", Command(verb=Verb.CONTINUE)),
        ("status", Command(verb=Verb.STATUS)),
        ("standings", Command(verb=Verb.STANDINGS)),
        ("finish", Command(verb=Verb.FINISH)),
        ("help", Command(verb=Verb.HELP)),
        ("add eve", Command(verb=Verb.ADD, name="eve")),
        ("remove eve  it cheats, twice ", Command(verb=Verb.REMOVE, name="eve", reason="it cheats, twice")),
        ("void 12 power cut", Command(verb=Verb.VOID, round=12, reason="power cut")),
    ],
)
def test_what_a_line_means(line: str, command: Command) -> None:
    """Case and spaces around do not matter; a reason is all that follows."""
    assert command == parse(line)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("strat", "'strat' is no command; did you mean 'start'?"),
        ("xyzzy", "'xyzzy' is no command; 'help' lists the commands"),
        ("", "'' is no command; 'help' lists the commands"),
        ("start now", "'start' stands alone"),
        ("remove", "write: remove NAME REASON"),
        ("remove eve", "write: remove NAME REASON"),
        ("add", "write: add NAME"),
        ("add eve now", "write: add NAME"),
        ("void 1", "write: void ROUND REASON"),
        ("void one because", "write: void ROUND REASON"),
        ("void -1 because", "write: void ROUND REASON"),
        ("void \u0661 because", "write: void ROUND REASON"),
        (f"remove eve {'x' * 201}", "a reason is at most 200 printable characters"),
        ("remove eve a\x1b[2Jb", "a reason is at most 200 printable characters"),
        (f"void {'9' * 5000} because", "write: void ROUND REASON"),
        ("\x1b[2J", "'\\x1b[2J' is no command; 'help' lists the commands"),
    ],
)
def test_what_is_said_of_a_line_that_is_none(line: str, sentence: str) -> None:
    """One sentence that says what was meant, or how to write it; nothing in it steers a terminal."""
    assert sentence == complaint(line)


@given(st.text(max_size=300))
def test_any_line_is_a_command_or_a_complaint(line: str) -> None:
    """Whatever is typed, nothing else comes of it."""
    with contextlib.suppress(CommandError):
        assert isinstance(parse(line), Command)


def test_help_has_a_line_for_each_command() -> None:
    """Its usage first, then what it does."""
    lines = help_text().splitlines()

    assert [usage for usage, _ in USAGE.values()] == [line.split("  ")[0] for line in lines]
    assert set(Verb) == set(USAGE)
