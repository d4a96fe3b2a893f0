"""The environment variables of a bot: what a program needs to run, plus where to connect.

SPEC.md promises the four variables to bot authors; the settings of the referee are nobody else's business,
and of the other variables any may be a password for something.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from referee.local.bubblewrap import SCRATCH
from referee.local.sandbox import Sandbox, SandboxKind

OWN_PREFIX = "TAKE5_"
"""Whatever begins like this is between the referee and one program, so it is never inherited."""

_HARMLESS = frozenset(
    {
        *("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER"),
        *("LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "JAVA_HOME", "NODE_PATH"),
        *("SSL_CERT_DIR", "SSL_CERT_FILE"),
    }
)
"""What a bot in a sandbox is given of the referee's environment: who and where it is, and its libraries."""

_LOCALE = "LC_"


def search_path(base: Mapping[str, str]) -> str:
    """Return the PATH of a bot: the referee's own interpreter first, then the PATH of `base`.

    So `#!/usr/bin/env python3` finds the Python in which the referee and its packages are installed,
    whether or not a virtual environment was activated. Its directory is taken as it is, not through
    symbolic links: behind them lies an interpreter without those packages.
    """
    interpreters = str(Path(sys.executable).parent)
    others = base.get("PATH") or os.defpath
    return os.pathsep.join(
        [interpreters, *(place for place in others.split(os.pathsep) if place != interpreters)]
    )


def build_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which a bot is built: `base` without our variables, and the PATH of a bot."""
    kept = {key: value for key, value in base.items() if not key.startswith(OWN_PREFIX)}
    return kept | {"PATH": search_path(base)}


def bot_environment(
    base: Mapping[str, str], sandbox: Sandbox, *, host: str, port: int, name: str, secret: str
) -> dict[str, str]:
    """Return the environment in which a bot runs.

    Args:
        base: The environment of the referee.
        sandbox: How the bot is started; without one it gets the whole of `base` but our variables.
        host: The address on which the referee listens.
        port: The TCP port on which it listens.
        name: The name under which the bot is entered.
        secret: What this instance of the bot proves its name with.
    """
    kept = build_environment(base)
    if sandbox.kind is not SandboxKind.NONE:
        kept = {key: value for key, value in kept.items() if _is_given(key, sandbox)}
    if sandbox.is_apart:
        kept |= {"HOME": SCRATCH, "TMPDIR": SCRATCH}
    return kept | {
        "TAKE5_HOST": host,
        "TAKE5_PORT": str(port),
        "TAKE5_NAME": name,
        "TAKE5_SECRET": secret,
        # Without it the last words of a Python bot that is killed stay in its buffer.
        "PYTHONUNBUFFERED": "1",
    }


def _is_given(key: str, sandbox: Sandbox) -> bool:
    return key in _HARMLESS or key.startswith(_LOCALE) or key in sandbox.env
