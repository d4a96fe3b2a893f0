"""What a promise is: something that has to hold at every step of every simulated tournament."""

from collections.abc import Iterator

from referee.play.table import Table
from tests.simulation.world import PlannedWorld, Sent


class Broken(AssertionError):
    """A promise was broken.

    Attributes:
        promise: The name of the promise.
    """

    def __init__(self, promise: str, how: str) -> None:
        super().__init__(f"{promise}: {how}")
        self.promise = promise


class Promise:
    """One promise.

    Attributes:
        number: Of the promise in the design.
    """

    number = 0

    def __init__(self, world: PlannedWorld) -> None:
        self.world = world

    def leaving(self, messages: list[Sent]) -> None:
        """Look at the messages that are about to be sent, after the commit of their pass."""

    def passed(self) -> None:
        """Look at the referee after a pass."""

    def resumed(self) -> None:
        """Take in that the referee was killed and goes on from its journal."""

    def ended(self) -> None:
        """Look at what a finished tournament has left behind."""

    def hold(self, condition: object, how: str) -> None:
        """Say that the promise is broken unless something is so."""
        if not condition:
            raise Broken(type(self).__name__, how)

    @property
    def tables(self) -> Iterator[Table]:
        """The tables that are being played."""
        return (running.table for running in self.world.engine._floor._tables.values())

    def table(self, game: str) -> Table | None:
        """Return the table of a game by its id, if it is still being played."""
        return next((table for table in self.tables if str(table.setup.game) == game), None)
