"""Situations about bytes: how frames arrive, and all the ways in which the same message can be written."""

from collections.abc import Iterator

import trio

from protocol.framing import LIMIT
from protocol.messages import RefereeMessage, Waiting
from protocol.packing import MAX_INTEGER
from protocol.parts import WaitingFor
from referee.check.encodings import Heads, Integers, Manner
from referee.check.match import Match, Plan
from referee.check.scene import Scene, play
from referee.check.shapes import filled_to, in_reverse, with_nil_for_absent, with_unknown_fields
from referee.check.situations.base import situation
from referee.check.talk import Talk
from referee.rules.variants import Rules

_BYTEWISE_PAUSE_S = 0.0005
_SLOW_PAUSE_S = 0.2
_SLOW_PIECES = 8
_TRICKS = 3
_WITH_COW = Rules(target=None, deals=1, jumping_cow=True)


@situation("coalesced-frames", "T5-WIRE-02", "It understands several messages that arrive at once.")
async def _coalesced(scene: Scene) -> None:
    talk = await scene.meet()
    match = scene.match()
    waiting = Waiting(reason=WaitingFor.ROUND, message="Wait.")
    await talk.say(scene.welcome(), waiting, *match.begin(events=scene.events))
    await _go_on(talk, match, _TRICKS)


@situation("torn-frames", "T5-WIRE-02", "It understands messages that arrive byte by byte.")
async def _torn(scene: Scene) -> None:
    talk = await scene.meet()
    await _say_bytewise(talk, [scene.welcome()])
    match = scene.match()
    start = match.begin(events=scene.events)
    await _say_bytewise(talk, start)
    await _go_on(talk, match, 1)


@situation("torn-and-coalesced", "T5-WIRE-02", "It understands one and a half messages, then the rest.")
async def _torn_and_coalesced(scene: Scene) -> None:
    talk = await scene.meet()
    match = scene.match()
    first = talk.frames([scene.welcome()])
    rest = talk.frames(match.begin(events=scene.events))
    await talk.send(first + rest[:2])
    await trio.sleep(_SLOW_PAUSE_S)
    await talk.send_in_pieces(rest[2:], [len(rest) // 2], _SLOW_PAUSE_S)
    await _go_on(talk, match, 1)


@situation("slow-network", "T5-WIRE-02", "It waits for the rest of a message, however slowly it comes.")
async def _slow(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    data = talk.frames(match.begin(events=scene.events))
    await talk.send_in_pieces(data, [len(data) // _SLOW_PIECES] * (_SLOW_PIECES - 1), _SLOW_PAUSE_S)
    await _go_on(talk, match, 1)


@situation("largest-frame", "T5-WIRE-03", "It takes a message of 65536 bytes.")
async def _largest(scene: Scene) -> None:
    await _in_manner(scene, Manner(shape=filled_to(LIMIT)))


@situation("long-heads", "T5-WIRE-03", "It reads maps, arrays and strings whose length is written long.")
async def _long_heads(scene: Scene) -> None:
    await _in_manner(scene, Manner(heads=Heads.LONGEST))


@situation("order-of-fields", "T5-DATA-01", "It finds fields in any order; `type` may come last.")
async def _order(scene: Scene) -> None:
    await _in_manner(scene, Manner(shape=in_reverse))


@situation("text", "T5-DATA-01", "It reads texts in UTF-8 that are not ASCII.")
async def _text(scene: Scene) -> None:
    talk = await scene.enter()
    await talk.say(
        Waiting(reason=WaitingFor.ROUND, message="Bitte warten: \u00fcbermorgen \N{COW} \u4e2d\u6587.")
    )
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events), answers=1)


@situation("wide-integers", "T5-DATA-02", "It reads integers that are written with 64 bits.")
async def _wide(scene: Scene) -> None:
    await _in_manner(scene, Manner(integers=Integers.UINT64))


@situation("signed-integers", "T5-DATA-02", "It reads integers that are written in a signed format.")
async def _signed(scene: Scene) -> None:
    await _in_manner(scene, Manner(integers=Integers.INT16))


@situation("large-integers", "T5-DATA-02", "It copies a request id of 2^53 - 1 exactly.")
async def _large(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(ids=_ids_down_from(MAX_INTEGER))
    await play(talk, match, match.begin(events=scene.events), answers=1)


@situation("nil-fields", "T5-DATA-03", "It takes nil in a field for an absent field.")
async def _nil(scene: Scene) -> None:
    await _in_manner(scene, Manner(shape=with_nil_for_absent))


@situation("unknown-fields", "T5-DATA-04", "It ignores fields that it does not know, at every depth.")
async def _unknown_fields(scene: Scene) -> None:
    await _in_manner(scene, Manner(shape=with_unknown_fields))


@situation("unknown-messages", "T5-STATE-03", "It ignores types of messages that it does not know.")
async def _unknown_messages(scene: Scene) -> None:
    talk = await scene.enter()
    unknown = {"type": "x_weather", "request": 1, "choices": [1], "message": "Sunny."}
    await talk.say_more(unknown, {"type": "choose_weather", "request": 7, "choices": [1, 2]})
    await talk.quiet(0.3, "after messages of unknown types")
    match = scene.match()
    await talk.say(*match.begin(events=scene.events))
    await talk.say_more(unknown)
    await _go_on(talk, match, 1)


async def _in_manner(scene: Scene, manner: Manner) -> None:
    """Play some tricks, with rows to take and the cow, in which everything is written in one manner."""
    talk = await scene.enter(manner)
    await talk.say(Waiting(reason=WaitingFor.ROUND, message="Wait."), manner=manner)
    match = scene.match(Plan(rules=_WITH_COW, lowest_hand=True, seat=1))
    await play(talk, match, match.begin(events=scene.events), answers=2 * _TRICKS, manner=manner)


async def _say_bytewise(talk: Talk, messages: list[RefereeMessage]) -> None:
    data = talk.frames(messages)
    await talk.send_in_pieces(data, [1] * (len(data) - 1), _BYTEWISE_PAUSE_S)


async def _go_on(talk: Talk, match: Match, answers: int) -> None:
    await play(talk, match, [], answers=answers)


def _ids_down_from(highest: int) -> Iterator[int]:
    """Give the bot's seat, which is asked first, the highest id."""
    return iter(range(highest, 0, -1))


SITUATIONS = (
    _coalesced,
    _torn,
    _torn_and_coalesced,
    _slow,
    _largest,
    _long_heads,
    _order,
    _text,
    _wide,
    _signed,
    _large,
    _nil,
    _unknown_fields,
    _unknown_messages,
)
