"""The bots of a run and how they are started, as the journal keeps it, so that `resume` can do it again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from referee.cli.sandboxing import kept, sandbox_again
from referee.cli.settings import WholeNumber, setting
from referee.director import Director
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox
from referee.local.tournament import LocalTournament

MOST_TABLES = 1024

concurrency_option = setting(
    "--concurrency",
    metavar="N",
    type=WholeNumber(1, MOST_TABLES),
    show_default="one for each processor",
    help="Tables that run at once.",
)
log_dir_option = setting(
    "--log-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep there what each bot writes to stdout and stderr.",
)


@attrs.frozen(kw_only=True)
class Startable:
    """What has to be started.

    Attributes:
        programs: The bots.
        sandbox: How they are started.
        log_dir: Where their output is kept; None for nowhere.
    """

    programs: Sequence[BotProgram]
    sandbox: Sandbox
    log_dir: Path | None

    def tournament(self, director: Director, **options: Any) -> LocalTournament:  # noqa: ANN401
        """Return the tournament in which they play; the options are those of `LocalTournament`."""
        return LocalTournament(self.programs, director, sandbox=self.sandbox, log_dir=self.log_dir, **options)

    def extras(self) -> dict[str, Any]:
        """Return what `again` needs."""
        return {
            "bots": [
                {
                    "name": program.name,
                    "command": list(program.command),
                    "cwd": str(program.cwd),
                    "source": program.source,
                    "owns_directory": program.owns_directory,
                }
                for program in self.programs
            ],
            "sandbox": kept(self.sandbox),
            "log_dir": None if self.log_dir is None else str(self.log_dir.absolute()),
        }

    @classmethod
    def again(cls, extras: dict[str, Any], kind: str | None) -> "Startable":
        """Return what was kept.

        Args:
            extras: What `extras` returned.
            kind: The kind of sandbox, if it is not to be the same as before.
        """
        log_dir = extras["log_dir"]
        return cls(
            programs=[
                BotProgram(
                    name=bot["name"],
                    command=tuple(bot["command"]),
                    cwd=Path(bot["cwd"]),
                    source=bot["source"],
                    owns_directory=bot["owns_directory"],
                )
                for bot in extras["bots"]
            ],
            sandbox=sandbox_again(extras["sandbox"], kind),
            log_dir=None if log_dir is None else Path(log_dir),
        )
