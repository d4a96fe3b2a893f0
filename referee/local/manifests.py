"""`bot.toml`: how a directory says which bot is in it and how that bot is built and run."""

import difflib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from referee.local.names import NAME_HINT, is_valid, valid_name

FILE_NAME = "bot.toml"


class ManifestProblem(ValueError):
    """A bot.toml that cannot be used; the text is a sentence without its subject, the bot."""


@attrs.frozen(kw_only=True)
class Manifest:
    """What a bot.toml says.

    Attributes:
        name: The name under which the bot is entered; that of the directory unless given.
        command: What runs the bot, in its directory.
        build: What builds it there, or None if nothing has to be built.
        artifact: The file, relative to the directory, that is there once it is built; None without `build`.
        needs: Programs that must be installed to build and run it.
        description: One line for people.
    """

    name: str
    command: tuple[str, ...]
    build: tuple[str, ...] | None = None
    artifact: str | None = None
    needs: tuple[str, ...] = ()
    description: str = ""


def read_manifest(directory: Path) -> Manifest:
    """Read the bot.toml of a directory.

    Raises:
        ManifestProblem: If it cannot be read, is no TOML, or says something that we do not understand.
    """
    entries = _load(directory / FILE_NAME)
    for key in entries:
        _check_known(key)
    values = {key: _CHECKS[key](key, value) for key, value in entries.items()}
    values.setdefault("name", valid_name(directory.absolute().name))
    if "command" not in values:
        raise ManifestProblem(f'says in {FILE_NAME} no command; add one, such as command = ["./my-bot"]')
    if ("build" in values) != ("artifact" in values):
        raise ManifestProblem(f"has only one of build and artifact in {FILE_NAME}; give both or neither")
    return Manifest(**values)


def _load(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ManifestProblem(f"has a {FILE_NAME} that cannot be read: {error.strerror}") from error
    except ValueError as error:  # bad TOML, or bytes that are no UTF-8
        raise ManifestProblem(f"has a {FILE_NAME} that is not TOML: {error}") from error


def _check_known(key: str) -> None:
    if key in _CHECKS:
        return
    near = difflib.get_close_matches(key, _CHECKS, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_CHECKS)}"
    raise ManifestProblem(f"has the unknown key {key!r} in {FILE_NAME}; {advice}")


def _name(key: str, value: object) -> str:
    name = _text(key, value)
    if not is_valid(name):
        raise ManifestProblem(f"has the bad name {name!r} in {FILE_NAME}; {NAME_HINT}")
    return name


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ManifestProblem(f"needs a text for {key!r} in {FILE_NAME}")
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ManifestProblem(
            f'needs an array of texts for {key!r} in {FILE_NAME}, such as ["first", "second"]'
        )
    return tuple(value)


def _command(key: str, value: object) -> tuple[str, ...]:
    words = _texts(key, value)
    if not words:
        raise ManifestProblem(f"needs at least a program in the array {key!r} in {FILE_NAME}")
    return words


_CHECKS: dict[str, Callable[[str, object], Any]] = {
    "name": _name,
    "command": _command,
    "build": _command,
    "artifact": _text,
    "needs": _texts,
    "description": _text,
}
