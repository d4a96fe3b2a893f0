"""Plays a plan to its end, or to the first promise that is broken."""

import traceback
from collections import Counter

import attrs

from tests.notes import Killed, close_journals
from tests.server.network import S, Stuck
from tests.simulation.plan import Deed, Plan
from tests.simulation.promise import Broken
from tests.simulation.promises import Watch
from tests.simulation.world import PlannedWorld

MOST_NS = 2 * 3600 * S
"""Virtual time within which any of these small tournaments is over."""

ENDS = "ItEnds"
NOTHING_BREAKS = "NothingBreaks"


@attrs.frozen(kw_only=True)
class Course:
    """What became of a plan.

    Attributes:
        steps: Passes of the referee, after each of which all promises were checked.
        done: How often each deed was done.
        broken: The name of the promise that was broken; empty if none was.
        how: What was seen.
        restarts: How often the referee was killed and resumed.
        compared: Whether the record was compared with the undisturbed one.
    """

    steps: int
    done: Counter[Deed]
    broken: str = ""
    how: str = ""
    restarts: int = 0
    compared: bool = False


def play(plan: Plan) -> Course:
    """Play a plan."""
    world = PlannedWorld(plan)
    broken, how = "", ""
    try:
        _play(world)
    except Broken as error:
        broken, how = error.promise, str(error)
    except Stuck as error:
        broken, how = ENDS, str(error)
    except Exception:  # whatever the referee raises is a find
        broken, how = NOTHING_BREAKS, traceback.format_exc()
    finally:
        close_journals()
    return Course(
        steps=world.passes,
        done=world.done,
        broken=broken,
        how=how,
        restarts=world.restarts,
        compared=plan.changes_nothing,
    )


def _play(world: PlannedWorld) -> None:
    watch = Watch.over(world)
    world.settle()
    world.engine.begin(world.director)
    world._stirred = True
    while True:
        try:
            world.run_until(lambda: world.engine.finished, within_ns=MOST_NS)
            world.run_for(1 * S)
        except Killed:
            world.restart(watch.leaving)
            watch.resumed()
        else:
            break
    watch.ended()
