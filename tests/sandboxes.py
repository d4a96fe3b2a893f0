"""Whether bots can be started under bwrap on this machine; the tests of it say so if they are skipped."""

import functools

import trio

from referee.local.probe import SandboxRefused, probe
from referee.local.sandbox import Sandbox, SandboxKind


@functools.cache
def bwrap_works() -> bool:
    """Try it."""
    try:
        trio.run(probe, Sandbox(kind=SandboxKind.BWRAP))
    except SandboxRefused:
        return False
    return True
