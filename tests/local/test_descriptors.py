"""How many tables the limit on open files lets run at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from referee.local.descriptors import affordable_concurrency


@pytest.mark.parametrize(
    ("wanted", "bots", "tables_per_round", "descriptors", "affordable"),
    [
        # 64 in reserve and 5 a process: 5 bots need 25 for each round that runs at once.
        (2, 5, 2, 89, 2),
        (2, 5, 2, 88, 0),
        (8, 5, 2, 89, 2),
        (8, 5, 2, 114, 4),
        (3, 5, 2, 114, 3),
        (8, 5, 2, 1024, 8),
        (1000, 5, 2, 1024, 76),
        (1, 300, 75, 1024, 0),
        (1, 300, 75, 1564, 1),
        (1, 5, 2, 10, 0),
    ],
)
def test_concurrency_is_lowered_to_what_the_limit_allows(
    wanted: int, bots: int, tables_per_round: int, descriptors: int, affordable: int
) -> None:
    """Each round more at a time needs a process more of each bot; without room for one, none is played."""
    allowed = affordable_concurrency(
        wanted, bots=bots, tables_per_round=tables_per_round, descriptors=descriptors
    )

    assert allowed == affordable


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("soft", "hard", "allowed"), [(100, 200, 200), (50, 50, 50)])
def test_the_limit_is_raised_as_far_as_it_may(soft: int, hard: int, allowed: int) -> None:
    """The soft limit is a courtesy to old programs; the hard one is the administrator's."""
    script = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        "from referee.local.descriptors import allowed_descriptors\n"
        "print(allowed_descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == [str(allowed), str(allowed)]


@pytest.mark.skipif(sys.platform != "linux", reason="the limits of bots are for Linux")
def test_a_lower_limit_of_ours_is_not_raised_for_bots(tmp_path: Path) -> None:
    """What the referee itself may not have, no bot is promised: a bot starts under the lower limit."""
    script = f"""
import resource, trio, os
from pathlib import Path
from referee.local.processes import BotProcess
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
command = ("sh", "-c", "ulimit -n")
program = BotProgram(name="b", command=command, cwd=Path({str(tmp_path)!r}), source="b")
async def run():
    sandbox = Sandbox(kind=SandboxKind.LIMITS)
    process = await BotProcess.start(program, env=dict(os.environ), log=None, sandbox=sandbox)
    return (await process.watch()).output
print(trio.run(run), end="")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "100\n"
