"""Coming back: who takes over from whom, and what is told again (T5-REJOIN)."""

import attrs
import pytest

from protocol.errors import ErrorCode
from protocol.messages import (
    Closing,
    DealStart,
    EventMessage,
    GameEnd,
    GameStart,
    Leave,
    Ping,
    Pong,
    TrickResult,
    Welcome,
)
from protocol.parts import ClosedBecause, ClosingBecause
from protocol.requests import RequestClosed
from referee.play.clock import ClockRules
from referee.rules.variants import Rules, Variant
from tests.server.network import MS, NAMES, REQUESTS, S, World, answer_to, honest, secret, silent

PLAIN = "plain-0"
"""A seed whose first game of ada and bob has no row to choose in tricks 1 and 10, if both are honest."""


def at_trick(trick, policy=silent):
    """Play honestly up to a trick, and from there on as the policy says."""

    def choose(bot, message):
        playing = isinstance(message, REQUESTS) and message.trick < trick
        return (honest if playing else policy)(bot, message)

    return choose


def test_t5_rejoin_01_a_second_hello_takes_over():
    """The old one hears `closing` (superseded) as its last word; the new one is welcome and plays."""
    world = World()
    old = world.join("ada")
    world.settle()
    new = world.join("ada")
    world.settle()

    assert ["welcome", "waiting", "closing"] == old.types
    assert ClosingBecause.SUPERSEDED is old.last().reason
    assert old.last().retry_ms is None
    assert old.wire is None
    assert ["welcome", "waiting"] == new.types

    world.join("bob")
    world.begin()
    world.play()

    assert {"finished"} == {new.last(Closing).reason.value}
    assert {} == world.faults("ada")


def test_t5_rejoin_01_what_the_old_one_has_sent_is_read_before():
    """Its answer lies unread in the socket when the new one says hello: it counts, and trick 2 goes on."""
    world = World(seed=PLAIN)
    old, bob = world.everybody(silent, events=True)
    world.begin()
    world.settle()
    bob.say(answer_to(bob.asked))
    world.settle()
    old.wire.overlooked = True
    world.after(10 * MS, lambda: old.say(answer_to(old.asked)))
    world.run_for(20 * MS)
    new = world.join("ada", silent)
    world.settle()

    (closed,) = bob.all(RequestClosed)
    assert ["request_closed", "trick_result", "choose_card", "closing"] == old.types[-4:]
    assert (ClosedBecause.ANSWERED, 10) == (old.last(RequestClosed).reason, old.last(RequestClosed).took_ms)
    assert ClosedBecause.ANSWERED is closed.reason
    assert ["welcome", "game_start", "choose_card"] == new.types
    assert 2 == new.asked.trick
    assert old.asked == new.asked


def test_t5_rejoin_01_all_of_several_that_come_at_once_but_the_last_are_superseded():
    """Three connections say hello in the same moment: each takes over from the one before."""
    world = World()
    first, second, third = (world.join("ada") for _ in range(3))
    world.settle()

    assert ["welcome", "closing"] == first.types == second.types
    assert ["welcome", "waiting"] == third.types


def test_another_instance_takes_over_from_nobody():
    """Two secrets are two bots: both stay."""
    world = World(instances=2)
    first, second = world.join("ada", number=1), world.join("ada", number=2)
    world.settle()

    assert ["welcome", "waiting"] == first.types == second.types


def test_what_comes_on_the_old_connection_after_the_new_one_is_nothing():
    """It was told `closing`: garbage that was under way, or its end, costs the bot nothing."""
    world = World()
    old, bob = world.everybody(silent)
    world.begin()
    world.settle()
    number = old.wire.number
    world.join("ada", honest)
    world.settle()
    bob.policy = honest
    bob.say(answer_to(bob.asked))
    world.engine.received(number, b"\xff\xff\xff\xff", None, world.now)
    world.play()

    assert {} == world.faults("ada")
    assert [False] == [result.seats[0].forfeited for result in world.results]


@pytest.mark.parametrize("events", [False, True])
def test_t5_rejoin_02_what_is_told_again(events):
    """Back in trick 3, 300 ms after it was asked: all games, with the old events, and 700 ms left in each."""
    world = World(games=2, concurrency=2, rounds=1)
    ada, _ = world.everybody(at_trick(3), games=2, events=events)
    world.begin()
    world.settle()
    before = {
        game.game: [message for message in ada.heard if getattr(message, "game", None) == game.game]
        for game in ada.all(GameStart)
    }
    world.run_for(100 * MS)
    world.drop(ada)
    world.run_for(200 * MS)
    heard = len(ada.heard)
    ada.connect()
    world.settle()
    welcome, *told = ada.heard[heard:]

    assert ("r1t1g1", "r1t1g2") == welcome.open_games == tuple(before)
    assert [3, 3] == [message.trick for message in told if isinstance(message, REQUESTS)]
    for game, messages in before.items():
        again = [message for message in told if message.game == game]
        (start,) = (message for message in messages if isinstance(message, GameStart))
        happened = [message for message in messages if isinstance(message, EventMessage)]
        asked = [message for message in messages if isinstance(message, REQUESTS)][-1]
        assert [attrs.evolve(start, resumed=True), *happened, attrs.evolve(asked, time_ms=700)] == again
        assert ([1, 2, 3] if events else []) == [message.seq for message in happened]


def test_t5_rejoin_02_the_deal_that_is_being_played_is_told_and_no_other():
    """In trick 2 of deal 2 a bot that has never asked for events comes back and wants them: deal 2 only."""
    world = World(rules=Rules(target=None, deals=2))
    deal_2 = at_trick(2)

    def policy(bot, message):
        return (honest if getattr(message, "deal", 1) == 1 else deal_2)(bot, message)

    ada, _ = world.everybody(policy)
    world.begin()
    world.settle()
    world.drop(ada)
    ada.hello = attrs.evolve(ada.hello, events=True)
    ada.connect()
    world.settle()
    (start,), (trick,) = ada.all(DealStart), ada.all(TrickResult)

    assert [(2, 1), (2, 2)] == [(message.deal, message.seq) for message in (start, trick)]
    assert set(ada.asked.hand) < set(start.hand)
    assert ["deal_start", "trick_result", "choose_card"] == ada.types[-3:]


def test_t5_rejoin_02_in_a_draft_the_picks_are_told_again():
    """Advanced: two picks are made; who comes back hears deal_start and both, and is asked for the third."""
    rules = Rules(variant=Variant.ADVANCED, target=None, deals=1)
    world = World(rules=rules)
    bots = world.everybody(silent, events=True)
    world.begin()
    for _ in range(2):
        world.settle()
        asked = max((bot for bot in bots if bot.all(*REQUESTS)), key=lambda bot: bot.asked.request)
        asked.say(answer_to(asked.asked))
    world.settle()
    first = bots[0]
    world.drop(first)
    heard = len(first.heard)
    first.connect()
    world.settle()

    kinds = ["welcome", "game_start", "deal_start", "drafted", "drafted", "choose_draft"]
    assert kinds == first.types[heard:]
    assert [1, 2, 3] == [message.seq for message in first.heard[heard + 2 : heard + 5]]
    assert 3 == first.asked.pick


def test_t5_rejoin_02_who_owes_nothing_is_asked_nothing():
    """It has answered and the other is still thinking: game_start and silence."""
    world = World()
    ada = world.join("ada", at_trick(2))
    world.join("bob", silent)
    world.begin()
    world.run_for(10 * MS)
    world.drop(ada)
    ada.connect()
    world.settle()

    assert ["welcome", "game_start"] == ada.types[-2:]


def test_t5_rejoin_03_back_in_time_costs_no_strike():
    """Away from 0.1 s to 0.9 s of a second, in every trick: only counted as disconnected."""
    world = World()

    def policy(bot, message):
        if isinstance(message, REQUESTS) and message.time_ms == 1000:
            world.after(100 * MS, lambda: world.drop(bot))
            return ()
        return honest(bot, message)

    ada = world.join("ada", policy, rejoin_ns=800 * MS)
    world.join("bob")
    world.begin()
    world.play()
    asked = len({message.request for message in ada.all(*REQUESTS)})

    assert {"disconnected": asked} == world.faults("ada")
    assert {0} == {message.strikes for message in ada.all(RequestClosed)}
    assert {900} == {message.took_ms for message in ada.all(RequestClosed)}


def test_a_game_that_ends_as_its_bot_comes_back_is_not_among_the_open_ones():
    """The last answer, the end of its connection and the next hello are read in one pass."""
    world = World(games=2, rounds=1, seed=PLAIN)
    ada, bob = world.everybody(at_trick(10))
    world.begin()
    world.settle()
    bob.say(answer_to(bob.asked))
    world.settle()
    ada.say(answer_to(ada.asked))
    world.drop(ada, delivered=True)
    heard = len(ada.heard)
    ada.connect()
    world.settle()

    assert 1 == len(world.results)
    assert () == ada.all(Welcome)[-1].open_games
    assert ["welcome", "game_start", "choose_card"] == ada.types[heard : heard + 3]
    assert (False, "r1t1g2") == (ada.all(GameStart)[-1].resumed, ada.all(GameStart)[-1].game)


def test_a_game_that_ends_by_an_unread_answer_of_the_old_connection():
    """The drained answer ends the game: the old connection hears of it, the new one has no open game."""
    world = World(seed=PLAIN)
    old, bob = world.everybody(at_trick(10))
    world.begin()
    world.settle()
    bob.say(answer_to(bob.asked))
    world.settle()
    old.wire.overlooked = True
    old.say(answer_to(old.asked))
    world.settle()
    new = world.join("ada")
    world.settle()

    assert ["request_closed", "game_end", "closing"] == old.types[-3:]
    assert () == new.all(Welcome)[0].open_games
    assert [] == new.all(GameEnd)


def test_a_hello_that_crosses_with_a_leave_is_refused():
    """The old connection has said `leave`, unread so far, when the new one says hello: it is too late."""
    world = World()
    old, _ = world.everybody()
    world.settle()
    old.wire.overlooked = True
    old.say(Leave())
    new = world.join("ada")
    world.settle()

    assert ClosingBecause.LEFT is old.last().reason
    assert [ErrorCode.UNKNOWN_ENTRANT] == new.codes


def test_bank_does_not_run_while_away():
    """Away in the free time and back: what is told of the bank is the whole; it closes at 1 s as gone."""
    clock = ClockRules(move_ns=1 * S, bank_ns=5 * S)
    world = World(clock=clock)
    ada = world.join("ada", silent)
    world.join("bob")
    world.begin()
    world.run_for(100 * MS)
    world.drop(ada)
    world.run_for(800 * MS)
    ada.connect()
    world.settle()

    assert (100, 5000) == (ada.asked.time_ms, ada.asked.bank_ms)

    world.drop(ada)
    world.run_for(200 * MS)
    ada.connect()
    world.settle()

    assert {"gone": 1, "disconnected": 2} == world.faults_so_far("ada")


def test_pings_on_both_connections_are_answered_where_they_came_from():
    """Until it is told `closing`, the old connection is served as well."""
    world = World()
    old = world.join("ada")
    world.settle()
    old.say(Ping(echo=1))
    new = world.join("ada")
    world.settle()
    new.say(Ping(echo=2))
    world.settle()

    assert [[1], [2]] == [[message.echo for message in bot.all(Pong)] for bot in (old, new)]


def test_a_secret_of_another_instance_does_not_return_to_its_game():
    """Instance 2 comes while instance 1 is away from its game: the game is not its own."""
    world = World(instances=2)
    ada, _ = world.everybody(silent)
    world.begin()
    world.settle()
    world.drop(ada)
    second = world.join("ada", number=2)
    world.settle()

    assert secret("ada", 2) == second.hello.secret
    assert () == second.all(Welcome)[0].open_games
    assert ["welcome", "waiting"] == second.types


def test_names_do_not_mix():
    """Everybody drops in the same moment and comes back: each in its own game, with its own hand."""
    world = World(NAMES[:4], concurrency=2)
    bots = world.everybody(silent)
    world.begin()
    world.settle()
    before = {bot.name: (bot.asked.game, bot.asked.request, bot.asked.hand) for bot in bots}
    for bot in bots:
        world.drop(bot)
    world.run_for(10 * MS)
    for bot in reversed(bots):
        bot.connect()
    world.settle()

    assert before == {bot.name: (bot.asked.game, bot.asked.request, bot.asked.hand) for bot in bots}
    assert {990} == {bot.asked.time_ms for bot in bots}
