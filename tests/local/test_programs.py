import os
import re
from pathlib import Path

import pytest

from referee.local.programs import BotProgram, Build, Renamed, Skipped, UsageProblem, select

PATH = "/usr/bin:/bin"
SH = "#!/bin/sh\n"


def reason(argument, *, search_path=PATH):
    """Select one argument, which is skipped, and return why."""
    selection = select([argument], search_path=search_path)
    assert selection.programs == ()
    (skipped,) = selection.skipped
    assert skipped.source == argument
    return skipped.reason


def test_an_executable_file_is_run_as_it_is(make_file):
    """Its absolute path is the command, its stem the name, the current directory its directory."""
    path = make_file("Greedy Bot.sh", SH)

    selection = select([str(path)], search_path=PATH)

    expected = BotProgram(name="greedy-bot", command=(str(path),), cwd=Path.cwd(), source=str(path))
    assert selection.programs == (expected,)
    assert selection.skipped == selection.renamed == selection.to_build == selection.built == ()


def test_a_relative_path_becomes_absolute(make_file, tmp_path, monkeypatch):
    """Where the bot is started does not depend on later changes of directory; the source stays as given."""
    make_file("bots/a.sh", SH)
    monkeypatch.chdir(tmp_path)

    (program,) = select(["bots/a.sh"], search_path=PATH).programs

    assert (program.command, program.source) == ((f"{tmp_path}/bots/a.sh",), "bots/a.sh")


def test_name_and_command(tmp_path, monkeypatch):
    """NAME=COMMAND is split as a shell would; further equals signs belong to the command."""
    monkeypatch.chdir(tmp_path)
    argument = "b=sh -c 'echo a b' --x=1"

    (program,) = select([argument], search_path=PATH).programs

    assert program == BotProgram(
        name="b", command=("sh", "-c", "echo a b", "--x=1"), cwd=tmp_path, source=argument
    )


def test_a_file_with_an_equals_sign_is_a_file(make_file):
    """What exists as a file is no NAME=COMMAND."""
    path = make_file("a=b.sh", SH)

    (program,) = select([str(path)], search_path=PATH).programs

    assert (program.name, program.command) == ("a-b", (str(path),))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("Bad=sh", "'Bad=sh' has the bad name 'Bad'; a name is"),
        ("=sh", "'=sh' has the bad name ''"),
        (f"{'a' * 33}=sh", "has the bad name"),
        ("a=", "'a=' has no command; write NAME=COMMAND"),
        ("a=   ", "has no command"),
        ("a=''", "has no command"),
        ("a=sh 'x", "cannot be read: no closing quotation"),
        (
            "no/such/bot.py",
            "no file or directory 'no/such/bot.py'; give a bot's path or NAME=COMMAND",
        ),
        ("", "there is no file or directory ''"),
    ],
)
def test_arguments_that_cannot_be_meant(argument, message):
    """A typing error ends the command with a sentence, so that nobody waits for a bot that is not there."""
    with pytest.raises(UsageProblem, match=re.escape(message)):
        select([argument], search_path=PATH)


def test_missing_program_of_a_command():
    """A command whose program is not installed is skipped and says so."""
    expected = "needs nosuchtool, which is not installed; install it to run this bot"

    assert reason("b=nosuchtool x") == expected
    assert reason("b=./nosuchfile x") == "needs the file ./nosuchfile, which does not exist"


def test_command_whose_file_is_not_executable(make_file):
    """The reason tells how to make it executable."""
    path = make_file("x.sh", SH, 0o644)

    assert reason(f"b={path}") == f"needs {path} to be executable: chmod +x {path}"


@pytest.mark.parametrize(
    ("first_line", "missing"),
    [
        ("#!/usr/bin/env nosuchtool", "nosuchtool"),
        ("#!/usr/bin/env -S nosuchtool -x", "nosuchtool"),
        ("#! /usr/bin/env -Snosuchtool", "nosuchtool"),
        ("#!/usr/bin/env -S -i A=b nosuchtool", "nosuchtool"),
        ("#!/no/such/tool -x", "/no/such/tool"),
    ],
)
def test_missing_interpreter(make_file, first_line, missing):
    """A script whose #! line names what is not there is skipped, named after what is missing."""
    path = make_file("b", first_line + "\n")

    assert reason(str(path)) == f"needs {missing}, which is not installed; install it to run this bot"


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh",
        "#!/usr/bin/env sh\n",
        "#!/usr/bin/env -S sh -e\n",
        "#!/usr/bin/env\n",
        "#!\n",
        "\x7fELF",
        "",
    ],
)
def test_interpreters_that_are_there_or_not_ours_to_judge(make_file, text):
    """What can be run, or is no script, is left to the system."""
    path = make_file("b", text)

    assert [program.name for program in select([str(path)], search_path=PATH).programs] == ["b"]


def test_interpreter_is_looked_for_on_the_given_path(make_file, tmp_path):
    """The bots' PATH counts, not that of the referee."""
    path = make_file("b", "#!/usr/bin/env mytool\n")
    make_file("bin/mytool", SH)

    assert select([str(path), "c=mytool"], search_path=f"{tmp_path}/bin").skipped == ()
    assert "mytool" in reason(str(path))
    assert "mytool" in reason("c=mytool")


def test_windows_line_ending_behind_the_interpreter(make_file):
    """The kernel would look for an interpreter whose name ends in a carriage return."""
    path = make_file("b", "#!/bin/sh\r\n")

    assert reason(str(path)) == (
        "has a Windows line ending behind its #! line; save it with Unix line endings"
    )


def test_what_a_glob_sweeps_in_is_skipped(make_file, tmp_path):
    """Texts, caches, other files and dead links are no bots; each is skipped with a reason of its own."""
    readme = make_file("README", "hello", 0o644)
    cache = make_file("__pycache__/x.pyc", "", 0o644).parent
    link = tmp_path / "dead"
    link.symlink_to("nowhere")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo, 0o755)

    selection = select([str(readme), str(cache), str(link), str(fifo)], search_path=PATH)

    no_bot = "is no bot: neither an executable file nor a directory with a bot.toml"
    assert selection.skipped == (
        Skipped(source=str(readme), reason=no_bot),
        Skipped(source=str(cache), reason="is a directory without a bot.toml"),
        Skipped(source=str(link), reason="is a symbolic link to nothing"),
        Skipped(source=str(fifo), reason=no_bot),
    )


@pytest.mark.parametrize(("name", "text"), [("a.py", "x = 1\n"), ("my bot", SH)])
def test_a_script_that_is_not_executable(make_file, name, text):
    """Python files and scripts are told what they lack, ready to be pasted."""
    path = make_file(name, text, 0o644)
    quoted = f"'{path}'" if " " in name else str(path)

    assert reason(str(path)) == f"is not executable; if it is a bot: chmod +x {quoted}"


def test_equal_names_are_told_apart_and_said_aloud(make_file):
    """The second of two equal names is renamed; skipped arguments take no name."""
    one, two, text = make_file("x/b.sh", SH), make_file("y/B.sh", SH), make_file("z/b.py", "", 0o644)

    selection = select([str(text), str(one), str(two), "b=sh"], search_path=PATH)

    assert [program.name for program in selection.programs] == ["b", "b-2", "b-3"]
    assert selection.renamed == (
        Renamed(source=str(two), wanted="b", name="b-2"),
        Renamed(source="b=sh", wanted="b", name="b-3"),
    )


def test_directory_with_a_command(make_file, tmp_path):
    """A program with a slash is one of the directory, others are on the path; the name may be left out."""
    make_file("My Bot/bot.toml", 'command = ["./run.sh", "a/b"]\ndescription = "x"', 0o644)
    make_file("My Bot/run.sh", SH)
    make_file("two/bot.toml", 'name = "second"\ncommand = ["sh", "x"]\nneeds = ["sh"]', 0o644)
    directories = [tmp_path / "My Bot", tmp_path / "two"]

    selection = select([str(directory) for directory in directories], search_path=PATH)

    assert selection.programs == (
        BotProgram(
            name="my-bot",
            command=(f"{tmp_path}/My Bot/run.sh", "a/b"),
            cwd=directories[0],
            source=str(directories[0]),
            owns_directory=True,
        ),
        BotProgram(
            name="second",
            command=("sh", "x"),
            cwd=directories[1],
            source=str(directories[1]),
            owns_directory=True,
        ),
    )


def test_directory_that_is_built_first(make_file, tmp_path):
    """Before its artifact is there the bot is to be built, afterwards it is a program that was built."""
    make_file("c/bot.toml", 'command = ["./c"]\nbuild = ["sh", "make.sh"]\nartifact = "c"', 0o644)
    directory = tmp_path / "c"
    program = BotProgram(
        name="c-2",
        command=(f"{directory}/c",),
        cwd=directory,
        source=str(directory),
        owns_directory=True,
    )
    build = Build(program=program, command=("sh", "make.sh"), artifact=directory / "c", cwd=directory)

    before = select(["c=sh", str(directory)], search_path=PATH)
    make_file("c/c", SH)
    after = select(["c=sh", str(directory)], search_path=PATH)

    assert (before.to_build, before.built) == ((build,), ())
    assert [program.name for program in before.programs] == ["c"]
    assert before.renamed == (Renamed(source=str(directory), wanted="c", name="c-2"),)
    assert (after.to_build, after.built) == ((), (build,))
    assert after.programs[1:] == (program,)


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("", 'says in bot.toml no command; add one, such as command = ["./my-bot"]'),
        ("command = [", "has a bot.toml that is not TOML: "),
        (
            'command = ["sh"]\nbiuld = ["make"]',
            "has the unknown key 'biuld' in bot.toml; did you mean 'build'?",
        ),
        (
            'command = ["sh"]\nzzz = 1',
            "the unknown key 'zzz' in bot.toml; known are name, command, build, artifact, needs, description",
        ),
        ('command = "sh"', "needs an array of texts for 'command' in bot.toml"),
        ("command = [1]", "needs an array of texts for 'command' in bot.toml"),
        ('command = ["sh", ""]', "needs an array of texts for 'command' in bot.toml"),
        ("command = []", "needs at least a program in the array 'command' in bot.toml"),
        ('command = ["sh"]\nname = "A b"', "has the bad name 'A b' in bot.toml; a name is"),
        ('command = ["sh"]\nname = 1', "needs a text for 'name' in bot.toml"),
        ('command = ["sh"]\nbuild = ["make"]', "has only one of build and artifact in bot.toml; give both"),
        ('command = ["sh"]\nartifact = "x"', "has only one of build and artifact in bot.toml; give both"),
        (
            'command = ["sh"]\nneeds = ["sh", "nosuchtool", "northis"]',
            "needs nosuchtool and northis, which are not installed; install them to run this bot",
        ),
        ('command = ["nosuchtool"]', "needs nosuchtool, which is not installed"),
        ('command = ["./x"]', "/d/x, which does not exist"),
        (
            'command = ["./x"]\nbuild = ["nosuchtool"]\nartifact = "x"',
            "needs nosuchtool, which is not installed",
        ),
    ],
)
def test_directories_that_cannot_be_run(make_file, toml, expected):
    """Each thing that can be wrong with a bot.toml has its sentence, and the others play on."""
    directory = make_file("d/bot.toml", toml, 0o644).parent

    assert expected in reason(str(directory))


def test_bot_toml_that_is_no_text(make_file):
    """Bytes that are no UTF-8 are no TOML."""
    path = make_file("d/bot.toml", "", 0o644)
    path.write_bytes(b"\xff\xfe")

    assert reason(str(path.parent)).startswith("has a bot.toml that is not TOML: ")
