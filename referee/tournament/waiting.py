"""The games that wait for their turn, by table: what is kept does not grow with the number of games."""

from collections.abc import Callable, Sequence

import attrs

from referee.tournament.model import TablePlan


@attrs.define(kw_only=True)
class _Table:
    """What is still to be played at a table: the games from `next` to `last`, in turn."""

    plan: TablePlan
    next: int
    last: int

    @property
    def turn(self) -> tuple[int, int, int]:
        """The place of its next game in the schedule."""
        return self.plan.round, self.next, self.plan.table


class WaitingGames:
    """The games that are planned and not begun, in the order in which they are to begin."""

    def __init__(self) -> None:
        self._tables: list[_Table] = []

    def __len__(self) -> int:
        return sum(table.last - table.next + 1 for table in self._tables)

    def add(self, tables: Sequence[TablePlan], numbers: range) -> None:
        """Add the games with these numbers at each of some tables."""
        self._tables += [_Table(plan=plan, next=numbers[0], last=numbers[-1]) for plan in tables]
        self._tables.sort(key=lambda table: table.turn)

    def take(
        self, can_play: Callable[[Sequence[str]], bool], *, newest_round: int
    ) -> tuple[TablePlan, int] | None:
        """Take out the first game that can begin.

        Args:
            can_play: Says whether these entrants can all be seated now.
            newest_round: Games of later rounds do not begin yet.

        Returns:
            The table and the number of the game; None if none can begin.
        """
        for table in self._tables:
            if table.plan.round > newest_round:
                return None
            if can_play(table.plan.entrants):
                return table.plan, self._advance(table)
        return None

    def begun(self, number: int, table: int, game: int) -> None:
        """Take out a game that has begun already, with those before it at its table."""
        for waiting in self._tables:
            if (waiting.plan.round, waiting.plan.table) == (number, table) and waiting.next <= game:
                waiting.next = game
                self._advance(waiting)
                return

    def clear(self) -> None:
        """Take out all games."""
        self._tables = []

    def _advance(self, table: _Table) -> int:
        number = table.next
        table.next += 1
        self._tables = [waiting for waiting in self._tables if waiting.next <= waiting.last]
        self._tables.sort(key=lambda waiting: waiting.turn)
        return number
