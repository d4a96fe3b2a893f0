"""Ends what a dead bot has left behind, while the other bots play on.

The launcher makes each bot the keeper of its own orphans, so what becomes a child of this process by
inheritance comes from a bot that is dead.
"""

import os
from pathlib import Path

import trio

from referee.local.processes import running
from referee.local.sweep import PAUSE_S, ROUNDS, become_subreaper, end_descendants

_TASKS = Path("/proc/self/task")


class Orphans:
    """Makes this process inherit orphans from now on; children that it has already are none of them."""

    def __init__(self) -> None:
        self._strangers = (_children() or set()) - running
        self.adopting = become_subreaper()

    async def sweep(self) -> None:
        """Kill and reap all children that nobody here has started, with all below them.

        Takes a fraction of a millisecond if there are none, and a few hundredths of a second if there are.
        """
        for _ in range(ROUNDS if self.adopting else 0):
            spared = self._strangers | running
            children = _children()
            if children is not None and children <= spared:
                return
            if not end_descendants(spared):
                return
            await trio.sleep(PAUSE_S)


def _children() -> set[int] | None:
    """Return the pids of our children, unreaped ones included; None where the system does not list them."""
    try:
        listed = [(_TASKS / task / "children").read_text("ascii") for task in os.listdir(_TASKS)]
    except OSError:
        return None
    return {int(pid) for pids in listed for pid in pids.split()}
