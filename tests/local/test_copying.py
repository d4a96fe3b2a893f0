"""A sample bot as the beginning of somebody's own."""

import os

import pytest

from referee.local.copying import CopyProblem, copy_bot, languages, package_name
from referee.local.manifests import read_manifest
from referee.local.programs import select


@pytest.fixture
def samples(make_file, tmp_path):
    """Sample bots in Python and in C."""
    make_file("samples/simple.py", '#!/bin/sh\nHELLO = {"client": "simple", "x": "simplest"}\n')
    make_file("samples/c/bot.toml", 'command = ["sh", "x"]\nname = "c"\nneeds = ["sh"]\n', 0o644)
    make_file("samples/c/src/main.c", 'client("sample-c");\n', 0o644)
    make_file("samples/c/run", "#!/bin/sh\n")
    make_file("samples/c/build/bot", "sample-c")
    make_file("samples/c/a.o", "")
    make_file("samples/notes/README.md", "")
    return tmp_path / "samples"


def test_languages_are_what_the_samples_hold(samples):
    """A directory with a bot.toml is a language, one without is none; Python is always there."""
    assert languages(samples) == {"c": samples / "c", "python": samples / "simple.py"}


def test_a_directory_is_copied_and_renamed(samples, tmp_path):
    """Build products stay behind, modes are kept, and the copy is called after its directory throughout."""
    target = tmp_path / "deep" / "My Bot.2"

    bot = copy_bot(samples / "c", "c", target)

    copied = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert copied == {"bot.toml", "src/main.c", "run"}
    assert os.access(target / "run", os.X_OK)
    assert (target / "bot.toml").read_text() == 'name = "my-bot.2"\ncommand = ["sh", "x"]\nneeds = ["sh"]\n'
    assert (target / "src/main.c").read_text() == 'client("my-bot-2");\n'
    assert (bot.name, bot.directory, bot.description) == ("my-bot.2", target, "")
    assert select([str(target)], search_path=os.environ["PATH"]).programs[0].name == "my-bot.2"


def test_a_file_becomes_a_directory(samples, tmp_path):
    """The Python bot gets a bot.toml, stays executable, and introduces itself by its new name."""
    target = tmp_path / "fox"
    target.mkdir()

    bot = copy_bot(samples / "simple.py", "python", target)

    assert sorted(path.name for path in target.iterdir()) == ["bot.py", "bot.toml"]
    assert (target / "bot.py").read_text() == '#!/bin/sh\nHELLO = {"client": "fox", "x": "simplest"}\n'
    assert os.access(target / "bot.py", os.X_OK)
    assert (bot.name, bot.description) == ("fox", "A bot in Python.")
    assert read_manifest(target).command == ("./bot.py",)


@pytest.mark.parametrize(
    ("place", "message"),
    [("samples", "is not empty; name a"), ("samples/simple.py", "is no directory; name a")],
)
def test_nothing_is_overwritten(samples, tmp_path, place, message):
    """What is there already is left alone, with a sentence that says what to do."""
    with pytest.raises(CopyProblem, match=message):
        copy_bot(samples / "c", "c", tmp_path / place)

    assert (samples / "simple.py").read_text().startswith("#!/bin/sh")


@pytest.mark.parametrize(
    ("name", "expected"), [("fox", "fox"), ("my.bot_2", "my-bot-2"), ("4ever.", "bot-4ever")]
)
def test_names_for_package_managers(name, expected):
    """They take neither dots nor underscores everywhere, nor a digit first."""
    assert package_name(name) == expected
