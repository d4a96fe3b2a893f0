"""Between director and floor: starts games when their bots are free, informs the others, ends it all."""

from collections.abc import Iterator, Sequence

from protocol.messages import Closing, RefereeMessage, Waiting
from protocol.parts import ClosingBecause, WaitingFor
from referee.director import Director
from referee.play.results import GameResult
from referee.server.ceremony import tournament_ends
from referee.server.floor import Floor
from referee.server.lobby import Instance, Lobby
from referee.server.news import GameOver, News, RoundOver, RoundPlanned, TournamentOver, Withdrawn

_WAITING = {
    WaitingFor.REGISTRATION: "The tournament has not started yet.",
    WaitingFor.ROUND: "The next round starts when the games of this one are over.",
    WaitingFor.TABLE: "The next table starts when its bots are free.",
}


class Organiser:
    """Brings games and bots together.

    Attributes:
        over: Whether the tournament is over and everybody has been told.
    """

    def __init__(self, director: Director, lobby: Lobby, floor: Floor, news: list[News]) -> None:
        self.over = False
        self._opened = False
        self._director = director
        self._lobby = lobby
        self._floor = floor
        self._news = news
        self._last_request = 0
        self._rounds_told = 0
        self._told: dict[Instance, tuple[int, WaitingFor]] = {}
        self._changed = True
        self._give_up_at: int | None = None

    def open(self) -> None:
        """Let games start from the next `arrange` on."""
        self._opened = self._changed = True

    def bots_changed(self) -> None:
        """Take in that a bot came or went, so that games may start which could not before."""
        self._changed = True

    def was_issued(self, request: int) -> bool:
        """Say whether a request with this id has existed."""
        return request <= self._last_request

    def game_over(self, result: GameResult) -> None:
        """Enter the result of a game."""
        self._changed = True
        before = {name for name in self._lobby.entrants if self._director.is_withdrawn(name)}
        self._news.append(GameOver(result=result))
        if not self._director.game_ended(result):
            return
        self._news.append(RoundOver(number=result.game.round))
        for name in self._lobby.entrants:
            if self._director.is_withdrawn(name) and name not in before:
                self._news.append(Withdrawn(entrant=name, reason="missed two rounds"))

    def arrange(self, now: int) -> Iterator[tuple[Instance, RefereeMessage]]:
        """Start what can start; give what bots without a game, or at the end of all, are to be told."""
        due = self.next_due()
        if self.over or due is None or due > now:
            return
        self._changed = False
        if self._opened:
            self._start_games(now)
            self._tell_rounds()
        yield from self._end() if self._director.complete else self._keep_informed()

    def next_due(self) -> int | None:
        """Return when `arrange` is due: 0 if something changed, or when a bot is no longer waited for."""
        if self._changed:
            return 0
        return self._give_up_at

    def _next_request_id(self) -> int:
        self._last_request += 1
        return self._last_request

    def _start_games(self, now: int) -> None:
        def can_play(names: Sequence[str]) -> bool:
            return all(self._lobby.can_seat(name, now) for name in names)

        self._give_up_at = None
        while len(self._floor) < self._director.setup.concurrency:
            game = self._director.next_game(can_play)
            if game is None:
                self._give_up_at = self._lobby.next_give_up(now)
                return
            bots = [self._lobby.choose(name, now) for name in game.names]
            self._floor.start(self._director.table_setup(game), bots, self._next_request_id)

    def _tell_rounds(self) -> None:
        plans = self._director.plans
        self._news += [RoundPlanned(plan=plan) for plan in plans[self._rounds_told :]]
        self._rounds_told = len(plans)

    def _keep_informed(self) -> Iterator[tuple[Instance, RefereeMessage]]:
        """Tell each bot that has nothing to do what it waits for, once."""
        reason = self._reason()
        for instance in self._lobby:
            if instance.peer is None or instance.games:
                self._told.pop(instance, None)
            elif self._told.get(instance) != (instance.peer, reason):
                self._told[instance] = (instance.peer, reason)
                yield instance, Waiting(reason=reason, message=_WAITING[reason])

    def _reason(self) -> WaitingFor:
        if not self._opened:
            return WaitingFor.REGISTRATION
        return WaitingFor.ROUND if self._director.waits_for_round else WaitingFor.TABLE

    def _end(self) -> Iterator[tuple[Instance, RefereeMessage]]:
        self.over = True
        ends = tournament_ends(self._director)
        self._news.append(TournamentOver())
        for instance in self._lobby:
            yield instance, ends[instance.entrant]
            yield instance, Closing(reason=ClosingBecause.FINISHED, message="The tournament is over.")
