"""The console script: its commands, its help, and how it ends."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from referee.cli import main
from referee.cli.exits import Failure
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]


def fake_command(monkeypatch: pytest.MonkeyPatch, callback: Callable[[], object]) -> None:
    """Let `sample-bots` do something else."""
    command = click.Command("sample-bots", callback=callback)
    monkeypatch.setattr(main.Commands, "get_command", lambda *_: command)


def test_help_lists_the_commands_and_the_exit_codes(referee: Referee) -> None:
    """Whoever asks for help, or gives no command, gets it on stdout."""
    helped, alone = referee("--help"), referee()

    assert helped == alone
    assert (helped.code, helped.err) == (0, "")
    assert all(name in helped.out for name in ("run-local", "build", "sample-bots"))
    codes = (
        "0 complete, 1 the run failed, 2 wrong usage, 3 a bot failed its check, "
        "4 the journal cannot be written, 130 interrupted."
    )

    assert f"Exit codes: {codes}" in " ".join(helped.out.split())


def test_every_command_listed_exists(referee: Referee) -> None:
    """The list of commands is written by hand, so that none need be imported; it is right."""
    for name in main.COMMANDS:
        helped = referee(name, "--help")

        assert (helped.code, helped.err) == (0, "")
        assert helped.out.startswith(f"Usage: take5-referee {name} ")


def test_help_imports_nothing_slow() -> None:
    """Only a command that needs Trio, rich, attrs or msgpack imports it."""
    script = (
        "import sys\n"
        "from referee.cli.main import run\n"
        "run(['--help'])\n"
        "print(*(name for name in ('trio', 'rich', 'attr', 'msgpack', 'difflib') if name in sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert shown.stdout.splitlines()[-1] == ""


def test_version(referee: Referee) -> None:
    """The version is that of the installed package."""
    shown = referee("--version")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("take5-referee, version ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run-lokal"], "there is no command 'run-lokal'; did you mean run-local?"),
        (["conquer"], "there is no command 'conquer'."),
        (["run-local"], "Missing argument 'BOT...'."),
        (["build"], "Missing argument 'BOT...'."),
        (["run-local", "--seed"], "Option '--seed' requires an argument."),
        (["sample-bots", "x"], "Got unexpected extra argument (x)"),
    ],
)
def test_wrong_usage_is_one_sentence(referee: Referee, words: list[str], sentence: str) -> None:
    """No usage lines, no traceback: one line on stderr, and exit code 2."""
    outcome = referee(*words)

    stop = "" if sentence.endswith((".", "?")) else "."
    assert outcome == Outcome(code=2, out="", err=f"take5-referee: {sentence}{stop}\n")


def test_an_option_that_is_nearly_one_gets_a_suggestion(referee: Referee) -> None:
    """A mistyped option is refused with the one that was meant."""
    outcome = referee("run-local", "--tabel-size", "3", "x", "y")

    assert outcome.code == 2
    assert "--tabel-size" in outcome.err
    assert "--table-size" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_bad_variable_is_named(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for the mistake on the command line, where it is not."""
    monkeypatch.setenv("TAKE5_REFEREE_ROUNDS", "many")
    outcome = referee("run-local", "x", "y")

    assert outcome.err == (
        "take5-referee: Invalid value for '--rounds': 'many' is not a valid whole number."
        " The value comes from the variable TAKE5_REFEREE_ROUNDS.\n"
    )


def test_a_failed_run_exits_with_1(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun and could not be done has its own code and one sentence."""

    def fail() -> None:
        raise Failure("the bridge has\n   collapsed")

    fake_command(monkeypatch, fail)

    assert referee("sample-bots") == Outcome(code=1, out="", err="take5-referee: the bridge has collapsed.\n")


def test_an_interrupted_run_exits_with_130(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C where nothing has begun yet leaves no traceback; the line with the ^C is ended first."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    fake_command(monkeypatch, interrupt)

    assert referee("sample-bots") == Outcome(code=130, out="", err="\ntake5-referee: interrupted.\n")


def test_a_file_that_fails_is_one_sentence(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says about a file is said without a traceback."""

    def fail() -> None:
        raise OSError(28, "No space left on device", "x.json")

    fake_command(monkeypatch, fail)
    outcome = referee("sample-bots")

    assert outcome == Outcome(code=1, out="", err="take5-referee: x.json: No space left on device.\n")


def test_a_reader_that_leaves_early_is_no_news() -> None:
    """`take5-referee --help | head -0` says nothing on stderr."""
    script = "import sys; from referee.cli.main import run; sys.exit(run(['--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaints = process.stderr.read()

    assert complaints == b""
    assert process.returncode == 1


def test_sample_bots_are_where_it_says(referee: Referee) -> None:
    """The directory exists, is absolute, and holds the bots."""
    outcome = referee("sample-bots")
    directory = Path(outcome.out.rstrip("\n"))

    assert (outcome.code, outcome.err) == (0, "")
    assert directory.is_absolute()
    assert (directory / "simple.py").is_file()
