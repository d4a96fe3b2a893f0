"""The writer's side: what happens is added as it happens, and made durable by `commit`, once a pass.

One connection writes and checkpoints, in turn. Whoever reads while a tournament runs has a connection of its
own, see `reading`.
"""

import contextlib
import datetime
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from referee.journal.errors import JournalFailed, JournalUnusable
from referee.journal.files import check_sqlite, make, open_again
from referee.journal.guard import Guard
from referee.journal.head import Head, to_text
from referee.journal.place import Lock, beside, check_file_system, make_file, remove_files
from referee.journal.reading import Reading
from referee.journal.schema import VOID
from referee.journal.seatrows import seat_rows
from referee.journal.steps import StepWriter
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult
from referee.play.steps import Step
from referee.tournament.model import RoundPlan
from referee.tournament.standings import StandingsRow

PAIRING_VERSION = 1
"""The version of the methods in `referee.tournament` that a journal names."""

CHECKPOINT_COMMITS = 256
"""After so many commits, each of a page or more, the log is folded into the file: small ones pause little."""

IN_MEMORY = Path(":memory:")


class Journal:
    """A journal being written.

    Attributes:
        path: The file.
        session: Number of this run of the referee on it, from 1.
    """

    def __init__(self, path: Path, lock: Lock | None, connection: sqlite3.Connection) -> None:
        self.path = path
        self._lock = lock
        self._db = connection
        self._writing = False
        self._steps: list[tuple[int, bytes]] = []
        self._closed = False
        self._guard = Guard(path)
        self._commits_in_log = 0
        self._games: dict[GameId, int] = {}
        self._writers: dict[GameId, StepWriter] = {}
        with self._guard:
            self._next_step = self._one("SELECT coalesce(max(id), 0) + 1 FROM steps")
            self._next_game = self._one("SELECT coalesce(max(id), 0) + 1 FROM games")
            self._write(
                "INSERT INTO sessions (begun_at, first_step, first_fault)"
                " VALUES (?, ?, (SELECT coalesce(max(id), 0) + 1 FROM faults))",
                (_now(), self._next_step),
            )
            self.session: int = self._one("SELECT max(id) FROM sessions")

    @classmethod
    def create(cls, path: Path, head: Head) -> Self:
        """Make a new journal.

        Raises:
            JournalUnusable: It cannot be made there.
        """
        check_sqlite()
        check_file_system(path)
        lock = Lock(path)
        lock.take()
        with contextlib.ExitStack() as undo:
            undo.callback(lock.release)
            make_file(path)
            undo.callback(remove_files, path)
            connection = make(path)
            undo.callback(connection.close)
            try:
                journal = cls(path, lock, connection)
                journal._begin(head)
            except JournalFailed as error:
                raise JournalUnusable(f"the journal {path} cannot be made ({error.__cause__})") from error
            undo.pop_all()
        return journal

    @classmethod
    def in_memory(cls, head: Head) -> "Journal":
        """Make a journal that is gone with the process, for tests and simulations."""
        check_sqlite()
        journal = cls(IN_MEMORY, None, make(IN_MEMORY))
        journal._begin(head)
        return journal

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal to go on with it.

        Raises:
            JournalUnusable: It is not there, is no journal of this version, is damaged, or is in use.
            JournalFailed: It cannot be written.
        """
        check_sqlite()
        check_file_system(path)
        if not path.is_file():
            raise JournalUnusable(f"there is no journal {path}")
        lock = Lock(path)
        lock.take()
        with contextlib.ExitStack() as undo:
            undo.callback(lock.release)
            connection = open_again(path)
            undo.callback(connection.close)
            journal = cls(path, lock, connection)
            journal._take_up_games()
            undo.pop_all()
        return journal

    def close(self) -> None:
        """Make everything durable and close; what is left is one plain file. Closing twice does nothing.

        Raises:
            JournalFailed: The last of it could not be made durable.
        """
        if self._closed:
            return
        try:
            self.commit()
            with self._guard:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with contextlib.suppress(sqlite3.OperationalError):  # somebody is reading; all is durable already
                self._db.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._release()

    def abandon(self) -> None:
        """Close without making anything more durable: what was committed stays, in up to three files."""
        if self._closed:
            return
        with contextlib.suppress(sqlite3.Error):
            if self._writing:
                self._db.execute("ROLLBACK")
        self._release()

    def discard(self) -> None:
        """Close and remove a journal in which nothing worth keeping has happened."""
        self._release()
        remove_files(self.path)

    def _release(self) -> None:
        self._closed = True
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def reading(self) -> Reading:
        """Return what has been added, durable or not yet, for reading."""
        self._write_steps()
        return Reading(self.path, self._db)

    # --- what happens --------------------------------------------------------------------------------------

    def entered(self, name: str, first_round: int) -> None:
        """Add an entrant, who can take part from a round on."""
        self._write("INSERT INTO entrants (name, entered) VALUES (?, ?)", (name, first_round))

    def withdrew(self, name: str, after_round: int, reason: str) -> None:
        """Add that an entrant is out; the last round planned till then is the last that may seat it."""
        self._write(
            "UPDATE entrants SET out_after = ?, reason = ? WHERE name = ? AND out_after IS NULL",
            (after_round, reason, name),
        )

    def bound(self, name: str, proof: str) -> None:
        """Add that a secret, given by its hash, proves a name."""
        self._write("INSERT OR IGNORE INTO bots (name, proof) VALUES (?, ?)", (name, proof))

    def planned(self, plan: RoundPlan) -> None:
        """Add a round."""
        self._write(
            "INSERT INTO rounds (number, byes, notes) VALUES (?, ?, ?)",
            (plan.number, json.dumps(plan.byes), json.dumps(plan.notes)),
        )
        self._write_all(
            "INSERT INTO seatings (round, table_no, names) VALUES (?, ?, ?)",
            [(table.round, table.table, json.dumps(table.entrants)) for table in plan.tables],
        )

    def game_began(self, game: GameId, names: Sequence[str]) -> None:
        """Add a game that is being played from now on."""
        number = self._next_game
        self._next_game += 1
        self._games[game] = number
        self._writers[game] = StepWriter(len(names))
        self._write(
            "INSERT INTO games (id, seating, deal_set, number, first_step)"
            " SELECT ?, id, ?, ?, ? FROM seatings WHERE round = ? AND table_no = ?",
            (number, game.deal_set, game.game, self._next_step, game.round, game.table),
        )

    def stepped(self, game: GameId, steps: Sequence[Step]) -> None:
        """Add what was decided in a game."""
        number, writer = self._games[game], self._writers[game]
        # The steps of all tables of a pass are written by one statement, when they are committed.
        self._steps += [(number, writer.pack(step)) for step in steps]
        self._next_step += len(steps)

    def found(self, game: GameId, seat: int, fault: Fault) -> None:
        """Add a fault."""
        self._write(
            "INSERT INTO faults (game, seat, kind, after_step) VALUES (?, ?, ?, ?)",
            (self._games[game], seat, fault.value, self._next_step - 1),
        )

    def strayed(self, name: str, fault: Fault) -> None:
        """Add a fault of an entrant that belongs to no game."""
        self._write(
            "INSERT INTO stray_faults (entrant, kind, count)"
            " VALUES ((SELECT id FROM entrants WHERE name = ?), ?, 1)"
            " ON CONFLICT DO UPDATE SET count = count + 1",
            (name, fault.value),
        )

    def game_ended(self, result: GameResult) -> None:
        """Add the result of a game."""
        number = self._games.pop(result.game)
        steps = self._writers.pop(result.game).checksum
        self._write(
            "INSERT INTO results (game, last_step, digest, course, steps, delay_ns)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (number, self._next_step - 1, result.digest, result.course, steps, result.referee_delay_ns),
        )
        self._write_all(
            "INSERT INTO seat_results (game, seat, entrant, bullheads, deals, total, forfeited, no_show, won,"
            " share, faults, took, slowest_ns) VALUES"
            " (?, ?, (SELECT id FROM entrants WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, seat, *attrs.astuple(row)) for seat, row in enumerate(seat_rows(result))],
        )

    def voided(self, number: int, reason: str) -> None:
        """Add that a round is played again; its games are kept and marked."""
        self._write("UPDATE rounds SET voided = voided + 1 WHERE number = ?", (number,))
        self._write(
            "UPDATE games SET void = 1 WHERE seating IN (SELECT id FROM seatings WHERE round = ?)", (number,)
        )
        for game in [game for game in self._games if game.round == number]:
            del self._games[game], self._writers[game]
        self.told(VOID, {"round": number, "reason": reason})

    def ended(self, ending: str, digest: str, standings: Iterable[StandingsRow]) -> None:
        """Add that the tournament is over, and how."""
        self._write("UPDATE tournament SET ending = ?, digest = ?", (ending, digest))
        self._write_all(
            "INSERT OR IGNORE INTO standings (name, rank, points, games) VALUES (?, ?, ?, ?)",
            [(row.name, row.rank, str(row.points), row.games) for row in standings],
        )

    def told(self, kind: str, data: Mapping[str, Any]) -> None:
        """Add something worth telling later: what the organiser said, for instance."""
        self._write(
            "INSERT INTO log (at, kind, data) VALUES (?, ?, ?)", (_now(), kind, json.dumps(dict(data)))
        )

    # --- durability ----------------------------------------------------------------------------------------

    @property
    def has_uncommitted(self) -> bool:
        """Whether something was added since the last commit, which nobody may be told of yet."""
        return self._writing or bool(self._steps)

    def commit(self) -> None:
        """Make durable against the end of this process all that was added.

        Raises:
            JournalFailed: It could not be done; nothing that was added may be revealed.
        """
        self._write_steps()
        if self._writing:
            with self._guard:
                self._db.execute("COMMIT")
            self._writing = False
            self._commits_in_log += 1

    def wants_checkpoint(self) -> bool:
        """Say whether the log has grown enough to be folded into the file."""
        return self._commits_in_log >= CHECKPOINT_COMMITS

    def checkpoint(self) -> None:
        """Fold the log into the file; may run in a thread, while nobody else uses the journal.

        What was added and not committed, such as a word of the organiser between two passes, puts it off.

        Raises:
            JournalFailed: It could not be done.
        """
        with self._guard:
            try:
                self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_LOCKED:
                    raise
            else:
                self._commits_in_log = 0

    def flush(self) -> None:
        """Make what was committed durable against a power cut; may run in a thread at any time.

        Touches only the log file: to open and close the database by hand would drop SQLite's locks.

        Raises:
            JournalFailed: It could not be done.
        """
        with self._guard, contextlib.suppress(FileNotFoundError):
            descriptor = os.open(self._log_path, os.O_RDONLY)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)

    @property
    def _log_path(self) -> Path:
        return beside(self.path, "-wal")

    # --- SQL -----------------------------------------------------------------------------------------------

    def _begin(self, head: Head) -> None:
        self._write(
            "INSERT INTO tournament (id, command, setup, seed, nonce, commitment, pairing)"
            " VALUES (1, ?, ?, ?, ?, ?, ?)",
            (head.command, to_text(head), head.seed, head.nonce, head.commitment, PAIRING_VERSION),
        )
        self.commit()

    def _take_up_games(self) -> None:
        """Know the games again that were being played."""
        stored = self.reading()
        rows = stored.rows(
            "SELECT games.id, round, table_no, deal_set, games.number, names, first_step"
            " FROM games JOIN seatings ON seatings.id = seating"
            " WHERE NOT void AND games.id NOT IN (SELECT game FROM results)"
        )
        series = stored.head.series
        for number, round_, table, deal_set, game, names, first_step in list(rows):
            name = GameId(round=round_, table=table, deal_set=deal_set, game=game)
            steps = stored.rows(
                "SELECT data FROM steps WHERE id >= ? AND game = ? ORDER BY id", first_step, number
            )
            with stored.believing():
                seats = len(series.seated(json.loads(names), game))
                self._writers[name] = StepWriter(seats, before=[data for (data,) in steps])
            self._games[name] = number

    def _write_steps(self) -> None:
        if self._steps:
            steps, self._steps = self._steps, []
            self._write_all("INSERT INTO steps (game, data) VALUES (?, ?)", steps)

    def _write(self, sql: str, values: Sequence[Any]) -> None:
        self._write_all(sql, [values])

    def _write_all(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._guard:
            if not self._writing:
                self._db.execute("BEGIN IMMEDIATE")
                self._writing = True
            self._db.executemany(sql, rows)

    def _one(self, sql: str) -> int:
        value: int = self._db.execute(sql).fetchone()[0]
        return value


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
