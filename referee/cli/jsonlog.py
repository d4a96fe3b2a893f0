"""What is shown while a tournament runs, for programs: every piece of news as a JSON object on a line."""

import time
from collections.abc import Callable, Sequence

from referee.cli import events
from referee.cli.log import Fact, JsonLog, note
from referee.cli.organiserview import OrganiserView
from referee.cli.progress import SIGN_OF_LIFE_S, Look, Progress
from referee.director import Director
from referee.local.news import LocalNews
from referee.server.news import News


class JsonProgress(Progress):
    """Writes all news of a tournament of local bots, and now and then how far it is.

    Args:
        log: Where to.
        clock: Seconds, rising.
    """

    def __init__(self, log: JsonLog, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._look: Look | None = None
        self._last = clock()

    def open(self, look: Look) -> None:
        """Begin."""
        self._look = look

    def news(self, items: Sequence[LocalNews]) -> None:
        """Write an object for each."""
        for item in items:
            self.tell(events.fact_of(item))

    def tick(self) -> None:
        """Write how far the tournament is, if that was long ago."""
        if self._look is not None and self._clock() - self._last >= SIGN_OF_LIFE_S:
            self._last = self._clock()
            look = self._look()
            self.tell(
                events.progress(
                    number=look.round,
                    rounds=look.rounds,
                    done=look.done,
                    planned=look.planned,
                    running=look.running,
                )
            )

    def close(self) -> None:
        """Write no more of how far things are."""
        self._look = None

    def say(self, line: str) -> None:
        """Write words."""
        self.tell(note(line))

    def tell(self, fact: Fact) -> None:
        """Write a fact."""
        self._log.tell(fact)


class JsonOrganiserView(OrganiserView):
    """Writes all news of a served tournament, and now and then how far it is.

    Args:
        log: Where to.
        clock: Seconds, rising.
    """

    def __init__(self, log: JsonLog, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._last = clock()

    def say(self, text: str) -> None:
        """Write words."""
        self.tell(note(text))

    def answer(self, text: str) -> None:
        """Write words."""
        self.say(text)

    def tell(self, fact: Fact) -> None:
        """Write a fact."""
        self._log.tell(fact)

    def news(self, items: Sequence[News], director: Director | None, here: Sequence[str]) -> None:
        """Write an object for each."""
        for item in items:
            self.tell(events.fact_of(item))

    def tick(self, director: Director | None, here: Sequence[str], running: int) -> None:
        """Write how far the tournament is, if that was long ago."""
        if director is not None and self._clock() - self._last >= SIGN_OF_LIFE_S:
            self._last = self._clock()
            self.tell(
                events.progress(
                    number=director.round,
                    rounds=director.rounds,
                    done=director.games_done,
                    planned=director.games_planned,
                    running=running,
                )
            )
