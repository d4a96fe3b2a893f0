"""How often a bot process is started again: the one place that decides it. Pure."""

from collections import Counter
from collections.abc import Collection

import attrs

from referee.local.news import Then
from referee.play.names import GameId

RESTARTS_PER_GAME = 1
"""In one game a bot that dies is started again so often; the rest of the game is then played by default."""

FAILED_STARTS = 2
"""A bot that ends so often in a row without ever introducing itself is given up."""

IDLE_DEATHS = 3
"""A bot that dies so often in a row between games, without playing one, is given up."""


@attrs.define
class Lives:
    """Counts the deaths of one bot process."""

    _in_game: Counter[GameId] = attrs.field(factory=Counter)
    _idle: int = 0
    _failed_starts: int = 0
    _played: int = 0

    def died(self, *, introduced: bool, games: Collection[GameId], played: int) -> Then:
        """Say what follows a death.

        Args:
            introduced: Whether this process had said hello.
            games: Those in which its bot has a seat now.
            played: How many games its bot has played to the end so far.
        """
        if not introduced:
            self._failed_starts += 1
            return Then.GIVEN_UP if self._failed_starts >= FAILED_STARTS else Then.RESTARTED
        self._failed_starts = 0
        if games:
            return self._died_in(games)
        self._idle = 1 if played != self._played else self._idle + 1
        self._played = played
        return Then.GIVEN_UP if self._idle >= IDLE_DEATHS else Then.RESTARTED

    def _died_in(self, games: Collection[GameId]) -> Then:
        """Count the death with each game; those that are over by now are forgotten."""
        self._idle = 0
        self._in_game = Counter({game: self._in_game[game] + 1 for game in games})
        most = max(self._in_game.values())
        return Then.RESTARTED if most <= RESTARTS_PER_GAME else Then.DEFAULTS
