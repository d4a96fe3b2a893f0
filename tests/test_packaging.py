"""What is installed from a wheel works wherever it is installed, with the sample bots inside."""

import os
import resource
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import attrs
import pytest

from referee.local.sources import is_product

ROOT = Path(__file__).parents[1]
HELP_CPU_S = 0.2
"""What `take5-referee --help` may take of a processor."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, with the build back-end of the development environment."""
    directory = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(directory),
        str(ROOT),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = directory.glob("*.whl")
    return found


@attrs.frozen(kw_only=True)
class Installed:
    """An environment of its own into which the wheel is installed, and a directory that is no checkout."""

    bin: Path
    elsewhere: Path

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run the installed program as somebody who has activated nothing."""
        return subprocess.run(
            [str(self.bin / "take5-referee"), *words],
            cwd=self.elsewhere,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.elsewhere)},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel; what it depends on is taken from this environment, so that no index is needed."""
    directory = tmp_path_factory.mktemp("installed")
    venv.create(directory / "venv", with_pip=False)
    python = directory / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install"]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, *quiet, str(wheel)], check=True)
    (site,) = (directory / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{_dependencies(directory)}\n")
    elsewhere = directory / "elsewhere"
    elsewhere.mkdir()
    return Installed(bin=python.parent, elsewhere=elsewhere)


def _dependencies(directory: Path) -> Path:
    """Return a directory with all packages of this environment but the checkout itself."""
    links = directory / "dependencies"
    links.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if package.suffix != ".pth" and not package.name.startswith(("take5_referee", "_take5_referee")):
            (links / package.name).symlink_to(package)
    return links


def test_the_wheel_holds_what_belongs_in_it(wheel: Path) -> None:
    """Code, types, sample bots, vectors and licence; no tests, no documents, nothing built."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0].partition("-")[0] for name in names}

    assert tops == {"protocol", "referee", "sample_bots", "take5_referee"}
    assert {
        "protocol/vectors/rules.json",
        "protocol/vectors/deals.json",
        "protocol/py.typed",
        "referee/py.typed",
        "sample_bots/simple.py",
        "sample_bots/c/Makefile",
        "sample_bots/go/go.sum",
        "sample_bots/javascript/package-lock.json",
        "sample_bots/javascript/.npmrc",
        "referee/cli/main.py",
    } <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if any(is_product(part) for part in name.split("/"))]


def test_sample_bots_are_installed_and_can_be_run(installed: Installed) -> None:
    """The directory lies in the environment, not in the checkout, and its bots are executable."""
    shown = installed.run("sample-bots")
    directory = Path(shown.stdout.rstrip("\n"))

    assert (shown.returncode, shown.stderr) == (0, "")
    assert directory.is_relative_to(installed.bin.parent)
    assert {path.name for path in directory.glob("*.py") if os.access(path, os.X_OK)} == {
        path.name for path in (ROOT / "sample_bots").glob("*.py")
    }


def test_an_installed_referee_plays_from_any_directory(installed: Installed) -> None:
    """As after `pipx install`: the bots are found, and find the interpreter with their msgpack."""
    directory = Path(installed.run("sample-bots").stdout.rstrip("\n"))
    bots = [str(path) for path in sorted(directory.iterdir())]
    played = installed.run("run-local", "--deals", "1", "--move-timeout", "30s", "--format", "csv", *bots)

    assert played.returncode == 0, played.stderr
    assert sorted(line.split(",")[1] for line in played.stdout.splitlines()[1:]) == sorted(
        path.stem for path in (ROOT / "sample_bots").glob("*.py")
    )
    # The tenth column holds the faults.
    assert {line.split(",")[9] for line in played.stdout.splitlines()[1:]} == {""}


def test_help_is_quick(installed: Installed) -> None:
    """Best of five, so that a busy machine does not decide: processor time, not time on the wall."""
    installed.run("--help")
    spent = []
    for _ in range(5):
        before = _cpu_of_children()
        helped = installed.run("--help")
        spent.append(_cpu_of_children() - before)

    assert helped.returncode == 0
    assert min(spent) < HELP_CPU_S


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
