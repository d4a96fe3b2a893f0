"""A served tournament: registration, start, late entry, leaving, and each word of the organiser."""

import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Callable

import pytest
import trio
import trio.testing

from protocol.connection import Connection
from protocol.errors import ErrorCode
from protocol.messages import (
    Closing,
    GameEnd,
    GameStart,
    Hello,
    Leave,
    TournamentEnd,
    Waiting,
    Welcome,
)
from protocol.parts import ClosingBecause, WaitingFor
from protocol.states import Role
from referee.play.clock import Arrival, ClockRules
from referee.server.lobby import hashed
from referee.server.news import GameOver, Joined, Lost, Refused, RoundOver, RoundPlanned, Withdrawn
from referee.server.serving import Ending, StartRule
from referee.tournament.model import Kind
from tests.server.network import REQUESTS, S
from tests.server.room import Room, open_listener, until

PATIENT = ClockRules(move_ns=300 * S)
"""Nobody is late while a test waits for something else."""

SWISS = {"kind": Kind.SWISS, "rounds": 3, "clock": PATIENT}
OpenRoom = Callable[..., contextlib.AbstractAsyncContextManager[Room]]


@pytest.fixture
def room() -> OpenRoom:
    """Open a room with a tournament in it; it is cleared at the end."""

    @contextlib.asynccontextmanager
    async def opened(**options: object) -> AsyncIterator[Room]:
        with contextlib.closing(open_listener()) as listener:
            async with trio.open_nursery() as nursery:
                yield Room(nursery, listener, **options)
                nursery.cancel_scope.cancel()

    return opened


# --- when it begins ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "entrants", "now", "opens"),
    [
        (StartRule(), 99, 9e9, False),
        (StartRule(entrants=3), 2, 9e9, False),
        (StartRule(entrants=3), 3, 100.0, True),
        (StartRule(entrants=3), 4, 100.0, True),
        (StartRule(after_s=60.0), 2, 159.9, False),
        (StartRule(after_s=60.0), 2, 160.0, True),
        (StartRule(after_s=60.0), 1, 160.0, False),
        (StartRule(after_s=60.0), 0, 9e9, False),
        (StartRule(at=150.0), 2, 149.9, False),
        (StartRule(at=150.0), 2, 150.0, True),
        (StartRule(at=150.0, after_s=60.0), 2, 150.0, True),
        (StartRule(at=170.0, after_s=60.0), 2, 160.0, True),
        (StartRule(entrants=9, after_s=60.0), 2, 160.0, True),
        (StartRule(entrants=2, at=170.0), 2, 100.0, True),
    ],
)
def test_the_registration_ends_by_number_or_time_but_never_with_fewer_than_two(
    rule: StartRule, entrants: int, now: float, opens: bool
) -> None:
    """It began at 100; whichever condition holds first ends it, and none does for one entrant."""
    assert opens == rule.opens(entrants, 100.0, now)


def test_time_is_up_for_too_few_as_well() -> None:
    """At 160 s it is time, whoever is there; without a time it never is."""
    rule = StartRule(after_s=60.0)

    assert [False, True] == [rule.time_is_up(100.0, now) for now in (159.9, 160.0)]
    assert not StartRule(entrants=2).time_is_up(100.0, 9e9)


async def test_it_begins_when_so_many_are_there(room: OpenRoom) -> None:
    """Two of three wait for registration; with the third it begins, and all three are entrants."""
    async with room(start=StartRule(entrants=3), **SWISS) as hall:
        ada, bob = await hall.join("ada", "bob")

        assert WaitingFor.REGISTRATION is (await bob.hears(Waiting)).reason
        assert hall.tournament.director is None

        await hall.join("cyd")
        await ada.hears(GameStart)

        assert ["ada", "bob", "cyd"] == sorted(hall.points())


async def test_a_bot_that_dropped_does_not_count(room: OpenRoom) -> None:
    """Of two that were there one has gone: the third makes two, which is too few for three."""
    async with room(start=StartRule(entrants=3), **SWISS) as hall:
        ada, _ = await hall.join("ada", "bob")
        await ada.drop()
        await until(lambda: bool(hall.all(Lost)))
        await hall.join("cyd")
        await until(lambda: len(hall.all(Joined)) == 3)
        await trio.testing.wait_all_tasks_blocked()

        assert hall.tournament.director is None


async def test_it_waits_past_its_time_for_two_and_says_so_once(room: OpenRoom) -> None:
    """Registration of no time at all: it says with how many it waits, and begins with the second."""
    async with room(start=StartRule(after_s=0.0), **SWISS) as hall:
        await until(lambda: bool(hall.said))
        (ada,) = await hall.join("ada")
        await ada.hears(Waiting)

        assert ["it is time, but no entrants are there: waiting for at least two"] == hall.said

        await hall.join("bob")
        await ada.hears(GameStart)

        assert 1 == len(hall.said)


async def test_the_organiser_begins_with_two_and_not_with_fewer(room: OpenRoom) -> None:
    """A sentence says with how many it cannot begin; once begun it does not begin again."""
    async with room(**SWISS) as hall:
        none = hall.refuse("start")
        await hall.join("ada")
        one = hall.refuse("start")
        await hall.join("bob")

        assert "no entrants are there; a tournament needs at least two" == none
        assert "one entrant is there; a tournament needs at least two" == one
        assert "the tournament begins with 2 entrants" == hall.do("start")
        assert "the tournament has begun already" == hall.refuse("start")


async def test_a_bot_whose_hello_was_just_read_is_there(room: OpenRoom) -> None:
    """The start falls between the reading of a hello and its answer: the bot is in."""
    async with room(**SWISS) as hall:
        await hall.join("ada", "bob")
        engine = hall.tournament.engine
        hello = Connection(Role.BOT).send(Hello(name="cyd", secret="s", versions=(1,)))
        engine.received(engine.connected("test", 0), hello, Arrival.at(0), 0)
        hall.do("start")

        assert ["ada", "bob", "cyd"] == sorted(hall.points())


async def test_names_that_are_not_connected_at_the_start_are_free_again(room: OpenRoom) -> None:
    """Zoe came and went: it begins without it, says so, and another may come late by that name."""
    async with room(**SWISS) as hall:
        ada, _, zoe = await hall.join("ada", "bob", "zoe", answering=False)
        await zoe.drop()
        await until(lambda: bool(hall.all(Lost)))
        hall.do("start")
        await ada.hears(GameStart)

        assert ["zoe is not connected and is left out"] == hall.said
        assert ["ada", "bob"] == sorted(hall.points())

        other = await hall.knock("zoe", "another")

        assert isinstance(other.heard[0], Welcome)
        assert ["ada", "bob", "zoe"] == sorted(hall.points())


# --- who is let in -----------------------------------------------------------------------------------------


async def test_the_organiser_hears_who_comes_from_where_with_what_and_who_goes(room: OpenRoom) -> None:
    """Name, address and client of each; and the reason of a loss."""
    async with room(**SWISS) as hall:
        ada = await hall.knock("ada", client="mybot 1.2")
        await ada.drop()
        await until(lambda: bool(hall.all(Lost)))
        (joined,), (lost,) = hall.all(Joined), hall.all(Lost)

        assert ("ada", "mybot 1.2") == (joined.entrant, joined.client)
        assert re.fullmatch(r"127\.0\.0\.1:\d+", joined.address)
        assert ("ada", "the connection was closed by the bot") == (lost.entrant, lost.reason)


async def test_the_first_secret_owns_a_name(room: OpenRoom) -> None:
    """Another secret is told that the name is taken, also while its owner is away; the owner comes back."""
    async with room(**SWISS) as hall:
        (ada,) = await hall.join("ada")
        await ada.drop()
        await until(lambda: bool(hall.all(Lost)))
        thief = await (await hall.knock("ada", "mine")).closed()
        again = await hall.knock("ada")

        assert (ErrorCode.NAME_TAKEN, True) == (ErrorCode(thief.code), thief.fatal)
        assert "belongs to a bot with another secret" in thief.message
        assert isinstance(again.heard[0], Welcome)


async def test_the_limits_are_told_before_it_begins(room: OpenRoom) -> None:
    """Rounds are told where the organiser has set them, and otherwise once they are known."""
    async with room(kind=Kind.SWISS, clock=PATIENT) as hall:
        ada, _ = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        await ada.hears(GameStart)
        again = await hall.knock("ada")

        assert None is ada.last(Welcome).tournament.rounds
        assert isinstance(again.last(Welcome).tournament.rounds, int)

    async with room(**SWISS) as hall:
        (ada,) = await hall.join("ada")

        assert 3 == ada.last(Welcome).tournament.rounds


async def test_only_listed_secrets_are_let_in_and_all_others_look_the_same(room: OpenRoom) -> None:
    """An unknown name, a wrong secret and another's secret get the same answer."""
    secrets = {"ada": {hashed("a")}, "bob": {hashed("b")}}
    async with room(secrets=secrets, **SWISS) as hall:
        ada = await hall.knock("ada", "a")
        unknown, wrong, foreign = [
            await (await hall.knock(name, secret)).closed()
            for name, secret in (("zoe", "a"), ("bob", "x"), ("bob", "a"))
        ]

        assert isinstance(ada.heard[0], Welcome)
        assert "unknown_entrant" == unknown.code
        assert unknown.message.replace("zoe", "bob") == wrong.message == foreign.message


async def test_two_bots_of_an_entrant_play_two_games_at_once(room: OpenRoom) -> None:
    """Two listed secrets for each name: neither supersedes the other, and both games of a round run."""
    secrets = {name: {hashed(f"{name}1"), hashed(f"{name}2")} for name in ("ada", "bob")}
    async with room(secrets=secrets, games=2, clock=PATIENT, concurrency=2) as hall:
        guests = [
            await hall.knock(name, f"{name}{number}", answering=False)
            for name in ("ada", "bob")
            for number in (1, 2)
        ]
        hall.do("start")
        for guest in guests:
            await guest.hears(*REQUESTS)
        games = [guest.last(GameStart).game for guest in guests]

        assert [{"r1t1g1", "r1t1g2"}] * 2 == [set(games[:2]), set(games[2:])]
        assert [] == [guest for guest in guests if guest.ended]

        for guest in guests:
            await guest.answer()

        assert Ending.COMPLETE is await hall.ends()
        assert {"ada", "bob"} == {row.name for row in hall.tournament.director.rows() if row.games == 2}


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\n\r\n", b"hello\r\n", None], ids=["http", "text", "tls"])
async def test_something_else_on_the_port_leaves_the_lobby_unharmed(
    room: OpenRoom, said: bytes | None
) -> None:
    """It is told in a sentence and turned out; those who wait go on waiting, and it is said once."""
    async with room(**SWISS) as hall:
        ada, _ = await hall.join("ada", "bob")
        async with await trio.open_tcp_stream("127.0.0.1", hall.port) as stranger:
            await stranger.send_all(said or _client_hello())
            answer = b"".join([data async for data in stranger])
        await until(lambda: bool(hall.all(Refused)))

        assert b"This looks like" in answer
        assert 1 == len(hall.all(Refused))

        hall.do("start")
        await ada.hears(TournamentEnd)

        assert Ending.COMPLETE is await hall.ends()


def _client_hello() -> bytes:
    """Return the first bytes of a TLS connection."""
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="x")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


# --- late entry, leaving, removal --------------------------------------------------------------------------


async def test_a_late_entrant_plays_from_the_next_round_on(room: OpenRoom) -> None:
    """Cyd comes in round 1 of 3, waits for the round, and has 0 points before it plays."""
    async with room(**SWISS) as hall:
        ada, bob = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        await ada.hears(*REQUESTS)
        cyd = await hall.knock("cyd")

        assert WaitingFor.ROUND is (await cyd.hears(Waiting)).reason
        assert "0" == hall.points()["cyd"]

        await bob.hears(*REQUESTS)
        await ada.answer()
        await bob.answer()
        ending = await hall.ends()
        plans = [item.plan for item in hall.all(RoundPlanned)]

        assert Ending.COMPLETE is ending
        assert [{"ada", "bob"}, {"ada", "bob", "cyd"}, {"ada", "bob", "cyd"}] == [
            {name for table in plan.tables for name in table.entrants} | set(plan.byes) for plan in plans
        ]
        assert cyd.all(TournamentEnd)


@pytest.mark.parametrize(
    ("setup", "sentence"),
    [
        ({"clock": PATIENT}, "Too late: a round-robin that has begun takes no late entrants."),
        (SWISS | {"rounds": 1}, "Too late: the last round has begun."),
    ],
    ids=["round-robin", "last round"],
)
async def test_who_comes_too_late_is_told_why(room: OpenRoom, setup: dict, sentence: str) -> None:
    """Neither a fixed schedule nor the last round takes anybody in, and the organiser is told the same."""
    async with room(**setup) as hall:
        ada, _ = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        await ada.hears(*REQUESTS)
        late = await (await hall.knock("cyd")).closed()

        assert ("registration_closed", sentence) == (late.code, late.message)
        assert ["ada", "bob"] == sorted(hall.points())
        assert sentence[:-1].lower() == hall.refuse("add cyd").lower()


async def test_who_leaves_between_rounds_is_not_paired_again(room: OpenRoom) -> None:
    """Cyd says goodbye in the pause after round 1: it is told `left`, is withdrawn, and stays out."""
    async with room(**SWISS) as hall:
        ada, bob, cyd = await hall.join("ada", "bob", "cyd", answering=False)
        hall.do("pause")
        hall.do("start")
        hall.do("continue")
        await until(lambda: bool(hall.all(RoundPlanned)))
        hall.do("pause")
        for guest in (ada, bob, cyd):
            guest.answering = True
            if guest.all(*REQUESTS) or guest.all(GameStart):
                await guest.hears(*REQUESTS)
                await guest.answer()
        await until(lambda: bool(hall.all(RoundOver)))
        await cyd.say(Leave())
        last = await cyd.closed()
        hall.do("continue")
        await hall.ends()
        plans = [item.plan for item in hall.all(RoundPlanned)]

        assert ClosingBecause.LEFT is last.reason
        assert [Withdrawn(entrant="cyd", reason="left the tournament")] == hall.all(Withdrawn)
        assert [False, True, True] == [
            "cyd" not in {name for table in plan.tables for name in table.entrants} | set(plan.byes)
            for plan in plans
        ]


async def test_who_is_removed_before_the_start_is_told_why_and_stays_out(room: OpenRoom) -> None:
    """Neither its own secret nor another brings the name back, until the organiser adds it."""
    async with room(**SWISS) as hall:
        _, _, zoe = await hall.join("ada", "bob", "zoe")
        reply = hall.do("remove zoe bad manners, twice")
        last = await zoe.closed()
        codes = [(await (await hall.knock("zoe", secret)).closed()).code for secret in ("s", "other")]

        assert "zoe is out" == reply
        assert ClosingBecause.REMOVED is last.reason
        assert "The organiser removed 'zoe': bad manners, twice" == last.message
        assert ["unknown_entrant"] * 2 == codes

        hall.do("add zoe")
        again = await hall.knock("zoe")

        assert isinstance(again.heard[0], Welcome)
        assert "there is no entrant 'max'" == hall.refuse("remove max because")


async def test_a_listed_entrant_who_is_removed_stays_out_with_all_its_secrets(room: OpenRoom) -> None:
    """Only one of its two bots was there; the other is not let in either, before the start and in play."""
    secrets = {"ada": {hashed("s")}, "bob": {hashed("s")}, "zoe": {hashed("1"), hashed("2")}}
    for begin in (False, True):
        async with room(secrets=secrets, **SWISS) as hall:
            await hall.join("ada", "bob", answering=False)
            await hall.knock("zoe", "1", answering=False)
            if begin:
                hall.do("start")
            hall.do("remove zoe reason")
            second = await (await hall.knock("zoe", "2")).closed()

            assert "unknown_entrant" == second.code


async def test_who_is_removed_in_play_is_played_by_default_and_the_others_go_on(room: OpenRoom) -> None:
    """The game of ada and bob ends at once for bob, by defaults; both stand in the standings."""
    async with room(**SWISS | {"rounds": 1}) as hall:
        ada, bob = await hall.join("ada", "bob")
        ada.answering = bob.answering = False
        hall.do("start")
        await ada.hears(*REQUESTS)
        hall.do("remove bob asleep")
        await ada.answer()
        ending = await hall.ends()
        (result,) = [item.result for item in hall.all(GameOver)]

        assert Ending.COMPLETE is ending
        assert ClosingBecause.REMOVED is bob.last(Closing).reason
        assert {"ada", "bob"} == {seat.name for seat in result.seats}
        assert [("bob", "removed by the organiser: asleep")] == [
            (item.entrant, item.reason) for item in hall.all(Withdrawn)
        ]


async def test_an_added_entrant_gets_a_secret_that_works(room: OpenRoom) -> None:
    """With secrets in use the reply shows a new one; a name that is there, or is none, is refused."""
    secrets = {"ada": {hashed("s")}}
    async with room(secrets=secrets, **SWISS) as hall:
        await hall.join("ada")
        reply = hall.do("add eve")
        secret = re.search(r"the secret ([0-9a-f]{32}) ", reply)[1]
        eve = await hall.knock("eve", secret)

        assert isinstance(eve.heard[0], Welcome)
        assert {hashed(secret)} == secrets["eve"]
        assert "'ada' is an entrant already" == hall.refuse("add ada")
        assert "no name for an entrant" in hall.refuse("add Ada")


# --- pause, void, finish -----------------------------------------------------------------------------------


async def test_in_a_pause_games_go_on_but_none_starts_nor_does_it_end(room: OpenRoom) -> None:
    """Round 1 of 1 ends in a pause: nothing more happens, status says so, and `continue` ends it."""
    async with room(**SWISS | {"rounds": 1}) as hall:
        ada, bob = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        await ada.hears(*REQUESTS)
        await bob.hears(*REQUESTS)
        hall.do("pause")
        await ada.answer()
        await bob.answer()
        await ada.hears(GameEnd)
        await until(lambda: bool(hall.all(RoundOver)))
        await ada.hears(Waiting, count=2)

        assert (
            "round 1 of 1: 1 of 1 games done, 0 tables being played; paused, 'continue' starts games again"
            == hall.do("status").splitlines()[0]
        )
        assert hall.ending is None

        hall.do("continue")

        assert Ending.COMPLETE is await hall.ends()


async def test_who_comes_in_the_pause_after_a_round_plays_in_the_next(room: OpenRoom) -> None:
    """The next round is drawn when it starts, so that nobody has to sit it out."""
    async with room(**SWISS | {"rounds": 2}) as hall:
        ada, bob = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        await ada.hears(*REQUESTS)
        await bob.hears(*REQUESTS)
        hall.do("pause")
        await ada.answer()
        await bob.answer()
        await until(lambda: bool(hall.all(RoundOver)))
        await hall.join("cyd")
        hall.do("continue")
        await hall.ends()
        plan = hall.all(RoundPlanned)[1].plan

        assert {"ada", "bob", "cyd"} == {name for at in plan.tables for name in at.entrants} | set(plan.byes)


async def test_a_running_round_is_played_again_with_other_cards(room: OpenRoom) -> None:
    """The game is given up in its first trick: g2 starts with another hand, and an answer to g1 is stale."""
    async with room(**SWISS | {"rounds": 1}) as hall:
        ada, bob = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        first = await ada.hears(*REQUESTS)
        reply = hall.do("void 1 the cat pulled a plug")
        again = await ada.hears(GameStart, count=2)
        second = await ada.hears(*REQUESTS, count=2)
        await bob.hears(*REQUESTS, count=2)

        assert "round 1 is played again, with other cards" == reply
        assert ("r1t1g1", "r1t1g2") == (ada.all(GameStart)[0].game, again.game)
        assert first.hand != second.hand

        await ada.answer()
        await bob.answer()
        ending = await hall.ends()

        assert Ending.COMPLETE is ending
        assert ["r1t1g2"] == [str(item.result.game) for item in hall.all(GameOver)]
        assert [1, 1] == [row.games for row in hall.tournament.director.rows()]
        assert {1: "the cat pulled a plug"} == hall.tournament.voided
        assert (1,) == hall.tournament.director.facts().voided


async def test_a_finished_round_is_voided_in_the_pause_after_it(room: OpenRoom) -> None:
    """Points and games are as before it was played; then it is played again."""
    async with room(**SWISS | {"rounds": 2}) as hall:
        ada, bob = await hall.join("ada", "bob", answering=False)
        hall.do("start")
        await ada.hears(*REQUESTS)
        await bob.hears(*REQUESTS)
        hall.do("pause")
        await ada.answer()
        await bob.answer()
        await until(lambda: bool(hall.all(RoundOver)))

        assert "1" in hall.points().values() or {"1/2"} == set(hall.points().values())

        hall.do("void 1 wrong room")

        assert {"ada": "0", "bob": "0"} == hall.points()

        hall.do("continue")
        await hall.ends()
        games = [str(item.result.game) for item in hall.all(GameOver)]

        assert ["r1t1g1", "r1t1g2", "r2t1g1"] == games
        assert [2, 2] == [row.games for row in hall.tournament.director.rows()]


async def test_what_cannot_be_voided_is_refused_in_a_sentence(room: OpenRoom) -> None:
    """Nothing has begun; a round that is to come; and nothing once all is over."""
    async with room(**SWISS | {"rounds": 1}) as hall:
        (ada, _) = await hall.join("ada", "bob", answering=False)
        early = hall.refuse("void 1 reason")
        hall.do("start")
        await ada.hears(*REQUESTS)
        coming = hall.refuse("void 2 reason")
        hall.do("finish")
        await hall.ends()

        assert "nothing has been played yet" == early
        assert "round 2 has not begun; there are rounds 1 to 1" == coming
        assert "the tournament is over" == hall.refuse("void 1 reason")


@pytest.mark.parametrize("paused", [False, True], ids=["playing", "paused"])
async def test_finish_ends_it_now_and_what_was_played_counts(room: OpenRoom, paused: bool) -> None:
    """In the first trick: everybody is told that it was not complete, and is closed politely."""
    async with room(**SWISS) as hall:
        ada, bob = await hall.join("ada", "bob", answering=False)
        before = hall.refuse("finish")
        hall.do("start")
        await ada.hears(*REQUESTS)
        if paused:
            hall.do("pause")
        hall.do("finish")
        ending = await hall.ends()

        assert "the tournament has not begun; 'start' begins it" == before
        assert Ending.CUT_SHORT is ending
        for guest in (ada, bob):
            assert not guest.last(TournamentEnd).complete
            assert ClosingBecause.FINISHED is guest.last(Closing).reason
        assert {"ada": "0", "bob": "0"} == hall.points()


async def test_an_interrupted_tournament_tells_everybody(room: OpenRoom) -> None:
    """Also those who wait; the ending says that it was stopped."""
    async with room(**SWISS) as hall:
        ada, bob = await hall.join("ada", "bob")
        hall.tournament.interrupt()
        ending = await hall.ends()
        last = [await guest.closed() for guest in (ada, bob)]

        assert Ending.INTERRUPTED is ending
        assert [ClosingBecause.SUSPENDED] * 2 == [message.reason for message in last]


async def test_status_tells_where_everybody_is(room: OpenRoom) -> None:
    """Who is there from where with what client, who is waited for, and who is gone."""
    async with room(**SWISS) as hall:
        await hall.knock("ada", client="mine 1", answering=False)
        bob, cyd = await hall.join("bob", "cyd", answering=False)

        assert "registration: 3 entrants are there" == hall.do("status").splitlines()[0]

        hall.do("start")
        await until(lambda: bool(hall.all(RoundPlanned)))
        await bob.drop()
        await cyd.say(Leave())
        await until(lambda: len(hall.all(Lost)) == 2)
        lines = {line.split()[0].rstrip(":"): line for line in hall.do("status").splitlines()[1:]}

        assert re.match(r"  ada \(mine 1\): from 127\.0\.0\.1:\d+, ", lines["ada"])
        assert re.match(r"  bob: not connected, waited for \d s more, ", lines["bob"])
        assert "  cyd: gone for good, no game" == lines["cyd"]


async def test_standings_are_shown_once_there_are_any(room: OpenRoom) -> None:
    """Before the start there are none; from then on they are those of the renderer."""
    async with room(**SWISS) as hall:
        (ada, _) = await hall.join("ada", "bob", answering=False)

        assert "the tournament has not begun; 'start' begins it" == hall.refuse("standings")

        hall.do("start")
        await ada.hears(*REQUESTS)

        assert "ada 0\nbob 0" == hall.do("standings")


async def test_who_comes_back_at_once_after_the_end_is_let_into_the_next(nursery: trio.Nursery) -> None:
    """A bot that connects on hearing `closing` waits for the next tournament on the listener."""
    with contextlib.closing(open_listener()) as listener:
        first = Room(nursery, listener, **SWISS | {"rounds": 1})
        ada, bob = await first.join("ada", "bob")
        first.do("start")
        await ada.hears(Closing)
        early = await trio.open_tcp_stream("127.0.0.1", first.port)
        await bob.hears(Closing)
        await first.ends()
        second = Room(nursery, listener, **SWISS | {"rounds": 1})
        again = await second.knock("ada", "another secret")
        await early.aclose()

        assert isinstance(again.heard[0], Welcome)
        assert None is second.ending
        second.tournament.interrupt()
        await second.ends()
