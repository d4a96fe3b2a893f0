"""Whole tournaments in virtual time: what may not make a difference, and what must never happen."""

import random

import pytest

from protocol.messages import GameEnd, GameStart, Leave
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow, RequestClosed
from referee.play.clock import ClockRules
from referee.rules.variants import Rules, Variant
from referee.tournament.model import TOURNAMENTS
from tests.server.network import (
    MS,
    NAMES,
    REQUESTS,
    START,
    Later,
    S,
    Weather,
    World,
    answer_to,
    honest,
    silent,
    slow,
    torn,
)

TWO_DEALS = Rules(target=None, deals=2, jumping_cow=True)


def played(names, *, policy=honest, order=None, hello=None, **setup):
    """Play a tournament of honest bots and return its world."""
    world = World(names, **setup)
    for name in order or names:
        world.join(name, policy, **(hello or {}))
    world.begin()
    world.play()
    return world


# --- the same record whatever happens -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_concurrency_and_order_of_joining_make_no_difference(kind):
    """One at a time, two, eight; joining forwards, backwards, shuffled; one or many games a connection."""
    names = NAMES[:6]
    shuffled = random.Random(3).sample(names, 6)
    fixed = {"kind": kind, "table_size": 3, "games": 2, "rules": TWO_DEALS}
    worlds = [
        played(names, **fixed),
        played(names, **fixed, concurrency=2, order=names[::-1], hello={"events": True}),
        played(names, **fixed, concurrency=8, order=shuffled, hello={"games": 4}),
        played(names, **fixed, concurrency=8, policy=slow(3 * MS)),
    ]

    assert 1 == len({world.director.digest for world in worlds})
    assert 1 == len({tuple(world.points().items()) for world in worlds})
    assert 1 == len({tuple(result.digest for result in world.results) for world in worlds})


@pytest.mark.parametrize("variant", Variant)
def test_torn_and_joined_frames_make_no_difference(variant):
    """Pieces of 1 to 5 and 1 to 900 bytes with delays of their own, and 40 ms of delay: the same record."""
    names = NAMES[:3]
    rules = Rules(variant=variant, target=None, deals=1)
    fixed = {"table_size": 3, "rules": rules, "games": 2, "concurrency": 2}
    digests = set()
    for weather in (
        Weather(),
        torn(random.Random(1), 5),
        torn(random.Random(2), 900),
        Weather(delay=lambda: 40 * MS),
    ):
        world = World(names, **fixed)
        for name in names:
            world.join(name, games=2, weather=weather, events=name == "ada")
        world.run_for(1 * S)
        world.begin()
        world.play()
        digests.add(world.director.digest)
        assert [{}, {}, {}] == [world.faults(name) for name in names]

    assert 1 == len(digests)


def dropping(world, at, *, answers):
    """Drop the connection on hearing this message; what is answered to it is lost, or still arrives."""
    count = 0

    def policy(bot, message):
        nonlocal count
        count += 1
        if count == at:
            if answers:
                bot.say(*honest(bot, message))
            world.drop(bot, delivered=answers)
            return ()
        return honest(bot, message)

    return policy


@pytest.mark.parametrize("answers", [False, True], ids=["answer lost", "answer delivered"])
@pytest.mark.parametrize("variant", [Variant.CLASSIC, Variant.ADVANCED])
def test_a_drop_after_each_message_in_turn_changes_nothing(variant, answers):
    """Back within 50 ms, the game goes on after every message: the undisturbed scores, no strike."""
    fixed = {"rounds": 1, "rules": Rules(variant=variant, target=None, deals=1)}
    undisturbed = played(NAMES[:2], **fixed, hello={"events": True})
    messages = len(undisturbed.bots[0].heard)

    assert messages > 25
    for number in range(1, messages - 1):
        world = World(NAMES[:2], **fixed)
        world.join("ada", dropping(world, number, answers=answers), events=True, rejoin_ns=50 * MS)
        world.join("bob", events=True)
        world.run_for(100 * MS)
        world.begin()
        world.play()

        assert undisturbed.director.digest == world.director.digest, f"dropped after message {number}"
        assert undisturbed.points() == world.points()
        assert {} == {kind: n for kind, n in world.faults("ada").items() if kind != "disconnected"}


def test_everybody_drops_at_any_time_and_comes_back():
    """Seeded drops of everybody, every 5 ms or so, with wires that delay and tear: the undisturbed record."""
    names = NAMES[:4]
    undisturbed = played(names, games=2, rounds=2)
    for seed in range(8):
        rng = random.Random(seed)
        world = World(names, games=2, rounds=2, concurrency=3)
        for name in names:
            world.join(name, weather=torn(rng, 200), rejoin_ns=rng.randrange(1 * MS, 30 * MS), games=2)
        world.run_for(20 * MS)
        world.begin()

        def break_one(world=world, rng=rng):
            bot = rng.choice(world.bots)
            if bot.wire is not None and not bot.ended:
                world.drop(bot, delivered=rng.random() < 0.5)
            if not world.engine.finished:
                world.after(rng.randrange(10 * MS), break_one)

        world.after(1 * MS, break_one)
        world.run_until(lambda world=world: world.engine.finished)

        assert undisturbed.director.digest == world.director.digest, f"seed {seed}"


# --- those who do nothing, or go ----------------------------------------------------------------------------


def only_until(kind, number):
    """Answer honestly until the request of a kind that comes as number so-and-so, then never again."""
    asked = {ChooseCard: 0, ChooseRow: 0, ChooseDraft: 0}
    quiet = False

    def policy(bot, message):
        nonlocal quiet
        if isinstance(message, REQUESTS):
            asked[type(message)] += 1
            quiet |= asked[kind] >= number
        return () if quiet else honest(bot, message)

    return policy


@pytest.mark.parametrize(
    ("kind", "number"),
    [(ChooseDraft, 1), (ChooseDraft, 7), (ChooseCard, 1), (ChooseCard, 10), (ChooseRow, 1)],
)
@pytest.mark.parametrize("strikes", [3, 0])
def test_a_bot_that_falls_silent_in_any_phase_cannot_hold_it_up(kind, number, strikes):
    """From some request on ada never answers: it ends within the sum of the limits, at her cost."""
    world = World(
        NAMES[:3],
        table_size=3,
        rules=Rules(variant=Variant.ADVANCED, target=None, deals=1),
        clock=ClockRules(move_ns=1 * S, strikes=strikes),
    )
    ada = world.join("ada", only_until(kind, number))
    world.join("bob")
    world.join("cyd")
    world.begin()
    world.run_until(lambda: world.engine.finished, within_ns=40 * S)
    reasons = {message.reason for message in ada.all(RequestClosed)}

    assert reasons <= {ClosedBecause.ANSWERED, ClosedBecause.LATE}
    assert {"late"} >= set(world.faults("ada"))
    assert [{}, {}] == [world.faults(name) for name in ("bob", "cyd")]


def test_all_fall_silent():
    """Three strikes each, 1 s each: a game takes three cards and at most three rows to be played out."""
    world = World(NAMES[:3], table_size=3, rounds=4)
    world.everybody(silent)
    world.begin()
    world.run_until(lambda: world.engine.finished)

    assert 4 * 3 * S < world.now - START < 4 * 6 * S + S
    assert {"late": 12} == world.faults("ada")
    assert {"ada": "0", "bob": "0", "cyd": "0"} == world.points()


@pytest.mark.parametrize(
    "when", ["hello", "waiting", "game_start", "choose_card", "request_closed", "game_end"]
)
def test_a_bot_that_goes_for_good_after_any_message(when):
    """It never comes back: the others play on, the run ends, and no fault is theirs."""
    world = World(NAMES[:3], rounds=3)

    def policy(bot, message):
        if when in (message.TYPE, "hello"):
            world.drop(bot)
            return ()
        return honest(bot, message)

    world.join("ada", policy)
    world.join("bob")
    world.join("cyd")
    world.run_for(10 * MS)
    world.begin()
    world.run_until(lambda: world.engine.finished, within_ns=60 * S)

    assert 3 == len(world.results)
    assert [{}, {}] == [world.faults(name) for name in ("bob", "cyd")]
    assert set(world.faults("ada")) <= {"gone", "disconnected"}


def test_they_leave_one_after_the_other():
    """Bot n leaves at its n-th request: the last one finds itself alone, and everything is over at once."""
    world = World(NAMES[:6], table_size=3, games=2)

    def leaving(number):
        def policy(bot, message):
            if isinstance(message, REQUESTS) and len(bot.all(*REQUESTS)) == 5 * number:
                return (Leave(),)
            return honest(bot, message)

        return policy

    for number, name in enumerate(NAMES[:6], start=1):
        world.join(name, leaving(number))
    world.begin()
    world.run_until(lambda: world.engine.finished, within_ns=10 * S)

    assert START == world.now
    assert world.director.games_planned == len(world.results)


# --- several games and several bots at once -----------------------------------------------------------------


def test_several_games_on_one_connection_in_one_packet():
    """Three games at once: the answers to all of them travel in one packet, last asked first."""
    world = World(games=3, rounds=1, concurrency=3)
    pending = []

    def together(bot, message):
        if isinstance(message, REQUESTS):
            pending.append(answer_to(message))
            if len(pending) == 1:
                world.after(1 * MS, lambda: flush(bot))
        return ()

    def flush(bot):
        answers = [*reversed(pending)]
        pending.clear()
        bot.say(*answers)

    ada = world.join("ada", together, games=3)
    world.join("bob", games=3)
    world.begin()
    world.play()
    reference = played(NAMES[:2], games=3, rounds=1)

    assert reference.director.digest == world.director.digest
    assert {} == world.faults("ada")
    assert {1} == {message.took_ms for message in ada.all(RequestClosed)}


def test_several_instances_share_the_games():
    """Two bots an entrant, four games at once allowed: each plays, none has more than one at once."""
    world = World(instances=2, games=8, rounds=1, concurrency=4)
    bots = [world.join(name, slow(2 * MS), number=number) for name in NAMES[:2] for number in (1, 2)]
    most = 0

    def look():
        nonlocal most
        most = max(most, world.engine.running)
        assert all(len(instance.games) <= 1 for instance in world.engine.lobby)

    world.after_pass.append(look)
    world.begin()
    world.play()

    assert 2 == most
    assert [8, 8] == [len(bots[at].all(GameStart)) + len(bots[at + 1].all(GameStart)) for at in (0, 2)]
    assert all(bot.all(GameStart) for bot in bots)


def test_one_instance_dies_and_the_other_plays_on():
    """Instance 1 of ada drops for good in its second game: instance 2 plays all that is left."""
    world = World(instances=2, games=6, rounds=1, concurrency=2)
    count = 0

    def dying(bot, message):
        nonlocal count
        count += isinstance(message, GameStart)
        if count == 2:
            world.drop(bot)
            return ()
        return honest(bot, message)

    world.join("ada", dying, number=1)
    second = world.join("ada", number=2)
    for number in (1, 2):
        world.join("bob", number=number)
    world.begin()
    world.play()
    missed = [seat for result in world.results for seat in result.seats if seat.faults]

    assert 6 == len(world.results)
    assert 1 == len(missed)
    assert 4 <= len(second.all(GameEnd))


def test_an_absent_instance_gets_no_game_while_another_will_be_free():
    """Instance 2 never comes: with room for two games, instance 1 plays one at a time."""
    world = World(instances=2, games=3, rounds=1, concurrency=2)
    ada = world.join("ada", slow(5 * MS), number=1)
    bobs = [world.join("bob", slow(5 * MS), number=number) for number in (1, 2)]
    world.begin()
    world.play()

    assert 3 == len(ada.all(GameStart)) == sum(len(bob.all(GameStart)) for bob in bobs)
    assert {} == world.faults("ada")
    assert {False} == {seat.no_show for result in world.results for seat in result.seats}


def test_a_bot_that_is_still_starting_is_waited_for_and_then_no_more():
    """Ada is expected for 5 s: the others' game goes first; hers starts when she comes, or at 5 s."""
    for arrival, started in ((3 * S, 3 * S), (None, 5 * S)):
        world = World(NAMES[:3], concurrency=3)
        world.engine.lobby.instances("ada")[0].expected_until = START + 5 * S
        world.join("bob")
        cyd = world.join("cyd")
        if arrival:
            world.after(arrival, lambda world=world: world.join("ada"))
        world.begin()
        world.run_for(1 * S)
        first = cyd.all(GameStart)

        assert [{"bob", "cyd"}] == [set(start.names) for start in first]

        world.run_until(lambda world=world: world.engine.running > 0)

        assert START + started == world.now
        world.play()


def test_answers_in_every_order_resolve_at_once():
    """Four seats with waits of their own: the trick ends with the last of them, whoever that is."""
    waits = {"ada": 30, "bob": 10, "cyd": 40, "dan": 20}
    for turn in range(4):
        world = World(NAMES[:4], table_size=4, rounds=1)
        for place, name in enumerate(NAMES[:4]):
            world.join(name, slow(list(waits.values())[(place + turn) % 4] * MS))
        world.begin()
        world.settle()
        world.run_until(lambda world=world: len(world.bots[0].all(RequestClosed)) == 1)
        world.settle()

        assert START + 40 * MS == world.now
        assert sorted(waits.values()) == sorted(bot.all(RequestClosed)[0].took_ms for bot in world.bots)


def test_a_slow_trick_is_charged_to_that_trick_only():
    """Ada answers at 90 % of the limit, but trick 7 at 110 %: one default, one fault, one strike."""
    world = World(games=5, rounds=1)

    def policy(bot, message):
        if isinstance(message, REQUESTS):
            late = isinstance(message, ChooseCard) and message.trick == 7
            yield Later((1100 if late else 900) * MS, answer_to(message))

    ada = world.join("ada", policy)
    world.join("bob")
    world.begin()
    world.play()
    late = [message for message in ada.all(RequestClosed) if message.reason is not ClosedBecause.ANSWERED]

    assert {ClosedBecause.LATE} == {message.reason for message in late}
    assert 5 == len(late)
    # Its late answer comes when trick 8 has been asked.
    assert {"late": 5, "stale": 5} == world.faults("ada")
    assert {900} == {message.took_ms for message in ada.all(RequestClosed) if message not in late}
