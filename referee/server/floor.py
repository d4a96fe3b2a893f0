"""The tables being played: which bot sits where, which tables have something to say, which are due."""

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from protocol.messages import RefereeMessage
from referee.play.names import GameId
from referee.play.publishing import NOTHING, Output
from referee.play.results import GameResult
from referee.play.table import Table
from referee.rules.data import frozen
from referee.server.lobby import Instance


@frozen
class Place:
    """A seat at a table."""

    table: Table
    seat: int


@attrs.define(kw_only=True, eq=False)
class RunningTable:
    """A table and the bots at it.

    Attributes:
        game: What is played.
        table: The table.
        places: Its seats.
        bots: By seat; None where the entrant has no bot left.
        free_ns: How long each of its requests runs at least.
        alarm: The earliest moment in the floor's heap for it; never later than it is to be ticked.
    """

    game: GameId
    table: Table
    places: tuple[Place, ...]
    bots: tuple[Instance | None, ...]
    free_ns: int
    alarm: int | None = None

    @classmethod
    def of(cls, table: Table, bots: Sequence[Instance | None]) -> "RunningTable":
        """Return a table that bots sit down at."""
        places = tuple(Place(table, seat) for seat in range(len(bots)))
        setup = table.setup
        return cls(game=setup.game, table=table, places=places, bots=tuple(bots), free_ns=setup.clock.free_ns)


DEAD_ALARMS = 64
"""So many alarms of tables that are gone, or more where there are many tables, are put up with."""

Keep = Callable[[GameId, Output], None]
"""Takes what a table wants kept, before anybody is told."""


class Floor:
    """All tables at once.

    Whoever touches a table says so with `touch`; `collect` then has its messages, `sent` starts its clocks.
    """

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._tables: dict[GameId, RunningTable] = {}
        # Sets that keep the order; not by game, since there is more to hashing a game than to all the rest.
        self._touched: dict[RunningTable, None] = {}
        self._unsent: dict[RunningTable, None] = {}
        self._over: list[GameResult] = []
        self._alarms: list[tuple[int, int, RunningTable]] = []
        self._alarm_numbers = itertools.count()

    def __len__(self) -> int:
        return len(self._tables)

    def start(self, table: Table, bots: Sequence[Instance | None]) -> None:
        """Open a table: seats whose bot is connected are here, those without any bot are gone for good."""
        game = table.setup.game
        self._tables[game] = running = RunningTable.of(table, bots)
        # In any case: where nobody is here it asks without a word to anybody, and its clocks run as ever.
        self._unsent[running] = None
        seated = {seat: bot for seat, bot in enumerate(bots) if bot is not None}
        for seat, bot in seated.items():
            bot.games[game] = seat
        here = {seat: bot.wants_events for seat, bot in seated.items() if bot.peer is not None}
        table.begin(here, gone=set(range(len(bots))) - set(seated))
        self.touch(game)

    def touch(self, game: GameId) -> Table:
        """Return a table that something is about to happen to."""
        running = self._tables[game]
        self._touched[running] = None
        return running.table

    def free(self, bot: Instance) -> None:
        """Let a bot go from all its tables; they play on without it."""
        for game in bot.games:
            running = self._tables[game]
            running.bots = tuple(None if other is bot else other for other in running.bots)
        bot.games.clear()

    def abandon(self, which: Callable[[GameId], bool]) -> None:
        """Clear tables in mid-game, without a result."""
        for game in [game for game in self._tables if which(game)]:
            self._clear(game)

    def find(self, bot: Instance, request: int) -> Place | None:
        """Return the place at which a bot was last asked with this id, touched; None if there is none."""
        for game, seat in bot.games.items():
            running = self._tables[game]
            if running.table.asked_last(seat, request):
                self._touched[running] = None
                return running.places[seat]
        return None

    def tick(self, now: int) -> None:
        """Tick every table whose time has come."""
        while self._is_any_due(now):
            _, _, running = heapq.heappop(self._alarms)
            running.alarm = None
            self._unsent[running] = None  # so that it gets another alarm in any case
            self._touched[running] = None
            running.table.tick(now)

    def collect(self) -> Iterator[tuple[Instance, RefereeMessage]]:
        """Give what the touched tables have to say, each message with the bot that it is for."""
        touched, self._touched = self._touched, {}
        for running in touched:
            output = running.table.take_output()
            if output is NOTHING:  # as after most answers; then no deadline has come nearer either
                continue
            if output.steps or output.events:
                self._keep(running.game, output)
            bots = running.bots
            for seat, message in output.messages:
                bot = bots[seat]
                if bot is not None:
                    yield bot, message
            if running.table.result is not None:
                self._over.append(running.table.result)
            self._unsent[running] = None

    def sent(self, now: int, at: Mapping[int, int]) -> None:
        """Start the clocks of the requests that were collected.

        Args:
            now: When they had been sent.
            at: By connection, when it was handed its own.
        """
        unsent, self._unsent = self._unsent, {}
        for running in unsent:
            times = [
                now if bot is None or bot.peer is None else at.get(bot.peer, now) for bot in running.bots
            ]
            all_begin_now = running.table.sent(now, times)
            # After most tricks: the alarm of an earlier one still comes before any deadline, as it shall.
            if not (
                all_begin_now and running.alarm is not None and running.alarm <= min(times) + running.free_ns
            ):
                self._set_alarm(running)

    def take_results(self) -> list[GameResult]:
        """Clear the tables whose game is over; call after their last messages were collected."""
        over, self._over = self._over, []
        for result in over:
            for bot in self._tables[result.game].bots:
                if bot is not None:
                    bot.played += 1
            self._clear(result.game)
        return over

    def next_due(self) -> int | None:
        """Return when to `tick`, in ns, sometimes too early; None if no table is waiting for that."""
        while self._alarms:
            moment, _, running = self._alarms[0]
            if running.alarm == moment:
                return moment
            heapq.heappop(self._alarms)  # of a table that is gone, or that has an earlier one
        return None

    def due_bots(self, now: int) -> set[Instance]:
        """Return the bots at the tables that `tick` would tick now: their sockets are to be read before."""
        if not self._is_any_due(now):
            return set()
        return {
            bot
            for moment, _, running in self._alarms
            if moment <= now and running.alarm == moment
            for bot in running.bots
            if bot is not None
        }

    def _is_any_due(self, now: int) -> bool:
        """Say whether the table of the first alarm is due; alarms that went off too early are set anew."""
        while (moment := self.next_due()) is not None and moment <= now:
            running = self._alarms[0][2]
            due = running.table.wake_at()
            if due is not None and due <= now:
                return True
            heapq.heappop(self._alarms)
            running.alarm = None
            self._set_alarm(running)
        return False

    def _set_alarm(self, running: RunningTable) -> None:
        """See that a table is thought of when it is due.

        An alarm that goes off too early is only set anew then, since deadlines move on with every trick and
        each would leave an entry behind.
        """
        due = running.table.wake_at()
        if due is not None and (running.alarm is None or due < running.alarm):
            # The number keeps tables, which have no order, from being compared.
            heapq.heappush(self._alarms, (due, next(self._alarm_numbers), running))
            running.alarm = due

    def _clear(self, game: GameId) -> None:
        running = self._tables.pop(game)
        running.alarm = None
        self._drop_dead_alarms()
        self._touched.pop(running, None)
        self._unsent.pop(running, None)
        for bot in running.bots:
            if bot is not None:
                bot.games.pop(game, None)

    def _drop_dead_alarms(self) -> None:
        """Forget the alarms of tables that are gone: with long limits they would lie there for long."""
        if len(self._alarms) > 2 * len(self._tables) + DEAD_ALARMS:
            self._alarms = [alarm for alarm in self._alarms if alarm[0] == alarm[2].alarm]
            heapq.heapify(self._alarms)
