import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.local.conftest import wait_for_death

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills children with their parent")

REFEREE = """
import os, sys, time
from pathlib import Path
from referee.local.processes import BotProcess
from referee.local.programs import BotProgram
program = BotProgram(name="b", command=("sleep", "600"), cwd=Path(sys.argv[1]), source="b")
print(BotProcess.start(program, env=dict(os.environ), log=None).pid, flush=True)
time.sleep(600)
"""


def test_kill_9_of_the_referee_takes_its_bots_along(tmp_path):
    """A referee that is killed can stop nothing; the kernel does it, for a bot in a session of its own."""
    referee = subprocess.Popen(
        [sys.executable, "-c", REFEREE, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    bot = os.pidfd_open(int(referee.stdout.readline()))

    referee.kill()
    referee.wait()
    referee.stdout.close()

    assert wait_for_death(bot)
