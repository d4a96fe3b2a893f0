"""`--sandbox` and the options beside it: how the bots of this machine are started."""

import functools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import trio

from referee.cli.durations import Duration
from referee.cli.settings import setting
from referee.local.probe import SandboxRefused, probe
from referee.local.sandbox import MIB, Sandbox, SandboxKind, default_kind

KIND_HELP = "How bots of this machine are kept from harming it and each other; see docs/sandbox.md."
_NS_PER_S = 1_000_000_000
_UNITS = {"MiB": MIB, "GiB": 1024 * MIB}
_LEAST_MEMORY = 16 * MIB
_MOST_MEMORY = 1024 * 1024 * MIB


class Size(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.2
    """An amount of memory, as a number and a unit; its value is in bytes."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read an amount."""
        match = re.fullmatch(r"(\d{1,9}) ?(MiB|GiB)", str(value))
        size = int(match[1]) * _UNITS[match[2]] if match else 0
        if not _LEAST_MEMORY <= size <= _MOST_MEMORY:
            self.fail(f"{value!r} is no amount from 16MiB to 1024GiB, such as 512MiB or 2GiB.", param, ctx)
        return size


_OPTIONS = (
    setting(
        "--sandbox",
        "kind",
        type=click.Choice([kind.value for kind in SandboxKind]),
        default=default_kind().value,
        show_default="limits on Linux, none elsewhere",
        help=KIND_HELP,
    ),
    setting(
        "--bot-memory",
        metavar="SIZE",
        type=Size(),
        default="1GiB",
        show_default=True,
        help="The memory that each process of a bot may have.",
    ),
    setting(
        "--bot-cpu",
        metavar="TIME",
        type=Duration("1s", "1000h"),
        help="Kill a process of a bot that has used so much processor time.",
    ),
    setting(
        "--bot-env",
        metavar="NAME,...",
        help="Variables of this environment that bots in a sandbox are given besides the usual ones.",
    ),
    setting(
        "--bot-path",
        metavar=f"PATH{os.pathsep}...",
        help="What bots may read under bwrap besides their own files.",
    ),
)


def sandbox_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of how bots are started; it gets them as `sandbox`, a `Sandbox`."""

    @functools.wraps(function)
    def wrapped(**values: Any) -> Any:  # noqa: ANN401
        kind, cpu_ns = values.pop("kind"), values.pop("bot_cpu")
        sandbox = Sandbox(
            kind=SandboxKind(kind),
            memory_bytes=values.pop("bot_memory"),
            cpu_s=None if cpu_ns is None else -(-cpu_ns // _NS_PER_S),
            env=tuple(name.strip() for name in (values.pop("bot_env") or "").split(",") if name.strip()),
            paths=_paths(values.pop("bot_path") or ""),
        )
        return function(sandbox=sandbox, **values)

    for option in reversed(_OPTIONS):
        option(wrapped)
    return wrapped


def sandbox_option_again(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare `--sandbox` for a command that knows how bots were started before; it gets it as `kind`."""
    return setting(
        "--sandbox",
        "kind",
        type=click.Choice([kind.value for kind in SandboxKind]),
        show_default="as they were started before",
        help=KIND_HELP,
    )(function)


def _paths(text: str) -> tuple[Path, ...]:
    """Return the paths that are named.

    Raises:
        click.UsageError: One does not exist.
    """
    paths = tuple(Path(word).absolute() for word in text.split(os.pathsep) if word)
    for path in paths:
        if not path.exists():
            raise click.UsageError(f"--bot-path {path}: there is no such file or directory")
    return paths


def check_possible(sandbox: Sandbox) -> None:
    """See that bots can be started like that.

    Raises:
        click.UsageError: They cannot.
    """
    try:
        trio.run(probe, sandbox)
    except SandboxRefused as refused:
        raise click.UsageError(f"--sandbox {sandbox.kind.value}: {refused}.") from refused


def kept(sandbox: Sandbox) -> dict[str, Any]:
    """Return what `resume` needs to start bots in the same way."""
    return {
        "kind": sandbox.kind.value,
        "memory_bytes": sandbox.memory_bytes,
        "cpu_s": sandbox.cpu_s,
        "env": list(sandbox.env),
        "paths": [str(path) for path in sandbox.paths],
    }


def sandbox_again(stored: dict[str, Any], kind: str | None) -> Sandbox:
    """Return how bots were started, from what was kept, perhaps now in a sandbox of another kind."""
    return Sandbox(
        kind=SandboxKind(kind or stored["kind"]),
        memory_bytes=stored["memory_bytes"],
        cpu_s=stored["cpu_s"],
        env=tuple(stored["env"]),
        paths=tuple(Path(path) for path in stored["paths"]),
    )
