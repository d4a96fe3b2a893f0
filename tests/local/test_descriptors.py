"""How many tables the limit on open files lets run at once."""

import subprocess
import sys

import pytest

from referee.local.descriptors import affordable_concurrency


@pytest.mark.parametrize(
    ("wanted", "bots", "tables_per_round", "descriptors", "affordable"),
    [
        # 64 in reserve and 4 a process: 5 bots need 20 for each round that runs at once.
        (2, 5, 2, 84, 2),
        (2, 5, 2, 83, 0),
        (8, 5, 2, 84, 2),
        (8, 5, 2, 104, 4),
        (3, 5, 2, 104, 3),
        (8, 5, 2, 1024, 8),
        (1000, 5, 2, 1024, 96),
        (1, 300, 75, 1024, 0),
        (1, 300, 75, 1264, 1),
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
