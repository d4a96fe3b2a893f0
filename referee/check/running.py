"""Plays situations against a bot, several at once where the bot can be started more than once."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import trio

from referee.check.log import Log
from referee.check.scene import Scene
from referee.check.sections import section_of
from referee.check.situations import Situation
from referee.check.stages import Stage
from referee.check.verdicts import Ended, Fault, Result, Verdict
from referee.local.processes import StartFailed

LONGEST_S = 120.0
"""No situation takes so long, whatever the bot does."""

MakeStage = Callable[[], AbstractAsyncContextManager[Stage]]
Tell = Callable[[Result], None]


async def check(
    situations: Sequence[Situation], make_stage: MakeStage, *, move_ms: int, jobs: int, tell: Tell
) -> list[Result]:
    """Play situations, and tell each result as soon as all before it are known.

    Args:
        situations: What to play.
        make_stage: Makes a place for one situation, which lasts as long as the context.
        move_ms: The time for a decision that the bot is told.
        jobs: How many situations are played at once.
        tell: Called with each result, in the order of `situations`.

    Returns:
        The results, in the order of `situations`.
    """
    results: dict[int, Result] = {}
    told: list[Result] = []
    places = trio.CapacityLimiter(jobs)

    async def run(place: int) -> None:
        async with places:
            results[place] = await play_one(situations[place], make_stage, move_ms=move_ms)
        while (result := results.get(len(told))) is not None:
            told.append(result)
            tell(result)

    async with trio.open_nursery() as nursery:
        for place in range(len(situations)):
            nursery.start_soon(run, place)
            await trio.lowlevel.checkpoint()  # those before it queue first
    return told


async def play_one(situation: Situation, make_stage: MakeStage, *, move_ms: int) -> Result:
    """Play one situation and return what it came to."""
    log = Log()
    async with make_stage() as stage:
        scene = Scene(stage, log, move_ms)
        ended = await _outcome(situation, scene)
        await scene.close()
    requirement = situation.requirement
    if isinstance(ended, Fault) and ended.requirement:
        requirement = ended.requirement
    return Result(
        name=situation.name,
        title=situation.title,
        requirement=requirement,
        section=section_of(requirement),
        verdict=Verdict.PASSED if ended is None else ended.verdict,
        sentence="" if ended is None else str(ended),
        seconds=log.seconds,
        entries=tuple(log.entries),
        output=stage.output,
    )


async def _outcome(situation: Situation, scene: Scene) -> Ended | None:
    try:
        with trio.move_on_after(LONGEST_S + scene.stage.start_up_s):
            await scene.stage.begin()
            await situation.play(scene)
            return None
    except StartFailed as failure:
        return Fault(failure.reason, "T5-LOCAL-01")
    except Ended as ended:
        return ended
    return Fault(f"The situation was not over after {LONGEST_S:.0f} s.")
