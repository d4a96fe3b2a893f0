"""`serve`, `ctl` and `secret` before anything is played: their options, and sentences for bad input.

Whole tournaments are served in tests/e2e.
"""

import contextlib
import datetime
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from referee.cli import serve
from referee.cli.doors import how_to_connect, is_loopback
from referee.cli.house import _later
from referee.cli.moments import Moment
from referee.cli.serve import _start_rule
from referee.server import secretsfile
from referee.server.lobby import hashed
from referee.server.serving import StartRule
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]
S = 10**9


@pytest.fixture
def taken_port() -> Iterator[int]:
    """Take a port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def refusal(referee: Referee, *words: object) -> str:
    """Return the sentence with which `serve` refuses to begin."""
    return complaint(referee("serve", "--quiet", *words), code=2)


def complaint(outcome: Outcome, *, code: int) -> str:
    """Return the one sentence of a command that was not done."""
    (line,) = outcome.err.splitlines()

    assert (code, "") == (outcome.code, outcome.out)
    return line.removeprefix("take5-referee: ")


# --- where to listen ---------------------------------------------------------------------------------------


def test_an_address_in_use_is_said_with_what_to_do(referee: Referee, taken_port: int) -> None:
    """It could be begun, but not done: exit code 1."""
    sentence = complaint(referee("serve", "--port", taken_port), code=1)

    assert (
        f"the referee cannot listen on 127.0.0.1, port {taken_port}: Address already in use;"
        " is another referee running? choose another --port."
    ) == sentence


@pytest.mark.parametrize(
    ("host", "error", "sentence"),
    [
        (
            "127.0.0.1",
            PermissionError(13, "Permission denied"),
            "the referee cannot listen on 127.0.0.1, port 80: Permission denied; choose a --port above 1023.",
        ),
        (
            "203.0.113.5",
            OSError(99, "Cannot assign requested address"),
            "the referee cannot listen on 203.0.113.5, port 80: Cannot assign requested address;"
            " is --host an address of this machine?",
        ),
        ("a..b", None, "the referee cannot listen on a..b, port 80: this is no address."),
    ],
)
def test_a_port_or_address_that_cannot_be_had(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, host: str, error: OSError | None, sentence: str
) -> None:
    """Each with what to do about it."""

    def listen(host: str, port: int) -> socket.socket:
        raise error

    if error is not None:
        monkeypatch.setattr(serve, "listen", listen)

    assert sentence == complaint(referee("serve", "--host", host, "--port", 80, "--open"), code=1)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example"])
def test_a_public_address_needs_secrets_or_open(referee: Referee, host: str) -> None:
    """Nobody lets a whole network in by mistake."""
    assert (
        f"listening on {host} lets other machines in: give --secrets FILE to let in only those you know,"
        " or --open to let in everybody."
    ) == refusal(referee, "--host", host)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_what_only_this_machine_can_reach(host: str, expected: bool) -> None:
    """Whatever is not known to be loopback is taken for public."""
    assert expected == is_loopback(host)


# --- secrets -----------------------------------------------------------------------------------------------


def test_secrets_and_open_exclude_each_other(referee: Referee, tmp_path: Path) -> None:
    """Either everybody or only those listed."""
    assert "--secrets and --open exclude each other: set only one." == refusal(
        referee, "--open", "--secrets", tmp_path / "s"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "the secrets file {path} cannot be read: No such file or directory."),
        (b"\xff\xfe", "the secrets file {path} cannot be read: it is not text."),
        (b"ada", "{path}, line 1: expected NAME sha256:HASH as `take5-referee secret new` writes it."),
        (b"", "{path} holds no secret; make some: take5-referee secret new NAME..."),
    ],
)
def test_secrets_that_cannot_be_used(
    referee: Referee, tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    """Each ends in one sentence before anything listens."""
    path = tmp_path / "secrets.txt"
    if content is not None:
        path.write_bytes(content)

    assert sentence.format(path=path) == refusal(referee, "--secrets", path)


def test_a_directory_is_no_secrets_file(referee: Referee, tmp_path: Path) -> None:
    """As after a slip of the completion."""
    assert f"the secrets file {tmp_path} cannot be read: Is a directory." == refusal(
        referee, "--secrets", tmp_path
    )


def test_secrets_are_made_and_shown_once(referee: Referee, tmp_path: Path) -> None:
    """One line each on stdout; the file has their hashes, those from before included."""
    path = tmp_path / "secrets.txt"
    first = referee("secret", "new", "--file", path, "ada")
    second = referee("secret", "new", "--file", path, "bob", "ada")
    lines = [line.split() for line in (first.out + second.out).splitlines()]
    found: dict[str, set[str]] = {}
    for name, secret in lines:
        found.setdefault(name, set()).add(hashed(secret))

    assert (0, 0, "", "") == (first.code, second.code, first.err, second.err)
    assert ["ada", "bob", "ada"] == [name for name, _ in lines]
    assert found == secretsfile.read(path)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["Ada"],
            "'Ada' is no name for an entrant: use 1 to 32 of a-z, 0-9, '.', '_' and '-',"
            " a letter or digit first.",
        ),
        (
            ["--file", "/dev/null/x", "ada"],
            "the secrets file /dev/null/x cannot be written: Not a directory.",
        ),
    ],
)
def test_secrets_that_cannot_be_made(
    referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    """A bad name, or no place to keep them."""
    monkeypatch.chdir(tmp_path)

    assert sentence == complaint(referee("secret", "new", *words), code=2)
    assert [] == os.listdir(tmp_path)


# --- what is played, and when ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--variant", "advanced", "--table-size", "7"], "the advanced variant is for tables of 2 to 6."),
        (
            ["--start-at", "2020-01-01T12:00"],
            "Invalid value for '--start-at': 2020-01-01T12:00 is in the past.",
        ),
        (
            ["--start-at", "soon"],
            "Invalid value for '--start-at': 'soon' is no moment; write 18:30 or 2026-11-30T18:30.",
        ),
        (
            ["--start-at", "0001-01-01T00:00+14:00"],
            "Invalid value for '--start-at': '0001-01-01T00:00+14:00' is no moment;"
            " write 18:30 or 2026-11-30T18:30.",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anybody_comes(
    referee: Referee, words: list[str], sentence: str
) -> None:
    """An impossible table, a moment that has passed, or none."""
    assert sentence == refusal(referee, *words)


@pytest.mark.parametrize("option", ["--entrants=1", "--entrants=1001", "--port=65536", "--register-for=25h"])
def test_numbers_have_bounds(referee: Referee, option: str) -> None:
    """Fewer than two entrants are no tournament."""
    assert refusal(referee, option).startswith(f"Invalid value for '{option.split('=')[0]}': ")


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ((None, None, None), StartRule(after_s=60.0)),
        ((5, None, None), StartRule(entrants=5)),
        ((None, 1e9, None), StartRule(at=1e9)),
        ((5, 1e9, 90 * S), StartRule(entrants=5, at=1e9, after_s=90.0)),
        ((None, None, 0), StartRule(after_s=0.0)),
    ],
)
def test_a_minute_of_registration_unless_the_organiser_says_otherwise(
    given: tuple[int | None, float | None, int | None], rule: StartRule
) -> None:
    """The default holds where neither a number nor a moment is set."""
    assert rule == _start_rule(*given)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (StartRule(at=1e9), StartRule(after_s=60.0)),
        (StartRule(at=1e9, entrants=5), StartRule(entrants=5)),
        (StartRule(at=1e9, after_s=5.0), StartRule(after_s=5.0)),
        (StartRule(after_s=5.0, entrants=3), StartRule(after_s=5.0, entrants=3)),
    ],
)
def test_a_moment_is_for_the_first_tournament_only(first: StartRule, later: StartRule) -> None:
    """With --keep-serving the second would otherwise begin as soon as two are there."""
    assert later == _later(first)


def test_moments_are_to_come() -> None:
    """A time of the day is the next such time; a date and an offset are taken as they are."""
    now = datetime.datetime.now().astimezone()
    soon, past = now + datetime.timedelta(minutes=2), now - datetime.timedelta(minutes=2)

    def moment(text: str) -> float:
        return Moment().convert(text, None, None)

    assert 0 < moment(soon.strftime("%H:%M")) - now.timestamp() <= 2 * 60
    assert 0 < moment(past.strftime("%H:%M")) - now.timestamp() <= 25 * 3600
    assert 4_070_908_800.0 == moment("2099-01-01T02:00+02:00")
    assert 5.5 == Moment().convert(5.5, None, None)
    with pytest.raises(click.BadParameter):
        moment("25:00")


# --- how bots connect --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("is_open", "secret"), [(True, "any secret you like"), (False, "the secret you were given")]
)
def test_how_to_connect_can_be_read_out(is_open: bool, secret: str) -> None:
    """Address, port, and which secret; then the line to type for a sample bot."""
    first, second = how_to_connect("192.0.2.7", 5104, is_open=is_open, has_tls=False).lines

    assert f"bots connect by TCP to 192.0.2.7, port 5104, with a name and {secret}" == first
    assert "TAKE5_HOST=192.0.2.7 TAKE5_PORT=5104 " in second


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_are_told_as_one_that_others_can_use(host: str) -> None:
    """Nobody can connect to 0.0.0.0 from elsewhere."""
    address = how_to_connect(host, 1, is_open=True, has_tls=False).lines[0].split(",")[0].split()[-1]

    assert address not in {"0.0.0.0", "::", ""}


# --- ctl ---------------------------------------------------------------------------------------------------


def test_nobody_answers(referee: Referee, tmp_path: Path) -> None:
    """The sentence says where it was asked, and what may be wrong."""
    path = tmp_path / "door.sock"

    assert Outcome(
        code=1,
        out="",
        err=f"take5-referee: no referee answers at {path} (No such file or directory);"
        " is it running, and on this port?\n",
    ) == referee("ctl", "--socket", path, "status")


def test_a_door_that_shuts_without_an_answer(referee: Referee, tmp_path: Path) -> None:
    """The referee may have been killed in between."""
    path = tmp_path / "door.sock"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen()
        with _answer_with(door, b""):
            sentence = complaint(referee("ctl", "--socket", path, "status"), code=1)

    assert f"the referee at {path} ended before it answered." == sentence


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (b"ok\nround 1\n  ada", Outcome(code=0, out="round 1\n  ada\n", err="")),
        (b"no\nnot now", Outcome(code=1, out="", err="not now\n")),
    ],
)
def test_what_was_done_is_told_on_stdout_and_what_was_not_on_stderr(
    referee: Referee, tmp_path: Path, reply: bytes, outcome: Outcome
) -> None:
    """The exit code says the same."""
    path = tmp_path / "door.sock"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen()
        with _answer_with(door, reply):
            assert outcome == referee("ctl", "--socket", path, "remove", "ada", "a", "\udcff")


@contextlib.contextmanager
def _answer_with(door: socket.socket, reply: bytes) -> Iterator[None]:
    """Answer one caller."""

    def serve_one() -> None:
        caller, _ = door.accept()
        with caller:
            caller.recv(4096)
            caller.sendall(reply)

    thread = threading.Thread(target=serve_one)
    thread.start()
    yield
    thread.join()
