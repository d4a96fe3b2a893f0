"""What in a bot's directory is its source, and what was made of it by a build."""

import fnmatch
import os
from collections.abc import Iterator
from pathlib import Path

PRODUCTS = (
    "build",
    "dist",
    "target",
    "node_modules",
    "__pycache__",
    ".gradle",
    ".venv",
    "*.pyc",
    "*.o",
    "*.class",
)
"""Patterns of the names of what a build makes, or tools leave behind, in any language."""


def source_files(directory: Path) -> Iterator[Path]:
    """Yield the files of a bot but for what a build makes of them."""
    for place, folders, files in os.walk(directory):
        folders[:] = [folder for folder in sorted(folders) if not is_product(folder)]
        yield from (Path(place, file) for file in sorted(files) if not is_product(file))


def is_product(name: str) -> bool:
    """Tell whether something of this name is made by a build."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in PRODUCTS)


def is_due(artifact: Path, directory: Path) -> bool:
    """Tell whether a bot has to be built: it never was, or a source has changed since.

    Args:
        artifact: What its build makes.
        directory: Where its sources are.
    """
    try:
        built = artifact.stat().st_mtime_ns
    except OSError:
        return True
    return any(_changed(file) > built for file in source_files(directory) if file != artifact)


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # a link to nothing, or gone meanwhile
        return 0
