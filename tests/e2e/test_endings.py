"""How a run ends otherwise: by Ctrl-C, without readers, and what a terminal has seen until then."""

import functools
import os
import pty
import re
import resource
import select
import signal
import subprocess
from collections.abc import Callable

import pytest

from tests.e2e.conftest import PATIENCE_S, SAMPLE_BOTS, Start, Stubborn, environment, odd

LONG = ("--games", 100_000, "--move-timeout", "30s")
"""A tournament that does not end while a test waits."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_tournament_prints_what_there_is_and_leaves_nothing_behind(
    start: Start, stubborn: Stubborn, number: signal.Signals
) -> None:
    """Standings so far on stdout, a sentence on stderr, exit code 130, no stubborn grandchild left."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    words = ("run-local", odd("one", "breeding"), odd("two", "lowest"), "--concurrency", 1, *LONG)
    process = start(*words, env=env)
    stubborn.await_lines(1)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert stubborn.are_dead()
    assert sorted(line.split()[1] for line in out.splitlines()[2:4]) == ["one", "two"]
    assert err.splitlines()[-2] == "interrupted: these are the standings so far"
    assert err.splitlines()[-1].startswith("to go on: take5-referee resume take5-")
    assert "Traceback" not in err


def test_a_second_interruption_does_not_stop_the_cleaning_up(start: Start, stubborn: Stubborn) -> None:
    """It comes while a bot that ignores SIGTERM is given its last second: nothing is left all the same."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    words = ("run-local", odd("one", "breeding"), odd("two", "hanging"), "--concurrency", 1, *LONG)
    process = start(*words, env=env)
    stubborn.await_lines(2)
    process.send_signal(signal.SIGINT)
    stubborn.await_lines(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert stubborn.are_dead()
    assert "rank  name" in out
    assert err.splitlines()[-2] == "interrupted: these are the standings so far"
    assert err.splitlines()[-1].startswith("to go on: take5-referee resume take5-")


def test_a_complete_tournament_leaves_nothing_behind(start: Start, stubborn: Stubborn) -> None:
    """What a bot has forked into a session of its own ends with the program."""
    env = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    process = start("run-local", odd("one", "breeding"), odd("two", "lowest"), "--deals", 5, env=env)
    stubborn.await_lines(1)
    process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 0
    assert stubborn.are_dead()


def test_as_many_tables_run_at_once_as_files_may_be_open(start: Start) -> None:
    """Two bots need 5 files each beside 64: with 74 a single table of two runs, with 73 none.

    One file less is refused before anything is started; the other tournament says so and is played.
    """

    def few(number: int) -> Callable[[], None]:
        return functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (number, number))

    words = ("run-local", *SAMPLE_BOTS[:2], "--deals", 1, "--games", 20, "--concurrency", 8)
    enough, too_few = (start(*words, preexec_fn=few(number)) for number in (74, 73))
    _, said = enough.communicate(timeout=PATIENCE_S)
    out, refusal = too_few.communicate(timeout=PATIENCE_S)

    assert enough.returncode == 0
    assert "tables at once: 1, since no more files may be open (ulimit -n)" in said.splitlines()
    assert (too_few.returncode, out) == (2, "")
    assert refusal == (
        "take5-referee: 2 bots need more open files than the system allows; raise ulimit -n.\n"
    )


def test_a_reader_that_left_is_no_reason_to_complain(start: Start) -> None:
    """As in `take5-referee run-local ... | head -0`."""
    process = start("run-local", *SAMPLE_BOTS[:2], "--deals", 1, "--quiet")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaints = process.stderr.read()
    process.wait(PATIENCE_S)

    assert (process.returncode, complaints) == (1, "")


# --- on a terminal -----------------------------------------------------------------------------------------


def seen_on_a_terminal(start: Start, **variables: str) -> str:
    """Play a tournament whose stderr is a terminal, and return what the terminal was sent."""
    ours, theirs = pty.openpty()
    env = environment(TERM="xterm-256color", **variables)
    env = {key: value for key, value in env.items() if key != "NO_COLOR" or key in variables}
    process = start("run-local", *SAMPLE_BOTS[:3], "--deals", 1, env=env, stderr=theirs)
    os.close(theirs)
    sent = b""
    while select.select([ours], [], [], PATIENCE_S)[0]:
        try:
            sent += os.read(ours, 65536)
        except OSError:  # Linux says EIO when nobody has the other end open
            break
    os.close(ours)
    process.wait(PATIENCE_S)

    assert process.returncode == 0
    return sent.decode()


def test_a_terminal_shows_progress_and_is_left_in_order(start: Start) -> None:
    """The display has been there, with colours; the cursor is hidden meanwhile and shown at the end."""
    sent = seen_on_a_terminal(start)

    assert re.search(r"round \d of 1, \d of 1 games? done", sent)
    assert "\x1b[1m" in sent
    assert sent.count("\x1b[?25l") == sent.count("\x1b[?25h") == 1
    assert sent.index("\x1b[?25l") < sent.index("games done") < sent.index("\x1b[?25h")
    assert sent.index("\x1b[?25h") < sent.index("record digest")


def test_with_no_color_only_the_cursor_is_moved(start: Start) -> None:
    """Sequences that end in m set colours and styles; with NO_COLOR there is none, but there is a display."""
    sent = seen_on_a_terminal(start, NO_COLOR="1")
    sequences = set(re.findall(r"\x1b\[[0-9;?]*([A-Za-z])", sent))

    assert "games done" in sent
    assert sequences <= set("AKhl")
    assert sent.count("\x1b") == len(re.findall(r"\x1b\[[0-9;?]*[AKhl]", sent))


def test_elsewhere_there_are_lines_without_any_sequence(start: Start) -> None:
    """A file gets text."""
    process = start("run-local", *SAMPLE_BOTS[:2], "--deals", 1, stderr=subprocess.STDOUT)
    out, _ = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 0
    assert "\x1b" not in out
    assert "\r" not in out
