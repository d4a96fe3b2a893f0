"""What an organiser sees of a served tournament: lines as things happen, standings after each round."""

import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

from referee.cli.cells import plain
from referee.cli.log import Fact, JsonLog
from referee.cli.logformat import LogFormat, chosen
from referee.cli.narrator import Narrator
from referee.cli.organiserview import OrganiserView
from referee.director import Director
from referee.server.news import Joined, Lost, News, RoundOver, RoundPlanned

SIGN_OF_LIFE_S = 15.0
"""After so long without any line one says how far things are."""

_NAMES_SHOWN = 12


class LobbyView(OrganiserView):
    """Writes lines for the organiser.

    Args:
        stream: Where to.
        quiet: Whether nothing is wanted.
        clock: Seconds, rising.
    """

    def __init__(self, stream: TextIO, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._quiet = quiet
        self._clock = clock
        self._narrator = Narrator()
        self._last_line = clock()

    def say(self, text: str) -> None:
        """Write a line, or several."""
        if not self._quiet:
            self.answer(text)

    def answer(self, text: str) -> None:
        """Write what was asked for, also where nothing else is wanted.

        If nobody reads it any more, that is no reason to stop a tournament.
        """
        with contextlib.suppress(OSError):
            print(text, file=self._stream, flush=True)
        self._last_line = self._clock()

    def tell(self, fact: Fact) -> None:
        """Write the lines of a fact."""
        for line in fact.lines:
            self.say(line)

    def news(self, items: Sequence[News], director: Director | None, here: Sequence[str]) -> None:
        """Take in what has happened; `here` are the entrants that are connected."""
        for item in items:
            for line in self._lines(item, director, here):
                self.say(line)

    def tick(self, director: Director | None, here: Sequence[str], running: int) -> None:
        """Give a sign of life after a long silence."""
        if self._clock() - self._last_line < SIGN_OF_LIFE_S:
            return
        if director is None:
            self.say(f"registration: {_who(here)}")
        else:
            self.say(
                f"round {director.round} of {director.rounds}, {director.games_done} of"
                f" {director.games_planned} games done, {running} tables running"
            )

    def _lines(self, item: News, director: Director | None, here: Sequence[str]) -> list[str]:
        match item:
            case Joined(entrant=name, address=address, client=client):
                with_what = f" with {plain(client)}" if client else ""
                return [f"{name} is here{with_what} from {plain(address)}; {_who(here)}"]
            case Lost(entrant=name, reason=reason) if director is None:
                return [f"{name} has gone: {plain(reason)}; {_who(here)}"]
            case RoundPlanned(plan=plan):
                if plan.number == 1:
                    self._narrator = Narrator()
                tables = [f"  table {table.table}: {', '.join(table.entrants)}" for table in plan.tables]
                byes = [f"  bye: {', '.join(plan.byes)}"] if plan.byes else []
                notes = [f"  {plain(note)}" for note in plan.notes]
                return [f"round {plan.number}", *tables, *byes, *notes]
            case RoundOver(number=number):
                return [f"round {number} is over"]
            case _:
                return self._narrator.lines([item])


def make_view(*, quiet: bool) -> OrganiserView:
    """Choose how to show a served tournament on stderr: in words, or as objects if the log is JSON.

    Args:
        quiet: Whether nothing is wanted but what was asked for.
    """
    if quiet or chosen() is LogFormat.TEXT:
        return LobbyView(sys.stderr, quiet=quiet)
    from referee.cli.jsonlog import JsonOrganiserView

    return JsonOrganiserView(JsonLog(sys.stderr))


def _who(here: Sequence[str]) -> str:
    names = sorted(here)
    if not names:
        return "nobody is here"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"{len(names)} here: {', '.join(names[:_NAMES_SHOWN])}{more}"
