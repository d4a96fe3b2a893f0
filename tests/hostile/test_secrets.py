"""Secrets in whole tournaments: made once, asked for, and written nowhere."""

import hashlib
import re
import time
from pathlib import Path

import trio

from tests.hostile.served import ROOT, new_secrets, run, serving
from tests.hostile.visitor import ANSWERS, Values, answer, hello, message, visiting

TRIED = ("tried-by-mallory-1", "tried-by-mallory-2", "tried-by-mallory-3")
REFUSED_AFTER_S = 1.0


def forms(secret: str) -> list[bytes]:
    """Return how a secret may look where it should not be: as it is, or as a trace shows bytes."""
    return [secret.encode(), secret.encode().hex(" ").encode(), secret.encode().hex().encode()]


def found_in(directory: Path, secrets: set[str]) -> set[tuple[str, str]]:
    """Return in which files of a directory which secrets are."""
    texts = {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    return {
        (name, secret)
        for name, text in texts.items()
        for secret in secrets
        if any(form in text for form in forms(secret))
    }


async def refused(port: int, said: bytes) -> tuple[Values, float]:
    """Say something; return the last word of the referee and after how many seconds it came."""
    begun = time.monotonic()
    async with visiting(port) as visitor:
        await visitor.send(said)
        return await visitor.last_word(), time.monotonic() - begun


async def play(port: int, name: str, secret: str, begin: trio.Event | None = None) -> list[Values]:
    """Be a bot to the end, which answers nothing before it may begin; return what it heard."""
    heard = []
    async with visiting(port) as visitor:
        await visitor.send(hello(name, secret))
        while (latest := await visitor.hear()) is not None:
            heard.append(latest)
            if latest["type"] in ANSWERS:
                if begin is not None:
                    await begin.wait()
                await visitor.send(answer(latest))
    return heard


def test_a_served_tournament_writes_no_secret_anywhere(tmp_path: Path) -> None:
    """With trace, hex and journal, in stdout, stderr and all files: neither right nor tried ones."""
    secrets = new_secrets(tmp_path, "ada", "bob")
    words = ("--entrants", 2, "--deals", 1, "--secrets", "secrets.txt", "--journal", "j.journal")
    with serving(tmp_path, *words, "--trace", "trace.txt", "--trace-hex") as referee:

        async def visit() -> None:
            wrong, unknown, odd = TRIED
            for said in (
                *(hello("ada", wrong), hello("zoe", unknown), hello("ada", odd, games="x")),
                message(type="helo", name="ada", secret=odd),
                hello("ada", secrets["ada"]) + hello("ada", secrets["ada"]),
            ):
                await refused(referee.port, said)
            async with trio.open_nursery() as nursery:
                for name, secret in secrets.items():
                    nursery.start_soon(play, referee.port, name, secret)

        trio.run(visit)
        code = referee.ends()
        (tmp_path / "stderr").write_text("\n".join(referee.lines))
    names = {path.name for path in tmp_path.iterdir()}

    assert 0 == code
    assert {"secrets.txt", "stderr", "stdout", "trace.txt", "j.journal"} <= names
    assert set() == found_in(tmp_path, {*secrets.values(), *TRIED})
    assert "(hidden)" in (tmp_path / "trace.txt").read_text()


def test_a_tournament_of_local_bots_writes_no_secret_anywhere(tmp_path: Path) -> None:
    """The bots, which know theirs, write them into a file; nothing else that is written holds one."""
    known, home = tmp_path / "known", tmp_path / "home"
    home.mkdir()
    text = (ROOT / "sample_bots" / "simple.py").read_text()
    place = re.search(r"^import ", text, re.MULTILINE)
    assert place is not None
    noting = f'import os\nopen({str(known)!r}, "a").write(os.environ["TAKE5_SECRET"] + "\\n")\n'
    bot = home / "bot.py"
    bot.write_text(text[: place.start()] + noting + text[place.start() :])
    bot.chmod(0o755)
    words = ("--journal", "j.journal", "--log-dir", "logs", "--trace", "trace.txt", "--trace-hex")
    done = run(home, "run-local", "--deals", 1, *words, f"one={bot}", f"two={bot}")
    (home / "out").write_text(done.stdout + done.stderr)
    secrets = set(known.read_text().split())

    assert 0 == done.returncode, done.stderr
    assert len(secrets) >= 2
    assert {"out", "trace.txt", "j.journal", "logs"} <= {path.name for path in home.iterdir()}
    assert set() == found_in(home, secrets)


def test_the_secrets_file_is_its_owners_and_holds_hashes(tmp_path: Path) -> None:
    """Two secrets of ada, which differ; the file, which only its owner can read, has their hashes."""
    made = [new_secrets(tmp_path, "ada")["ada"] for _ in range(2)]
    file = tmp_path / "secrets.txt"

    assert made[0] != made[1]
    assert [32, 32] == list(map(len, made))
    assert 0o600 == file.stat().st_mode & 0o777
    assert [f"ada sha256:{hashlib.sha256(secret.encode()).hexdigest()}" for secret in made] == (
        file.read_text().splitlines()
    )


def test_nobody_takes_a_seat_over_without_the_secret(tmp_path: Path) -> None:
    """In the open: a thief of ada's name is refused in mid-game, a second later; ada plays on undisturbed."""
    with serving(tmp_path, "--open", "--entrants", 2, "--deals", 1, "--move-timeout", "1m") as referee:
        heard: dict[str, list[Values]] = {}
        refusals = []

        async def join(name: str, begin: trio.Event) -> None:
            heard[name] = await play(referee.port, name, f"secret of {name}", begin)

        async def visit() -> None:
            begin = trio.Event()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(join, "ada", begin)
                nursery.start_soon(join, "bob", begin)
                await trio.to_thread.run_sync(referee.says, "^round 1$")
                refusals.append(await refused(referee.port, hello("ada", "not hers")))
                begin.set()

        trio.run(visit)
        code = referee.ends()
    ((thief, after_s),) = refusals

    assert 0 == code
    assert ("name_taken", True) == (thief["code"], after_s >= REFUSED_AFTER_S)
    assert "finished" == heard["ada"][-1]["reason"]
    assert 1 == [latest["type"] for latest in heard["ada"]].count("welcome")
