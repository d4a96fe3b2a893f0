"""Between director and floor: starts games when their bots are free, informs the others, ends it all."""

from collections.abc import Callable, Iterator, Sequence

from protocol.messages import Closing, RefereeMessage, Waiting
from protocol.parts import ClosingBecause, WaitingFor
from referee.director import Director
from referee.play.results import GameResult
from referee.play.table import Table
from referee.server.ceremony import tournament_ends
from referee.server.floor import Floor
from referee.server.lobby import Instance, Lobby
from referee.server.news import GameOver, News, RoundOver, RoundPlanned, TournamentOver, Withdrawn

_WAITING = {
    WaitingFor.REGISTRATION: "The tournament has not started yet.",
    WaitingFor.ROUND: "The next round starts when the games of this one are over.",
    WaitingFor.TABLE: "The next table starts when its bots are free.",
}


REQUESTS_PER_SESSION_BITS = 32
"""Each run of the referee on a journal has so many request ids of its own; 2**21 runs fit into an id."""


class Organiser:
    """Brings games and bots together: registration -> play (now and then paused) -> over.

    Attributes:
        over: Whether the tournament is over and everybody has been told.
        paused: Whether no further games start for now.
    """

    def __init__(self, lobby: Lobby, floor: Floor, news: list[News]) -> None:
        self.over = False
        self._director: Director | None = None
        self.paused = False
        self._draining = False
        self._lobby = lobby
        self._floor = floor
        self._news = news
        self._last_request = 0
        self._rounds_told = 0
        self._no_shows_told = 0
        self._told: dict[Instance, tuple[int, WaitingFor]] = {}
        self._changed = True
        self._give_up_at: int | None = None
        self._asleep: list[Table] = []

    def open(self, director: Director) -> None:
        """Let games start from the next `arrange` on."""
        self._director = director
        self._changed = True
        # Ids must not repeat, whatever was asked before the referee was stopped.
        self._last_request = (director.session - 1) << REQUESTS_PER_SESSION_BITS
        for game, steps in director.take_interrupted():
            table = Table(director.table_setup(game), self._next_request_id)
            director.restore(table, steps)
            if table.result is None:
                self._asleep.append(table)
            else:
                self.game_over(director, table.result)

    def pause(self) -> None:
        """Start no further games, and do not end either: the last round may have to be played again."""
        self.paused = self._changed = True

    def go_on(self) -> None:
        """Start games again."""
        self.paused = False
        self._changed = True

    def drain(self) -> None:
        """Start no further games, since the referee is about to stop; nobody can take that back."""
        self._draining = True

    def bots_changed(self) -> None:
        """Take in that a bot came or went, so that games may start which could not before."""
        self._changed = True

    def was_issued(self, request: int) -> bool:
        """Say whether a request with this id has existed."""
        return request <= self._last_request

    def game_over(self, director: Director, result: GameResult) -> None:
        """Enter the result of a game."""
        self._changed = True
        self._news.append(GameOver(result=result))
        if director.game_ended(result):
            self._news.append(RoundOver(number=result.game.round))
        for name in director.no_shows[self._no_shows_told :]:
            self._news.append(Withdrawn(entrant=name, reason="missed two rounds"))
        self._no_shows_told = len(director.no_shows)

    def arrange(self, now: int) -> Iterator[tuple[Instance, RefereeMessage]]:
        """Start what can start; give what bots without a game, or at the end of all, are to be told.

        To be called when it is due.
        """
        if self.over:
            return
        self._changed = False
        if self._director is None:
            yield from self._keep_informed(WaitingFor.REGISTRATION)
            return
        self._start_games(self._director, now)
        self._tell_rounds(self._director)
        if self._director.over and not self.paused:
            yield from self._end(self._director)
        else:
            reason = WaitingFor.ROUND if self._director.waits_for_round else WaitingFor.TABLE
            yield from self._keep_informed(reason)

    def is_due(self, now: int) -> bool:
        """Say whether `arrange` has something to do at `now`."""
        due = self.next_due()
        return due is not None and due <= now

    def next_due(self) -> int | None:
        """Return when `arrange` is due: 0 if something changed, or when a bot is no longer waited for."""
        if self._changed:
            return 0
        return self._give_up_at

    def _next_request_id(self) -> int:
        self._last_request += 1
        return self._last_request

    def _start_games(self, director: Director, now: int) -> None:
        def can_play(names: Sequence[str]) -> bool:
            return all(self._lobby.can_seat(name, now) for name in names)

        self._give_up_at = None
        if self.paused or self._draining:
            return
        self._wake_tables(can_play, now)
        while len(self._floor) < director.setup.concurrency:
            game = director.next_game(can_play)
            if game is None:
                self._give_up_at = self._lobby.next_give_up(now)
                return
            self._seat(Table(director.table_setup(game), self._next_request_id), now)

    def _wake_tables(self, can_play: Callable[[Sequence[str]], bool], now: int) -> None:
        """Go on with the interrupted games whose bots are back, or are waited for no longer."""
        for table in self._asleep.copy():
            if can_play(table.setup.names):
                self._asleep.remove(table)
                self._seat(table, now)
        if self._asleep:
            self._give_up_at = self._lobby.next_give_up(now)

    def _seat(self, table: Table, now: int) -> None:
        self._floor.start(table, [self._lobby.choose(name, now) for name in table.setup.names])

    def _tell_rounds(self, director: Director) -> None:
        self._news += [RoundPlanned(plan=plan) for plan in director.plans[self._rounds_told :]]
        self._rounds_told = len(director.plans)

    def _keep_informed(self, reason: WaitingFor) -> Iterator[tuple[Instance, RefereeMessage]]:
        """Tell each bot that has nothing to do what it waits for, once."""
        for instance in self._lobby:
            if instance.peer is None or instance.games:
                self._told.pop(instance, None)
            elif self._told.get(instance) != (instance.peer, reason):
                self._told[instance] = (instance.peer, reason)
                yield instance, Waiting(reason=reason, message=_WAITING[reason])

    def _end(self, director: Director) -> Iterator[tuple[Instance, RefereeMessage]]:
        self.over = True
        director.close()
        ends = tournament_ends(director)
        self._news.append(TournamentOver())
        for instance in self._lobby:
            yield instance, ends[instance.entrant]
            yield instance, Closing(reason=ClosingBecause.FINISHED, message="The tournament is over.")
