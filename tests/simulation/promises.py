"""All promises that are checked after every pass of the referee, and the watch that has them checked."""

import attrs

from tests.simulation.account import (
    AllHearTheEnd,
    BullheadsAddUp,
    CommittedBeforeTold,
    EverythingIsBounded,
    FaultsSitRight,
    NothingIsLost,
    SameRecord,
    SeatsStayWithTheirBots,
)
from tests.simulation.promise import Promise
from tests.simulation.turn import (
    ClocksOnlyShrink,
    FirstAnswerCounts,
    IdsNeverRepeat,
    NothingLeaks,
    RequestsEndOnce,
)
from tests.simulation.world import PlannedWorld, Sent

PROMISES: tuple[type[Promise], ...] = (
    NothingLeaks,
    RequestsEndOnce,
    IdsNeverRepeat,
    FirstAnswerCounts,
    ClocksOnlyShrink,
    FaultsSitRight,
    SeatsStayWithTheirBots,
    CommittedBeforeTold,
    NothingIsLost,
    BullheadsAddUp,
    EverythingIsBounded,
    AllHearTheEnd,
    SameRecord,
)


@attrs.frozen
class Watch:
    """All promises, about one world."""

    promises: tuple[Promise, ...]

    @classmethod
    def over(cls, world: PlannedWorld) -> "Watch":
        """Watch a world."""
        watch = cls(tuple(promise(world) for promise in PROMISES))
        world.engine.on_leaving = watch.leaving
        world.after_pass.append(watch.passed)
        return watch

    def leaving(self, messages: list[Sent]) -> None:
        """Have all promises looked at for what leaves."""
        for promise in self.promises:
            promise.leaving(messages)

    def passed(self) -> None:
        """Have all promises looked at after a pass."""
        for promise in self.promises:
            promise.passed()

    def resumed(self) -> None:
        """Tell all of a kill and a resume."""
        for promise in self.promises:
            promise.resumed()

    def ended(self) -> None:
        """Have all promises looked at at the end."""
        for promise in self.promises:
            promise.ended()
