"""The options of how bots are started: what they mean, and what is refused."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from referee.cli import sandboxing
from referee.cli.sandboxing import kept, sandbox_again, sandbox_options
from referee.local.sandbox import MIB, Sandbox, SandboxKind, default_kind

SANDBOX = Sandbox(kind=SandboxKind.BWRAP, memory_bytes=MIB, cpu_s=7, env=("A", "B"), paths=(Path("/usr"),))


def options(*words, **variables):
    """The sandbox that options stand for, or the sentence with which they are refused."""
    found = []

    @click.command()
    @sandbox_options
    def command(*, sandbox):
        found.append(sandbox)

    result = CliRunner().invoke(command, words, env=variables)
    return found[0] if found else result.output.splitlines()[-1]


def test_defaults():
    """The best that works everywhere here, 1 GiB of memory, and nothing else."""
    assert options() == Sandbox(kind=default_kind(), memory_bytes=1024 * MIB)


def test_all_together(tmp_path):
    """Each is heard; of processor time a begun second counts as a whole one."""
    words = ("--sandbox", "bwrap", "--bot-memory", "512MiB", "--bot-cpu", "1500ms")
    more = ("--bot-env", "ONE, TWO,", "--bot-path", f"{tmp_path}:/usr")

    assert options(*words, *more) == Sandbox(
        kind=SandboxKind.BWRAP,
        memory_bytes=512 * MIB,
        cpu_s=2,
        env=("ONE", "TWO"),
        paths=(tmp_path, Path("/usr")),
    )


def test_a_variable_sets_them_too():
    """As for all options."""
    assert options(TAKE5_REFEREE_SANDBOX="none", TAKE5_REFEREE_BOT_MEMORY="2GiB") == Sandbox(
        kind=SandboxKind.NONE, memory_bytes=2048 * MIB
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--bot-memory", "much"),
            "Error: Invalid value for '--bot-memory': 'much' is no amount from 16MiB to 1024GiB,"
            " such as 512MiB or 2GiB.",
        ),
        (
            ("--bot-memory", "15MiB"),
            "Error: Invalid value for '--bot-memory': '15MiB' is no amount from 16MiB to 1024GiB,"
            " such as 512MiB or 2GiB.",
        ),
        (("--bot-path", "/no/such"), "Error: --bot-path /no/such: there is no such file or directory"),
    ],
)
def test_what_cannot_be_is_refused(words, sentence):
    """In one sentence that says what can be."""
    assert options(*words) == sentence


def test_what_is_kept_for_resume():
    """Everything comes back, and the kind can be another."""
    assert sandbox_again(kept(SANDBOX), None) == SANDBOX
    assert sandbox_again(kept(SANDBOX), "none").kind is SandboxKind.NONE


def test_a_sandbox_that_cannot_be_had_is_a_usage_error(monkeypatch):
    """With the option that asks for it, and what to do."""

    async def refuse(_sandbox):
        raise sandboxing.SandboxRefused("bwrap is not installed; use limits")

    monkeypatch.setattr(sandboxing, "probe", refuse)

    with pytest.raises(click.UsageError) as caught:
        sandboxing.check_possible(SANDBOX)

    assert caught.value.message == "--sandbox bwrap: bwrap is not installed; use limits."
