"""`run-local` before it starts anything: what it says of its arguments, and what it refuses.

Whole tournaments are played in tests/e2e.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]
CANNOT_PLAY = "false"


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """Make a directory like one that a glob is used on."""
    directory = tmp_path / "bots"
    directory.mkdir()
    (directory / "notes.txt").write_text("not a bot")
    (directory / "sleeping.py").write_text("#!/usr/bin/env python3\n")
    (directory / "lonely").write_text("#!/bin/sh\nexit 1\n")
    (directory / "lonely").chmod(0o755)
    built = directory / "needy"
    built.mkdir()
    (built / "bot.toml").write_text(
        'command = ["./needy"]\nbuild = ["sh", "-c", "echo cannot compile; exit 3"]\nartifact = "needy"\n'
    )
    return directory


def test_what_is_not_run_is_said_in_one_line_each(referee: Referee, bots: Path) -> None:
    """A glob sweeps in more than bots; each such thing has a line, and one bot is too few."""
    outcome = referee("run-local", *sorted(bots.iterdir()))

    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.splitlines() == [
        f"skipped: {bots}/notes.txt is no bot: neither an executable file nor a directory with a bot.toml",
        f"skipped: {bots}/sleeping.py is not executable; if it is a bot: chmod +x {bots}/sleeping.py",
        f"skipped: {bots}/needy needs building first: take5-referee build {bots}/needy",
        "take5-referee: a tournament needs two bots, but of what was given only lonely can play; "
        "--build builds those that need it.",
    ]


def test_quiet_leaves_only_the_error(referee: Referee, bots: Path) -> None:
    """With --quiet nothing but errors is on stderr."""
    outcome = referee("run-local", "--quiet", bots / "notes.txt")

    assert outcome == Outcome(
        code=2,
        out="",
        err="take5-referee: a tournament needs two bots, but of what was given none can play.\n",
    )


def test_bots_of_the_same_name_are_told_apart_aloud(referee: Referee, bots: Path) -> None:
    """The second of two equal names gets another, and the user is told which."""
    outcome = referee("run-local", "--variant", "advanced", *[f"same={CANNOT_PLAY}"] * 7, "--table-size", 7)

    assert outcome.code == 2
    assert "renamed: same=false plays as same-2, since same is taken" in outcome.err.splitlines()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "there is no file or directory 'nowhere'; give a bot's path or NAME=COMMAND."),
        (["A=x"], "'A=x' has the bad name 'A'; a name is 1 to 32 of a-z, 0-9, '.', '_' and '-', "
                  "and begins with a letter or a digit."),
        (["a="], "'a=' has no command; write NAME=COMMAND."),
        (["\x1b[31m"], "there is no file or directory '\\x1b[31m'; give a bot's path or NAME=COMMAND."),
        (
            ["--output", "/dev/null/x", "a=true", "b=true"],
            "the output file /dev/null/x cannot be written: Not a directory.",
        ),
        (
            ["--log-dir", "/dev/null/x", "a=true", "b=true"],
            "the log directory /dev/null/x cannot be made: Not a directory.",
        ),
        (
            ["--variant", "advanced", "--table-size", "7", *(f"{name}=true" for name in "abcdefg")],
            "The advanced variant is for 2 to 6 players, not 7.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_in_one_sentence(
    referee: Referee, words: list[str], sentence: str
) -> None:
    """Before any bot is started, on one line of stderr, with exit code 2."""
    outcome = referee("run-local", *words)

    assert outcome == Outcome(code=2, out="", err=f"take5-referee: {sentence}\n")


def test_an_unknown_variable_is_warned_of(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, bots: Path
) -> None:
    """A setting that is silently ignored costs its author an evening."""
    monkeypatch.setenv("TAKE5_REFEREE_ROUNDZ", "3")
    outcome = referee("run-local", "--quiet", bots / "lonely")

    assert outcome.err.splitlines()[0] == (
        "warning: the variable TAKE5_REFEREE_ROUNDZ sets nothing; did you mean TAKE5_REFEREE_ROUNDS?"
    )


@pytest.mark.parametrize("command", [["build"], ["run-local", "--build"]])
def test_a_build_that_fails_shows_its_output(referee: Referee, bots: Path, command: list[str]) -> None:
    """Whoever asked for a build sees why it failed, and the run does not begin."""
    outcome = referee(*command, bots / "needy")

    assert outcome.code == 1
    assert outcome.err.splitlines()[0] == "needy: building"
    assert outcome.err.splitlines()[-2:] == [
        "    cannot compile",
        "take5-referee: could not build needy: see the output above.",
    ]


def test_build_makes_what_is_missing(referee: Referee, bots: Path) -> None:
    """A build is run once; afterwards there is nothing to build."""
    (bots / "needy" / "bot.toml").write_text(
        'command = ["./needy"]\nbuild = ["touch", "needy"]\nartifact = "needy"\n'
    )
    first, second = referee("build", bots / "needy"), referee("build", bots / "needy", bots / "lonely")

    assert (first.code, first.out) == (0, "")
    assert (bots / "needy" / "needy").exists()
    # It is built now, but a bot that is no program is skipped rather than built again.
    assert (second.code, second.err.splitlines()[-1]) == (0, "nothing to build")


def test_a_bot_that_has_changed_since_it_was_built(referee: Referee, bots: Path) -> None:
    """It plays as it was built, which is said aloud, and `build` builds it again."""
    (bots / "needy" / "bot.toml").write_text(
        'command = ["sh"]\nbuild = ["touch", "needy"]\nartifact = "needy"\n'
    )
    referee("build", bots / "needy")
    os.utime(bots / "needy" / "needy", (1, 1))

    warned = referee("run-local", bots / "needy")
    built = referee("build", bots / "needy")

    assert warned.err.splitlines()[0] == (
        f"warning: {bots}/needy has changed since it was built: take5-referee build {bots}/needy"
    )
    assert [line.split(" after ")[0] for line in built.err.splitlines()] == [
        "needy: building",
        "needy: built",
    ]
    assert referee("build", bots / "needy").err == "nothing to build\n"
