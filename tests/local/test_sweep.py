"""Adopting orphans concerns the whole process, so each test runs in a Python of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.local.conftest import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")

PREAMBLE = """
import json, os, subprocess, sys
from referee.local.sweep import become_subreaper, sweep

def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

def first_line(process):
    line = process.stdout.readline()
    process.stdout.close()
    return [int(word) for word in line.split()]

def start(script):
    return subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)

def report(**facts):
    print(json.dumps(facts))
    sys.stdout.flush()
    os._exit(0)  # without the destructors of Popen, whose children were reaped by another
"""


def report_of(script: str) -> dict:
    """Run a Python script behind the preamble and return what it reports."""
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + script],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd=Path.cwd(),
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_a_daemon_is_swept():
    """What forked twice and left its session and its parent is found, killed and reaped all the same."""
    facts = report_of("""
worked = become_subreaper()
parent = start("setsid sh -c 'sleep 600 & echo $$ $!; wait' & wait")
daemons = first_line(parent)
os.kill(parent.pid, 9)
parent.wait()
before = [alive(pid) for pid in daemons]
left = sweep()
report(worked=worked, before=before, after=[alive(pid) for pid in daemons], left=list(left))
""")

    assert facts == {"worked": True, "before": [True, True], "after": [False, False], "left": []}


def test_a_tree_of_children_is_swept():
    """Living children go with all below them, whatever signals they ignore."""
    facts = report_of("""
become_subreaper()
from referee.local import sweep as module
tree = first_line(start("trap '' TERM HUP INT; sh -c 'sleep 600 & echo $PPID $$ $!; wait'; wait"))
found = [process.pid for process in module._descendants(os.getpid(), frozenset())]
left = sweep()
report(found=found == tree, after=[alive(pid) for pid in tree], left=list(left))
""")

    assert facts == {"found": True, "after": [False, False, False], "left": []}


def test_a_process_that_forks_on_and_on_is_swept():
    """A chain in which each process starts its successor and exits ends within the bounded rounds."""
    facts = report_of("""
become_subreaper()
chain = start("echo 1; f() { sleep 0.02; f & }; f & f & f")
first_line(chain)
left = sweep()
children = open(f"/proc/self/task/{os.getpid()}/children").read()
report(left=list(left), children=children)
""")

    assert facts == {"left": [], "children": ""}


def test_the_spared_live_on_with_their_children():
    """What the caller names is left alone with all below it, living or not yet reaped."""
    facts = report_of("""
become_subreaper()
spared = start("sleep 600 & echo $$ $!; wait")
family = first_line(spared)
ended = subprocess.Popen(["sh", "-c", "exit 7"])
os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
other = first_line(start("echo $$; exec sleep 600"))
left = sweep(spare=[spared.pid, ended.pid])
facts = dict(family=[alive(pid) for pid in family], other=alive(other[0]), left=list(left), code=ended.wait())
sweep()
report(**facts, finally_=[alive(pid) for pid in family])
""")

    assert facts == {
        "family": [True, True],
        "other": False,
        "left": [],
        "code": 7,
        "finally_": [False, False],
    }


def test_nobody_else_is_touched():
    """Our parent, its other children and the rest of the machine are not our descendants."""
    sibling = subprocess.Popen(["sleep", "600"])
    try:
        facts = report_of(f"""
become_subreaper()
left = sweep()
report(sibling=alive({sibling.pid}), parent=alive(os.getppid()), left=list(left))
""")
        ended = sibling.poll()
    finally:
        sibling.kill()
        sibling.wait()

    assert facts == {"sibling": True, "parent": True, "left": []}
    assert ended is None


def test_a_pid_that_was_given_away_is_not_killed():
    """Between looking and killing a pid may pass to another process, which started later: it is spared."""
    facts = report_of("""
import attrs
from referee.local import sweep as module
child = start("echo $$; exec sleep 600")
pid, = first_line(child)
seen = module._look_up(pid)
sent = []
module.signal.pidfd_send_signal = lambda _pidfd, number: sent.append(number)
module._kill(attrs.evolve(seen, started=seen.started - 1))
to_another = list(sent)
module._kill(seen)
child.kill()
report(to_another=to_another, to_the_same=sent)
""")

    assert facts == {"to_another": [], "to_the_same": [9]}


def test_names_of_programs_cannot_confuse_the_search():
    """A program may call itself `x) Z 1 (`, which /proc shows as it is."""
    facts = report_of("""
from referee.local import sweep as module
become_subreaper()
child = start("printf '%s' ') Z 1 (' > /proc/$$/comm; echo $$; sleep 600; exit")
pid, = first_line(child)
seen = module._look_up(pid)
sweep()
report(parent=seen.parent == os.getpid(), zombie=seen.is_zombie, after=alive(pid))
""")

    assert facts == {"parent": True, "zombie": False, "after": False}
