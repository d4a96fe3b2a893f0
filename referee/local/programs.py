"""Which programs the BOT arguments of run-local and build name, and why some of them cannot be run.

A shell glob sweeps in more than bots, so what is no bot is skipped with a reason; only what somebody
must have typed wrongly is an error.
"""

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import attrs

from referee.local.interpreters import find_missing, find_missing_interpreter, first_line, not_installed
from referee.local.manifests import FILE_NAME, Manifest, ManifestProblem, read_manifest
from referee.local.names import NAME_HINT, distinct, is_valid, valid_name
from referee.local.sources import is_due


class UsageProblem(ValueError):
    """An argument that cannot be meant as it is; the text is one sentence for the user."""


@attrs.frozen(kw_only=True)
class BotProgram:
    """A bot that can be started.

    Attributes:
        name: The name under which it is entered.
        command: The program and its arguments.
        cwd: The directory in which it is run.
        source: The argument that named it, as given.
        owns_directory: Whether `cwd` is a directory of its own, not the one where the referee was started.
    """

    name: str
    command: tuple[str, ...]
    cwd: Path
    source: str
    owns_directory: bool = False


@attrs.frozen(kw_only=True)
class Build:
    """How a bot is built from its sources.

    Attributes:
        program: The bot that can be started once it is built.
        command: The program and arguments that build it.
        artifact: What is there once it is built.
        cwd: The directory in which it is built.
    """

    program: BotProgram
    command: tuple[str, ...]
    artifact: Path
    cwd: Path

    def is_due(self) -> bool:
        """Tell whether there is something to build: it never was built, or has changed since."""
        return is_due(self.artifact, self.cwd)


@attrs.frozen(kw_only=True)
class Skipped:
    """An argument that is not run; `reason` is a sentence whose subject is `source`."""

    source: str
    reason: str


@attrs.frozen(kw_only=True)
class Renamed:
    """A bot that is entered as `name`, since an earlier one is called `wanted`."""

    source: str
    wanted: str
    name: str


@attrs.frozen(kw_only=True)
class Selection:
    """What became of the arguments, each in the order of the arguments.

    Attributes:
        programs: What can be started now.
        skipped: What is not run, and why.
        renamed: Who of `programs` and `to_build` got another name than it would have.
        to_build: What can be started once it is built; select again after building.
        built: The builds of those `programs` that were built before, be it from older sources.
    """

    programs: tuple[BotProgram, ...]
    skipped: tuple[Skipped, ...]
    renamed: tuple[Renamed, ...]
    to_build: tuple[Build, ...]
    built: tuple[Build, ...]

    def changed(self) -> tuple[Build, ...]:
        """Return the builds of those `programs` whose sources have changed since they were built."""
        return tuple(build for build in self.built if build.is_due())


def select(arguments: Sequence[str], *, search_path: str) -> Selection:
    """Find out which bots the arguments name.

    A bot is `NAME=COMMAND`, an executable file, or a directory with a bot.toml.

    Args:
        arguments: As given on the command line.
        search_path: Where programs are looked for, the PATH that the bots get.

    Raises:
        UsageProblem: If a path does not exist, or a NAME=COMMAND has a bad name or no command.
    """
    found = [_examine(argument, search_path) for argument in arguments]
    candidates = [item for item in found if not isinstance(item, Skipped)]
    names = distinct([candidate.program.name for candidate in candidates])
    entered = [candidate.called(name) for candidate, name in zip(candidates, names, strict=True)]
    builds = [candidate.build for candidate in entered if candidate.build]
    return Selection(
        programs=tuple(candidate.program for candidate in entered if candidate.is_ready()),
        skipped=tuple(item for item in found if isinstance(item, Skipped)),
        renamed=_renamings(candidates, names),
        to_build=tuple(build for build in builds if not build.artifact.exists()),
        built=tuple(build for build in builds if build.artifact.exists()),
    )


@attrs.frozen(kw_only=True)
class _Candidate:
    """A bot that was found, with its build if it has one."""

    program: BotProgram
    build: Build | None = None

    def called(self, name: str) -> "_Candidate":
        program = attrs.evolve(self.program, name=name)
        return _Candidate(
            program=program, build=attrs.evolve(self.build, program=program) if self.build else None
        )

    def is_ready(self) -> bool:
        return self.build is None or self.build.artifact.exists()


def _renamings(candidates: Sequence[_Candidate], names: Sequence[str]) -> tuple[Renamed, ...]:
    return tuple(
        Renamed(source=candidate.program.source, wanted=candidate.program.name, name=name)
        for candidate, name in zip(candidates, names, strict=True)
        if name != candidate.program.name
    )


def _examine(argument: str, search_path: str) -> _Candidate | Skipped:
    path = Path(argument)
    if os.path.exists(argument):
        return _from_path(argument, path.absolute(), search_path)
    if "=" in argument:
        return _from_command_line(argument, search_path)
    if path.is_symlink():
        return Skipped(source=argument, reason="is a symbolic link to nothing")
    raise UsageProblem(f"there is no file or directory {argument!r}; give a bot's path or NAME=COMMAND")


def _from_command_line(argument: str, search_path: str) -> _Candidate | Skipped:
    name, _, line = argument.partition("=")
    if not is_valid(name):
        raise UsageProblem(f"{argument!r} has the bad name {name!r}; {NAME_HINT}")
    try:
        command = tuple(shlex.split(line))
    except ValueError as error:
        raise UsageProblem(f"the command of {argument!r} cannot be read: {str(error).lower()}") from error
    if not command or not command[0]:
        raise UsageProblem(f"{argument!r} has no command; write NAME=COMMAND")
    cwd = Path.cwd()
    missing = find_missing(command[0], cwd=cwd, search_path=search_path)
    if missing:
        return Skipped(source=argument, reason=missing)
    return _Candidate(program=BotProgram(name=name, command=command, cwd=cwd, source=argument))


def _from_path(argument: str, path: Path, search_path: str) -> _Candidate | Skipped:
    if path.is_dir():
        return _from_directory(argument, path, search_path)
    if path.is_file() and os.access(path, os.X_OK):
        return _from_executable(argument, path, search_path)
    if path.is_file() and (path.suffix == ".py" or first_line(path).startswith("#!")):
        return Skipped(
            source=argument, reason=f"is not executable; if it is a bot: chmod +x {shlex.quote(argument)}"
        )
    return Skipped(
        source=argument, reason=f"is no bot: neither an executable file nor a directory with a {FILE_NAME}"
    )


def _from_executable(argument: str, path: Path, search_path: str) -> _Candidate | Skipped:
    missing = find_missing_interpreter(path, search_path=search_path)
    if missing:
        return Skipped(source=argument, reason=missing)
    name = valid_name(path.stem)
    return _Candidate(program=BotProgram(name=name, command=(str(path),), cwd=Path.cwd(), source=argument))


def _from_directory(argument: str, directory: Path, search_path: str) -> _Candidate | Skipped:
    if not (directory / FILE_NAME).is_file():
        return Skipped(source=argument, reason=f"is a directory without a {FILE_NAME}")
    try:
        manifest = read_manifest(directory)
    except ManifestProblem as problem:
        return Skipped(source=argument, reason=str(problem))
    command = _in_directory(manifest.command, directory)
    program = BotProgram(
        name=manifest.name, command=command, cwd=directory, source=argument, owns_directory=True
    )
    build = _build_of(manifest, program)
    missing = _missing_tools(manifest, search_path) or _missing_programs(program, build, search_path)
    if missing:
        return Skipped(source=argument, reason=missing)
    return _Candidate(program=program, build=build)


def _in_directory(command: tuple[str, ...], directory: Path) -> tuple[str, ...]:
    program, *rest = command
    return (str(directory / program) if "/" in program else program, *rest)


def _build_of(manifest: Manifest, program: BotProgram) -> Build | None:
    if manifest.build is None or manifest.artifact is None:
        return None
    command = _in_directory(manifest.build, program.cwd)
    return Build(program=program, command=command, artifact=program.cwd / manifest.artifact, cwd=program.cwd)


def _missing_tools(manifest: Manifest, search_path: str) -> str | None:
    missing = [tool for tool in manifest.needs if not shutil.which(tool, path=search_path)]
    return not_installed(*missing) if missing else None


def _missing_programs(program: BotProgram, build: Build | None, search_path: str) -> str | None:
    """Say what is missing for the next thing to be done with the bot: to build it or to run it."""
    command = build.command if build and not build.artifact.exists() else program.command
    return find_missing(command[0], cwd=program.cwd, search_path=search_path)
