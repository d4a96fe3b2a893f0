"""A served tournament that goes on from its journal: who is waited for, who is let in, what is remembered."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import attrs
import pytest
import trio

from protocol.connection import Connection
from protocol.messages import Error, GameStart, Hello, Waiting
from protocol.parts import ClosingBecause
from protocol.requests import ChooseCard
from protocol.states import Role
from referee.journal.errors import JournalUnusable
from referee.journal.journal import Journal
from referee.journal.reading import Reading
from referee.play.clock import ClockRules
from referee.server.news import Joined, RoundPlanned, Withdrawn
from referee.server.serving import RETRY_MS, Ending
from referee.tournament.model import Kind
from tests.server.network import MS
from tests.server.room import PATIENCE_S, Room, open_listener, until

FOR_LONG_S = 1000.0


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Open a port."""
    with closing(open_listener()) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal is."""
    return tmp_path / "a.journal"


def open_room(nursery: trio.Nursery, listener: socket.socket, path: Path, **words: object) -> Room:
    """Open a tournament that is kept in a file."""
    room = Room(nursery, listener, **words)
    room.tournament._make_journal = lambda setup: Journal.create(path, setup.head("serve", {}))
    return room


def reopen(nursery: trio.Nursery, listener: socket.socket, path: Path, rejoin_for_s: float) -> Room:
    """Go on with a tournament."""
    room = Room(nursery, listener)
    room.tournament.resume(Journal.open(path), rejoin_for_s)
    return room


async def interrupted(room: Room) -> None:
    """Stop a room as Ctrl-C does, and let go of its journal."""
    room.tournament.interrupt()
    assert await room.ends() is Ending.INTERRUPTED
    room.tournament.director.journal.close()


async def stop_in_mid_game(nursery: trio.Nursery, listener: socket.socket, path: Path) -> None:
    """Stop a tournament of ada and bob, who have 50 ms for a decision, in their first game."""
    room = open_room(nursery, listener, path, clock=ClockRules(move_ns=50 * MS))
    await room.join("ada", "bob", answering=False)
    room.do("start")
    await until(lambda: room.tournament.engine.running == 1)
    await interrupted(room)


async def test_a_stop_asks_the_bots_to_come_back(listener: socket.socket, path: Path) -> None:
    """During play `closing` says suspended, with a time to retry; nothing of it is a fault."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path)
            guests = await room.join("ada", "bob", answering=False)
            room.do("start")
            for guest in guests:
                await guest.hears(ChooseCard)
            await interrupted(room)
            last = [await guest.closed() for guest in guests]
    with closing(Reading.opened(path)) as stored:
        faults = stored.faults(), stored.stray_faults()

    assert [(word.reason, word.retry_ms) for word in last] == [(ClosingBecause.SUSPENDED, RETRY_MS)] * 2
    assert faults == ({}, [])


async def test_games_wait_for_all_their_bots(listener: socket.socket, path: Path) -> None:
    """The first that is back is told to wait; with the second the game goes on, and to its end."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path)
            await room.join("ada", "bob", answering=False)
            room.do("start")
            await until(lambda: room.tournament.engine.running == 1)
            await interrupted(room)
            room = reopen(nursery, listener, path, FOR_LONG_S)
            (ada,) = await room.join("ada")
            await ada.hears(Waiting)
            alone = (room.tournament.engine.running, ada.all(GameStart, ChooseCard))
            await room.join("bob")
            ending = await room.ends()
            rows = room.tournament.director.rows()
            room.tournament.director.journal.close()

    assert alone == (0, [])
    assert ada.all(GameStart)[0].resumed
    assert ending is Ending.COMPLETE
    assert [dict(row.faults) for row in rows] == [{}, {}]


async def test_games_go_on_without_those_that_do_not_come_back(listener: socket.socket, path: Path) -> None:
    """After the time to rejoin the absent seat's clock runs as ever: its decisions are defaulted, as gone."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            await stop_in_mid_game(nursery, listener, path)
            room = reopen(nursery, listener, path, 0.2)
            (ada,) = await room.join("ada")
            ending = await room.ends()
            rows = {row.name: row for row in room.tournament.director.rows()}
            room.tournament.director.journal.close()

    assert ending is Ending.COMPLETE
    assert ada.all(GameStart)[0].resumed
    assert dict(rows["ada"].faults) == {}
    assert set(rows["bob"].faults) == {"gone"}


async def test_games_to_which_nobody_comes_back_are_played_out(listener: socket.socket, path: Path) -> None:
    """Nobody is asked anything, and the clocks run all the same: by default at once after three limits."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            await stop_in_mid_game(nursery, listener, path)
            room = reopen(nursery, listener, path, 0.1)
            ending = await room.ends()
            rows = {row.name: row for row in room.tournament.director.rows()}
            room.tournament.director.journal.close()

    assert ending is Ending.COMPLETE
    assert [set(row.faults) for row in rows.values()] == [{"gone"}] * 2


async def test_who_is_out_stays_out(listener: socket.socket, path: Path) -> None:
    """Removed before the stop: not waited for, and not let in, though its secret is known."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path, kind=Kind.SWISS, rounds=3)
            await room.join("ada", "bob", "cyd", "dan", answering=False)
            room.do("start")
            await until(lambda: room.tournament.engine.running == 2)
            room.do("remove cyd it cheats")
            await interrupted(room)
            room = reopen(nursery, listener, path, FOR_LONG_S)
            cyd = await room.knock("cyd")
            await room.join("ada", "bob", "dan")
            ending = await room.ends()
            plans = [item.plan for item in room.all(RoundPlanned)]
            room.tournament.director.journal.close()

    assert isinstance(cyd.heard[0], Error)
    assert cyd.heard[0].code == "unknown_entrant"
    assert ending is Ending.COMPLETE
    assert [("cyd" in {name for table in plan.tables for name in table.entrants}) for plan in plans] == [
        True,
        False,
        False,
    ]
    assert not room.all(Withdrawn)


async def test_a_pause_is_still_one(listener: socket.socket, path: Path) -> None:
    """Paused, stopped, resumed: nothing starts, not even what was interrupted, till somebody says so."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path)
            await room.join("ada", "bob", answering=False)
            room.do("start")
            await until(lambda: room.tournament.engine.running == 1)
            room.do("pause")
            await interrupted(room)
            room = reopen(nursery, listener, path, FOR_LONG_S)
            guests = await room.join("ada", "bob")
            for guest in guests:
                await guest.hears(Waiting)
            status, running = room.do("status"), room.tournament.engine.running
            room.do("continue")
            ending = await room.ends()
            room.tournament.director.journal.close()

    assert "paused" in status
    assert running == 0
    assert ending is Ending.COMPLETE


async def test_a_pause_of_the_registration_is_kept(listener: socket.socket, path: Path) -> None:
    """Begun while paused: the journal that is made then says so."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path)
            await room.join("ada", "bob")
            room.do("pause")
            room.do("start")
            await interrupted(room)
    with closing(Reading.opened(path)) as stored:
        paused, bound, entrants = stored.is_paused(), stored.bots(), stored.entrants()

    assert paused
    assert sorted(name for name, _ in bound) == sorted(entrant.name for entrant in entrants) == ["ada", "bob"]


async def test_a_late_entrant_and_its_secret_are_kept_together(listener: socket.socket, path: Path) -> None:
    """Stopped at the very moment when it said hello: it is in, and is known by its secret afterwards."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path, kind=Kind.SWISS, rounds=3)
            await room.join("ada", "bob", answering=False)
            room.do("start")
            await until(lambda: room.tournament.engine.running == 1)
            director, heard = room.tournament.director, trio.Event()
            enter = director.enter

            def entering(name: str) -> None:
                enter(name)
                heard.set()

            director.enter = entering
            nursery.start_soon(_say_hello, room, "zoe")
            await heard.wait()
            await interrupted(room)
            room = reopen(nursery, listener, path, FOR_LONG_S)
            guests = await room.join("ada", "bob", "zoe")
            ending = await room.ends()
            room.tournament.director.journal.close()

    assert ending is Ending.COMPLETE
    assert guests[2].all(GameStart)


async def _say_hello(room: Room, name: str) -> None:
    """Let a bot come; whether it hears anything before the stop is chance."""
    async with await trio.open_tcp_stream("127.0.0.1", room.port) as stream:
        await stream.send_all(Connection(Role.BOT).send(Hello(name=name, secret="s", versions=(1,))))
        async for _ in stream:
            pass


async def test_reasons_to_void_are_remembered(listener: socket.socket, path: Path) -> None:
    """What was said in the session before is told again at the end."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path)
            await room.join("ada", "bob", answering=False)
            room.do("start")
            await until(lambda: room.tournament.engine.running == 1)
            room.do("void 1 the wrong bot")
            await interrupted(room)
            room = reopen(nursery, listener, path, FOR_LONG_S)
            guests = await room.join("ada", "bob")
            await room.ends()
            room.tournament.director.journal.close()

    assert room.tournament.voided == {1: "the wrong bot"}
    assert [message.number for message in guests[0].all(GameStart)] == [2]
    assert len(room.all(Joined)) == 2


async def test_entrants_without_a_secret_are_a_damage(listener: socket.socket, path: Path) -> None:
    """Nobody could prove to be them: it is said, rather than that their games are lost."""
    async with trio.open_nursery() as nursery:
        room = open_room(nursery, listener, path)
        await room.join("ada", "bob", answering=False)
        room.do("start")
        await until(lambda: room.tournament.engine.running == 1)
        await interrupted(room)
    with closing(Journal.open(path)) as journal:
        journal._write("DELETE FROM bots WHERE name = ?", ("bob",))
    async with trio.open_nursery() as nursery:
        room = Room(nursery, listener)
        journal = Journal.open(path)
        with pytest.raises(JournalUnusable, match="is damaged: it has no secret of bob"):
            room.tournament.resume(journal, 0)
        journal.abandon()
        nursery.cancel_scope.cancel()


async def test_a_journal_of_a_tournament_that_cannot_be_is_not_left_behind(
    listener: socket.socket, path: Path
) -> None:
    """The organiser is told why it cannot begin; once it can, the name of the journal is free."""
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            room = open_room(nursery, listener, path, kind=Kind.SWISS, rounds=3)
            await room.join("ada", "bob")
            room.tournament._setup = attrs.evolve(room.tournament._setup, rounds=0)
            said = room.refuse("start")
            nursery.cancel_scope.cancel()

    assert "ask for at least one" in said
    assert os.listdir(path.parent) == []
