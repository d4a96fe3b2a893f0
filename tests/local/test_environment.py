import os
import sys
from pathlib import Path

from referee.local.environment import bot_environment, build_environment, search_path
from referee.local.sandbox import UNCONFINED, Sandbox, SandboxKind

BASE = {"PATH": "/usr/bin:/bin", "HOME": "/home/x", "TAKE5_REFEREE_SEED": "secret", "TAKE5_NAME": "other"}


def test_bot_environment_has_the_four_variables_and_no_settings_of_the_referee():
    """The bot gets what it needs to connect; no other TAKE5_ variable is inherited."""
    env = bot_environment(BASE, UNCONFINED, host="127.0.0.1", port=5005, name="greedy", secret="s3")

    ours = {key: value for key, value in env.items() if key.startswith("TAKE5_")}
    assert ours == {
        "TAKE5_HOST": "127.0.0.1",
        "TAKE5_PORT": "5005",
        "TAKE5_NAME": "greedy",
        "TAKE5_SECRET": "s3",
    }
    assert env["HOME"] == "/home/x"
    assert env["PYTHONUNBUFFERED"] == "1"


def test_a_bot_in_a_sandbox_gets_what_it_needs_and_no_more():
    """Any other variable may be a password; who wants one passed on says so."""
    base = BASE | {"LC_ALL": "C", "LANG": "C", "AWS_SECRET_ACCESS_KEY": "x", "MY_MODEL": "m", "SHELL": "sh"}
    sandbox = Sandbox(kind=SandboxKind.LIMITS, env=("MY_MODEL", "MISSING"))
    env = bot_environment(base, sandbox, host="h", port=1, name="n", secret="s")

    assert sorted(env) == [
        *("HOME", "LANG", "LC_ALL", "MY_MODEL", "PATH", "PYTHONUNBUFFERED"),
        *("TAKE5_HOST", "TAKE5_NAME", "TAKE5_PORT", "TAKE5_SECRET"),
    ]


def test_a_bot_under_bwrap_is_at_home_in_its_scratch_space():
    """The home of the user is not there."""
    env = bot_environment(BASE, Sandbox(kind=SandboxKind.BWRAP), host="h", port=1, name="n", secret="s")

    assert (env["HOME"], env["TMPDIR"]) == ("/tmp", "/tmp")


def test_build_environment_has_no_variable_of_ours():
    """A build gets the rest of the environment and the bots' PATH."""
    expected = {"PATH": search_path(BASE), "HOME": "/home/x"}

    assert build_environment(BASE) == expected


def test_own_interpreter_is_first_on_the_path():
    """The directory of sys.executable comes first, once, without following symbolic links."""
    own = str(Path(sys.executable).parent)

    assert search_path({"PATH": f"/usr/bin:{own}:/bin"}) == f"{own}:/usr/bin:/bin"


def test_interpreter_of_a_virtual_environment_is_not_resolved(monkeypatch, tmp_path):
    """In a virtual environment `python` is a symbolic link; its own directory counts."""
    link = tmp_path / "bin" / "python"
    link.parent.mkdir()
    link.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(link))

    assert search_path({"PATH": "/bin"}) == f"{tmp_path}/bin:/bin"


def test_without_a_path_the_default_of_the_system_follows():
    """A missing or empty PATH is that of the system."""
    own = str(Path(sys.executable).parent)
    expected = [own, *(place for place in os.defpath.split(":") if place != own)]

    assert search_path({}).split(":") == expected
    assert search_path({"PATH": ""}).split(":") == expected
