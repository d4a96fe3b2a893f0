"""The reader's side: what a journal holds, as data; also while a tournament is being played."""

import contextlib
import itertools
import json
import operator
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from referee.journal.errors import JournalUnusable
from referee.journal.files import check_is_journal, check_sqlite, layout, layout_made
from referee.journal.head import Head, from_text
from referee.journal.schema import CONTINUE, PAUSE, VOID
from referee.journal.seatrows import SeatRow, seat_result
from referee.journal.steps import StepReader
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult
from referee.play.steps import Step
from referee.tournament.model import RoundPlan, TablePlan

_SEAT_FIELDS = tuple(field.name for field in attrs.fields(SeatRow))
SEAT_COLUMNS = ", ".join(
    "entrants.name" if name == "name" else f"seat_results.{name}" for name in _SEAT_FIELDS
)
"""The columns that make a `SeatRow`; where they are used, `entrants` is joined."""


@attrs.frozen(kw_only=True)
class StoredEntrant:
    """An entrant.

    Attributes:
        name: Its name.
        entered: The first round it could take part in.
        out_after: The last round planned when it left; None while it is in.
        reason: Why it left.
    """

    name: str
    entered: int
    out_after: int | None
    reason: str | None


@attrs.frozen(kw_only=True)
class StoredGame:
    """A game that was begun.

    Attributes:
        number: Its row in the journal.
        id: Its place in the schedule.
        names: Entrants by seat.
        void: Whether its round was voided since.
        first_step: No step of it has a lower id.
        last_step: No step of it has a higher id; None while it is played.
        digest: SHA-256 of its record; None while it is played.
        course: SHA-256 of its record without the first line; None while it is played.
    """

    number: int
    id: GameId
    names: tuple[str, ...]
    void: bool
    first_step: int
    last_step: int | None
    digest: str | None
    course: str | None


@attrs.frozen(kw_only=True)
class StoredEvent:
    """An entry of the log."""

    at: str
    kind: str
    data: dict[str, Any]


class Reading:
    """A journal that is read; it never writes.

    Attributes:
        path: The file.
        head: What the tournament is made from.
        setup_text: The part of it that is kept as JSON, as it is kept.
        ending: How it ended; None while it goes on.
        digest: The digest over all games, once it has ended.
        pairing: The version of the pairing method.
    """

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        """Read a journal through a connection; see `opened`.

        Raises:
            JournalUnusable: It is no journal of this version.
        """
        self.path = path
        self._db = db
        with self.believing():
            check_is_journal(db, path)
            row = db.execute(
                "SELECT command, setup, seed, nonce, commitment, pairing, ending, digest FROM tournament"
            ).fetchone()
            if row is None:
                raise JournalUnusable(f"{path} holds no tournament: it was stopped before it began")
            command, setup, seed, nonce, commitment, self.pairing, self.ending, self.digest = row
            self.setup_text: str = setup
            self.head: Head = from_text(command, setup, seed, nonce, commitment)

    @classmethod
    def opened(cls, path: Path) -> "Reading":
        """Open a journal that somebody else may be writing.

        Raises:
            JournalUnusable: It is not there, or is no journal of this version.
        """
        check_sqlite()
        if not path.is_file():
            raise JournalUnusable(f"there is no journal {path}")
        try:
            db = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, isolation_level=None)
            db.execute("BEGIN")  # all that is read is of one moment, whatever is written meanwhile
        except sqlite3.Error as error:
            raise JournalUnusable(f"{path} cannot be read ({error})") from error
        return cls(path, db)

    def close(self) -> None:
        """Close it."""
        self._db.close()

    def check_file(self) -> None:
        """Have SQLite look through the file itself.

        Raises:
            JournalUnusable: It is damaged, or its tables contradict each other.
        """
        ((verdict,), *_) = self.rows("PRAGMA integrity_check(1)")
        if verdict != "ok":
            raise JournalUnusable(f"{self.path} is damaged ({verdict})")
        for table, row, other, _ in self.rows("PRAGMA foreign_key_check"):
            raise JournalUnusable(f"{self.path} is damaged (row {row} of {table} names no row of {other})")
        with self.believing():
            if layout(self._db) != layout_made():
                raise JournalUnusable(
                    f"{self.path} is damaged (its tables are not laid out as in a new journal)"
                )

    def entrants(self) -> list[StoredEntrant]:
        """Return the entrants in the order in which they were entered."""
        rows = self.rows("SELECT name, entered, out_after, reason FROM entrants ORDER BY id")
        return [
            StoredEntrant(name=name, entered=entered, out_after=out_after, reason=reason)
            for name, entered, out_after, reason in rows
        ]

    def bots(self) -> list[tuple[str, str]]:
        """Return the names and the hashes of the secrets that are bound to them."""
        return list(self.rows("SELECT name, proof FROM bots ORDER BY id"))

    def plans(self) -> list[RoundPlan]:
        """Return the rounds."""
        with self.believing():
            return self._plans()

    def _plans(self) -> list[RoundPlan]:
        tables: dict[int, list[TablePlan]] = {}
        seatings = "SELECT round, table_no, names FROM seatings ORDER BY round, table_no"
        for number, table, names in self.rows(seatings):
            plan = TablePlan(round=number, table=table, entrants=tuple(json.loads(names)))
            tables.setdefault(number, []).append(plan)
        rounds = self.rows("SELECT number, byes, notes FROM rounds ORDER BY number")
        return [
            RoundPlan(
                number=number,
                tables=tuple(tables.get(number, ())),
                byes=tuple(json.loads(byes)),
                notes=tuple(json.loads(notes)),
            )
            for number, byes, notes in rounds
        ]

    def voided(self) -> dict[int, int]:
        """Return how often each round was voided, where it was."""
        return dict(self.rows("SELECT number, voided FROM rounds WHERE voided ORDER BY number"))

    def games(self) -> Iterator[StoredGame]:
        """Give the games that were begun, in the order of the record."""
        rows = self.rows(
            "SELECT games.id, round, table_no, deal_set, games.number, names, void, first_step, last_step,"
            " digest, course FROM games JOIN seatings ON seatings.id = seating"
            " LEFT JOIN results ON game = games.id"
            " ORDER BY round, table_no, deal_set, games.number"
        )
        series = self.head.series
        with self.believing():
            for number, round_, table, deal_set, game, names, void, first, last, digest, course in rows:
                yield StoredGame(
                    number=number,
                    id=GameId(round=round_, table=table, deal_set=deal_set, game=game),
                    names=series.seated(json.loads(names), game),
                    void=bool(void),
                    first_step=first,
                    last_step=last,
                    digest=digest,
                    course=course,
                )

    def digests(self) -> Iterator[tuple[GameId, str]]:
        """Give the digests of all games that have ended and count."""
        rows = self.rows(
            "SELECT round, table_no, deal_set, games.number, digest FROM results"
            " JOIN games ON games.id = results.game JOIN seatings ON seatings.id = seating WHERE NOT void"
        )
        for round_, table, deal_set, game, digest in rows:
            yield GameId(round=round_, table=table, deal_set=deal_set, game=game), digest

    def results(self, only_round: int | None = None) -> Iterator[GameResult]:
        """Give the results of the games that count, of one round or all, in the order of the record."""
        return self._results("NOT void AND (? IS NULL OR round = ?)", only_round, only_round)

    def void_results(self) -> Iterator[GameResult]:
        """Give the results of the games that were voided after they had ended."""
        return self._results("void")

    def _results(self, which: str, *values: object) -> Iterator[GameResult]:
        rows = self.rows(
            "SELECT results.game, round, table_no, deal_set, games.number, names, digest, course, delay_ns,"
            f" {SEAT_COLUMNS} FROM results"
            " JOIN games ON games.id = results.game JOIN seatings ON seatings.id = seating"
            " JOIN seat_results ON seat_results.game = results.game JOIN entrants ON entrants.id = entrant"
            f" WHERE {which} ORDER BY round, table_no, deal_set, games.number, seat",
            *values,
        )
        series = self.head.series
        with self.believing():
            for _, of_game in itertools.groupby(rows, key=operator.itemgetter(0)):
                seats = list(of_game)
                _, round_, table, deal_set, game, names, digest, course, delay, *_ = seats[0]
                if tuple(row[9] for row in seats) != series.seated(json.loads(names), game):
                    raise ValueError(f"a game of table {table} of round {round_} has other seats")
                yield GameResult(
                    game=GameId(round=round_, table=table, deal_set=deal_set, game=game),
                    seats=tuple(seat_result(seat_row(row[9:])) for row in seats),
                    digest=digest,
                    course=course,
                    referee_delay_ns=delay,
                )

    def steps(self, game: StoredGame) -> Iterator[Step]:
        """Give the steps of a game.

        Raises:
            JournalUnusable: They cannot be read.
        """
        reader = StepReader(len(game.names))
        rows = self.rows(
            "SELECT data FROM steps WHERE id >= ? AND id <= ? AND game = ? ORDER BY id",
            game.first_step,
            2**62 if game.last_step is None else game.last_step,
            game.number,
        )
        for (data,) in rows:
            try:
                yield reader.unpack(data)
            except ValueError as error:
                raise JournalUnusable(
                    f"{self.path}: a step of game {game.id} is damaged ({error})"
                ) from error

    def faults(self) -> dict[int, list[tuple[int, Fault]]]:
        """Return the faults by number of the game, with the seat, in the order in which they were found."""
        found: dict[int, list[tuple[int, Fault]]] = {}
        with self.believing():
            for game, seat, kind in self.rows("SELECT game, seat, kind FROM faults ORDER BY id"):
                found.setdefault(game, []).append((seat, Fault(kind)))
        return found

    def stray_faults(self) -> list[tuple[str, Fault, int]]:
        """Return the faults that belong to no game, with the entrant and how often."""
        rows = self.rows(
            "SELECT name, kind, count FROM stray_faults JOIN entrants ON entrants.id = entrant"
            " ORDER BY name, kind"
        )
        with self.believing():
            return [(name, Fault(kind), count) for name, kind, count in rows]

    def final_standings(self) -> dict[str, tuple[int, str, int]]:
        """Return rank, exact points and games by name, as they were written at the end."""
        rows = self.rows("SELECT name, rank, points, games FROM standings")
        return {name: (rank, points, games) for name, rank, points, games in rows}

    def log(self) -> list[StoredEvent]:
        """Return the log."""
        rows = self.rows("SELECT at, kind, data FROM log ORDER BY id")
        with self.believing():
            return [StoredEvent(at=at, kind=kind, data=json.loads(data)) for at, kind, data in rows]

    def reasons_to_void(self) -> dict[int, str]:
        """Return why rounds were voided; of one that was voided again, the last reason."""
        with self.believing():
            return {event.data["round"]: event.data["reason"] for event in self.log() if event.kind == VOID}

    def is_paused(self) -> bool:
        """Say whether the organiser wants no further games to start for now."""
        last = list(
            self.rows("SELECT kind FROM log WHERE kind IN (?, ?) ORDER BY id DESC LIMIT 1", PAUSE, CONTINUE)
        )
        return last == [(PAUSE,)]

    def sessions(self) -> int:
        """Return how many runs of the referee have worked on it."""
        ((count,),) = self.rows("SELECT count(*) FROM sessions")
        number: int = count
        return number

    def rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Give the rows of a query; for the modules of this package.

        Raises:
            JournalUnusable: The file is damaged.
        """
        with self.believing():
            # No `yield from`: it would close the cursor of a reader that stops early, after the connection.
            for row in self._db.execute(sql, values):  # noqa: UP028
                yield row

    @contextlib.contextmanager
    def believing(self) -> Iterator[None]:
        """Turn what goes wrong with values that were read into a sentence; for the modules of this package.

        Raises:
            JournalUnusable: Something does.
        """
        try:
            yield
        except (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError) as error:
            raise JournalUnusable(f"{self.path} is no journal, or is damaged ({error})") from error


def seat_row(values: Sequence[Any]) -> SeatRow:
    """Return a row from the values of `SEAT_COLUMNS`."""
    return SeatRow(**dict(zip(_SEAT_FIELDS, values, strict=True)))


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
