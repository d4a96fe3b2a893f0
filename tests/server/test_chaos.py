"""Bots that do anything at any time: nothing breaks, it ends, and the honest ones among them lose nothing."""

import random

import pytest

from protocol.messages import Card, Draft, Leave, Ping, Row
from referee.play.clock import ClockRules
from referee.rules.variants import Rules, Variant
from referee.server.limits import ServerLimits
from referee.tournament.model import TOURNAMENTS
from tests.server.network import MS, NAMES, REQUESTS, Later, S, Weather, World, answer_to, honest, slow, torn

HONEST, WILD = NAMES[:2], NAMES[2:5]
CLOCK = ClockRules(move_ns=300 * MS, grace_ns=100 * MS, bank_ns=200 * MS)


class Chaos:
    """Seeded mischief; each bot of it does something else at each message."""

    def __init__(self, world, rng):
        self._world = world
        self._rng = rng

    def policy(self, bot, message):
        """Mostly answer, so that games get on; otherwise do what comes to mind."""
        if not isinstance(message, REQUESTS):
            return self._mischief(bot, None) if self._rng.random() < 0.05 else []
        if self._rng.random() < 0.6:
            return honest(bot, message)
        return self._mischief(bot, message)

    def _mischief(self, bot, asked):
        if not bot.is_open:
            return []
        rng, number = self._rng, asked.request if asked else rng_id(self._rng)
        answer = answer_to(asked) if asked else Card(request=number, card=1)
        choices = {
            "silence": list,
            "late": lambda: [Later(rng.randrange(1 * S), answer)],
            "twice": lambda: [answer, answer],
            "wrong": lambda: [self._wrong(number) for _ in range(rng.randint(1, 4))],
            "old": lambda: [Card(request=max(1, number - rng.randint(1, 9)), card=rng.randint(1, 104))],
            "guess": lambda: [Draft(request=number + rng.randint(1, 9), card=rng.randint(1, 104)), answer],
            "pings": lambda: [Ping(echo=n) for n in range(rng.choice((1, 5, 120)))],
            "half a frame": lambda: [bot.frames(answer)[: rng.randint(1, 9)]],
            "garbage": lambda: [rng.randbytes(rng.randint(1, 40))],
            "no map": lambda: [b"\0\0\0\1" + rng.randbytes(1)],
            "hello again": lambda: [bytes([0, 0, 0, 12]) + b"\x81\xa4type\xa5hello"],
            "drop": lambda: self._drop(bot, answer),
            "takeover": lambda: self._take_over(bot),
            "leave": lambda: [Leave()] if rng.random() < 0.1 else [answer],
        }
        return choices[rng.choice(list(choices))]()

    def _wrong(self, number):
        return self._rng.choice(
            (Row(request=number, row=0), Card(request=number, card=104), Draft(request=number, card=1))
        )

    def _drop(self, bot, answer):
        if self._rng.random() < 0.5 and bot.is_open:
            bot.say(answer)
        if bot.wire is not None:
            self._world.drop(bot, delivered=self._rng.random() < 0.5)
        return []

    def _take_over(self, bot):
        """Connect again while the old connection is still there; the old one is forgotten on this side."""
        bot.connect(bot.wire.weather if bot.wire else Weather())
        return []


def rng_id(rng):
    """Some id of a request."""
    return rng.randint(1, 2000)


def check(world):
    """What holds after every pass."""
    engine = world.engine
    for instance in engine.lobby:
        if instance.peer is not None:
            assert engine._peers[instance.peer].instance is instance
        for game, seat in instance.games.items():
            assert engine._floor._tables[game].bots[seat] is instance
        assert len(instance.games) <= max(instance.capacity, 1)
    for peer in engine._peers.values():
        assert peer.instance is None or peer.instance.peer == peer.id
    assert not engine._floor._unsent
    assert engine.finished or engine.wake_at() is not None
    assert len(engine._floor._alarms) <= 100


def run(seed):
    """Play one tournament of chaos; return its world."""
    rng = random.Random(seed)
    world = World(
        (*HONEST, *WILD),
        kind=rng.choice(TOURNAMENTS),
        table_size=rng.randint(2, 5),
        rounds=rng.randint(1, 3),
        games=rng.randint(1, 2),
        concurrency=rng.randint(1, 4),
        clock=CLOCK,
        rules=Rules(
            variant=rng.choice(list(Variant)), target=None, deals=rng.randint(1, 2), jumping_cow=True
        ),
        limits=ServerLimits(connections=rng.choice((8, 1000))),
        seed=f"chaos-{seed}",
    )
    chaos = Chaos(world, rng)
    world.lagging = rng.random() < 0.5
    for name in HONEST:
        world.join(name, slow(rng.randint(0, CLOCK.free_ns)), events=rng.random() < 0.5)
    for name in WILD:
        weather = rng.choice((Weather(), torn(rng, 30)))
        world.join(
            name, chaos.policy, rejoin_ns=rng.randrange(200 * MS), games=rng.randint(1, 3), weather=weather
        )
    world.run_for(500 * MS)
    world.begin()
    world.settle()
    world.after_pass.append(lambda: check(world))
    for number in range(rng.randint(0, 6)):
        world.after(
            number * rng.randrange(300 * MS), lambda: world.stranger(rng.randbytes(rng.randint(0, 60)))
        )
    for number in range(rng.randint(0, 4)):
        world.after(number * rng.randrange(500 * MS), lambda: world.stall(rng.randrange(150 * MS)))
    world.run_until(lambda: world.engine.finished, within_ns=3600 * S)
    world.run_for(1 * S)
    return world


@pytest.mark.parametrize("seed", range(20))
def test_chaos_ends_well(seed):
    """Every game has one result; the honest, who may take all their time, have no fault and hear the end."""
    world = run(seed)
    games = [result.game for result in world.results]

    assert world.director.complete
    assert len(set(games)) == len(games) == world.director.games_done
    for name in HONEST:
        assert {} == world.faults(name)
    for bot in world.bots[:2]:
        assert ["tournament_end", "closing"] == bot.types[-2:]


@pytest.mark.slow
def test_a_thousand_chaotic_tournaments():
    """More of the same."""
    for seed in range(1000, 2000):
        test_chaos_ends_well(seed)


def test_chaos_is_repeatable():
    """A seed that fails, fails again: the same record, the same faults."""
    first, second = run(7), run(7)

    assert first.director.digest == second.director.digest
    assert first.director.rows() == second.director.rows()
