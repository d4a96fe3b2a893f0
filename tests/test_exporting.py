"""What other programs get of a journal."""

import csv
import hashlib
import io
import itertools
import json
from pathlib import Path

import pytest

from referee.exporting import (
    DECISION_COLUMNS,
    RESULT_COLUMNS,
    decisions,
    everything,
    record,
    results,
)
from referee.journal.reading import Reading
from tests.journal.keeping import Evening, begin, go_on

ADDED = {"tournament", "status", "fault", "log", "tournament_ended"}


def reading_of(evening: Evening) -> Reading:
    """What the journal of an evening holds."""
    return evening.director.journal.reading()


@pytest.fixture(scope="module")
def finished() -> Evening:
    """A Swiss that is over, with faults and a bot that never came."""
    return begin(absent=["ida"]).play()


def test_the_record_has_the_digests(finished: Evening) -> None:
    """SHA-256 of the lines of each game is the digest its bots were told, in the order of the schedule."""
    lines = list(record(reading_of(finished)))
    starts = [place for place, line in enumerate(lines) if b'"event":"game"' in line]
    games = [b"".join(lines[start:end]) for start, end in itertools.pairwise([*starts, len(lines)])]
    digests = [hashlib.sha256(game).hexdigest() for game in games]

    assert digests == [digest for _, digest in sorted(reading_of(finished).digests())]
    assert (
        hashlib.sha256("".join(f"{one}\n" for one in digests).encode()).hexdigest()
        == finished.director.digest
    )


def test_the_record_is_the_same_after_interruptions(tmp_path: Path) -> None:
    """Where all answers come in time, killing the referee leaves no trace in it, whatever ran beside what."""
    undisturbed = b"".join(record(reading_of(begin(honest=True, concurrency=1).play())))
    path = tmp_path / "a.journal"
    begin(path, honest=True, concurrency=3).play(5).director.journal.abandon()
    for passes in (1, 2, 13, 40):
        go_on(path, honest=True).play(passes).director.journal.abandon()
    evening = go_on(path, honest=True).play()

    assert b"".join(record(reading_of(evening))) == undisturbed
    evening.director.journal.close()


def test_games_in_mid_play_are_in_no_record() -> None:
    """A record consists of whole games; what is being played comes with everything."""
    reading = reading_of(begin().play(5))

    assert list(record(reading)) == []
    assert sum(b'"status":"playing"' in line for line in everything(reading)) == 2


def test_everything_holds_the_record(finished: Evening) -> None:
    """Without the lines that are added, what is left is the record; the added ones say what they are."""
    lines = list(everything(reading_of(finished)))
    kept = [line for line in lines if json.loads(line)["event"] not in ADDED]
    first, last = json.loads(lines[0]), json.loads(lines[-1])

    assert kept == list(record(reading_of(finished)))
    assert (first["event"], first["commitment"]) == ("tournament", finished.director.setup.commitment)
    assert (last["event"], last["seed"], last["digest"]) == (
        "tournament_ended",
        "journal",
        finished.director.digest,
    )


def test_the_seed_is_told_only_at_the_end() -> None:
    """Who exports a running tournament must not learn the cards to come."""
    text = b"".join(everything(reading_of(begin(seed="hidden-seed").play(20))))

    assert b"hidden-seed" not in text


def test_void_games_are_marked() -> None:
    """They are not in the record; with everything they are, each behind a line that says so."""
    evening = begin().play(40)
    evening.void(1)
    reading = reading_of(evening.play())
    states = [json.loads(line) for line in everything(reading) if b'"event":"status"' in line]

    assert {state["game"] for state in states if state["status"] == "void"} == {
        str(game.id) for game in reading.games() if game.void
    }
    assert sum(b'"event":"game"' in line for line in record(reading)) == sum(
        state["status"] == "done" for state in states
    )
    assert any(b'"kind":"void"' in line for line in everything(reading))


def test_faults_are_all_there(finished: Evening) -> None:
    """As many as the standings count."""
    faults = [line for line in everything(reading_of(finished)) if b'"event":"fault"' in line]

    assert len(faults) == sum(sum(row.faults.values()) for row in finished.director.rows())


def test_results_have_a_line_a_seat(finished: Evening) -> None:
    """They add up to the standings."""
    rows = [dict(zip(RESULT_COLUMNS, row, strict=True)) for row in results(reading_of(finished))]
    standings = {row.name: row for row in finished.director.rows()}

    assert [row["game"] for row in rows[:4]] == ["r1t1g1", "r1t1g1", "r1t1g1", "r1t1g2"]
    for name, row in standings.items():
        own = [one for one in rows if one["name"] == name]

        assert sum(one["won"] for one in own) == row.wins
        assert sum(1 - one["no_show"] for one in own) == row.games
        assert sum(one["bullheads"] for one in own if not one["no_show"]) == row.bullheads


def test_forfeited_seats_have_the_last_place(finished: Evening) -> None:
    """Places are those of `game_end`: 1-2-2-4, forfeited seats tied for last."""
    rows = [dict(zip(RESULT_COLUMNS, row, strict=True)) for row in results(reading_of(finished))]
    ends = [json.loads(line) for line in record(reading_of(finished)) if b'"event":"game_ended"' in line]

    assert [row["place"] for row in rows] == [place for end in ends for place in end["places"]]


def test_decisions_have_a_line_each(finished: Evening) -> None:
    """With the time of the answer, or the reason for the default."""
    rows = [dict(zip(DECISION_COLUMNS, row, strict=True)) for row in decisions(reading_of(finished))]
    steps = [step for game in reading_of(finished).games() for step in reading_of(finished).steps(game)]

    assert [(row["seat"], row["choice"], row["reason"]) for row in rows] == [
        (decision.seat, decision.choice, decision.reason.value)
        for step in steps
        for decision in step.decisions
    ]
    assert all((row["took_ms"] == "") == (row["reason"] != "answered") for row in rows)
    assert {row["trick"] for row in rows} == set(range(1, 11))


def test_cells_need_no_care(finished: Evening) -> None:
    """Whatever reads CSV gets the same cells back."""
    text = io.StringIO()
    rows = [tuple(map(str, row)) for row in results(reading_of(finished))]
    csv.writer(text).writerows(rows)

    assert [tuple(row) for row in csv.reader(io.StringIO(text.getvalue()))] == rows
