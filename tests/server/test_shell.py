"""The shell on real sockets: what the kernel does with connections, and what is made of it."""

import contextlib
import socket
import sys
import time

import pytest
import trio

from protocol.errors import ErrorCode
from protocol.messages import Closing, Error, Hello, Ping, Pong, Waiting, Welcome
from protocol.parts import ClosedBecause, ClosingBecause
from protocol.requests import ChooseCard, RequestClosed
from referee.play.clock import ClockRules
from referee.server import shell as shell_module
from referee.server.limits import ServerLimits
from referee.server.links import Link
from referee.server.news import GameOver, Joined, Lost, TournamentOver
from referee.tournament.model import Kind
from tests.server.network import MS, NAMES, answer_to, referee_for, secret
from tests.server.sockets import closing, connect

EMPTY_MAP = b"\0\0\0\1\x80"


async def test_from_hello_to_welcome(serving):
    """A real connection is taken in, introduced and told what it waits for."""
    async with serving(referee_for(NAMES[:2])) as server:
        ada = await connect(server)
        with closing(ada):
            welcome = await ada.hello("ada", client="test 1")
            waiting = await ada.hear()
            await server.until(lambda: server.news)

    assert isinstance(welcome, Welcome)
    assert isinstance(waiting, Waiting)
    (joined,) = server.news[:1]
    assert ("ada", "test 1") == (joined.entrant, joined.client)
    assert joined.address.startswith("127.0.0.1:")


async def test_a_whole_tournament(serving):
    """Three bots play to the end: each hears `closing` and the end of the stream; the shell has ended."""
    async with serving(referee_for(NAMES[:3], concurrency=2)) as server:
        bots = [await connect(server) for _ in range(3)]
        with closing(*bots):
            for bot, name in zip(bots, NAMES, strict=False):
                await bot.hello(name)
            server.begin()
            last = {}

            async def play(bot):
                last[bot] = (await bot.play(), await bot.hear())
                bot.close()

            async with trio.open_nursery() as nursery:
                for bot in bots:
                    nursery.start_soon(play, bot)
            await server.done.wait()

    assert {ClosingBecause.FINISHED} == {message.reason for message, _ in last.values()}
    assert {None} == {end for _, end in last.values()}
    assert 3 == len([item for item in server.news if isinstance(item, GameOver)])
    assert [TournamentOver] == [type(item) for item in server.news if isinstance(item, TournamentOver)]


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
async def test_the_end_of_a_connection_in_mid_frame(serving, reset):
    """The bot is away at once, with a reason; the port works as before."""
    async with serving(referee_for(NAMES[:2])) as server:
        ada = await connect(server)
        await ada.hello("ada")
        await ada.hear()
        await ada.send(b"\0\0\0\x13\x82\xa4ty")
        ada.close(reset=reset)
        await server.until(lambda: any(isinstance(item, Lost) for item in server.news))
        (lost,) = (item for item in server.news if isinstance(item, Lost))
        left = len(server.engine._peers), server.engine.lobby.instances("ada")[0].peer
        again = await connect(server)
        with closing(again):
            welcome = await again.hello("ada")

    assert ("ada", True) == (lost.entrant, "broke" in lost.reason if reset else "closed" in lost.reason)
    assert (0, None) == left
    assert isinstance(welcome, Welcome)


async def test_a_reset_before_the_hello_is_no_news(serving):
    """Port scanners come and go."""
    async with serving(referee_for(NAMES[:2])) as server:
        for reset in (True, False):
            guest = await connect(server)
            guest.close(reset=reset)
        ada = await connect(server)
        with closing(ada):
            await ada.hello("ada")
            await server.until(lambda: len(server.engine._peers) == 1)

    assert [Joined] == [type(item) for item in server.news[:1]]


async def test_a_bot_that_closes_its_sending_side_is_gone(serving):
    """It cannot answer any more: it is away, and reads the end of the stream."""
    async with serving(referee_for(NAMES[:2])) as server:
        ada = await connect(server)
        with closing(ada):
            await ada.hello("ada")
            await ada.hear()
            ada.sock.shutdown(socket.SHUT_WR)
            end = await ada.hear()
        await server.until(lambda: not server.engine._peers)

    assert end is None


async def test_two_hundred_connections_at_once(serving):
    """All are made before any is served; all are welcome, and all hear the end."""
    names = [f"bot-{number:03}" for number in range(200)]
    async with serving(referee_for(names, kind=Kind.SWISS, table_size=10)) as server:
        bots = [await connect(server) for _ in names]
        heard = []

        async def greet(bot, name):
            heard.append(type(await bot.hello(name)))
            heard.append(type(await bot.hear_until(Closing)))

        with closing(*bots):
            async with trio.open_nursery() as nursery:
                for bot, name in zip(bots, names, strict=True):
                    nursery.start_soon(greet, bot, name)
                await server.until(lambda: heard.count(Welcome) == 200)
                server.shell.stop("Enough.")

    assert 200 == heard.count(Closing)


async def test_the_last_message_arrives_though_there_is_unread_input(serving):
    """A browser that sends 300 KB after its first line reads the whole error and then the end, no reset."""
    async with serving(referee_for(NAMES[:2])) as server:
        guest = await connect(server)
        with closing(guest):
            await guest.send(b"POST / HTTP/1.1\r\n\r\n" + b"x" * 300_000)
            error, end = await guest.hear(), await guest.hear()

    assert isinstance(error, Error)
    assert "HTTP" in error.message
    assert end is None


async def test_a_cancelled_shell_lets_its_last_words_be_read(serving):
    """The organiser stops it while the bots are sending: each reads `closing`, and then the end, no reset."""
    async with serving(referee_for(NAMES[:2])) as server:
        bots = [await connect(server) for _ in range(2)]
        with closing(*bots):
            for bot, name in zip(bots, NAMES, strict=False):
                await bot.hello(name)
                await bot.hear()
                # Still unread when the shell is cancelled in the next moment.
                bot.sock.send(bot.frames(Ping()) * 50)
            server.shell.stop("The organiser stopped the tournament.")
            server.scope.cancel()
            last = [await bot.hear_until(Closing) for bot in bots]
            ends = [await bot.hear() for bot in bots]

    assert [ClosingBecause.SUSPENDED] * 2 == [message.reason for message in last]
    assert [None, None] == ends


async def test_everything_is_closed_when_it_is_cancelled(serving):
    """No connection and no listener is left."""
    async with serving(referee_for(NAMES[:2])) as server:
        ada = await connect(server)
        await ada.hello("ada")
        port = server.port
    with closing(ada):
        await ada.hear()
        assert await ada.hear() is None
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5).close()


async def test_t5_limit_02_who_lets_a_mebibyte_queue_up_is_dropped_and_nobody_else_notices(serving):
    """Ada provokes errors and reads none: a violation. Bob's pings are answered throughout."""
    limits, unhurried = ServerLimits(needless_messages=10**9), ClockRules(move_ns=3_600_000 * MS)
    engine = referee_for(NAMES[:2], limits=limits, clock=unhurried)
    async with serving(engine, send_buffer=4096) as server:
        ada, bob = await connect(server, receive_buffer=4096), await connect(server)
        with closing(ada, bob):
            await ada.hello("ada")
            await bob.hello("bob")
            server.begin()
            await bob.hear_until(ChooseCard)

            async def flood():
                with contextlib.suppress(OSError):
                    while True:
                        await ada.send(EMPTY_MAP * 1000)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(flood)
                pongs = 0
                while not any(isinstance(item, Lost) for item in server.news):
                    await bob.say(Ping(echo=pongs))
                    assert pongs == (await bob.hear_until(Pong)).echo
                    pongs += 1
                nursery.cancel_scope.cancel()
            await bob.say(Ping(echo=2**40))
            after = await bob.hear_until(Pong)
            (lost,) = (item for item in server.news if isinstance(item, Lost))
            ((_, running),) = server.engine._floor._tables.items()
            (seat,) = (seat for seat in running.table.seats if seat.name == "ada")

    assert ("ada", "did not read" in lost.reason) == (lost.entrant, True)
    assert 1 == seat.strikes
    assert pongs > 0
    assert Pong(echo=2**40) == after


async def test_what_is_drained_and_what_is_judged_go_by_the_same_moment(serving, monkeypatch):
    """A deadline between the two moments would be judged with the answer still in the socket."""
    engine = referee_for(NAMES[:2])
    drain, tick = engine.to_drain, engine.tick
    drained, judged = [], []
    monkeypatch.setattr(engine, "to_drain", lambda now: drained.append(now) or drain(now))
    monkeypatch.setattr(engine, "tick", lambda now: judged.append(now) or tick(now))
    async with serving(engine) as server:
        ada = await connect(server)
        with closing(ada):
            await ada.hello("ada")

    assert drained == judged != []


async def test_a_bot_that_reads_late_gets_everything(serving):
    """130 KB pile up behind a socket that takes 4 KB: less than is too much, so all of it comes, in order."""
    limits = ServerLimits(needless_messages=10**6)
    async with serving(referee_for(NAMES[:2], limits=limits), send_buffer=4096) as server:
        ada = await connect(server, receive_buffer=4096)
        with closing(ada):
            await ada.hello("ada")
            await ada.hear()
            await ada.send(EMPTY_MAP * 1000)
            await ada.say(Ping(echo=3))
            await server.until(lambda: any(link.unsent > 50_000 for link in server.shell._links.values()))
            errors = [await ada.hear() for _ in range(1000)]
            last = await ada.hear()

    assert {ErrorCode.UNKNOWN_TYPE.value} == {error.code for error in errors}
    assert Pong(echo=3) == last


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux stamps what it receives")
async def test_an_answer_that_waits_for_a_busy_referee_is_judged_by_its_arrival(serving):
    """The loop is blocked for 600 ms with the answer in the socket; the limit is 400 ms: in time."""
    engine = referee_for(NAMES[:2], clock=ClockRules(move_ns=400 * MS))
    async with serving(engine) as server:
        ada, bob = await connect(server), await connect(server)
        with closing(ada, bob):
            await ada.hello("ada")
            await bob.hello("bob")
            server.begin()
            asked = {bot: await bot.hear_until(ChooseCard) for bot in (ada, bob)}
            for bot, request in asked.items():
                bot.sock.send(bot.frames(answer_to(request)))
            time.sleep(0.6)  # noqa: ASYNC251 - the point is that nothing else can run
            closed = [await bot.hear_until(RequestClosed) for bot in asked]

    assert [ClosedBecause.ANSWERED] * 2 == [message.reason for message in closed]
    assert all(message.took_ms < 400 for message in closed)


async def test_nobody_pays_for_the_sending_to_others(serving, monkeypatch):
    """Sending takes 150 ms a bot, the limit is 100 ms: who is sent to last is in time if it answers at once.

    The bots run in the same loop, so the others can only answer once the sending to the last one is over.
    """
    really = Link.send

    def slow(link, data):
        time.sleep(0.15)
        really(link, data)

    engine = referee_for(NAMES[:3], clock=ClockRules(move_ns=100 * MS), table_size=3)
    async with serving(engine) as server:
        bots = [await connect(server) for _ in range(3)]
        with closing(*bots):
            for bot, name in zip(bots, NAMES, strict=False):
                await bot.hello(name)
            monkeypatch.setattr(Link, "send", slow)
            server.begin()
            closed = []

            async def answer(bot):
                request = await bot.hear_until(ChooseCard)
                bot.sock.send(bot.frames(answer_to(request)))
                closed.append(await bot.hear_until(RequestClosed))

            async with trio.open_nursery() as nursery:
                for bot in bots:
                    nursery.start_soon(answer, bot)

    assert 1 == [message.reason for message in closed].count(ClosedBecause.ANSWERED)


async def test_a_second_connection_takes_over_and_the_first_is_ended(serving):
    """The old one reads `closing` and the end; what it sends then disturbs nobody."""
    async with serving(referee_for(NAMES[:2])) as server:
        old, new = await connect(server), await connect(server)
        with closing(old, new):
            await old.hello("ada")
            await old.hear()
            await new.hello("ada")
            last, end = await old.hear(), await old.hear()
            with contextlib.suppress(OSError):
                await old.send(b"\xff" * 1000)
            await new.hear()
            await new.say(Ping(echo=5))
            pong = await new.hear()

    assert ClosingBecause.SUPERSEDED is last.reason
    assert end is None
    assert Pong(echo=5) == pong


async def test_frames_byte_by_byte_over_a_real_connection(serving):
    """A hello and a ping in pieces of one byte."""
    async with serving(referee_for(NAMES[:2])) as server:
        ada = await connect(server)
        with closing(ada):
            for byte in ada.frames(Hello(name="ada", secret=secret("ada"), versions=(1,))):
                await ada.send(bytes([byte]))
            welcome = await ada.hear()
            await ada.hear()
            for byte in ada.frames(Ping(echo=1)):
                await ada.send(bytes([byte]))
            pong = await ada.hear()

    assert (Welcome, Pong(echo=1)) == (type(welcome), pong)


async def test_too_many_connections_on_the_port(serving):
    """The one too many reads why; when one has gone there is room."""
    async with serving(referee_for(NAMES[:2], limits=ServerLimits(connections=1))) as server:
        ada = await connect(server)
        await ada.hello("ada")
        late = await connect(server)
        with closing(late):
            error, end = await late.hear(), await late.hear()
        ada.close()
        await server.until(lambda: not server.engine._peers)
        bob = await connect(server)
        with closing(bob):
            welcome = await bob.hello("bob")

    assert ErrorCode.TOO_MANY_CONNECTIONS.value == error.code
    assert end is None
    assert isinstance(welcome, Welcome)


async def test_at_the_end_nobody_is_waited_for_who_does_not_hang_up(serving, monkeypatch):
    """A bot that keeps its connection open after `closing`, and a stranger, do not hold the shell."""
    monkeypatch.setattr(shell_module, "FINAL_FLUSH_S", 0.1)
    async with serving(referee_for(NAMES[:2], rounds=1)) as server:
        bots = [await connect(server) for _ in range(2)]
        stranger = await connect(server)
        with closing(*bots, stranger):
            for bot, name in zip(bots, NAMES, strict=False):
                await bot.hello(name)
            server.begin()
            async with trio.open_nursery() as nursery:
                for bot in bots:
                    nursery.start_soon(bot.play)
            await server.done.wait()
            cut_off = await stranger.hear()

    assert cut_off is None


async def test_t5_limit_02_a_byte_that_is_not_read_in_time_ends_the_connection(serving):
    """Ada provokes 130 KB, far less than the queue holds, and reads nothing: given up after 50 ms."""
    limits = ServerLimits(needless_messages=10**6, send_deadline_ns=50 * MS)
    async with serving(referee_for(NAMES[:2], limits=limits), send_buffer=4096) as server:
        ada, bob = await connect(server, receive_buffer=4096), await connect(server)
        with closing(ada, bob):
            await ada.hello("ada")
            await bob.hello("bob")
            await ada.send(EMPTY_MAP * 1000)
            await server.until(lambda: any(isinstance(item, Lost) for item in server.news))
            await bob.say(Ping(echo=5))
            pong = await bob.hear_until(Pong)
    (lost,) = (item for item in server.news if isinstance(item, Lost))

    assert ("ada", True) == (lost.entrant, "did not read" in lost.reason)
    assert 5 == pong.echo


async def test_who_goes_on_sending_after_its_last_message_is_cut_off(serving):
    """A browser that has been refused gets no more than a mebibyte read away, long before two seconds."""
    async with serving(referee_for(NAMES[:2])) as server:
        guest = await connect(server)
        with closing(guest):
            sent = 0
            with contextlib.suppress(OSError):
                while sent < 100_000_000:
                    await guest.send(b"GET " + b"x" * 100_000)
                    sent += 100_004
            await server.until(lambda: not server.engine._peers)

    assert sent < 100_000_000


async def test_beyond_those_being_turned_away_connections_are_closed_without_a_word(serving):
    """One browser is reading why it was refused; the next gets nothing but the end; bots still come in."""
    async with serving(referee_for(NAMES[:2], limits=ServerLimits(being_turned_away=1))) as server:
        first = await connect(server)
        with closing(first):
            await first.send(b"GET / HTTP/1.1\r\n\r\n")
            refusal = await first.hear()
            second = await connect(server)
            with closing(second), contextlib.suppress(ConnectionResetError):
                assert b"" == await second.read()
            first.close()
            await server.until(lambda: not server.engine.is_full)
            ada = await connect(server)
            with closing(ada):
                welcome = await ada.hello("ada")

    assert isinstance(refusal, Error)
    assert isinstance(welcome, Welcome)
