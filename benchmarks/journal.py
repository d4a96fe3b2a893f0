"""What the journal costs: the same games with one in a file, one in memory, and one that keeps nothing.

Plays through directors and tables in this process, without bots and sockets, so the share of the journal is
larger here than in any real tournament. Gives ratios of one run, see README.md.
"""

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from protocol.messages import Answer, Card, Row
from protocol.requests import ChooseCard, ChooseRow
from referee.director import Director
from referee.journal.head import Head
from referee.journal.journal import Journal
from referee.play.clock import Arrival, ClockRules
from referee.play.table import Table
from referee.rules.variants import Rules
from referee.setup import TournamentSetup
from referee.tournament.model import Kind

TABLES = (1, 16, 64)
SEATS = 4
DEALS = 5
PASSES = 3200
"""Tricks in all; with more tables at once there are fewer passes, and so fewer commits."""
REPEATS = 3
FLUSH_EVERY_S = 1.0


class Silent(Journal):
    """A journal that keeps nothing but its head."""

    begun = False

    def _write_all(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        if not self.begun:
            super()._write_all(sql, rows)


def silent(head: Head) -> Journal:
    """Make a journal that keeps nothing from now on."""
    journal = Silent.in_memory(head)
    journal.begun = True  # type: ignore[attr-defined]
    return journal


def setup(tables: int) -> TournamentSetup:
    """Return a round of so many tables, all of which run at once."""
    return TournamentSetup(
        kind=Kind.SWISS,
        table_size=SEATS,
        rounds=1,
        games=max(1, PASSES // (tables * DEALS * 10)),
        rules=Rules(target=None, deals=DEALS),
        clock=ClockRules(move_ns=10**9),
        seed="benchmark",
        nonce=bytes(32),
        concurrency=tables,
    )


def play(director: Director, keep: Callable[[], None]) -> int:
    """Play all games, a trick of each table in a pass; return the number of passes."""
    ids = itertools.count(1)
    tables: dict[object, Table] = {}
    asked: dict[object, list[tuple[int, Answer]]] = {}
    passes = 0

    def collect(game: object, table: Table) -> None:
        output = table.take_output()
        if output.steps or output.events:
            director.keep(table.setup.game, output)
        asked[game] = [(seat, reply) for seat, message in output.messages if (reply := lowest(message))]
        table.sent(passes)

    while not director.over:
        while len(tables) < director.setup.concurrency and (found := director.next_game(lambda names: True)):
            tables[found.id] = table = Table(director.table_setup(found), lambda: next(ids))
            table.begin(dict.fromkeys(range(len(found.names)), False))
            collect(found.id, table)
        for game, table in list(tables.items()):
            for seat, reply in asked[game]:
                table.answered(seat, reply, Arrival.at(passes), passes)
            collect(game, table)
            if table.result is not None:
                del tables[game]
                director.game_ended(table.result)
        director.commit()
        keep()
        passes += 1
    return passes


def lowest(message: object) -> Answer | None:
    """Return the answer to a request, None to anything else."""
    if isinstance(message, ChooseCard):
        return Card(request=message.request, card=message.choices[0])
    if isinstance(message, ChooseRow):
        return Row(request=message.request, row=message.choices[0])
    return None


def timed(tables: int, make: Callable[[TournamentSetup], Journal], *, looked_after: bool) -> float:
    """Return the processor seconds that a tournament takes, with the upkeep of a referee that runs."""
    made = setup(tables)
    journal = make(made)
    names = [f"bot-{number:03}" for number in range(tables * SEATS)]
    flushed = time.monotonic()

    def keep() -> None:
        nonlocal flushed
        if journal.wants_checkpoint():
            journal.checkpoint()
        if time.monotonic() - flushed > FLUSH_EVERY_S:
            flushed = time.monotonic()
            journal.flush()

    begun = time.process_time()
    play(Director(made, names, journal), keep if looked_after else lambda: None)
    taken = time.process_time() - begun
    journal.abandon()
    return taken


def lines() -> Iterator[str]:
    """Measure each kind in turn, several times, and give the best of each as ratios, in Markdown."""
    yield "| tables at once | file : nothing kept | file : memory |"
    yield "| ---: | ---: | ---: |"
    with tempfile.TemporaryDirectory() as directory:
        paths = (Path(directory) / str(number) for number in itertools.count())
        kinds: dict[str, Callable[[TournamentSetup], Journal]] = {
            "nothing": lambda made: silent(made.head("benchmark", {})),
            "memory": lambda made: Journal.in_memory(made.head("benchmark", {})),
            "file": lambda made: Journal.create(next(paths), made.head("benchmark", {})),
        }
        for tables in TABLES:
            best = dict.fromkeys(kinds, float("inf"))
            for _ in range(REPEATS):
                for kind, make in kinds.items():
                    best[kind] = min(best[kind], timed(tables, make, looked_after=kind == "file"))
            against_nothing, against_memory = best["file"] / best["nothing"], best["file"] / best["memory"]
            yield f"| {tables} | {against_nothing:.2f} | {against_memory:.2f} |"
