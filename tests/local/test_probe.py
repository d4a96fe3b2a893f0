"""Whether a kind of sandbox can be had: each refusal is one sentence that says what to do."""

import shutil
import sys

import pytest
import trio

from referee.local import bubblewrap, probe
from referee.local.probe import SandboxRefused
from referee.local.sandbox import Sandbox, SandboxKind, default_kind
from tests.sandboxes import bwrap_works


def refusal(kind):
    """Why a kind of sandbox cannot be had."""
    with pytest.raises(SandboxRefused) as caught:
        trio.run(probe.probe, Sandbox(kind=kind))
    return str(caught.value)


def test_limits_are_the_default_on_linux_only(monkeypatch):
    """Elsewhere there is none, and to ask for more is refused."""
    on_linux = default_kind()
    monkeypatch.setattr(sys, "platform", "darwin")

    assert (on_linux, default_kind()) == (SandboxKind.LIMITS, SandboxKind.NONE)
    assert refusal(SandboxKind.LIMITS) == "limits is for Linux; use none"
    assert refusal(SandboxKind.BWRAP) == "bwrap is for Linux; use none"


@pytest.mark.parametrize("kind", [SandboxKind.NONE, SandboxKind.LIMITS])
def test_what_every_linux_has_is_not_tried(kind, monkeypatch):
    """No time is lost on it."""
    monkeypatch.setattr(probe, "_try", None)

    trio.run(probe.probe, Sandbox(kind=kind))

    assert default_kind() is SandboxKind.LIMITS


def test_a_machine_without_bwrap(monkeypatch):
    """The package that it is in has another name."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)

    assert refusal(SandboxKind.BWRAP) == (
        "bwrap is not installed; install the package bubblewrap, or use limits"
    )


@pytest.mark.skipif(not bwrap_works(), reason="bwrap is missing, or may not make namespaces here")
def test_a_machine_that_forbids_it(monkeypatch):
    """A real trial is refused, and what bwrap says of it is passed on."""
    monkeypatch.setattr(bubblewrap, "_ISOLATION", ("--unshare-user", "--uid", "none"))

    assert refusal(SandboxKind.BWRAP).startswith("bwrap does not work on this machine (bwrap: ")


@pytest.mark.skipif(not bwrap_works(), reason="bwrap is missing, or may not make namespaces here")
def test_a_sandbox_in_which_nothing_runs(monkeypatch):
    """The trial is a program that has to end well."""
    monkeypatch.setattr(probe, "_TRIAL", ("-c", "print('no luck'); raise SystemExit(1)"))

    assert refusal(SandboxKind.BWRAP) == "bwrap could not run a trial program (no luck); use limits"
