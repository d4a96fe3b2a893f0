"""A journal that counts: it keeps exactly what the usual one keeps, as durably, and counts it right."""

from pathlib import Path

import pytest

from referee.director import Director
from referee.journal.journal import Journal
from referee.journal.metered import BOUNDS_S, Durations, Meter, MeteredJournal, Stopwatch
from referee.play.faults import Fault
from referee.setup import TournamentSetup
from tests.journal.keeping import NAMES, Evening, begin, go_on, setup


def metered(path: Path, meter: Meter) -> Evening:
    """Begin a tournament, with a bot that never comes, in a journal that counts."""
    made = setup()
    journal = MeteredJournal.create(path, made.head("test", {}))
    journal.meter = meter
    return Evening(Director(made, NAMES, journal), absent=["ida"])


def resumed(path: Path, meter: Meter) -> Evening:
    """Go on with it."""
    journal = MeteredJournal.open(path)
    journal.meter = meter
    director = Director.restored(TournamentSetup.of(journal.reading().head), journal)
    return Evening(director, absent=["ida"])


def content(journal: Journal) -> tuple[object, ...]:
    """Return what a journal holds of the play."""
    reading = journal.reading()
    return list(reading.digests()), list(reading.results()), list(reading.stray_faults())


def test_it_keeps_what_the_usual_one_keeps(tmp_path: Path) -> None:
    """The same tournament in both: the same games with the same results."""
    counted = metered(tmp_path / "a.journal", Meter()).play()
    usual = begin(tmp_path / "b.journal", absent=["ida"]).play()

    assert content(counted.director.journal) == content(usual.director.journal)
    assert counted.director.digest == usual.director.digest
    for evening in (counted, usual):
        evening.close()


def test_what_it_has_committed_is_there_after_a_crash(tmp_path: Path) -> None:
    """Abandoned in mid-game after 20 passes and gone on with by the usual one: nothing is missing."""
    crashed = metered(tmp_path / "a.journal", Meter()).play(20)
    steps = crashed.director.journal.reading().rows("SELECT count(*) FROM steps")
    (kept,) = next(iter(steps))
    crashed.director.journal.abandon()
    usual = go_on(tmp_path / "a.journal", absent=["ida"])
    (found,) = next(iter(usual.director.journal.reading().rows("SELECT count(*) FROM steps")))
    whole = begin(absent=["ida"]).play()

    assert kept == found > 0
    assert usual.play().director.digest == whole.director.digest
    usual.close()


def test_counts(tmp_path: Path) -> None:
    """Games, faults and answers are those of the results; a strike is a default or a violation.

    Two rounds have three tables, the third has two, as who never came is withdrawn; each plays two games.
    """
    meter = Meter()
    evening = metered(tmp_path / "a.journal", meter).play()
    results = list(evening.director.journal.reading().results())
    seats = [seat for result in results for seat in result.seats]
    faults = {fault: sum(seat.faults.get(fault, 0) for seat in seats) for fault in Fault}
    decisions = dict(meter.decisions)
    evening.close()

    assert meter.games == len(results) == (3 + 3 + 2) * 2
    assert {fault: count for fault, count in meter.faults.items() if count} == {
        fault: count for fault, count in faults.items() if count
    }
    assert decisions["answered"] == sum(len(seat.took_ns) for seat in seats)
    by_default = decisions["late"] + decisions["illegal"] + decisions["gone"]
    assert by_default > 0
    assert meter.strikes == by_default + faults[Fault.VIOLATION]


def test_a_resumed_tournament_counts_on_from_nothing(tmp_path: Path) -> None:
    """What was counted before the referee was stopped is not counted again: both add up to the whole."""
    whole, first, second = Meter(), Meter(), Meter()
    metered(tmp_path / "a.journal", whole).play().close()
    crashed = metered(tmp_path / "b.journal", first).play(31)
    crashed.director.journal.abandon()
    resumed(tmp_path / "b.journal", second).play().close()

    assert first.decisions + second.decisions == whole.decisions
    assert first.faults + second.faults == whole.faults
    assert first.games + second.games == whole.games
    assert 0 < first.strikes < whole.strikes
    assert first.strikes + second.strikes == whole.strikes


def test_only_commits_that_had_something_to_do_are_timed(tmp_path: Path) -> None:
    """Two in a row are one commit."""
    meter = Meter()
    journal = MeteredJournal.create(tmp_path / "a.journal", setup().head("test", {}))
    journal.meter = meter
    journal.told("note", {})
    journal.commit()
    journal.commit()
    journal.close()

    assert sum(meter.commits.so_far().counts) == 1


@pytest.mark.parametrize(
    ("nanoseconds", "bucket"),
    [(0, 0), (100_000, 0), (100_001, 1), (1_000_000, 3), (1_000_000_000, 11), (1_000_000_001, 12)],
)
def test_a_bound_belongs_to_its_bucket(nanoseconds: int, bucket: int) -> None:
    """As Prometheus has it: less or equal. What exceeds the last bound of a second falls into the last."""
    watch = Stopwatch()
    watch.add(nanoseconds)
    counts = [0] * (len(BOUNDS_S) + 1)
    counts[bucket] = 1

    assert watch.so_far() == Durations(counts=tuple(counts), total_s=nanoseconds / 1e9)
