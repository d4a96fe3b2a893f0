"""Starts the bots of one run in their sandbox, and clears away what they leave behind."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import attrs
import trio

from referee.local.cgroups import Group, Groups, groups_if_delegated
from referee.local.environment import bot_environment
from referee.local.orphans import Orphans
from referee.local.processes import BotProcess
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind
from referee.local.sweep import sweep


@attrs.define(kw_only=True, eq=False)
class Warden:
    """Starts bots, all in the same kind of sandbox.

    Attributes:
        sandbox: How they are started.
    """

    sandbox: Sandbox
    _groups: Groups | None
    _orphans: Orphans = attrs.field(factory=Orphans, init=False)
    _group_of: dict[int, Group] = attrs.field(factory=dict, init=False)

    async def start(
        self, program: BotProgram, *, host: str, port: int, secret: str, log: Path | None
    ) -> BotProcess:
        """Start a bot; call `clear` when it has ended.

        Args:
            program: What to run; its name is the entrant's.
            host: Where the referee listens; a bot with a network of its own is told otherwise.
            port: The TCP port there.
            secret: What this process proves its name with.
            log: A file to append its output to.

        Raises:
            StartFailed: It cannot be run.
        """
        host, port = self.sandbox.address(host, port)
        env = bot_environment(
            os.environ, self.sandbox, host=host, port=port, name=program.name, secret=secret
        )
        group = self._make_group()
        try:
            with contextlib.nullcontext() if group is None else group.entrance() as entrance:
                process = await BotProcess.start(
                    program, env=env, log=log, sandbox=self.sandbox, group=entrance
                )
        except BaseException:
            with trio.CancelScope(shield=True):
                await self._clear(group)
            raise
        if group is not None:
            self._group_of[process.pid] = group
        return process

    async def clear(self, process: BotProcess) -> None:
        """End and remove what a process that has ended has left behind, wherever it went."""
        await self._clear(self._group_of.pop(process.pid, None))

    async def _clear(self, group: Group | None) -> None:
        await self._orphans.sweep()
        if group is not None:
            group.remove()

    def _make_group(self) -> Group | None:
        if self._groups is None:
            return None
        try:
            return self._groups.make()
        except OSError:  # then this one is not counted
            return None


@contextlib.contextmanager
def warden(sandbox: Sandbox) -> Iterator[Warden]:
    """Give what starts the bots of one run; at the end no process of theirs is left."""
    limited = sandbox.kind is not SandboxKind.NONE
    with groups_if_delegated() if limited else contextlib.nullcontext() as groups:
        try:
            yield Warden(sandbox=sandbox, groups=groups)
        finally:
            sweep()
