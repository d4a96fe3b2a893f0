"""Situations about connections that break, referees that go away, and the end."""

from collections.abc import Awaitable, Callable

import trio

from protocol.messages import TournamentEnd
from protocol.parts import ClosingBecause, StandingsLine
from referee.check.match import SEED, Match, Plan
from referee.check.scene import (
    END_S,
    FIRST_WAIT_S,
    RETURN_S,
    Nobody,
    Scene,
    check_wait,
    closing,
    play,
)
from referee.check.situations.base import situation
from referee.check.talk import Talk
from referee.check.verdicts import Fault, NotApplicable
from referee.rules.variants import Rules, Variant

RETRY_MS = 1000
_AWAY_S = 0.6


@situation("connection-lost", "T5-BOT-01", "It waits 0.1 s before it comes back after a lost connection.")
async def _lost(scene: Scene) -> None:
    talk = await scene.enter()
    await _lose(scene, talk.drop)


@situation("backoff", "T5-BOT-01", "It waits twice as long after each failure.")
async def _backoff(scene: Scene) -> None:
    talk: Talk = await scene.enter()
    wait = FIRST_WAIT_S
    for _ in range(4):
        before = trio.current_time()
        await talk.drop()
        again = await scene.next_talk(RETURN_S)
        if again is Nobody.ENDED:
            raise NotApplicable("The bot ends instead of coming back, which is its right.")
        if not isinstance(again, Talk):
            raise Fault(f"The bot neither ended nor came back within {RETURN_S:.0f} s.")
        check_wait(trio.current_time() - before, wait, "after a failure")
        talk, wait = again, 2 * wait


@situation("open-request", "T5-REJOIN-02", "It answers a request that comes again after a lost connection.")
async def _open_request(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(Plan(seat=1))
    await play(talk, match, match.begin(events=scene.events), answers=2)
    await _return_to(scene, talk.drop, match)


@situation("reset", "T5-REJOIN-02", "It comes back when its connection is reset, not just closed.")
async def _reset(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events), answers=1)
    await _return_to(scene, talk.reset, match)


@situation(
    "torn-end", "T5-WIRE-02", "It drops half a message when the connection ends in it, and comes back."
)
async def _torn_end(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    data = talk.frames(match.begin(events=scene.events))
    await talk.send(data[: len(data) - 10])
    await _return_to(scene, talk.drop, match)


@situation("draft-again", "T5-REJOIN-02", "It comes back to a draft, and drafts on.")
async def _draft_again(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(_draft())
    await play(talk, match, match.begin(events=scene.events), answers=3)
    await _return_to(scene, talk.drop, match)


@situation("late-start", "T5-REJOIN-02", "It joins a game that is under way when it first connects.")
async def _late_start(scene: Scene) -> None:
    talk = await scene.meet()
    match = scene.match(Plan(seat=2))
    match.begin(events=False)
    match.decide_by_default()
    match.lose_bot()
    await talk.say(scene.welcome(match), *match.regain_bot(events=scene.events))
    await play(talk, match, [], answers=3)


@situation("superseded", "T5-REJOIN-01", "It ends when another connection takes over, and does not fight.")
async def _superseded(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events), answers=1)
    if match.asked is not None:
        await talk.answer_to(match.asked)  # or it would cross with what comes now
    await talk.say(closing(ClosingBecause.SUPERSEDED, "A newer connection has taken over."))
    await _end(scene, talk)


@situation("suspended", "T5-BOT-02", "It comes back after so many milliseconds as `closing` says.")
async def _suspended(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events), answers=1)
    before = trio.current_time()
    await talk.say(closing(ClosingBecause.SUSPENDED, "The referee pauses.", retry_ms=RETRY_MS))
    again = await scene.next_talk(RETRY_MS / 1000 + RETURN_S)
    if not isinstance(again, Talk):
        did = "ended" if again is Nobody.ENDED else "did not come back"
        raise Fault(f"The bot {did} after a 'closing' with retry_ms {RETRY_MS}.")
    check_wait(trio.current_time() - before, RETRY_MS / 1000, "although retry_ms said more")
    await scene.hear_hello(again)
    await again.say(scene.welcome(match), *match.restart(events=scene.events))
    await play(again, match, [], answers=2)


@situation("referee-restarts", "T5-REJOIN-04", "It plays on, with new ids, when the referee was away.")
async def _restarts(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(Plan(seat=3))
    await play(talk, match, match.begin(events=scene.events), answers=2)
    await scene.stage.stop_listening()
    await talk.drop()
    await trio.sleep(_AWAY_S)
    await scene.stage.listen_again()
    talk = await scene.come_back(match)
    await talk.say(*match.restart(events=scene.events))
    await play(talk, match, [], answers=3)


@situation("removed", "T5-END-05", "It ends when the organiser removes it.")
async def _removed(scene: Scene) -> None:
    talk = await scene.enter()
    await talk.say(closing(ClosingBecause.REMOVED, "The organiser has removed this entrant."))
    await _end(scene, talk)


@situation("polite-end", "T5-BOT-02", "It ends when the tournament is over.")
async def _polite_end(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await play(talk, match, match.begin(events=scene.events))
    line = StandingsLine(rank=1, name=scene.name, points="13/3", games=1)
    await talk.say(
        TournamentEnd(complete=True, standings=(line,), you=line, nonce="0" * 64, seed=SEED, digest="0" * 64),
        closing(ClosingBecause.FINISHED, "The tournament is over."),
    )
    if not await talk.hung_up(END_S):
        raise Fault(f"The bot has not closed its connection {END_S:.0f} s after 'closing'.")
    await _end(scene, talk)


async def _end(scene: Scene, talk: Talk) -> None:
    if not await scene.ends(talk):
        raise Fault(f"The bot has not ended {END_S:.0f} s after a 'closing' without retry_ms.")


async def _lose(scene: Scene, end: Callable[[], Awaitable[None]]) -> None:
    before = trio.current_time()
    await end()
    again = await scene.next_talk(RETURN_S)
    if again is Nobody.ENDED:
        raise NotApplicable("The bot ends instead of coming back, which is its right.")
    if not isinstance(again, Talk):
        raise Fault(f"The bot neither ended nor came back within {RETURN_S:.0f} s.")
    check_wait(trio.current_time() - before, FIRST_WAIT_S, "after a lost connection")
    await scene.hear_hello(again)


async def _return_to(scene: Scene, end: Callable[[], Awaitable[None]], match: Match) -> None:
    """Break the connection, let the bot come back, and see it play on."""
    await end()
    match.lose_bot()
    talk = await scene.come_back(match)
    await play(talk, match, match.regain_bot(events=scene.events, after_ms=100), answers=3)


def _draft() -> Plan:
    return Plan(rules=Rules(variant=Variant.ADVANCED, target=None, deals=1), seat=2)


SITUATIONS = (
    _lost,
    _backoff,
    _open_request,
    _reset,
    _torn_end,
    _draft_again,
    _late_start,
    _superseded,
    _suspended,
    _restarts,
    _removed,
    _polite_end,
)
