"""The secrets file: which secrets prove which names, kept as hashes.

One line for each secret: the name, a space, `sha256:` and the 64 hex digits of the secret's SHA-256. A name
with several lines has several bots. Empty lines and lines that begin with # are passed over.
"""

import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from protocol.fields import NAME, NAME_PATTERN, WrongValue
from referee.server.lobby import hashed

_LINE = re.compile(rf"({NAME_PATTERN})\s+sha256:([0-9a-f]{{64}})")
_SECRET_BYTES = 16


class SecretsFileError(ValueError):
    """The file does not hold what it should; the text says where and what to do."""


def read(path: Path) -> dict[str, set[str]]:
    """Return for each name the hashes of its secrets.

    Raises:
        OSError: it cannot be read.
        SecretsFileError: a line is not as described.
    """
    found: dict[str, set[str]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if match is None:
            raise SecretsFileError(
                f"{path}, line {number}: expected NAME sha256:HASH as `take5-referee secret new` writes it"
            )
        found.setdefault(match[1], set()).add(match[2])
    if not found:
        raise SecretsFileError(f"{path} holds no secret; make some: take5-referee secret new NAME...")
    return found


def new_secret() -> str:
    """Return a secret of 128 random bits, in hex."""
    return secrets.token_hex(_SECRET_BYTES)


def append(path: Path, names: Iterable[str]) -> list[tuple[str, str]]:
    """Make a secret for each name and add its hash to the file, which is made for its owner alone.

    Returns:
        The names, each with its secret, which is kept nowhere else.

    Raises:
        OSError: the file cannot be written.
        SecretsFileError: a name is not valid.
    """
    made = [(check_name(name), new_secret()) for name in names]
    lines = "".join(f"{name} sha256:{hashed(secret)}\n" for name, secret in made)
    with open(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "r+b") as file:
        file.write((_line_end(file) + lines).encode())
    return made


def _line_end(file: BinaryIO) -> str:
    """Return what is missing to the end of the last line, which somebody may have typed without one."""
    if file.seek(0, os.SEEK_END) == 0:
        return ""
    file.seek(-1, os.SEEK_END)
    return "" if file.read(1) == b"\n" else "\n"


def check_name(name: str) -> str:
    """Return a name that is valid.

    Raises:
        SecretsFileError: it is not.
    """
    try:
        NAME.check(name)
    except WrongValue:
        raise SecretsFileError(
            f"{name!r} is no name for an entrant: use 1 to 32 of a-z, 0-9, '.', '_' and '-',"
            " a letter or digit first"
        ) from None
    return name
