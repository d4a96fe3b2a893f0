"""Journals to test with: whole tournaments played through directors and tables, without a bot or a socket.

What a seat does follows from the number that its request carries, so the same tournament is played alike
each time, with late and wrong answers, drops, forfeits and seats that never come.
"""

import itertools
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import attrs

from protocol.messages import Answer, Card, Draft, Row
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from referee.director import Director
from referee.journal.journal import Journal
from referee.play.clock import Arrival, ClockRules
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.seats import Presence
from referee.play.table import Table
from referee.rules.variants import Rules
from referee.setup import TournamentSetup
from referee.tournament.model import Kind

MS = 1_000_000
NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida")
REQUESTS = (ChooseCard, ChooseRow, ChooseDraft)
Request = ChooseCard | ChooseRow | ChooseDraft
BANKED = ClockRules(move_ns=20 * MS, grace_ns=2 * MS, bank_ns=15 * MS, strikes=3)


def setup(**changes: object) -> TournamentSetup:
    """A Swiss of three rounds at tables of four, two games of two deals a table, with a time bank."""
    values: dict[str, object] = {
        "kind": Kind.SWISS,
        "table_size": 4,
        "rounds": 3,
        "games": 2,
        "rules": Rules(target=None, deals=2),
        "clock": BANKED,
        "seed": "journal",
        "nonce": bytes(range(32)),
        "concurrency": 2,
    }
    return TournamentSetup(**(values | changes))


@attrs.define(kw_only=True)
class Playing:
    """A table being played, with a time of its own."""

    table: Table
    now: int = 0
    open: dict[int, Request] = attrs.field(factory=dict)


class Evening:
    """A tournament that is played move by move.

    Args:
        journal: Where it is kept.
        director: Who runs it.
        absent: Entrants that never come.
        honest: Whether all seats answer in time and legally.

    Attributes:
        director: Who runs it.
        passes: How many passes were committed.
    """

    def __init__(self, director: Director, *, absent: Collection[str] = (), honest: bool = False) -> None:
        self.director = director
        self.passes = 0
        self._absent = set(absent)
        self._honest = honest
        self._ids = itertools.count(1)
        self._tables: dict[GameId, Playing] = {}
        for game, steps in director.take_interrupted():
            table = self._table(game)
            table.restore(steps)
            self._start(game.id, table)

    def play(self, passes: int | None = None) -> "Evening":
        """Play so many passes, or to the end."""
        end = None if passes is None else self.passes + passes
        while not self.director.over and self.passes != end:
            self._pass()
        if self.director.over:
            self.director.close()
            self.director.commit()
        return self

    def close(self) -> None:
        """Close the journal."""
        self.director.journal.close()

    def void(self, number: int) -> None:
        """Have a round played again."""
        self._tables = {game: playing for game, playing in self._tables.items() if game.round != number}
        self.director.void_round(number, "a power cut")

    def _pass(self) -> None:
        while len(self._tables) < self.director.setup.concurrency:
            game = self.director.next_game(lambda names: True)
            if game is None:
                break
            self._start(game.id, self._table(game))
        for game, playing in list(self._tables.items()):
            self._move(playing)
            self._keep(game, playing)
            if playing.table.result is not None:
                del self._tables[game]
                self.director.game_ended(playing.table.result)
        self.director.commit()
        self.passes += 1

    def _table(self, game: object) -> Table:
        return Table(self.director.table_setup(game), lambda: next(self._ids))

    def _start(self, game: GameId, table: Table) -> None:
        names = table.setup.names
        playing = self._tables[game] = Playing(table=table)
        table.begin({seat: False for seat, name in enumerate(names) if name not in self._absent})
        self._keep(game, playing)

    def _keep(self, game: GameId, playing: Playing) -> None:
        output = playing.table.take_output()
        if output.steps or output.events:
            self.director.keep(game, output)
        playing.open.update(
            {seat: message for seat, message in output.messages if isinstance(message, REQUESTS)}
        )
        playing.table.sent(playing.now)

    def _move(self, playing: Playing) -> None:
        """Let everybody who was asked do something, and then the time be over."""
        requests, playing.open = playing.open, {}
        asked_at = playing.now
        for seat, asked in requests.items():
            for took, action in self._actions(asked):
                playing.now = max(playing.now, asked_at + took)
                self._act(playing, seat, asked, action, asked_at + took)
        wake = playing.table.wake_at()
        if wake is not None:
            playing.now = max(playing.now, wake)
            playing.table.tick(playing.now)

    def _actions(self, asked: Request) -> Iterator[tuple[int, str]]:
        number = asked.bot_seed >> 16
        took, chance = 100_000 + number % (3 * MS), number % 101
        if self._honest or chance > 12:
            yield took, "answer"
        elif chance > 8:
            yield took + 25 * MS, "answer"
        elif chance > 5:
            yield from [(took, "wrong")] * 3
        elif chance > 3:
            yield took, "drop"
        elif chance == 3:
            yield took, "violate"
        elif chance == 2:
            yield from [(took, "answer"), (took, "answer")]

    def _act(self, playing: Playing, seat: int, asked: Request, action: str, arrival: int) -> None:
        table = playing.table
        match action:
            case "answer" | "wrong":
                wanted = asked.choices[asked.bot_seed % len(asked.choices)] if action == "answer" else 104
                table.answered(seat, answer(asked, wanted), Arrival.at(arrival), playing.now)
            case "drop":
                table.left(seat, Presence.AWAY, playing.now)
                table.returned(seat, playing.now + MS, wants_events=False)
            case "violate":
                table.violated(seat, Fault.VIOLATION, playing.now)
                table.returned(seat, playing.now, wants_events=False)


def answer(asked: Request, value: int) -> Answer:
    """Answer a request with a choice."""
    if isinstance(asked, ChooseRow):
        return Row(request=asked.request, row=value % 4 if value < 4 else 9)
    if isinstance(asked, ChooseDraft):
        return Draft(request=asked.request, card=value)
    return Card(request=asked.request, card=value if value in asked.choices else 999)


def begin(
    path: Path | None = None,
    names: Sequence[str] = NAMES,
    *,
    absent: Collection[str] = (),
    honest: bool = False,
    **changes: object,
) -> Evening:
    """Begin a tournament in a new journal, in memory unless there is a path."""
    made = setup(**changes)
    head = made.head("test", {})
    journal = Journal.in_memory(head) if path is None else Journal.create(path, head)
    return Evening(Director(made, names, journal), absent=absent, honest=honest)


def go_on(path: Path, *, absent: Collection[str] = (), honest: bool = False) -> Evening:
    """Go on with the tournament of a journal."""
    journal = Journal.open(path)
    director = Director.restored(TournamentSetup.of(journal.reading().head), journal)
    return Evening(director, absent=absent, honest=honest)
