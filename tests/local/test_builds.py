import os
from pathlib import Path

import pytest
import trio

from referee.local.builds import BuildResult, build_all
from referee.local.programs import BotProgram, Build
from tests.local.conftest import PATIENCE_S, wait_for_death


def make_build(directory: Path, script: str, *, name: str = "c", artifact: str = "made") -> Build:
    """Return a build that is a shell script."""
    program = BotProgram(name=name, command=("./made",), cwd=directory, source=name)
    return Build(program=program, command=("sh", "-c", script), artifact=directory / artifact, cwd=directory)


async def run(*builds: Build, jobs: int = 2, **options) -> tuple[list[BuildResult], list[str]]:
    """Build, and return the results and the lines that were said."""
    lines = []
    with trio.fail_after(PATIENCE_S):
        results = await build_all(builds, jobs=jobs, on_line=lines.append, **options)
    return results, lines


async def test_build_that_succeeds(tmp_path):
    """The command runs in the directory of the bot, makes the artifact, and its output is kept."""
    (result,), lines = await run(make_build(tmp_path, "echo compiling; touch made"))

    assert (result.name, result.ok, result.output) == ("c", True, "compiling\n")
    assert (tmp_path / "made").exists()
    assert lines[0] == "c: building"
    assert lines[1].startswith("c: built after ")


@pytest.mark.parametrize(
    ("script", "tail"),
    [
        ("echo sorry >&2; exit 2", "sorry\n"),
        ("touch made; exit 2", ""),
        ("echo fine", "fine\n\n[the build succeeded, but did not make {}/made]"),
        ("true", "[the build succeeded, but did not make {}/made]"),
    ],
)
async def test_build_that_fails(tmp_path, script, tail):
    """A build has failed if its command has, or if its artifact is not there; others are built anyway."""
    other = tmp_path / "other"
    other.mkdir()

    results, lines = await run(make_build(tmp_path, script), make_build(other, "touch made", name="d"))

    assert [(result.name, result.ok) for result in results] == [("c", False), ("d", True)]
    assert results[0].output == tail.format(tmp_path)
    assert [line for line in lines if line.startswith("c: not built after ")] != []


async def test_build_whose_command_cannot_be_run(tmp_path):
    """A build that never starts says why."""
    build = make_build(tmp_path, "")
    missing = Build(program=build.program, command=("nosuchtool",), artifact=build.artifact, cwd=build.cwd)

    (result,), _ = await run(missing)

    assert not result.ok
    assert result.output == "c cannot be started: nosuchtool or its interpreter does not exist"


async def test_what_is_built_is_not_built_again(tmp_path):
    """Only a missing or outdated artifact is a reason to build, unless it is forced."""
    build = make_build(tmp_path, "echo again; touch made")
    build.artifact.touch()

    kept, silence = await run(build)
    forced, _ = await run(build, force=True)

    assert kept == [BuildResult(name="c", ok=True, seconds=0.0, output="")]
    assert silence == []
    assert forced[0].output == "again\n"


async def test_what_has_changed_is_built_again_and_then_it_is_new(tmp_path):
    """Even if its tool leaves the artifact as it was, since nothing that matters to it has changed."""
    build = make_build(tmp_path, "true")
    build.artifact.touch()
    os.utime(build.artifact, (1, 1))
    (tmp_path / "source").touch()
    assert build.is_due()

    (result,), _ = await run(build)

    assert result.ok
    assert not build.is_due()


async def test_one_artifact_is_built_once(tmp_path):
    """The same directory given twice is not built by two commands that tread on each other."""
    builds = [make_build(tmp_path, "echo x >> count; touch made", name=name) for name in ("c", "c-2")]

    results, _ = await run(*builds)

    assert [(result.name, result.ok) for result in results] == [("c", True), ("c-2", True)]
    assert (tmp_path / "count").read_text() == "x\n"


async def test_builds_run_side_by_side_but_no_more_than_jobs(tmp_path):
    """With two jobs two builds can wait for each other; with one they run one after the other."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe")
    a = make_build(tmp_path / "a", "echo hello > ../pipe; touch made", name="a")
    b = make_build(tmp_path / "b", "cat ../pipe; touch made", name="b")

    together, _ = await run(a, b, jobs=2)
    _, lines = await run(
        make_build(tmp_path / "a", "touch made"), make_build(tmp_path / "b", "touch made"), jobs=1, force=True
    )

    assert [result.output for result in together] == ["", "hello\n"]
    assert [line.split()[1] for line in lines] == ["building", "built", "building", "built"]


async def test_output_is_bounded(tmp_path):
    """Of the output 64 KiB are kept: the first 16 and the last 48."""
    (result,), _ = await run(make_build(tmp_path, "head -c 200000 /dev/zero | tr '\\0' x; touch made"))

    middle = f"\n[{200_000 - 65_536} bytes are left out here]\n"

    assert result.output == "x" * 16_384 + middle + "x" * 49_152


async def test_builds_do_not_see_our_variables(tmp_path, monkeypatch):
    """Neither settings nor secrets of the referee reach a build, unless an environment is given."""
    monkeypatch.setenv("TAKE5_REFEREE_SEED", "17")
    build = make_build(tmp_path, "echo ${TAKE5_REFEREE_SEED-none} ${GIVEN-none}; touch made")

    (result,), _ = await run(build)
    (given,), _ = await run(build, force=True, env={"PATH": os.environ["PATH"], "GIVEN": "yes"})

    assert (result.output, given.output) == ("none none\n", "none yes\n")


async def test_cancelling_stops_the_builds(tmp_path, mailbox):
    """After Ctrl-C no compiler runs on."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, make_build(tmp_path, "echo $$ > mailbox; exec sleep 600"))
        build = os.pidfd_open(int(await mailbox.line()))
        nursery.cancel_scope.cancel()

    assert wait_for_death(build)


async def test_no_jobs():
    """With no workers nothing would ever be built."""
    with pytest.raises(ValueError, match="jobs is at least 1"):
        await build_all([], jobs=0, on_line=print)
