"""Hostile conversations that are more than bytes: slow, many, broken off, half closed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from tests.hostile.abuses import Conversation, Ending, Scene
from tests.hostile.visitor import Values, Visitor, answer, hello, message, visiting

CROWD = 1000
HALF_A_FRAME = b"\0\0\0\x40\x82\xa4type"


# --- strangers ---------------------------------------------------------------------------------------------


async def silence(scene: Scene) -> Values:
    """Say nothing at all."""
    async with visiting(scene.port, scene.source) as visitor:
        return await visitor.last_word()


async def trickle(scene: Scene) -> Values:
    """Say hello a byte at a time, for longer than a hello may take."""
    async with visiting(scene.port, scene.source) as visitor, trio.open_nursery() as nursery:

        async def drip() -> None:
            for byte in hello("ada", "s", client="x" * 60):
                await visitor.send(bytes([byte]))
                await trio.sleep(0.1)

        nursery.start_soon(drip)
        last = await visitor.last_word()
        nursery.cancel_scope.cancel()
    return last


async def half_a_hello(scene: Scene) -> Values:
    """Begin a hello and leave it at that."""
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(hello("ada", "s")[:-3])
        return await visitor.last_word()


async def half_closed(scene: Scene) -> Values:
    """Close the sending side before a word was said."""
    async with visiting(scene.port, scene.source) as visitor:
        visitor.half_close()
        return await visitor.last_word()


async def reset_at_once(scene: Scene) -> Values:
    """Reset the connection."""
    async with visiting(scene.port, scene.source) as visitor:
        visitor.reset()
    return {}


async def reset_in_mid_frame(scene: Scene) -> Values:
    """Reset the connection behind half a frame."""
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(HALF_A_FRAME)
        visitor.reset()
    return {}


async def port_scan(scene: Scene) -> Values:
    """Connect and hang up, two hundred times."""
    for _ in range(200):
        async with visiting(scene.port, scene.source):
            pass
    return {}


async def crowd(scene: Scene) -> Values:
    """Make a thousand connections that say nothing; return what the last of those that are refused hears."""
    refusals: list[Values] = []
    async with trio.open_nursery() as nursery:

        async def stand_about() -> None:
            async with visiting(scene.port, scene.source) as visitor:
                refusals.append(await visitor.last_word())

        for _ in range(CROWD):
            nursery.start_soon(stand_about)
    by_code = {refusal.get("code"): refusal for refusal in refusals}
    assert "handshake_timeout" in by_code, by_code
    return by_code.get("too_many_connections", {})


async def megabytes_after_the_end(scene: Scene) -> Values:
    """Go on sending after having been refused."""
    async with visiting(scene.port, scene.source) as visitor, trio.open_nursery() as nursery:

        async def pour() -> None:
            for _ in range(100):
                await visitor.send(b"GET / HTTP/1.1\r\n" + b"x" * 100_000)

        nursery.start_soon(pour)
        last = await visitor.last_word()
        nursery.cancel_scope.cancel()
    return last


async def guessing(scene: Scene) -> Values:
    """Try a dozen secrets for one name at once; return the answer to the last."""
    answers: list[Values] = []
    async with trio.open_nursery() as nursery:

        async def guess(number: int) -> None:
            async with visiting(scene.port, scene.source) as visitor:
                await visitor.send(hello("honest-1", f"guess {number}"))
                answers.append(await visitor.last_word())

        for number in range(12):
            nursery.start_soon(guess, number)
    assert {"unknown_entrant"} == {answer["code"] for answer in answers}
    return answers[-1]


# --- guests ------------------------------------------------------------------------------------------------


@asynccontextmanager
async def let_in(scene: Scene, *, receive_buffer: int | None = None) -> AsyncIterator[Visitor]:
    """Connect, say hello and hear the welcome."""
    async with visiting(scene.port, scene.source, receive_buffer=receive_buffer) as visitor:
        await visitor.send(scene.hello)
        heard = await visitor.hear_one("welcome")
        assert heard.get("type") == "welcome", heard
        yield visitor


async def words_before_welcome(scene: Scene) -> Values:
    """Send a ping behind hello, in the same packet."""
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(scene.hello + message(type="ping"))
        return await visitor.last_word()


async def answer_before_welcome(scene: Scene) -> Values:
    """Send an answer behind hello."""
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(scene.hello + message(type="card", request=1, card=1))
        return await visitor.last_word()


async def reset_behind_hello(scene: Scene) -> Values:
    """Reset the connection before the welcome can have come."""
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(scene.hello)
        visitor.reset()
    return {}


async def reset_as_guest(scene: Scene) -> Values:
    """Reset the connection after the welcome."""
    async with let_in(scene) as visitor:
        visitor.reset()
    return {}


async def half_closed_as_guest(scene: Scene) -> Values:
    """Close the sending side, though the other one stays open."""
    async with let_in(scene) as visitor:
        visitor.half_close()
        return await visitor.last_word()


async def half_a_frame_as_guest(scene: Scene) -> Values:
    """Keep 60 KiB of a frame of 64 in the referee's memory, and go."""
    async with let_in(scene) as visitor:
        await visitor.send((65_536).to_bytes(4, "big") + b"x" * 60_000)
        await trio.sleep(0.5)
    return {}


async def fifty_times_the_same(scene: Scene) -> Values:
    """Come fifty times with the same secret, each time in place of the one before."""
    async with let_in(scene) as first:
        for _ in range(50):
            async with let_in(scene):
                pass
        return await first.last_word()


async def back_after_leave(scene: Scene) -> Values:
    """Leave for good, and come again nevertheless."""
    async with let_in(scene) as visitor:
        await visitor.send(message(type="leave"))
        await visitor.last_word()
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(scene.hello)
        return await visitor.last_word()


async def deaf(scene: Scene) -> Values:
    """Ping and ask for trouble, and read nothing of the answers, with as small a buffer as there is."""
    async with let_in(scene, receive_buffer=1) as visitor:
        for _ in range(10):
            await visitor.send(message(type="ping", echo=1) + message(type="dance"))
            await trio.sleep(0.1)
    return {}


# --- players -----------------------------------------------------------------------------------------------


async def ask_ahead(scene: Scene) -> Values:
    """Answer requests that have not been asked yet."""
    async with let_in(scene) as visitor:
        asked = await visitor.hear_one("choose_card")
        await visitor.send(message(type="card", request=asked["request"] + 10_000, card=1))
        return await visitor.hear_one("error")


async def reset_in_mid_game(scene: Scene) -> Values:
    """Reset the connection when asked for a card."""
    async with let_in(scene) as visitor:
        await visitor.hear_one("choose_card")
        visitor.reset()
    return {}


async def in_and_out(scene: Scene) -> Values:
    """Drop the connection and come back, twenty times in a game."""
    for _ in range(20):
        async with let_in(scene):
            pass
    return {}


async def answer_byte_by_byte(scene: Scene) -> Values:
    """Let an answer trickle in, and reset before its last byte."""
    async with let_in(scene) as visitor:
        asked = await visitor.hear_one("choose_card")
        for byte in answer(asked)[:-1]:
            await visitor.send(bytes([byte]))
            await trio.sleep(0.01)
        visitor.reset()
    return {}


_NOTHING = Ending(code="")

BY_STRANGERS: dict[str, tuple[Conversation, Ending]] = {
    "somebody who says nothing": (silence, Ending(code="handshake_timeout", words="within 2 seconds")),
    "a hello that trickles in": (trickle, Ending(code="handshake_timeout")),
    "half a hello": (half_a_hello, Ending(code="handshake_timeout")),
    "half closed before hello": (half_closed, _NOTHING),
    "reset at once": (reset_at_once, _NOTHING),
    "reset in mid-frame": (reset_in_mid_frame, _NOTHING),
    "a port scanner": (port_scan, _NOTHING),
    "a thousand connections that say nothing": (
        crowd,
        Ending(code="too_many_connections", words="No more than 256 connections from your address"),
    ),
    "ten megabytes after the end": (megabytes_after_the_end, Ending(code="frame_too_large", words="HTTP")),
    "a dozen guesses at once": (guessing, Ending(code="unknown_entrant")),
}

BY_GUESTS: dict[str, tuple[Conversation, Ending]] = {
    "a ping before welcome": (words_before_welcome, Ending(code="unexpected_message")),
    "an answer before welcome": (answer_before_welcome, Ending(code="unexpected_message")),
    "reset behind hello": (reset_behind_hello, _NOTHING),
    "reset as a guest": (reset_as_guest, _NOTHING),
    "half closed as a guest": (half_closed_as_guest, _NOTHING),
    "a frame that never ends": (half_a_frame_as_guest, _NOTHING),
    "fifty times the same": (fifty_times_the_same, Ending(code="superseded")),
    "back after leave": (back_after_leave, Ending(code="unknown_entrant")),
    "deaf": (deaf, _NOTHING),
}

BY_PLAYERS: dict[str, tuple[Conversation, Ending]] = {
    "an answer to what was not asked yet": (ask_ahead, Ending(code="unknown_request")),
    "reset in mid-game": (reset_in_mid_game, _NOTHING),
    "in and out": (in_and_out, _NOTHING),
    "an answer byte by byte": (answer_byte_by_byte, _NOTHING),
}
