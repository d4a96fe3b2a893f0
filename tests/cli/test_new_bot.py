"""`new-bot`: one's own bot from a sample bot, and what to do next."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.cli.sample_bots import directory as sample_directory
from referee.local.copying import languages
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]


def test_it_says_what_was_made_and_the_next_commands(referee: Referee, tmp_path: Path) -> None:
    """The commands can be pasted into a shell, whatever the directory is called."""
    outcome = referee("new-bot", "python", tmp_path / "my fox")

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        f"{tmp_path}/my fox holds the bot my-fox: A bot in Python.",
        "Next:",
        f"    cd '{tmp_path}/my fox'",
        "    take5-referee build .",
        "    take5-referee check .",
        '    take5-referee run-local . "$(take5-referee sample-bots)"/*.py',
    ]


@pytest.mark.parametrize("language", languages(sample_directory()))
def test_every_language_can_be_begun_with(referee: Referee, tmp_path: Path, language: str) -> None:
    """What is copied is found as a bot: it can play, or be built, or says what its machine lacks."""
    target = tmp_path / "fox"
    assert referee("new-bot", language, target).code == 0

    built = referee("build", tmp_path / "fox") if language == "python" else None

    assert (target / "bot.toml").read_text().startswith('name = "fox"\n')
    assert built is None or built.err == "nothing to build\n"
    assert not any(path.name in {"build", "node_modules", "target"} for path in target.iterdir())
    assert not any(
        f"sample-{language}" in path.read_text("utf-8", "replace")
        for path in target.rglob("*")
        if path.is_file()
    )


def test_an_unknown_language(referee: Referee, tmp_path: Path) -> None:
    """One sentence that lists the languages and guesses."""
    outcome = referee("new-bot", "pyton", tmp_path / "fox")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("take5-referee: there is no sample bot in 'pyton', only in ")
    assert outcome.err.endswith("; did you mean python?\n")
    assert not (tmp_path / "fox").exists()


def test_a_directory_that_is_not_empty(referee: Referee, tmp_path: Path) -> None:
    """Nothing is written into it."""
    (tmp_path / "mine").touch()

    outcome = referee("new-bot", "python", tmp_path)

    assert outcome == Outcome(
        code=2,
        out="",
        err=f"take5-referee: '{tmp_path}' is not empty; name a directory that does not exist yet.\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_place_where_nothing_can_be_written(referee: Referee, tmp_path: Path) -> None:
    """What the system says is one sentence."""
    (tmp_path / "file").touch()

    outcome = referee("new-bot", "python", tmp_path / "file" / "fox")

    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"take5-referee: the bot cannot be written to {tmp_path}/file/fox: ")


def test_the_copy_plays_at_once(referee: Referee, tmp_path: Path) -> None:
    """Against a sample bot, without a fault, far away from the repository."""
    referee("new-bot", "python", tmp_path / "fox")
    options = ["--deals", "1", "--format", "csv", "--move-timeout", "30s", "--quiet"]

    played = subprocess.run(
        [
            *(sys.executable, "-P", "-c", "from referee.cli.main import main; main()", "run-local", *options),
            *("fox", str(sample_directory() / "careful.py")),
        ],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if not key.startswith("TAKE5_")},
        capture_output=True,
        text=True,
        check=True,
    )

    assert sorted(line.split(",")[1] for line in played.stdout.splitlines()[1:]) == ["careful", "fox"]
    assert {line.split(",")[9] for line in played.stdout.splitlines()[1:]} == {""}
