"""Copies a sample bot out of its directory as the beginning of somebody's own."""

import re
import shutil
from pathlib import Path

import attrs

from referee.local.manifests import FILE_NAME, read_manifest
from referee.local.names import valid_name
from referee.local.sources import PRODUCTS, source_files

PYTHON = "python"
PYTHON_BOT = "simple.py"
"""Bots in Python are single files; this is the one to read first."""

_PYTHON_MANIFEST = """\
name = "{name}"
description = "A bot in Python."
command = ["./bot.py"]
needs = ["python3"]
"""


class CopyProblem(ValueError):
    """A bot that cannot be copied; the text is one sentence for the user."""


@attrs.frozen(kw_only=True)
class NewBot:
    """A copy that was made.

    Attributes:
        name: The name under which it is entered.
        directory: Where it is.
        description: One line on what it does.
    """

    name: str
    directory: Path
    description: str


def languages(samples: Path) -> dict[str, Path]:
    """Return what can be copied, by language: each directory with a bot.toml, and a file for Python.

    Args:
        samples: The directory of the sample bots.
    """
    found = {file.parent.name: file.parent for file in samples.glob(f"*/{FILE_NAME}")}
    return dict(sorted({PYTHON: samples / PYTHON_BOT, **found}.items()))


def copy_bot(sample: Path, language: str, directory: Path) -> NewBot:
    """Copy a sample bot and name the copy after its directory.

    Build products stay behind. Wherever the sample calls itself `sample-LANGUAGE`, as the manifests of
    packages have to call it something, the copy calls itself by its own name.

    Args:
        sample: What to copy, one of `languages`.
        language: Its language.
        directory: Where to; it is made, or must be empty.

    Raises:
        CopyProblem: Something is there already.
        OSError: The copy cannot be written.
    """
    _check_free(directory)
    name = valid_name(directory.absolute().name)
    if sample.is_dir():
        shutil.copytree(sample, directory, ignore=shutil.ignore_patterns(*PRODUCTS), dirs_exist_ok=True)
    else:
        _wrap_file(sample, directory, name)
    _rename(directory, f"sample-{language}", name)
    manifest = read_manifest(directory)
    return NewBot(name=manifest.name, directory=directory, description=manifest.description)


def _check_free(directory: Path) -> None:
    if directory.is_dir() and not any(directory.iterdir()):
        return
    if directory.exists() or directory.is_symlink():
        what = "is not empty" if directory.is_dir() else "is no directory"
        raise CopyProblem(f"{str(directory)!r} {what}; name a directory that does not exist yet")


def _wrap_file(sample: Path, directory: Path, name: str) -> None:
    """Make a directory of a bot that is a single executable file."""
    directory.mkdir(parents=True, exist_ok=True)
    copy = Path(shutil.copy(sample, directory / "bot.py"))
    copy.write_text(copy.read_text("utf-8").replace(f'"{sample.stem}"', f'"{name}"'), "utf-8")
    (directory / FILE_NAME).write_text(_PYTHON_MANIFEST.format(name=name))


def _rename(directory: Path, placeholder: str, name: str) -> None:
    """Give the copy its name in bot.toml, and in whatever else calls it something."""
    manifest = directory / FILE_NAME
    kept = re.sub(r"(?m)^name *=.*\n", "", manifest.read_text("utf-8"))
    manifest.write_text(f'name = "{name}"\n{kept}', "utf-8")
    for file in source_files(directory):
        content = file.read_bytes()
        if placeholder.encode() in content:
            file.write_bytes(content.replace(placeholder.encode(), package_name(name).encode()))


def package_name(name: str) -> str:
    """Return a name that all package managers take: letters, digits and hyphens, a letter first."""
    plain = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    return plain if plain[0].isalpha() else f"bot-{plain}"
