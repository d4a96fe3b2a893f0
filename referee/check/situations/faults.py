"""Situations in which the referee says that something was wrong, or decides in the bot's place."""

from protocol.messages import Error, Pong
from protocol.parts import ClosingBecause
from protocol.requests import ChooseCard
from referee.check.match import STRIKES, Match, Plan
from referee.check.scene import END_S, Scene, closing, fatal, play
from referee.check.situations.base import situation
from referee.check.talk import Talk, map_of
from referee.check.verdicts import Fault

_SILENCE_S = 0.5


@situation("error-after-answer", "T5-ANSWER-02", "It plays on after an error about its answer.")
async def _error_after_answer(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await talk.say(*match.begin(events=scene.events))
    if match.asked is None:
        return
    request = match.asked
    await talk.answer_to(request)
    sentence = f"This is not among the choices: {', '.join(map(str, request.choices))}."
    await talk.say(
        Error(code="illegal_choice", message=sentence, fatal=False, request=request.request),
        *match.decide_by_default(),
    )
    # It may answer again before it reads that the request is closed.
    await _after_default(talk, match, [request.request])


@situation("unknown-error", "T5-STATE-03", "It plays on after an error of a code that it does not know.")
async def _unknown_error(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await talk.say(Error(code="x_too_sunny", message="This is no fault of yours.", fatal=False))
    await play(talk, match, match.begin(events=scene.events), answers=3)


@situation("default", "T5-DEFAULT-02", "It plays on from what was decided in its place.")
async def _default(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(Plan(seat=1))
    start = match.begin(events=scene.events)
    stale = [] if match.asked is None else [match.asked.request]
    await talk.say(*start, *match.decide_by_default())
    await _after_default(talk, match, stale)


@situation("forfeit", "T5-FAULT-04", "It plays the next game after it has forfeited one.")
async def _forfeit(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await talk.say(*match.begin(events=scene.events))
    stale = []
    for _ in range(STRIKES):
        if match.asked is not None:
            stale.append(match.asked.request)
            await talk.say(*match.decide_by_default())
    second = scene.match(Plan(number=2))
    await talk.say(*second.begin(events=scene.events))
    await _after_default(talk, second, stale)


@situation("pong", "T5-LIMIT-03", "It ignores a pong that it did not ask for.")
async def _pong(scene: Scene) -> None:
    talk = await scene.enter()
    await talk.say(Pong(echo=7), Pong())
    await talk.quiet(_SILENCE_S, "after a pong that it did not ask for")
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events), answers=1)


@situation("behind-closing", "T5-STATE-02", "It says nothing more once it has read `closing`.")
async def _behind_closing(scene: Scene) -> None:
    talk = await scene.enter()
    request = map_of(_a_request(scene))
    data = talk.frames([closing(ClosingBecause.FINISHED, "The tournament is over.")])
    await talk.send(data + talk.frame_of_map(request))
    await talk.hung_up(END_S)


@situation("behind-fatal-error", "T5-STATE-02", "It says nothing more once it has read a fatal error.")
async def _behind_fatal_error(scene: Scene) -> None:
    talk = await scene.enter()
    request = map_of(_a_request(scene))
    data = talk.frames([fatal("flooding", "Too many messages that nobody needs.")])
    await talk.send(data + talk.frame_of_map(request))
    await talk.hung_up(END_S)


def _a_request(scene: Scene) -> ChooseCard:
    match = scene.match()
    match.begin(events=False)
    if not isinstance(match.asked, ChooseCard):
        raise Fault("A game begins with a card.")
    return match.asked


async def _after_default(talk: Talk, match: Match, stale: list[int]) -> None:
    """See the bot answer the next requests; what it still says about closed ones was on the way."""
    for _ in range(3):
        if match.asked is not None:
            answer = await talk.answer_to(match.asked, stale=stale)
            await talk.say(*match.take(answer))


SITUATIONS = (
    _error_after_answer,
    _unknown_error,
    _default,
    _forfeit,
    _pong,
    _behind_closing,
    _behind_fatal_error,
)
