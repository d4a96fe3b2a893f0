"""The requirements of SPEC.md that a served tournament brings: who gets in, and what the organiser may do."""

import contextlib

import pytest
import trio

from protocol.messages import Card, Closing, GameEnd, GameStart, RequestClosed, TournamentEnd, Waiting
from protocol.parts import ClosedBecause, ClosingBecause, WaitingFor
from protocol.requests import ChooseCard
from referee.play.clock import ClockRules
from referee.play.faults import Fault
from referee.server.lobby import hashed
from referee.tournament.model import Kind
from tests.server.network import S
from tests.server.room import Room, open_listener, until

SWISS = {"kind": Kind.SWISS, "rounds": 2, "clock": ClockRules(move_ns=300 * S)}


@pytest.fixture
def room():
    """Open a room with a tournament in it, a swiss of two rounds unless said otherwise."""

    @contextlib.asynccontextmanager
    async def opened(**options):
        with contextlib.closing(open_listener()) as listener:
            async with trio.open_nursery() as nursery:
                yield Room(nursery, listener, **{**SWISS, **options})
                nursery.cancel_scope.cancel()

    return opened


async def begun(hall):
    """Begin with ada and bob and let both be asked for their first card; return them."""
    ada, bob = await hall.join("ada", "bob", answering=False)
    hall.do("start")
    await ada.hears(ChooseCard)
    await bob.hears(ChooseCard)
    return ada, bob


async def last_word(hall, name, secret="s"):
    """Return the type, and the code or reason, with which a bot is turned away."""
    word = await (await hall.knock(name, secret)).closed()
    return word.TYPE, word.code if word.TYPE == "error" else word.reason.value


async def test_t5_hello_07_the_first_secret_owns_a_name_to_the_end(room):
    """Another secret is refused before the tournament begins and in it, also while the owner is away."""
    async with room() as hall:
        ada, _ = await hall.join("ada", "bob", answering=False)
        refusals = [await last_word(hall, "ada", "other")]
        hall.do("start")
        await ada.hears(ChooseCard)
        await ada.drop()
        await until(lambda: ada.ended)
        refusals.append(await last_word(hall, "ada", "other"))
        back = await hall.knock("ada")

        assert refusals == [("error", "name_taken")] * 2
        assert back.heard[0].open_games == ("r1t1g1",)


async def test_t5_hello_07_the_name_of_who_is_not_there_at_the_beginning_is_free_again(room):
    """Cyd has gone when it begins; another secret may then come late under that name."""
    async with room() as hall:
        _, _, cyd = await hall.join("ada", "bob", "cyd", answering=False)
        await cyd.drop()
        await until(lambda: hall.tournament.engine.entrants_here() == ["ada", "bob"])
        hall.do("start")

        assert (await hall.knock("cyd", "other")).heard[0].TYPE == "welcome"


async def test_t5_hello_08_a_newcomer_plays_from_the_next_round_on(room):
    """Cyd waits for round 2, which is the last; then dan is too late, and cyd may still come back."""
    async with room() as hall:
        ada, bob = await begun(hall)
        cyd = await hall.knock("cyd", answering=False)
        waiting = await cyd.hears(Waiting)
        await ada.answer()
        await bob.answer()
        started = await cyd.hears(GameStart)

        assert waiting.reason is WaitingFor.ROUND
        assert started.round == 2
        assert await last_word(hall, "dan") == ("error", "registration_closed")
        assert (await hall.knock("cyd")).heard[0].open_games == (started.game,)


async def test_t5_hello_08_a_round_robin_takes_nobody_in_once_it_has_begun(room):
    """Cyd comes in the first trick; a listed second bot of ada does get in, as ada is in."""
    secrets = {name: {hashed("s")} for name in ("bob", "cyd")} | {"ada": {hashed("s"), hashed("2")}}
    async with room(kind=Kind.ROUND_ROBIN, secrets=secrets) as hall:
        await begun(hall)

        assert await last_word(hall, "cyd") == ("error", "registration_closed")
        assert (await hall.knock("ada", "2")).heard[0].TYPE == "welcome"


async def test_t5_end_04_a_round_that_is_played_again_abandons_its_games(room):
    """Nothing more about r1t1g1; r1t1g2 has another set, number and hand; a late answer is just stale."""
    async with room() as hall:
        ada, bob = await begun(hall)
        asked = ada.last(ChooseCard)
        hall.do("void 1 the cat pulled a plug")
        again = await ada.hears(GameStart, count=2)
        asked_again = await ada.hears(ChooseCard, count=2)
        await ada.say(Card(request=asked.request, card=asked.choices[0]))
        await ada.answer()
        await bob.hears(ChooseCard, count=2)
        await bob.answer()
        await hall.ends()

        first, *_ = ada.all(GameStart)
        assert (first.game, first.set, first.number) == ("r1t1g1", 1, 1)
        assert (again.game, again.set, again.number) == ("r1t1g2", 2, 2)
        assert (again.round, again.table, sorted(again.names)) == (1, 1, ["ada", "bob"])
        assert asked_again.hand != asked.hand
        assert "r1t1g1" not in {message.game for message in ada.all(GameEnd, RequestClosed)}
        assert ada.all(GameEnd)[0].game == "r1t1g2"
        assert {row.name: row.faults for row in hall.tournament.director.rows()} == {
            "ada": {Fault.STALE.value: 1},
            "bob": {},
        }


async def test_t5_end_04_finishing_early_abandons_what_is_played(room):
    """No `game_end`: the last words are that it is not complete, and goodbye; nobody has played a game."""
    async with room() as hall:
        ada, bob = await begun(hall)
        hall.do("finish")
        await hall.ends()

        for guest in (ada, bob):
            end = guest.last(TournamentEnd)
            assert (end.complete, end.you.games, end.you.points) == (False, 0, "0")
            assert guest.last(Closing).reason is ClosingBecause.FINISHED
            assert guest.all(GameEnd, RequestClosed) == []


async def test_t5_end_05_who_is_removed_is_told_so_and_played_by_default(room):
    """Bob hears `removed`, ada plays on against defaults, and bob's later hello is refused."""
    async with room() as hall:
        ada, bob = await begun(hall)
        hall.do("remove bob floods the network")
        word = await bob.closed()
        refusal = await last_word(hall, "bob")
        await ada.answer()
        end = await ada.hears(GameEnd)

        assert (word.reason, "floods the network" in word.message) == (ClosingBecause.REMOVED, True)
        assert word.retry_ms is None
        assert end.game == "r1t1g1"
        assert all(closed.reason is ClosedBecause.ANSWERED for closed in ada.all(RequestClosed))
        assert refusal == ("error", "unknown_entrant")
