"""Commit before reveal: what was decided is in the journal before anybody is told of it (promise 8)."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from protocol.messages import Closing, Waiting
from protocol.parts import ClosingBecause
from protocol.requests import ChooseCard, RequestClosed
from referee.director import Director
from referee.journal.errors import JournalFailed
from referee.journal.journal import Journal
from referee.journal.reading import Reading
from referee.server import upkeep
from referee.server.links import Link
from tests.server.network import MS, NAMES, World, honest, slow, tournament
from tests.server.network import referee_for as referee
from tests.server.sockets import Server, closing, connect


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Make a journal in a file."""
    made = Journal.create(tmp_path / "a.journal", tournament(games=2).head("test", {}))
    yield made
    made.abandon()


def begin(server: Server, journal: Journal, names: tuple[str, ...]) -> None:
    """Open the tournament with a journal of the test."""
    server.engine.begin(Director(tournament(games=2), names, journal))
    server.shell.stir()


class Wires:
    """Watches what leaves the sockets of a shell.

    Attributes:
        early: How often something left before it was committed.
        sent: How often something left.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, journal: Journal) -> None:
        self.early = self.sent = 0
        send = Link.send

        def watched(link: Link, data: bytes) -> None:
            self.sent += 1
            self.early += journal.has_uncommitted
            send(link, data)

        monkeypatch.setattr(Link, "send", watched)


def failing(journal: Journal, monkeypatch: pytest.MonkeyPatch, what: str, *, after: int) -> None:
    """Let a method of a journal fail once it had something to do so often, and from then on."""
    really, calls = getattr(journal, what), [0]

    def fails() -> None:
        calls[0] += what != "commit" or journal.has_uncommitted
        if calls[0] > after:
            raise JournalFailed("the disk is full")
        really()

    monkeypatch.setattr(journal, what, fails)


async def test_nothing_leaves_before_its_commit(
    serving, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole tournament on real sockets: at every single send all that was decided is committed."""
    wires = Wires(monkeypatch, journal)
    async with serving(referee(NAMES[:2], games=2)) as server:
        bots = [await connect(server) for _ in range(2)]
        with closing(*bots):
            for bot, name in zip(bots, NAMES, strict=False):
                await bot.hello(name, events=True)
            begin(server, journal, NAMES[:2])
            async with trio.open_nursery() as nursery:
                for bot in bots:
                    nursery.start_soon(bot.play)
            for bot in bots:
                bot.close()
            await server.done.wait()

    assert wires.early == 0
    assert wires.sent > 50


async def test_the_last_words_of_a_stop_are_committed_too(
    serving, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever has collected since the last pass is durable before `closing` leaves."""
    wires = Wires(monkeypatch, journal)
    async with serving(referee(NAMES[:2], games=2)) as server:
        ada = await connect(server)
        with closing(ada):
            await ada.hello("ada")
            await ada.hear_until(Waiting)
            begin(server, journal, NAMES[:2])
            journal.told("something", {})
            sent = wires.sent
            server.shell.stop("Good night.", retry_ms=1000)
            last = await ada.hear_until(Closing)

    assert (last.reason, last.retry_ms) == (ClosingBecause.SUSPENDED, 1000)
    assert wires.sent > sent
    assert wires.early == 0


@pytest.mark.parametrize("after", [0, 1, 7, 20])
async def test_a_commit_that_fails_sends_nothing(
    serving, journal: Journal, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """What was decided in that pass stays with the referee; the failure ends the shell."""
    wires, sent_before = Wires(monkeypatch, journal), [0]
    with pytest.RaisesGroup(JournalFailed, flatten_subgroups=True):
        async with serving(referee(NAMES[:2], games=2)) as server, trio.open_nursery() as nursery:
            bots = [await connect(server) for _ in range(2)]
            with closing(*bots):
                for bot, name in zip(bots, NAMES, strict=False):
                    await bot.hello(name)
                    await bot.hear_until(Waiting)
                begin(server, journal, NAMES[:2])
                failing(journal, monkeypatch, "commit", after=after)
                really = server.engine.commit

                def commit() -> None:
                    sent_before[0] = wires.sent
                    really()

                monkeypatch.setattr(server.engine, "commit", commit)
                for bot in bots:
                    nursery.start_soon(bot.play)
                await server.done.wait()

    assert sent_before[0] == wires.sent, "nothing was sent after the commit that failed"
    assert journal.has_uncommitted, "there was something that could have been told"


async def test_connections_are_closed_when_the_journal_fails(
    serving, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot reads the end of the stream behind the last that it may know, not a reset."""
    failing(journal, monkeypatch, "commit", after=1)  # the one with which the tournament begins
    guests = []
    with pytest.RaisesGroup(JournalFailed, flatten_subgroups=True):
        async with serving(referee(NAMES[:2])) as server:
            ada = await connect(server)
            guests.append(ada)
            await ada.hello("ada")
            await ada.hear_until(Waiting)
            begin(server, journal, NAMES[:2])
            await server.done.wait()
    ada = guests[0]
    ada.sock.setblocking(True)
    heard = ada.sock.recv(100)
    ada.close()

    assert heard == b""


@pytest.mark.parametrize("what", ["flush", "checkpoint"])
async def test_upkeep_that_fails_ends_the_shell(
    serving, journal: Journal, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A disk that does not take what was committed is no disk to go on with."""
    monkeypatch.setattr(upkeep, "LOOK_EVERY_S", 0)
    monkeypatch.setattr(upkeep, "FLUSH_EVERY_S", 0)
    monkeypatch.setattr(journal, "wants_checkpoint", lambda: True)
    failing(journal, monkeypatch, what, after=3)
    with pytest.RaisesGroup(JournalFailed, flatten_subgroups=True):
        async with serving(referee(NAMES[:2])) as server:
            begin(server, journal, NAMES[:2])
            await server.done.wait()


def test_what_bots_know_is_in_the_file_after_each_pass(journal: Journal) -> None:
    """Another connection sees at any time at least the decisions of which bots have been told."""
    names = NAMES[:3]
    world = World(names, director=Director(tournament(games=2), names, journal), games=2, concurrency=3)
    seen = []

    def look() -> None:
        told = sum(len(bot.all(RequestClosed)) for bot in world.bots)
        with contextlib.closing(Reading.opened(journal.path)) as stored:
            kept = sum(len(step.decisions) for game in stored.games() for step in stored.steps(game))
            bound = len(stored.bots())
        seen.append((told, kept, bound))

    world.after_pass.append(look)
    for name in names:
        world.join(name, slow(3 * MS) if name == "ada" else honest)
    world.begin()
    world.run_until(lambda: len(seen) > 60)

    assert all(told <= kept for told, kept, _ in seen)
    assert seen[-1][0] > 30
    assert seen[-1][2] == 3
    assert world.bots[0].all(ChooseCard)
