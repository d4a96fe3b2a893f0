"""README.md is right about options, the JSON form, bot.toml, exit codes and links."""

import json
import re
import tomllib
from pathlib import Path

import click
import pytest

from referee.cli.exits import ExitCode
from referee.cli.run_local import command
from referee.local.manifests import read_manifest
from referee.tournament.report import to_json
from tests.cli.conftest import FACTS, ROWS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, *, holding: str) -> str:
    """Return the only block of code in a language that holds a word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    (found,) = [text for text in blocks if holding in text]
    return found


def test_the_table_of_options_is_complete() -> None:
    """Every option of run-local has a line, and every line an option."""
    listed = set(re.findall(r"^\| `(--[a-z-]+)", README, re.MULTILINE))
    options = {
        option.opts[-1] for option in command.params if isinstance(option, click.Option) and option.envvar
    }

    assert listed == options


def test_choices_and_defaults_are_those_of_the_program() -> None:
    """What a line says of values and defaults is true."""
    lines = dict(re.findall(r"^\| `(--[a-z-]+)[^|]*?((?:\\\||[^|])*\|[^|]*)\|", README, re.MULTILINE))
    for option in command.params:
        if isinstance(option.type, click.Choice):
            assert "\\|".join(option.type.choices) in lines[option.opts[-1]]
            assert f"`{option.default}`" in lines[option.opts[-1]]
        elif isinstance(option.default, str):
            assert f"`{option.default}`" in lines[option.opts[-1]]
        elif type(option.default) is int:
            assert f"| {option.default} " in lines[option.opts[-1]]


def test_the_example_of_a_config_file_is_one(tmp_path: Path) -> None:
    """Its keys are options, and its values are taken."""
    example = tmp_path / "cup.toml"
    example.write_text(block("toml", holding="tournament ="))
    with command.make_context("run-local", ["--config", str(example), "a", "b"]) as ctx:
        assert ctx.params["table_size"] == 5


def test_the_example_of_a_bot_toml_is_one(tmp_path: Path) -> None:
    """It can be read, and shows every key there is."""
    text = block("toml", holding="command =")
    (tmp_path / "bot.toml").write_text(text)
    manifest = read_manifest(tmp_path)

    assert (manifest.name, manifest.artifact) == ("mybot", "target/release/mybot")
    assert set(tomllib.loads(text)) == {"command", "name", "description", "needs", "build", "artifact"}


def test_the_example_of_the_json_form_has_all_its_fields() -> None:
    """The same fields in the same order, and each of them is explained."""
    example, real = json.loads(block("json", holding="format")), to_json(ROWS, FACTS)
    explained = set(re.findall(r"`([a-z_]+)`", README[README.index("| `kind`") :]))

    assert list(example) == list(real)
    assert list(example["tournament"]) == list(real["tournament"])
    assert list(example["standings"][0]) == list(real["standings"][0])
    assert list(example["neighbours"][0]) == ["upper", "lower", "superiority", "significant", "more_deals"]
    assert list(example["ratings"]) == ["anchor", "games", "distinct"]
    for part in ("latency_ms", "tie_breaks"):
        assert list(example["standings"][0][part]) == list(real["standings"][0][part])
    assert {*real["tournament"], *real["standings"][0]} - explained == {"name"}


def test_the_exit_codes_are_all_there() -> None:
    """Each code has a line."""
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}

    assert listed == set(ExitCode)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"])
def test_links_lead_somewhere(document: str) -> None:
    """Every relative link names a file that exists, and a heading in it if it names one."""
    text = (ROOT / document).read_text("utf-8")
    for target in re.findall(r"\]\((?!https:)([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        assert (ROOT / file).exists(), target
        headings = re.findall(r"^#+ (.+)$", (ROOT / file).read_text("utf-8"), re.MULTILINE) if anchor else []
        anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, target
