"""Situations from the connection to the first game."""

import trio

from protocol.messages import VERSION, Waiting
from protocol.parts import ClosingBecause, WaitingFor
from referee.check.match import Match
from referee.check.scene import END_S, FIRST_WAIT_S, Nobody, Scene, check_wait, closing, fatal, play
from referee.check.situations.base import situation
from referee.check.talk import Talk
from referee.check.verdicts import Advice, Fault, NotApplicable

_SILENCE_S = 0.5


async def _first_answer(scene: Scene, talk: Talk) -> Match:
    """See the bot answer once."""
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events), answers=1)
    return match


@situation("hello", "T5-HELLO-01", "It says hello first, and nothing more until it is welcome.")
async def _hello(scene: Scene) -> None:
    talk = await scene.meet()
    await talk.quiet(_SILENCE_S, "before it was welcome")
    await talk.say(scene.welcome())
    await _first_answer(scene, talk)


@situation("version", "T5-HELLO-03", "It offers version 1 of the protocol.")
async def _version_1(scene: Scene) -> None:
    await scene.meet()
    versions = scene.hello.versions if scene.hello else ()
    if VERSION not in versions:
        raise Fault(f"The bot offers the versions {list(versions)}, but not {VERSION}.")


@situation("credentials", "T5-LOCAL-01", "It takes name and secret from TAKE5_NAME and TAKE5_SECRET.")
async def _credentials(scene: Scene) -> None:
    if scene.stage.credentials is None:
        raise NotApplicable("The bot was started elsewhere, so its name and secret are not known here.")
    await scene.meet()
    name, secret = scene.stage.credentials
    said = scene.hello
    if said is None or said.name != name:
        raise Fault(f"TAKE5_NAME is '{name}', but the bot says '{said.name if said else None}'.")
    if said.secret != secret:
        raise Fault("The secret in 'hello' is not the one in TAKE5_SECRET.")


@situation("waiting", "T5-HELLO-06", "It waits, for whatever reason and however often it is told to.")
async def _waiting(scene: Scene) -> None:
    talk = await scene.enter()
    for reason in (*WaitingFor, WaitingFor.ROUND):
        await talk.say(Waiting(reason=reason, message="Nothing to play yet."))
    await talk.quiet(_SILENCE_S, "while it had nothing to play")
    await _first_answer(scene, talk)


@situation("refused", "T5-STATE-02", "It ends when it is refused for good, and does not try again.")
async def _refused(scene: Scene) -> None:
    talk = await scene.meet()
    await talk.say(fatal("unknown_entrant", "This name and secret are not known here."))
    await talk.hung_up(END_S)
    try:
        ended = await scene.ends(talk)
    except Fault:
        raise Advice("The bot tries again after unknown_entrant, which will not change.") from None
    if not ended:
        raise Advice("The bot neither ended nor tried again after unknown_entrant.")


@situation("full", "T5-BOT-01", "It tries again when there is no room for it, after 0.1 s or more.")
async def _full(scene: Scene) -> None:
    talk = await scene.meet()
    before = trio.current_time()
    await talk.say(fatal("too_many_connections", "There is no room for a further connection."))
    again = await scene.next_talk(END_S)
    if again is Nobody.ENDED:
        raise NotApplicable("The bot ends instead of coming back, which is its right.")
    if not isinstance(again, Talk):
        raise Advice("The bot does not come back after too_many_connections, which passes.")
    check_wait(trio.current_time() - before, FIRST_WAIT_S, "when there was no room for it")
    await scene.hear_hello(again)
    await again.say(scene.welcome())
    await _first_answer(scene, again)


@situation("finished-at-once", "T5-BOT-02", "It ends when all is over before it has played.")
async def _finished_at_once(scene: Scene) -> None:
    talk = await scene.meet()
    await talk.say(closing(ClosingBecause.FINISHED, "The tournament is over."))
    await talk.hung_up(END_S)
    if not await scene.ends(talk):
        raise Fault(f"The bot has not ended {END_S:.0f} s after a 'closing' without retry_ms.")


SITUATIONS = (_hello, _version_1, _credentials, _waiting, _refused, _full, _finished_at_once)
