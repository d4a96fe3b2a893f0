"""The live display on a terminal: how far, how long still, and who leads; trouble scrolls by above it."""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import TextIO

import rich.live
from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from referee.cli import cells
from referee.cli.narrator import Narrator
from referee.cli.progress import Look, Progress, Snapshot, how_far
from referee.local.news import LocalNews
from referee.tournament.standings import StandingsRow

SHOWN = 10
"""So many of the standings are shown."""

REFRESH_S = 0.25


class Live(Progress):
    """Draws on a terminal.

    Without a thread of its own: bots are started by a fork, and no lock may be held by another thread then.
    A terminal that went away is no reason to stop a tournament.

    Args:
        stream: The terminal.
        colours: Whether there is more than the cursor to be moved.
        clock: Seconds, rising.
    """

    def __init__(self, stream: TextIO, *, colours: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = Console(
            file=stream,
            color_system="auto" if colours else None,
            no_color=not colours,
            force_terminal=True,
            highlight=False,
        )
        self._display = rich.live.Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._narrator = Narrator()
        self._clock = clock
        self._look: Look | None = None
        self._began = clock()
        self._drawn: float | None = None

    def open(self, look: Look) -> None:
        """Draw for the first time."""
        self._look = look
        self._began = self._clock()
        with contextlib.suppress(OSError):
            self._display.start()
        self.tick()

    def news(self, items: Sequence[LocalNews]) -> None:
        """Write trouble above the display; the rest shows at the next tick."""
        for line in self._narrator.lines(items):
            self.say(line)

    def tick(self) -> None:
        """Draw, unless that was just done."""
        now = self._clock()
        if self._look is None or (self._drawn is not None and now - self._drawn < REFRESH_S):
            return
        self._drawn = now
        with contextlib.suppress(OSError):
            self._display.update(_picture(self._look(), now - self._began), refresh=True)

    def close(self) -> None:
        """Take the display away and show the cursor again."""
        self._look = None
        with contextlib.suppress(OSError):
            self._display.stop()

    def say(self, line: str) -> None:
        """Write a line above the display."""
        with contextlib.suppress(OSError):
            self._console.print(Text(line), soft_wrap=True)


def _picture(snapshot: Snapshot, seconds: float) -> RenderableType:
    bar = Table.grid()  # alone, the bar would not end its line
    bar.add_row(ProgressBar(total=max(1, snapshot.planned), completed=snapshot.done, width=40))
    return Group(Text(how_far(snapshot, seconds)), bar, _leaders(snapshot.rows))


def _leaders(rows: Sequence[StandingsRow]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("name", overflow="ellipsis", no_wrap=True)
    table.add_column("points", no_wrap=True)
    table.add_column("games", justify="right")
    table.add_column("bullheads a deal", justify="right")
    table.add_column("faults", overflow="ellipsis", no_wrap=True)
    for row in rows[:SHOWN]:
        cell_texts = (
            str(row.rank),
            cells.plain(row.name),
            cells.points(row.points),
            str(row.games),
            cells.bullheads_a_deal(row),
            cells.faults(row.faults),
        )
        table.add_row(*(Text(text) for text in cell_texts))
    return table
