"""Hostile bytes to the engine: it never raises, and only who sent them suffers."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import Closing, Error, Message, TournamentEnd
from tests.notes import close_journals
from tests.protocol.mutants import corpus, hostile
from tests.server.network import MS, REQUESTS, World, honest, slow

ADA_TAKES_NS = 3 * MS


def against(noise: bytes, at: int, *, stranger: bool) -> World:
    """Play a game of ada and bob in which bob, or a stranger, sends noise at bob's so-many-th request."""

    def policy(bot: object, message: Message) -> list[Message | bytes]:
        if not isinstance(message, REQUESTS):
            return []
        if len(bot.all(*REQUESTS)) == at + 1:
            if not stranger:
                return [noise, *honest(bot, message)]
            world.stranger(noise)
        return list(honest(bot, message))

    world = World(rounds=1)
    world.join("ada", slow(ADA_TAKES_NS))
    world.join("bob", policy, rejoin_ns=5 * MS)
    world.begin()
    world.play()
    return world


def check(noise: bytes, at: int) -> None:
    """Ada has no fault and hears the end, whoever sent the noise; of a stranger bob is none the worse."""
    for stranger in (False, True):
        world = against(noise, at, stranger=stranger)
        faults = [world.faults(name) for name in ("ada", "bob")]
        ends = [bot.all(TournamentEnd) for bot in world.bots[:2]]
        answers = {type(message) for bot in world.bots[2:] for message in bot.heard}
        close_journals()

        assert {} == faults[0]
        assert ends[0]
        assert not stranger or ({} == faults[1] and ends[1])
        assert answers <= {Error, Closing}


@settings(max_examples=60)
@given(noise=hostile(), at=st.integers(0, 9))
def test_only_the_offender_suffers(noise: bytes, at: int) -> None:
    """Any bytes at any request of a game."""
    check(noise, at)


@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.stem)
def test_the_corpus_hurts_nobody_else(path: Path) -> None:
    """The inputs that are kept, at the first request and at the fifth."""
    for at in (0, 4):
        check(path.read_bytes(), at)
