"""The games that wait for their turn, by table: what is kept does not grow with the number of games."""

from bisect import insort
from collections.abc import Callable, Sequence

import attrs

from referee.tournament.dealsets import Series
from referee.tournament.model import TablePlan


@attrs.define(kw_only=True)
class _Table:
    """What is still to be played at a table: the games from `next` to `last`, in turn."""

    plan: TablePlan
    series: Series
    next: int
    last: int

    @property
    def turn(self) -> tuple[int, int, int]:
        """The place of its next game in the schedule."""
        return self.plan.round, self.next, self.plan.table

    @property
    def seated(self) -> tuple[str, ...]:
        """Who plays its next game, by seat."""
        return self.series.seated(self.plan.entrants, self.next)


class WaitingGames:
    """The games that are planned and not begun, in the order in which they are to begin."""

    def __init__(self) -> None:
        self._tables: list[_Table] = []

    def __len__(self) -> int:
        return sum(table.last - table.next + 1 for table in self._tables)

    def add(self, tables: Sequence[TablePlan], series: Series, *, times_voided: int = 0) -> None:
        """Add the games of some tables, as many as each has.

        Args:
            tables: Who sits where.
            series: What each table plays.
            times_voided: How often their round was voided, which uses up as many numbers each time.
        """
        for plan in tables:
            games = series.games(len(plan.entrants))
            first = 1 + games * times_voided
            self._put(_Table(plan=plan, series=series, next=first, last=first + games - 1))

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
        for index, table in enumerate(self._tables):
            if table.plan.round > newest_round:
                return None
            if can_play(table.seated):
                number = table.next
                self._go_on(index, number + 1)
                return table.plan, number
        return None

    def begun(self, number: int, table: int, game: int) -> None:
        """Take out a game that has begun already, with those before it at its table."""
        for index, waiting in enumerate(self._tables):
            if (waiting.plan.round, waiting.plan.table) == (number, table) and waiting.next <= game:
                self._go_on(index, game + 1)
                return

    def clear(self) -> None:
        """Take out all games."""
        self._tables = []

    def _go_on(self, index: int, following: int) -> None:
        table = self._tables.pop(index)
        table.next = following
        self._put(table)

    def _put(self, table: _Table) -> None:
        if table.next <= table.last:
            insort(self._tables, table, key=lambda waiting: waiting.turn)
