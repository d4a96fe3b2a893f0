"""`take5-referee check` as a user runs it: real bots, real sockets."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.check.situations import SITUATIONS
from tests.e2e.conftest import ODD, PATIENCE_S, ROOT, SAMPLE_BOTS, Outcome, Play, Start, Stubborn, environment

FEW = ("--only", "hello", "--only", "classic", "--only", "polite-end")


@pytest.mark.parametrize("bot", SAMPLE_BOTS, ids=lambda bot: bot.stem)
def test_every_sample_bot_passes(play: Play, bot: Path) -> None:
    """In all situations, but for those that are about what it does not offer."""
    outcome = play("check", "--format", "json", "--jobs", "8", "--move-timeout", "30s", bot)
    verdicts = {found["name"]: found for found in json.loads(outcome.out)["situations"]}

    missed = {name for name, found in verdicts.items() if found["verdict"] != "pass"}
    assert missed <= {"two-games", "events"}, [verdicts[name]["sentence"] for name in missed]
    assert len(SITUATIONS) == len(verdicts)
    assert (0, "") == (outcome.code, outcome.err)


@pytest.mark.parametrize(
    ("behaviour", "situation", "requirement"),
    [
        ("illegal", "classic", "T5-REQ-03"),
        ("nonsense", "classic", "T5-WIRE-01"),
        ("crashing", "classic", "T5-RULES-01"),
        ("leaving", "classic", "T5-RULES-01"),
        ("absent", "hello", "T5-HELLO-01"),
    ],
)
def test_a_bad_bot_fails(play: Play, behaviour: str, situation: str, requirement: str) -> None:
    """With exit code 3, the requirement, what was said in hex, and the bot's last words."""
    outcome = play("check", "--only", situation, f"bad={ODD} {behaviour}")

    (line, *rest) = outcome.out.splitlines()
    assert ["FAIL", situation, requirement] == line.split()[:3]
    assert f"Read {requirement} in SPEC.md" in rest[1]
    assert "1 situations: 1 failed" == rest[-1]
    assert 3 == outcome.code
    if behaviour in ("crashing", "absent"):
        assert "The bot wrote:" in outcome.out


def test_a_bot_that_is_started_elsewhere_is_waited_for(start: Start, free_port: int) -> None:
    """It comes back for each situation in one life, and ends with the last."""
    checking = start("check", "--listen", "--port", free_port, *FEW)
    assert checking.stderr is not None
    assert f"port {free_port}" in checking.stderr.readline()
    variables = {
        "TAKE5_HOST": "127.0.0.1",
        "TAKE5_PORT": str(free_port),
        "TAKE5_NAME": "ann",
        "TAKE5_SECRET": "s",
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with subprocess.Popen(
        [ROOT / "sample_bots" / "simple.py"], env=environment(**variables) | {"PATH": path}
    ) as bot:
        out, _ = checking.communicate(timeout=PATIENCE_S)
        bot.wait(timeout=PATIENCE_S)

    assert ["pass", "pass", "pass"] == [line.split()[0] for line in out.splitlines()[:3]]
    assert (0, 0) == (checking.returncode, bot.returncode)


def test_ctrl_c_ends_it_and_the_bots(start: Start, stubborn: Stubborn) -> None:
    """What is known by then is printed, no bot is left, and the exit code says so.

    One of the situations takes seconds, so that the signal finds it being played.
    """
    variables = environment(ODD_PIPE=str(stubborn.path), TAKE5_REFEREE_BOT_ENV="ODD_PIPE")
    checking = start(
        "check", "--only", "hello", "--only", "long-silence", f"odd={ODD} breeding", env=variables
    )
    stubborn.await_lines(2)
    checking.send_signal(signal.SIGINT)
    out, err = checking.communicate(timeout=PATIENCE_S)

    assert (130, "") == (checking.returncode, err)
    assert stubborn.are_dead()
    assert "situations" in out


def test_the_situations_can_be_listed(play: Play) -> None:
    """A line each, with name and requirement."""
    outcome = play("check", "--list")

    assert [situation.name for situation in SITUATIONS] == [
        line.split()[0] for line in outcome.out.splitlines()
    ]


def test_junit_is_for_build_servers(play: Play) -> None:
    """One document on stdout, nothing else."""
    outcome = play("check", "--only", "hello", "--format", "junit", SAMPLE_BOTS[0])

    assert outcome.out.startswith("<?xml")
    assert (0, "") == (outcome.code, outcome.err)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name one BOT, or give --listen to wait for one that is started elsewhere"),
        (["--listen", "x"], "name one BOT, or give --listen to wait for one that is started elsewhere"),
        (["--only", "helo", "x"], "there is no situation 'helo'; did you mean hello?"),
        (["/no/bot"], "there is no file or directory '/no/bot'; give a bot's path or NAME=COMMAND"),
        ([str(ROOT / "README.md")], "is no bot: neither an executable file nor a directory with a bot.toml"),
    ],
)
def test_wrong_usage_is_one_sentence(play: Callable[..., Outcome], words: list[str], sentence: str) -> None:
    """Exit code 2, and nothing was started."""
    outcome = play("check", *words)

    assert (2, "") == (outcome.code, outcome.out)
    assert sentence in outcome.err
    assert 1 == len(outcome.err.splitlines())
