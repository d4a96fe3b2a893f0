"""Tournaments served by TLS to the sample bots, as real processes."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

from tests.hostile.served import PATIENCE_S, ROOT, Referee, environment, run, serving

PYTHON_BOTS = ("simple", "chance", "greedy", "careful", "steady")
OPTIONS = ("--open", "--deals", 1, "--tls-cert", "cert.pem", "--tls-key", "key.pem", "--journal", "j.journal")

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory with a certificate, its key, and the authority that bots may trust."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    return tmp_path


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Start sample bots; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(referee: Referee, bot: str, tls: str | None) -> "subprocess.Popen[str]":
        address = {"TAKE5_HOST": "127.0.0.1", "TAKE5_PORT": str(referee.port)}
        proof = {"TAKE5_NAME": bot, "TAKE5_SECRET": f"secret of {bot}"}
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "sample_bots" / f"{bot}.py")],
            env=environment() | address | proof | ({} if tls is None else {"TAKE5_TLS": tls}),
            cwd=home,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def test_all_sample_bots_in_python_play_by_tls(home: Path, start: Start) -> None:
    """They trust the authority by its file, and play to the end."""
    with serving(home, *OPTIONS, "--entrants", len(PYTHON_BOTS)) as referee:
        bots = [start(referee, bot, "ca.pem") for bot in PYTHON_BOTS]
        codes = [bot.wait(PATIENCE_S) for bot in bots], referee.ends()
        lines = referee.lines

    assert ([0] * len(PYTHON_BOTS), 0) == codes
    assert lines[0].startswith("bots connect by TLS to 127.0.0.1, port ")
    assert " TAKE5_TLS=cert.pem " in lines[1]


def test_a_bot_that_does_not_trust_and_one_without_tls_are_told_why(home: Path, start: Start) -> None:
    """The first ends at once, with what to set; the second after three times, with what the referee says."""
    with serving(home, *OPTIONS) as referee:
        distrustful, plain = start(referee, "steady", "1"), start(referee, "simple", None)
        told = [(bot.communicate(timeout=PATIENCE_S)[1], bot.returncode) for bot in (distrustful, plain)]

    assert [1, 1] == [code for _, code in told]
    assert "The certificate of 127.0.0.1 is not trusted: " in told[0][0]
    assert told[0][0].endswith(" Set TAKE5_TLS to its file.\n")
    assert 3 == told[1][0].count("This port speaks TLS; begin with a TLS handshake.")


def test_a_tournament_goes_on_by_tls(home: Path, start: Start) -> None:
    """The referee is killed in the first round and resumed: the bots, which come back, find TLS again."""
    with serving(home, *OPTIONS, "--entrants", 2, "--games", 300) as referee:
        bots = [start(referee, bot, "ca.pem") for bot in ("simple", "steady")]
        referee.says("^round 1$")
    with serving(home, "j.journal", command="resume") as referee:
        codes = [bot.wait(PATIENCE_S) for bot in bots], referee.ends()
        lines = referee.lines

    assert ([0, 0], 0) == codes
    assert [line for line in lines if line.startswith("bots connect by TLS to 127.0.0.1")]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tls-cert", "cert.pem"], "--tls-cert and --tls-key go together: give both or neither."),
        (
            ["--tls-cert", "no.pem", "--tls-key", "key.pem"],
            "no.pem cannot be read: No such file or directory.",
        ),
        (
            ["--tls-cert", "key.pem", "--tls-key", "cert.pem"],
            "key.pem and cert.pem are not a certificate and its key, as PEM and without a passphrase",
        ),
    ],
)
def test_what_cannot_be_used_for_tls_is_wrong_usage(home: Path, words: list[str], sentence: str) -> None:
    """One sentence, exit code 2, nothing is served."""
    done = run(home, "serve", "--open", "--port", 0, *words)

    assert (2, "") == (done.returncode, done.stdout)
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
