"""What a bot under bwrap is shown of the machine, by the arguments of bwrap."""

import sys

import attrs

from referee.local.bubblewrap import own_files, wrap
from referee.local.programs import BotProgram
from referee.local.sandbox import Sandbox, SandboxKind

SANDBOX = Sandbox(kind=SandboxKind.BWRAP)


def shown(program, sandbox=SANDBOX, path="/usr/bin:/bin"):
    """What is bound besides the system and the referee's own Python, and what is covered."""
    words = wrap(program, {"PATH": path}, sandbox, ["launcher"])
    own = {*words[: words.index("--tmpfs")], sys.prefix, sys.base_prefix}
    bound = [words[i + 1] for i, word in enumerate(words) if word == "--ro-bind" and words[i + 1] not in own]
    ours = ("/protocol", "confine.py")
    covered = [
        words[i + 2] for i, word in enumerate(words[:-2]) if words[i : i + 2] == ["--ro-bind", "/dev/null"]
    ]
    covered += [
        words[i + 1]
        for i, word in enumerate(words)
        if word == "--tmpfs" and words[i + 1] not in {"/tmp", "/dev/shm"}
    ]
    return {place for place in bound if not place.endswith(ours) and place != "/dev/null"}, set(covered)


def program(cwd, *command, owns_directory=False):
    """A bot."""
    return BotProgram(name="bot", command=command, cwd=cwd, source="bot", owns_directory=owns_directory)


def test_a_bot_with_a_directory_sees_its_directory(tmp_path):
    """All of it, and nothing beside it."""
    (tmp_path / "mine").mkdir()

    assert shown(program(tmp_path / "mine", "sh", "x", owns_directory=True)) == ({f"{tmp_path}/mine"}, set())


def test_a_bot_without_one_sees_the_files_of_its_command(tmp_path):
    """The working directory is the referee's: only what the command names, but not itself or its parents."""
    for name in ("bot.py", "weights", "other.py"):
        (tmp_path / name).touch()
    bot = program(tmp_path, "./bot.py", "weights", "missing", ".", "..", "/", "--fast", "x" * 5000)

    assert {str(path) for path in own_files(bot)} == {f"{tmp_path}/bot.py", f"{tmp_path}/weights"}
    assert shown(bot)[0] == {f"{tmp_path}/bot.py", f"{tmp_path}/weights"}


def test_a_program_in_somebodys_home_is_seen_with_its_libraries(make_file, tmp_path):
    """A JDK or Node that was unpacked somewhere: its bin and lib, not what else lies there."""
    make_file("jdk/bin/java", "#!/bin/sh\n")
    (tmp_path / "jdk" / "lib").mkdir()
    (tmp_path / "jdk" / "secrets").mkdir()
    (tmp_path / "bot").mkdir()
    bot = program(tmp_path / "bot", "java", owns_directory=True)

    seen, _ = shown(bot, path=f"{tmp_path}/jdk/bin:/usr/bin")

    assert seen == {f"{tmp_path}/bot", f"{tmp_path}/jdk/bin", f"{tmp_path}/jdk/lib"}


def test_the_interpreter_of_a_script_is_seen(make_file, tmp_path):
    """Also if `env` looks for it, and if it is a symbolic link to where it is installed."""
    make_file("real/bin/node-20", "")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "node").symlink_to(tmp_path / "real" / "bin" / "node-20")
    script = make_file("bot.js", "#!/usr/bin/env node\n")

    seen, _ = shown(program(tmp_path, str(script)), path=f"{tmp_path}/links:/usr/bin")

    assert seen == {str(script), f"{tmp_path}/links/node", f"{tmp_path}/real/bin"}


def test_what_is_hidden_is_covered_where_it_could_be_seen(tmp_path):
    """A journal or another bot inside of a bot's directory is covered; what lies elsewhere need not be."""
    (tmp_path / "mine" / "other").mkdir(parents=True)
    (tmp_path / "mine" / "a.journal").touch()
    hidden = [
        tmp_path / "mine",  # its own, since all bots' files are hidden from all
        tmp_path / "mine" / "a.journal",
        tmp_path / "mine" / "a.journal-wal",  # not there
        tmp_path / "mine" / "other",
        tmp_path / "elsewhere",
    ]

    _, covered = shown(program(tmp_path / "mine", "sh", owns_directory=True), SANDBOX.hiding(hidden))

    assert covered == {f"{tmp_path}/mine/a.journal", f"{tmp_path}/mine/other"}


def test_what_was_asked_for_is_shown(tmp_path):
    """`--bot-path` shows more, and what is inside of something that is shown is not shown twice."""
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "bot").mkdir()
    sandbox = attrs.evolve(SANDBOX, paths=(tmp_path / "data", tmp_path / "data" / "inner"))

    seen, _ = shown(program(tmp_path / "bot", "sh", owns_directory=True), sandbox)

    assert seen == {f"{tmp_path}/bot", f"{tmp_path}/data"}
