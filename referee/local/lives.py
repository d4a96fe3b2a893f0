"""How often a bot process is started again: the one place that decides it. Pure."""

import attrs

from referee.local.news import Then

RESTARTS_PER_GAME = 1
"""In one game a bot that dies is started again so often; the rest of the game is then played by default."""

FAILED_STARTS = 2
"""A bot that ends so often in a row without ever introducing itself is given up."""

IDLE_DEATHS = 3
"""A bot that dies so often in a row without being in a game is given up."""


@attrs.define
class Lives:
    """Counts the deaths of one bot process."""

    _in_game: int = 0
    _idle: int = 0
    _failed_starts: int = 0

    def game_over(self) -> None:
        """A game ended: the next one is begun with a clean slate."""
        self._in_game = self._idle = 0

    def died(self, *, introduced: bool, in_game: bool) -> Then:
        """Say what follows a death.

        Args:
            introduced: Whether this process had said hello.
            in_game: Whether its bot has a seat at a table now.
        """
        if not introduced:
            self._failed_starts += 1
            return Then.GIVEN_UP if self._failed_starts >= FAILED_STARTS else Then.RESTARTED
        self._failed_starts = 0
        if in_game:
            self._idle = 0
            self._in_game += 1
            return Then.RESTARTED if self._in_game <= RESTARTS_PER_GAME else Then.DEFAULTS
        self._idle += 1
        return Then.GIVEN_UP if self._idle >= IDLE_DEATHS else Then.RESTARTED
