"""What a command lacks to be run: its program, or the interpreter that its script names in its first line."""

import os
import shlex
import shutil
from pathlib import Path

FIRST_LINE_BYTES = 256
"""As much of a script's first line as Linux reads (BINPRM_BUF_SIZE)."""


def find_missing(program: str, *, cwd: Path, search_path: str) -> str | None:
    """Say what stands in the way of running a program, or return None.

    Args:
        program: The first word of a command: a name to be found on the path, or a path if it has a "/".
        cwd: The directory in which the command is run.
        search_path: The directories to search, as in PATH.

    Returns:
        A sentence without its subject, the bot.
    """
    if "/" not in program:
        return None if shutil.which(program, path=search_path) else not_installed(program)
    file = cwd / program
    if not file.exists():
        return f"needs the file {program}, which does not exist"
    if not os.access(file, os.X_OK):
        return f"needs {program} to be executable: chmod +x {shlex.quote(str(file))}"
    return find_missing_interpreter(file, search_path=search_path)


def find_missing_interpreter(script: Path, *, search_path: str) -> str | None:
    """Say which interpreter an executable file lacks, or return None if it lacks none or needs none."""
    if first_line(script).startswith("#!") and first_line(script).endswith("\r"):
        return "has a Windows line ending behind its #! line; save it with Unix line endings"
    for program in interpreters(script):
        there = os.access(program, os.X_OK) if "/" in program else shutil.which(program, path=search_path)
        if not there:
            return not_installed(program)
    return None


def interpreters(script: Path) -> list[str]:
    """Return what runs an executable file: nothing, a program, or `env` and the program that it looks for."""
    line = first_line(script)
    words = line.removeprefix("#!").split()
    if not line.startswith("#!") or not words:
        return []
    named = _named_for_env(words[1:]) if Path(words[0]).name == "env" else None
    return [words[0]] if named is None else [words[0], named]


def first_line(file: Path) -> str:
    """Return the beginning of the first line of a file, empty if it cannot be read."""
    try:
        with file.open("rb") as opened:
            beginning = opened.read(FIRST_LINE_BYTES)
    except OSError:
        return ""
    return beginning.split(b"\n", 1)[0].decode("utf-8", "replace")


def not_installed(*programs: str) -> str:
    """Word the sentence for programs that are missing on this machine."""
    verb, object_ = ("is", "it") if len(programs) == 1 else ("are", "them")
    return f"needs {' and '.join(programs)}, which {verb} not installed; install {object_} to run this bot"


def _named_for_env(arguments: list[str]) -> str | None:
    """Return the program that `env` is to run: behind its options and its settings of variables."""
    for argument in arguments:
        word = argument.removeprefix("-S") if argument.startswith("-S") else argument
        if word and not word.startswith("-") and "=" not in word:
            return word
    return None
