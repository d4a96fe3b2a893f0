import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.local.sandbox import SandboxKind
from tests.local.conftest import BWRAP, wait_for_death

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills children with their parent")

REFEREE = """
import os, sys, time
from pathlib import Path
import trio
from referee.local.processes import BotProcess
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind
program = BotProgram(name="b", command=("sleep", "600"), cwd=Path(sys.argv[1]), source="b")
sandbox = Sandbox(kind=SandboxKind(sys.argv[2]))
async def start():
    return await BotProcess.start(program, env=dict(os.environ), log=None, sandbox=sandbox)
def below(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(found for child in children for found in below(child))]
print(*below(trio.run(start).pid), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("kind", [SandboxKind.NONE, SandboxKind.LIMITS, BWRAP])
def test_kill_9_of_the_referee_takes_its_bots_along(tmp_path, kind):
    """A referee that is killed can stop nothing; the kernel does it, for a bot in a session of its own."""
    referee = subprocess.Popen(
        [sys.executable, "-c", REFEREE, str(tmp_path), kind.value],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path.cwd(),
    )
    bots = [os.pidfd_open(int(pid)) for pid in referee.stdout.readline().split()]

    referee.kill()
    referee.wait()
    referee.stdout.close()

    # Under bwrap there are three: bwrap, the first process of the namespace, and the bot.
    assert len(bots) == (3 if kind is SandboxKind.BWRAP else 1)
    assert [True] * len(bots) == [wait_for_death(bot) for bot in bots]
