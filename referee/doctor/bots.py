"""What bots of this machine need: bubblewrap for a sandbox, and compilers and interpreters."""

import os
import shutil
import subprocess
from pathlib import Path

from referee.doctor.findings import Finding, Verdict
from referee.local.environment import search_path
from referee.local.manifests import FILE_NAME, read_manifest

_PATIENCE_S = 10.0
_BWRAP = "bwrap"
_TRIAL = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--ro-bind", "/", "/", "true")


def sandbox(program: str = _BWRAP) -> Finding:
    """Try whether bubblewrap can shut a program off; without it bots share a user and a network."""
    try:
        version = _run(program, "--version")
        _run(program, *_TRIAL)
    except FileNotFoundError:
        return Finding(
            check="bwrap",
            verdict=Verdict.NOTE,
            text="not installed, so bots of this machine cannot be shut off from each other",
            advice="to run bots of people you do not trust, install bubblewrap",
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        return Finding(
            check="bwrap",
            verdict=Verdict.NOTE,
            text=f"installed, but it does not work here: {said[-1] if said else 'it failed'}",
            advice="to run bots of people you do not trust, allow user namespaces to this user",
        )
    return Finding(check="bwrap", verdict=Verdict.OK, text=f"{version.strip()}, tried")


def _run(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=_PATIENCE_S).stdout


def toolchains(directory: Path) -> Finding:
    """Look which of the sample bots can be built and run.

    Args:
        directory: Where they are.
    """
    path = search_path(os.environ)
    missing: dict[str, list[str]] = {}
    names = []
    for manifest in sorted(directory.glob(f"*/{FILE_NAME}")):
        names.append(manifest.parent.name)
        needs = read_manifest(manifest.parent).needs
        if lacking := [program for program in needs if shutil.which(program, path=path) is None]:
            missing[manifest.parent.name] = lacking
    able = [name for name in names if name not in missing]
    text = f"sample bots that can be built: {', '.join(able) or 'none'}"
    if not missing:
        return Finding(check="toolchains", verdict=Verdict.OK, text=text)
    wanted = "; ".join(f"{name} needs {' and '.join(programs)}" for name, programs in missing.items())
    return Finding(
        check="toolchains",
        verdict=Verdict.NOTE,
        text=text,
        advice=f"install what is missing if you want it: {wanted}",
    )
