"""The audit: whole journals pass, and nothing in them can be changed unnoticed."""

import contextlib
import itertools
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from referee.audit import AuditFailed, AuditReport, audit
from referee.exporting import record
from referee.journal.errors import JournalUnusable
from referee.journal.reading import Reading
from referee.journal.steps import StepWriter
from referee.journal.tally import standings
from referee.rules.cards import BULLHEADS
from referee.rules.variants import Rules, Variant
from referee.tournament.model import TOURNAMENTS, Kind
from tests.journal.keeping import NAMES, Evening, begin, go_on


def reading_of(evening: Evening) -> Reading:
    """What the journal of an evening holds."""
    return evening.director.journal.reading()


def complaint(reading: Reading) -> str:
    """What the audit finds fault with."""
    with pytest.raises(AuditFailed) as failed:
        audit(reading)
    return str(failed.value)


class Forgery:
    """A copy of a finished journal, to be changed and put right again."""

    def __init__(self, evening: Evening) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        evening.director.journal._db.backup(self.db)
        self.path = Path("forged")

    @contextlib.contextmanager
    def changes(self) -> Iterator[None]:
        """Take back afterwards whatever is changed."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("ROLLBACK")

    def complaint(self, sql: str, *values: object) -> str:
        """What an audit says after a change; "" if it finds nothing."""
        with self.changes():
            try:
                self.db.execute(sql, values)
            except sqlite3.IntegrityError as refused:
                return str(refused)  # no file of SQLite's can be like that
            return self.finding()

    def finding(self) -> str:
        """What an audit says now; "" if it finds nothing."""
        try:
            self.audit()
        except (AuditFailed, JournalUnusable) as found:
            return str(found)
        return ""

    def audit(self) -> AuditReport:
        """Audit it as it is now."""
        return audit(Reading(self.path, self.db))

    def flip(self, table: str, column: str, rng: random.Random, at: int | None = None) -> str:
        """Flip a bit of a value of a column, in a row by chance."""
        rows = self.db.execute(
            f"SELECT rowid_, {column} FROM (SELECT *, {self._key(table)} AS rowid_ FROM {table})"
        )
        row, value = rng.choice([(row, value) for row, value in rows if value not in (None, "", b"")])
        where = f"UPDATE {table} SET {column} = ? WHERE {self._key(table)} = ?"
        match value:
            case int():
                return self.complaint(where, value ^ 1 << rng.randrange(value.bit_length() + 2), row)
            case str():
                text = where.replace(" = ? W", " = CAST(? AS TEXT) W")
                return self.complaint(text, flipped(value.encode(), rng, at), row)
        return self.complaint(where, flipped(value, rng, at), row)

    def _key(self, table: str) -> str:
        return {"seat_results": "game * 100 + seat", "standings": "name"}.get(table, "rowid")


def flipped(data: bytes, rng: random.Random, at: int | None = None) -> bytes:
    """Flip a bit of a byte."""
    place = rng.randrange(len(data)) if at is None else at
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


@pytest.fixture(scope="module")
def finished() -> Evening:
    """A Swiss of two rounds that is over, with faults of all kinds, forfeits and a bot that never came."""
    return begin(
        names=NAMES[:7], absent=["cyd"], table_size=3, rounds=2, games=1, rules=Rules(target=None, deals=1)
    ).play()


@pytest.fixture(scope="module")
def forgery(finished: Evening) -> Forgery:
    """A copy of it to be changed."""
    return Forgery(finished)


# --- journals that are right -------------------------------------------------------------------------------


def test_a_finished_swiss_is_proven_in_numbers() -> None:
    """Nine at tables of three, three rounds of two games of two deals: 18 games, 36 deals of 34 cards."""
    report = audit(reading_of(begin(table_size=3).play()))

    assert (report.ended, report.drawn_again, report.entrants, report.rounds) == (True, True, 9, 3)
    assert (report.games, report.void, report.unfinished, report.deals) == (18, 0, 0, 36)
    assert report.cards == 36 * 34
    assert report.decisions > 36 * 30 > report.defaults > 0


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("kind", TOURNAMENTS)
@pytest.mark.parametrize("cow", [False, True])
def test_every_variant_and_format_is_proven(variant: Variant, kind: Kind, cow: bool) -> None:
    """The drafts of the advanced variant are replayed as well, and the schedule of a round-robin is drawn.

    Five at tables of three: two tables a round, or one where every table has to be full.
    """
    rules = Rules(variant=variant, jumping_cow=cow, target=20)
    report = audit(reading_of(begin(names=NAMES[:5], kind=kind, rules=rules, table_size=3).play()))

    assert report.ended
    assert report.games == 3 * 2 * (1 if kind is Kind.ALL_COMBINATIONS else 2)


@pytest.mark.parametrize("variant", list(Variant))
def test_deal_sets_are_proven(variant: Variant) -> None:
    """Seven at tables of four and three: two rounds of 4 + 3 games, whatever a rotation moves."""
    rules = Rules(variant=variant, target=None, deals=1)
    evening = begin(names=NAMES[:7], rules=rules, rounds=2, games=4, deal_sets=1).play()

    assert (14, 0) == (audit(reading_of(evening)).games, audit(reading_of(evening)).unfinished)


def test_deal_sets_of_which_not_all_are_played_are_proven(tmp_path: Path) -> None:
    """Interrupted, with a round that is played again: numbers go on, and names follow from them."""
    evening = begin(tmp_path / "evening", games=4, deal_sets=1).play(60)
    evening.void(1)
    evening.play(7)
    evening.close()
    resumed = go_on(tmp_path / "evening")

    assert audit(reading_of(resumed)).unfinished == 2

    whole = audit(reading_of(resumed.play()))
    assert (whole.rounds, whole.unfinished, whole.ended) == (3, 0, True)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"deal_sets": 1', '"deal_sets": 2', "the head: the number of games is 4, and should be 8"),
        ('"games": 4', '"games": 3', "the head: the number of games is 3, and should be 4"),
    ],
)
def test_games_and_deal_sets_must_agree(old: str, new: str, words: str) -> None:
    """A full table has as many games as seats for each set."""
    forgery = Forgery(begin(games=4, deal_sets=1, rounds=1).play())

    assert words == forgery.complaint("UPDATE tournament SET setup = replace(setup, ?, ?)", old, new)


@pytest.mark.parametrize("passes", [0, 1, 2, 7, 30, 50])
def test_a_journal_is_right_at_every_moment(passes: int) -> None:
    """Games in mid-play are replayed as far as they go."""
    report = audit(reading_of(begin(absent=["fay"]).play(passes)))

    assert not report.ended
    assert report.unfinished == (2 if passes else 0)


def test_interrupted_games_are_proven(tmp_path: Path) -> None:
    """Faults that were found after the last step of a run that was killed count for nobody."""
    path = tmp_path / "journal"
    begin(path).play(7).director.journal.abandon()
    for _ in range(3):
        go_on(path).play(11).director.journal.abandon()
    evening = go_on(path).play()

    report = audit(reading_of(evening))

    assert report.ended
    assert reading_of(evening).sessions() == 5
    evening.director.journal.close()


def test_a_voided_round_is_proven_twice() -> None:
    """Its first games are marked and replayed, and count no longer; the round is not drawn again."""
    evening = begin()
    while len(evening.director.plans) < 2:
        evening.play(1)
    evening.play(60)
    evening.void(2)

    report = audit(reading_of(evening.play()))

    assert report.games == 3 * 3 * 2
    assert report.void > 0


def test_late_entrants_and_withdrawals_are_proven() -> None:
    """Who came later or left is paired accordingly."""
    evening = begin()
    evening.play(3)
    evening.director.enter("zoe")
    evening.director.withdraw("ada", "by the organiser")
    report = audit(reading_of(evening.play()))

    assert report.entrants == 10


def test_a_tournament_cut_short_is_proven() -> None:
    """It may have rounds unplayed, and its standings are those of the games that ended."""
    evening = begin().play(40)
    evening.director.finish_now()

    report = audit(reading_of(evening.play()))

    assert report.ended


def test_an_unknown_pairing_is_only_checked_to_be_legal(forgery: Forgery) -> None:
    """A round that another version drew is not drawn again; that everybody has a place is checked."""
    with forgery.changes():
        forgery.db.execute("UPDATE tournament SET pairing = 99")
        report = forgery.audit()

    assert not report.drawn_again


# --- journals that are not ---------------------------------------------------------------------------------


FLIPS = {
    "seed": ("tournament", "seed", 5),
    "nonce": ("tournament", "nonce", 5),
    "commitment": ("tournament", "commitment", 5),
    "how it ended": ("tournament", "ending", 5),
    "digest of the tournament": ("tournament", "digest", 5),
    "name of an entrant": ("entrants", "name", 12),
    "names at a table": ("seatings", "names", 25),
    "number of a round": ("rounds", "number", 5),
    "number of a table": ("seatings", "table_no", 5),
    "round of a table": ("seatings", "round", 5),
    "byes of a round": ("rounds", "byes", 4),
    "notes of a round": ("rounds", "notes", 4),
    "voids of a round": ("rounds", "voided", 4),
    "number of a game": ("games", "number", 8),
    "deal set of a game": ("games", "deal_set", 8),
    "table of a game": ("games", "seating", 8),
    "void mark of a game": ("games", "void", 4),
    "decisions and accounts": ("steps", "data", 150),
    "game of a step": ("steps", "game", 25),
    "digest of a game": ("results", "digest", 12),
    "digest of a course": ("results", "course", 12),
    "checksum of steps": ("results", "steps", 12),
    "kind of a fault": ("faults", "kind", 12),
    "seat of a fault": ("faults", "seat", 12),
    "game of a fault": ("faults", "game", 12),
    "entrant of a result": ("seat_results", "entrant", 12),
    "bullheads by deal": ("seat_results", "bullheads", 12),
    "deals of a result": ("seat_results", "deals", 8),
    "bullheads of a result": ("seat_results", "total", 12),
    "forfeit of a result": ("seat_results", "forfeited", 8),
    "no-show of a result": ("seat_results", "no_show", 8),
    "win of a result": ("seat_results", "won", 8),
    "points of a result": ("seat_results", "share", 12),
    "faults of a result": ("seat_results", "faults", 12),
    "answer times of a result": ("seat_results", "took", 20),
    "longest answer time": ("seat_results", "slowest_ns", 12),
    "name in the standings": ("standings", "name", 8),
    "rank": ("standings", "rank", 8),
    "points": ("standings", "points", 8),
    "games in the standings": ("standings", "games", 8),
}
"""By kind: table, column, and how many flips are tried."""


@pytest.mark.parametrize("kind", FLIPS)
def test_a_flipped_byte_is_found(forgery: Forgery, kind: str) -> None:
    """Whatever result, decision or proof is changed, by whatever bit, the audit does not pass."""
    table, column, times = FLIPS[kind]
    rng = random.Random(kind)

    found = [forgery.flip(table, column, rng) for _ in range(times)]

    print(f"\n{kind:26} {times:4} flipped, {sum(map(bool, found)):4} found")
    assert "" not in found


def test_every_byte_of_a_step_counts(forgery: Forgery) -> None:
    """No byte of a step can change: not the choice, not its reason, not the time, not an account."""
    rng = random.Random(1)
    longest, data = max(forgery.db.execute("SELECT id, data FROM steps"), key=lambda row: len(row[1]))

    found = [
        forgery.complaint("UPDATE steps SET data = ? WHERE id = ?", flipped(data, rng, place), longest)
        for place in range(len(data))
    ]

    assert len(found) > 30
    assert "" not in found


def test_two_cards_that_score_alike_cannot_change_places(forgery: Forgery) -> None:
    """A seat's cards of two tricks are swapped, both worth one bullhead: some such swap changes no score."""
    reading = Reading(forgery.path, forgery.db)
    complaints = []
    for game in list(reading.games()):
        steps = list(reading.steps(game))
        complaints += [forgery_with(forgery, game.number, *swap, steps) for swap in swaps(steps)]

    print(f"\n{len(complaints)} swaps of cards that score alike")
    assert len(complaints) > 10
    assert "" not in complaints


def swaps(steps: list) -> Iterator[tuple[int, int, int]]:
    """Two steps in a row of a seat whose answers are cards of one bullhead: (seat, step, next step)."""
    cards = [index for index, step in enumerate(steps) if len(step.decisions) > 1]
    for first, second in itertools.pairwise(cards):
        pairs = zip(steps[first].decisions, steps[second].decisions, strict=True)
        for seat, (one, other) in enumerate(pairs):
            alike = BULLHEADS[one.choice] == BULLHEADS[other.choice]
            if alike and one.took_ns is not None and other.took_ns is not None:
                yield seat, first, second


def forgery_with(forgery: Forgery, game: int, seat: int, first: int, second: int, steps: list) -> str:
    """Write the steps of a game anew with two choices swapped, checksum and all, and audit that."""
    changed = list(steps)
    for index, other in ((first, second), (second, first)):
        decisions = list(steps[index].decisions)
        decisions[seat] = attrs.evolve(decisions[seat], choice=steps[other].decisions[seat].choice)
        changed[index] = attrs.evolve(steps[index], decisions=tuple(decisions))
    writer = StepWriter(len(steps[0].accounts))
    data = [writer.pack(step) for step in changed]
    ids = [id_ for (id_,) in forgery.db.execute("SELECT id FROM steps WHERE game = ? ORDER BY id", (game,))]
    with forgery.changes():
        forgery.db.executemany("UPDATE steps SET data = ? WHERE id = ?", list(zip(data, ids, strict=True)))
        forgery.db.execute("UPDATE results SET steps = ? WHERE game = ?", (writer.checksum, game))
        return forgery.finding()


def test_what_was_found_is_said_in_one_sentence(forgery: Forgery) -> None:
    """It says where, what, what is stored and what it should be."""
    name, rank = forgery.db.execute("SELECT name, rank FROM standings WHERE rank = 1").fetchone()

    said = forgery.complaint("UPDATE standings SET rank = 2 WHERE name = ?", name)

    assert said == f"{name} in the standings: rank is 2, and should be {rank}"


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM steps WHERE id = (SELECT max(id) FROM steps)", "the digest of a game that is not over"),
        (
            "INSERT INTO steps SELECT max(id) + 1, 1, data FROM steps",
            "the number of steps that belong to none",
        ),
        ("DELETE FROM seat_results WHERE game = 2 AND seat = 0", "the number of seats with a result"),
        (
            "INSERT INTO faults SELECT max(id) + 1, game, seat, kind, after_step FROM faults",
            "faults found at",
        ),
        ("DELETE FROM standings WHERE rank = 1", "who is in them"),
        ("DELETE FROM games WHERE id = 1", "names no row of games"),
        ("UPDATE tournament SET digest = NULL", "the digest of the tournament"),
        ("UPDATE tournament SET ending = 'cut short'", "how it ended"),
        ("UPDATE tournament SET setup = replace(setup, '\"rounds\": 2', '\"rounds\": 3')", "how it ended"),
        ("UPDATE tournament SET setup = replace(setup, ': ', ':')", "the setup"),
    ],
)
def test_what_is_missing_or_too_much_is_found(forgery: Forgery, sql: str, words: str) -> None:
    """Nothing can be left out or added."""
    assert words in forgery.complaint(sql)


def test_a_default_must_be_the_default(finished: Evening, forgery: Forgery) -> None:
    """A card played in a bot's place is the lowest of its hand; another one, though legal, is found."""
    reading = reading_of(finished)
    game = next(iter(reading.games()))
    writer, data = StepWriter(len(game.names)), []
    for index, step in enumerate(reading.steps(game)):
        absent = game.names.index("cyd") if "cyd" in game.names else None
        assert absent is not None, "cyd never came, and is at the first table"
        if index == 0:
            decisions = list(step.decisions)
            decisions[absent] = attrs.evolve(decisions[absent], choice=decisions[absent].choice + 1)
            step = attrs.evolve(step, decisions=tuple(decisions))
        data.append(writer.pack(step))
    first = forgery.db.execute("SELECT min(id) FROM steps WHERE game = ?", (game.number,)).fetchone()[0]

    said = forgery.complaint("UPDATE steps SET data = ? WHERE id = ?", data[0], first)

    assert f"game {game.id}, deal 1, trick 1: the card of seat {absent}" in said


def test_a_flipped_byte_anywhere_in_the_file_does_not_change_a_result(tmp_path: Path) -> None:
    """Whichever byte of the file flips: the audit finds it, or record and standings are what they were.

    What may go unnoticed is free space, times of day, and what a journal holds besides play.
    """
    path, copy = tmp_path / "a.journal", tmp_path / "b.journal"
    rules = Rules(target=None, deals=1)
    begin(path, NAMES[:5], absent=["cyd"], table_size=3, rounds=1, games=1, rules=rules).play().close()
    content, truth = path.read_bytes(), _essence(path)
    rng = random.Random(1)
    outcomes: Counter[str] = Counter()
    used = [place for place, byte in enumerate(content) if byte]
    for place in rng.sample(used, 300):
        copy.write_bytes(flipped(content, rng, place))
        outcomes[_outcome(copy, truth)] += 1

    print(f"\n{len(used)} of {len(content)} bytes are not zero, 300 flipped: {dict(outcomes)}")
    assert outcomes["changed unnoticed"] == 0
    assert outcomes["found"] > 50


def _outcome(path: Path, truth: object) -> str:
    try:
        reading = Reading.opened(path)
    except JournalUnusable:
        return "unusable"
    try:
        audit(reading)
    except (AuditFailed, JournalUnusable):
        return "found"
    finally:
        reading.close()
    return "harmless" if _essence(path) == truth else "changed unnoticed"


def _essence(path: Path) -> tuple[bytes, object]:
    """The record, and the standings without what comes from clocks alone."""
    reading = Reading.opened(path)
    try:
        return b"".join(record(reading)), standings(reading)
    finally:
        reading.close()
