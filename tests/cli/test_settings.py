"""Options that may be given several times, set by the command line, a variable or the config file."""

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from referee.cli.settings import config_option, setting, variable

Heard = Callable[..., tuple[str, ...]]


@pytest.fixture
def heard() -> Heard:
    """Run a command with such an option; return what it was given."""

    @click.command()
    @config_option()
    @setting("--against", multiple=True)
    def command(against: tuple[str, ...]) -> tuple[str, ...]:
        return against

    def run(*words: object) -> tuple[str, ...]:
        found: tuple[str, ...] = command.main([str(word) for word in words], standalone_mode=False)
        return found

    return run


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ('against = ["a b", "c"]\n', ("a b", "c")),
        ('against = ["a"]\n', ("a",)),
        ('against = "a b"\n', ("a b",)),
        ("against = []\n", ()),
    ],
)
def test_the_file_has_an_array_or_a_single_one(
    heard: Heard, tmp_path: Path, text: str, given: tuple[str, ...]
) -> None:
    """What stands in quotes is one value, whatever is in it."""
    path = tmp_path / "config.toml"
    path.write_text(text)

    assert heard("--config", path) == given


def test_the_command_line_replaces_what_the_file_says(heard: Heard, tmp_path: Path) -> None:
    """It does not add to it; nor does a variable, which holds values parted by spaces."""
    path = tmp_path / "config.toml"
    path.write_text('against = ["a"]\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(variable("against"), "b c")
        by_variable = heard("--config", path)
        by_command_line = heard("--config", path, "--against", "d")

    assert by_variable == ("b", "c")
    assert by_command_line == ("d",)


@pytest.mark.parametrize(("text", "wrong"), [('against = ["a", 3]\n', "3"), ('against = [["a"]]\n', "['a']")])
def test_what_the_array_may_not_hold_is_named(heard: Heard, tmp_path: Path, text: str, wrong: str) -> None:
    """The sentence names the one that is wrong."""
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(click.UsageError) as refused:
        heard("--config", path)

    assert refused.value.message == f"{path} sets 'against' to {wrong}, but it takes a text in quotes."
