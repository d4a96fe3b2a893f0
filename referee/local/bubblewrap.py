"""What a bot sees of this machine under bwrap: the system, its interpreter and its own files, read-only.

Everything is denied but what is named here, so that what nobody thought of is not seen either.
See bwrap(1); its arguments are carried out in their order.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import protocol
from referee.local import confine
from referee.local.interpreters import interpreters
from referee.local.programs import BotProgram
from referee.local.sandbox import MIB, Sandbox

PROGRAM = "bwrap"
SCRATCH = "/tmp"
SCRATCH_BYTES = 64 * MIB
NOBODY = "65534"

_ISOLATION = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"),
    # Root keeps all capabilities in the namespace otherwise.
    *("--cap-drop", "ALL", "--uid", NOBODY, "--gid", NOBODY),
    *("--disable-userns", "--die-with-parent"),
)

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_SETTINGS = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.conf", "localtime", "timezone"),
    *("passwd", "group", "nsswitch.conf", "hosts", "ssl/certs", "ssl/openssl.cnf", "pki/ca-trust"),
    *("ca-certificates", "crypto-policies", "java*"),
)
"""Of /etc: no more than programs need to run; the rest may hold secrets, above all if we are root."""

_BESIDE_BIN = ("bin", "lib", "lib64", "libexec", "conf")
"""What belongs to a program that is installed by itself, such as a JDK in somebody's home."""


def wrap(program: BotProgram, env: Mapping[str, str], sandbox: Sandbox, launcher: Sequence[str]) -> list[str]:
    """Return the command that runs a bot in a sandbox.

    Args:
        program: What to run.
        env: Its environment, in whose PATH it is looked for.
        sandbox: What else it may see, and what not.
        launcher: The launcher and its arguments, which become the program.

    Returns:
        The words, of which the first is `bwrap`.
    """
    seen = _seen(program, env, sandbox)
    own = (*own_files(program), *sandbox.paths)
    masked = [path for path in sandbox.hidden if not any(file.is_relative_to(path) for file in own)]
    return [
        PROGRAM,
        *_ISOLATION,
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(SCRATCH_BYTES), "--tmpfs", "/dev/shm"),
        *("--size", str(SCRATCH_BYTES), "--perms", "1777", "--tmpfs", SCRATCH),
        *("--dir", str(program.cwd)),
        *(word for path in seen for word in ("--ro-bind", str(path), str(path))),
        *_masks(seen, masked),
        # Of these /proc counts most: in it root could write the settings of the kernel.
        *(word for place in ("/proc", "/dev", "/") for word in ("--remount-ro", place)),
        *("--chdir", str(program.cwd)),
        "--",
        *launcher,
    ]


def _system() -> Iterator[str]:
    """Give the arguments that show the system itself; its top directories may be symbolic links into /usr."""
    for place in _SYSTEM:
        if os.path.islink(place):
            yield from ("--symlink", os.readlink(place), place)
        else:
            yield from ("--ro-bind-try", place, place)
    for pattern in _SETTINGS:
        for path in sorted(Path("/etc").glob(pattern)):
            yield from ("--ro-bind", str(path), str(path))


def _seen(program: BotProgram, env: Mapping[str, str], sandbox: Sandbox) -> list[Path]:
    """Return what is shown besides the system; what lies in something that is shown is left out."""
    wanted = {
        *_python(),
        *_installation(program.command[0], program.cwd, env.get("PATH")),
        *own_files(program),
        *sandbox.paths,
    }
    found: list[Path] = []
    for path in sorted(wanted):
        shown = (*map(Path, _SYSTEM), *found)
        if os.path.exists(path) and not any(path.is_relative_to(place) for place in shown):
            found.append(path)
    return found


def _python() -> Iterator[Path]:
    """Give what the launcher and bots in Python need: our interpreter, and the package that is for them."""
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(confine.__file__))
    yield from (Path(place) for place in protocol.__path__)


def own_files(program: BotProgram) -> Iterator[Path]:
    """Give the files of a bot: its directory if it has one of its own, else what its command names."""
    if program.owns_directory:
        yield program.cwd
        return
    for word in program.command:
        path = program.cwd / word
        # The working directory is the referee's, with its journal: not even `.` shows it.
        if os.path.exists(path) and not program.cwd.resolve().is_relative_to(path.resolve()):
            yield path


def _installation(program: str, cwd: Path, search_path: str | None) -> Iterator[Path]:
    """Give where a program, and the interpreter if it is a script, are installed outside of the system."""
    if "/" in program:
        file = cwd / program
    elif found := shutil.which(program, path=search_path):
        file = Path(found)
        yield from _around(file)
        yield from _around(file.resolve())
    else:
        return
    for interpreter in interpreters(file):
        yield from _installation(interpreter, cwd, search_path)


def _around(file: Path) -> Iterator[Path]:
    if file.parent.name == "bin":
        yield from (file.parent.parent / name for name in _BESIDE_BIN)
    else:
        yield file


def _masks(seen: Sequence[Path], hidden: Iterable[Path]) -> Iterator[str]:
    """Give the arguments that cover what must not be seen where it lies in a directory that is shown."""
    for path in sorted(hidden):
        if not os.path.exists(path) or not any(path.is_relative_to(place) for place in seen):
            continue
        if path.is_dir():
            yield from ("--tmpfs", str(path), "--remount-ro", str(path))
        else:
            yield from ("--ro-bind", "/dev/null", str(path))
