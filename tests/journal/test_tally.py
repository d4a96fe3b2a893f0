"""Standings that SQL adds up: the same as those of the referee that has played."""

from fractions import Fraction
from pathlib import Path

import pytest

from referee.audit import audit
from referee.journal.journal import Journal
from referee.journal.reading import Reading
from referee.journal.seatrows import COUNT, SeatRow, seat_result, seat_rows
from referee.journal.tally import facts, standings
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult, SeatResult
from referee.tournament.model import TOURNAMENTS, Kind, RoundPlan, TablePlan
from tests.journal.keeping import NAMES, Evening, begin, go_on, setup

MS = 1_000_000


def seat(name: str, *bullheads: int, took_ns: tuple[int, ...] = (), **changes: object) -> SeatResult:
    """A seat's part of a game."""
    values = {"forfeited": False, "no_show": False, "faults": {}}
    return SeatResult(name=name, bullheads=bullheads, took_ns=took_ns, **(values | changes))


def rows_of(*seats: SeatResult) -> list[SeatRow]:
    """The rows of a game of these seats."""
    place = GameId(round=1, table=1, deal_set=1, game=1)
    return seat_rows(GameResult(game=place, seats=seats, digest="", course="", referee_delay_ns=0))


def same_as_played(evening: Evening) -> bool:
    """Whether the journal has the standings of the director, all columns included."""
    return standings(evening.director.journal.reading()) == evening.director.rows()


@pytest.mark.parametrize("passes", [0, 1, 9, 20, 33, 50, None])
@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_standings_are_those_of_the_director_at_any_moment(kind: Kind, passes: int | None) -> None:
    """Points, ranks, wins, faults and answer times: nothing differs, in mid-round either."""
    evening = begin(kind=kind, absent=["fay"], games=3, concurrency=3)

    assert same_as_played(evening.play(passes))


@pytest.mark.parametrize("passes", [9, 33, 80, None])
def test_deal_sets_at_tables_of_different_sizes_count_by_the_round(passes: int | None) -> None:
    """Seven at tables of four and three: the points of a round are the mean over four games or three."""
    evening = begin(names=NAMES[:7], games=8, deal_sets=2, absent=["fay"], concurrency=3).play(passes)

    assert same_as_played(evening)
    assert audit(evening.director.journal.reading()).games == evening.director.games_done


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_standings_of_each_format_are_those_of_the_director_at_the_end(kind: Kind) -> None:
    """Byes included, of which all combinations have many in each round."""
    assert same_as_played(begin(kind=kind, absent=["fay"], games=2, concurrency=3).play())


@pytest.mark.parametrize("passes", [10, 25, 45, 70, None])
@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_an_odd_field_at_tables_of_two_has_byes(kind: Kind, passes: int | None) -> None:
    """Five at tables of two: in each round one rests and gets half a point once the round is over."""
    evening = begin(kind=kind, names=("ada", "bob", "cyd", "dan", "eve"), table_size=2, honest=True)

    assert same_as_played(evening.play(passes))
    assert passes or sum((row.points for row in evening.director.rows()), Fraction(0)) == 3 * Fraction(5, 2)


def game(table: int, number: int, *names: str) -> GameResult:
    """A game of round 1 that all at its table tie, one of a rotated deal set."""
    place = GameId(round=1, table=table, deal_set=1, game=number)
    seats = tuple(seat(name, 5) for name in names)
    return GameResult(game=place, seats=seats, digest="", course=str(place), referee_delay_ns=0)


def test_a_bye_counts_once_the_last_game_of_a_smaller_table_has_ended() -> None:
    """A deal set is three games at the table of three and two at that of two: five, not twice three."""
    journal = Journal.in_memory(setup(games=4, deal_sets=1).head("test", {}))
    tables = (("ada", "bob", "cyd"), ("dan", "eve"))
    plans = tuple(TablePlan(round=1, table=n, entrants=names) for n, names in enumerate(tables, 1))
    for name in NAMES[:6]:
        journal.entered(name, 1)
    journal.planned(RoundPlan(number=1, tables=plans, byes=("fay",)))
    worth = []
    for table, number in ((1, 1), (2, 1), (1, 2), (2, 2), (1, 3)):
        played = game(table, number, *tables[table - 1])
        journal.game_began(played.game, tables[table - 1])
        journal.game_ended(played)
        worth.append({row.name: row.points for row in standings(journal.reading())}["fay"])

    assert worth == [0, 0, 0, 0, Fraction(1, 2)]


def test_tie_breaks_are_those_of_the_director() -> None:
    """At tables of three and four, with forfeits and somebody who never comes: they are equal and differ."""
    evening = begin(absent=["fay"], games=3).play()
    rows = standings(evening.director.journal.reading())
    found = {row.name: row.tie_breaks for row in rows}

    assert found == {row.name: row.tie_breaks for row in evening.director.rows()}
    assert len(found) == len({breaks.margin for breaks in found.values()})
    assert all(0 < breaks.buchholz_cut1 < breaks.buchholz for breaks in found.values() if breaks.margin)
    assert any(
        result.forfeited for game in evening.director.journal.reading().results() for result in game.seats
    )


def test_a_voided_round_counts_no_longer_but_its_faults_do() -> None:
    """Points, games and bullheads are taken back; faults and answer times stay."""
    evening = begin()
    while len(evening.director.plans) < 2:
        evening.play(1)
    evening.play(60)
    evening.void(2)

    assert same_as_played(evening)
    assert same_as_played(evening.play())


def test_late_entrants_have_a_line() -> None:
    """Who has not played yet has no points."""
    evening = begin().play(2)
    evening.director.enter("zoe")

    assert same_as_played(evening)


def test_faults_that_belong_to_no_game_count(finished_file: Path) -> None:
    """A bot can break the protocol while it waits."""
    evening = begin()
    for _ in range(2):
        evening.director.journal.strayed("bob", Fault.VIOLATION)

    rows = {row.name: row for row in standings(evening.director.journal.reading())}

    assert rows["bob"].faults == {"violation": 2}


def test_an_interrupted_tournament_goes_on_with_the_same_standings(tmp_path: Path) -> None:
    """What a director restores from the journal is what the journal itself adds up to."""
    path = tmp_path / "a.journal"
    begin(path).play(60).director.journal.abandon()

    evening = go_on(path)

    assert same_as_played(evening)
    evening.director.journal.close()


def test_facts_of_a_tournament(reading: Reading) -> None:
    """They say what was played; the rounds are known though only planned ones are in the journal."""
    known = facts(reading)

    assert (known.kind, known.rounds, known.games, known.complete) == (Kind.SWISS, 3, 2, True)


@pytest.mark.parametrize(("kind", "rounds"), [(Kind.ROUND_ROBIN, 9), (Kind.SWISS, 3)])
def test_rounds_are_known_where_nobody_chose_them(kind: Kind, rounds: int) -> None:
    """Nine at tables of four: a cycle of nine rounds, or the least number of a Swiss."""
    evening = begin(kind=kind, rounds=None)

    assert facts(evening.director.journal.reading()).rounds == evening.director.rounds == rounds


def test_the_columns_of_a_game() -> None:
    """Three seats, 5, 5 and 9 bullheads: the first two beat one opponent and tie with another, 3/4 each."""
    first, second, third = rows_of(
        seat("ada", 2, 3, took_ns=(MS, MS, 2 * MS), faults={Fault.STALE: 1, Fault.LATE: 2, Fault.GONE: 0}),
        seat("bob", 5, 0),
        seat("cyd", 4, 5),
    )

    assert (first.share, second.share, third.share) == (3780, 3780, 0)
    assert (first.won, second.won, third.won) == (1, 1, 0)
    assert (first.bullheads, first.deals, first.total) == ("[2, 3]", 2, 5)
    assert first.faults == '{"late": 2, "stale": 1}'
    assert list(COUNT.iter_unpack(first.took)) == [(213, 2), (245, 1)]
    assert (first.slowest_ns, second.slowest_ns, second.took) == (2 * MS, None, b"")


@pytest.mark.parametrize("players", range(2, 11))
def test_every_share_is_a_whole_number_of_5040ths(players: int) -> None:
    """With ties, forfeits and no-shows the points of a game add up to half a point a seat that was there."""
    names = [f"bot{number}" for number in range(players)]
    rows = rows_of(*(seat(name, number // 2) for number, name in enumerate(names)))

    assert sum(row.share for row in rows) == players * 5040 // 2


def test_a_result_comes_back_from_its_row() -> None:
    """All but the exact answer times: they fall into the same buckets, and the longest is exact."""
    made = seat("ada", 2, 3, took_ns=(5, 3 * MS, 3 * MS, 7 * MS), faults={Fault.LATE: 2}, forfeited=True)
    (row, _) = rows_of(made, seat("bob", 1, 1))

    again = seat_result(row)

    assert (again.name, again.bullheads, again.forfeited, again.faults) == ("ada", (2, 3), True, made.faults)
    assert rows_of(again, seat("bob", 1, 1))[0] == row
    assert max(again.took_ns) == 7 * MS


def test_more_equal_answers_than_fit_into_two_bytes() -> None:
    """A bucket then comes twice, and nothing is lost."""
    (row, _) = rows_of(seat("ada", 1, took_ns=(MS,) * 70_000), seat("bob", 1))

    assert list(COUNT.iter_unpack(row.took)) == [(213, 65_535), (213, 4_465)]
    assert len(seat_result(row).took_ns) == 70_000
