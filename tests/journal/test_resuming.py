"""What a journal gives back to the referee that goes on: schedule, standings, draws, faults, ids."""

import itertools
from contextlib import closing
from pathlib import Path

import pytest

from protocol.messages import GameStart
from referee import director as director_module
from referee.director import Director
from referee.journal.errors import JournalUnusable
from referee.journal.journal import Journal
from referee.journal.reading import Reading
from referee.play.faults import Fault
from referee.rules.variants import Rules
from referee.server.lobby import Lobby
from referee.setup import TournamentSetup
from referee.tournament.model import TOURNAMENTS, Kind, RoundPlan
from tests.journal.keeping import Evening, begin, go_on
from tests.journal.test_crashes import Killed, Killing
from tests.server.network import NAMES, REQUESTS, World, honest, tournament

ONE_DEAL = Rules(target=None, deals=1)


def restored(path: Path) -> Director:
    """Restore the tournament of a journal."""
    journal = Journal.open(path)
    return Director.restored(TournamentSetup.of(journal.reading().head), journal)


def struck(evening: Evening) -> Evening:
    """Let the referee be killed."""
    evening.director.journal.abandon()
    return evening


def schedule(director: Director) -> list[tuple[object, ...]]:
    """Return all that a director knows of what was and is to be played."""
    waiting = [(t.plan.round, t.plan.table, t.next, t.last) for t in director._waiting._tables]
    return [
        tuple(director.plans),
        director.round,
        director.games_done,
        director.voided,
        director.is_withdrawn("ada"),
        director.waits_for_round,
        sorted(director._unfinished.items()),
        sorted((number, sorted(names)) for number, names in director._present.items()),
        waiting,
    ]


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_standings_and_schedule_are_those_of_before(tmp_path: Path, kind: Kind) -> None:
    """Killed after any pass, with byes, a no-show, an entrant that left, one that came late, a void round.

    Rows are compared whole: points, wins, bullheads, faults of finished games and stray ones, answer times.
    """
    names = ("ada", "bob", "cyd", "dan", "eve")
    small = {"kind": kind, "table_size": 2, "games": 1, "rounds": 4 if kind is Kind.SWISS else None}
    compared = 0
    for passes in itertools.count(1, 7):
        path = tmp_path / f"{kind.value}{passes}"
        evening = begin(path, names, absent=["dan"], rules=ONE_DEAL, **small)
        evening.director.add_fault("bob", Fault.STALE)
        evening.play(min(passes, 15))
        if kind is Kind.SWISS:
            evening.director.enter("fay")
        evening.director.withdraw("ada", "left")
        evening.director.add_fault("bob", Fault.STALE)
        evening.director.add_fault("bob", Fault.MALFORMED)
        if passes > 15:
            evening.void(len(evening.director.plans))
            evening.play(passes - 15)
        if evening.director.over:
            break
        evening.director.commit()
        before = (evening.director.rows(), schedule(evening.director))
        known = set(evening.director.take_interrupted())
        playing = sorted(evening._tables)
        struck(evening)
        director = restored(path)

        assert (director.rows(), schedule(director)) == before
        assert [game.id for game, _ in director.take_interrupted()] == playing
        assert known == set()

        director.journal.abandon()
        compared += 1

    assert compared > 5


def test_a_draw_is_read_and_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a program that draws otherwise goes on with the rounds that were drawn; it draws the next."""
    path = tmp_path / "a.journal"
    evening = struck(begin(path, NAMES[:9]).play(30))
    drawn = evening.director.plans
    made, asked = director_module.make_format, []

    def making(*args: object, **kwargs: object) -> object:
        format_ = made(*args, **kwargs)
        plan = format_.plan

        def planning(number: int, **words: object) -> RoundPlan:
            asked.append(number)
            return plan(number, **words)

        monkeypatch.setattr(format_, "plan", planning, raising=False)
        return format_

    monkeypatch.setattr(director_module, "make_format", making)
    director = restored(path)
    found, asked_then = list(director.plans), list(asked)
    director.journal.abandon()

    assert (found, asked_then) == (drawn, [])
    assert len(drawn) in {1, 2}


def test_a_late_entrant_and_one_that_left_stay_so(tmp_path: Path) -> None:
    """Who came is drawn from the next round on, who left is not, whichever session draws that round."""
    whole = begin(tmp_path / "whole", NAMES[:6], honest=True, rules=ONE_DEAL, table_size=3).play(3)
    broken = begin(tmp_path / "broken", NAMES[:6], honest=True, rules=ONE_DEAL, table_size=3).play(3)
    for evening in (whole, broken):
        evening.director.enter("zoe")
        evening.director.withdraw("ada", "had enough")
    broken.director.commit()
    struck(broken)
    whole.play()
    resumed = go_on(tmp_path / "broken", honest=True).play()
    seated = {name for table in resumed.director.plans[-1].tables for name in table.entrants}

    assert resumed.director.plans == whole.director.plans
    assert resumed.director.digest == whole.director.digest
    assert [(row.name, row.points) for row in resumed.director.rows()] == [
        (row.name, row.points) for row in whole.director.rows()
    ]
    assert "zoe" in seated
    assert "ada" not in seated
    whole.close()
    resumed.close()


@pytest.mark.parametrize("again", [2, 3, 11])
def test_a_voided_round_has_other_cards_in_every_session(tmp_path: Path, again: int) -> None:
    """Killed in the round that is played again: it goes on with games 3 and 4, and games 1 and 2 are void."""
    whole = begin(tmp_path / "whole", NAMES[:4], honest=True, rules=ONE_DEAL, rounds=1).play(5)
    whole.void(1)
    whole.play()
    path = tmp_path / "broken"
    evening = begin(path, NAMES[:4], honest=True, rules=ONE_DEAL, rounds=1).play(5)
    evening.void(1)
    struck(evening.play(again))
    resumed = go_on(path, honest=True).play()
    with closing(resumed.director.journal):
        stored = resumed.director.journal.reading()
        games = [(str(game.id), game.void) for game in stored.games()]
        reasons = stored.reasons_to_void()

    assert {("r1t1g3", False), ("r1t1g4", False), ("r1t1g1", True)} <= set(games)
    assert resumed.director.voided == (1,)
    assert reasons == {1: "a power cut"}
    assert resumed.director.rows() == whole.director.rows()
    whole.close()


def test_a_pause_outlives_the_referee(tmp_path: Path) -> None:
    """Paused is paused until somebody says continue; that somebody said so once, long ago, does not count."""
    path, found = tmp_path / "a.journal", []
    director = begin(path, honest=True).play(2).director
    for order in (Director.go_on, Director.pause, Director.go_on, Director.pause):
        order(director)
        director.commit()
        director.journal.abandon()
        director = restored(path)
        found.append(director.paused)
    director.journal.abandon()

    assert found == [False, True, False, True]


def test_a_finished_tournament_is_over(tmp_path: Path) -> None:
    """Whether it was played to its end or ended early; nothing is waiting."""
    cut = begin(tmp_path / "cut").play(20)
    cut.director.finish_now()
    cut.play()
    cut.close()
    begin(tmp_path / "complete").play().close()
    found = []
    for name in ("cut", "complete"):
        director = restored(tmp_path / name)
        found.append((director.over, director.complete, director.next_game(lambda names: True)))
        director.journal.abandon()

    assert found == [(True, False, None), (True, True, None)]


def restore_all(path: Path) -> None:
    """Restore a tournament with the tables of its interrupted games."""
    journal = Journal.open(path)
    try:
        director = Director.restored(TournamentSetup.of(journal.reading().head), journal)
        for game, steps in director.take_interrupted():
            director.restore(Evening(director)._table(game), steps)
    finally:
        journal.abandon()


DAMAGE = {
    "a step that is none": "UPDATE steps SET data = x'00'",
    "a round without its games": "DELETE FROM rounds",
    "a seating of strangers": """UPDATE seatings SET names = '["x", "y", "z", "q"]'""",
    "a fault of no kind": "UPDATE seat_results SET faults = '{\"zz\": 1}'",
    "no entrants": "DELETE FROM entrants",
    "a bye that is no list": "UPDATE rounds SET byes = '{'",
}


@pytest.mark.parametrize("sql", DAMAGE.values(), ids=DAMAGE)
def test_a_journal_that_contradicts_itself_is_refused(tmp_path: Path, sql: str) -> None:
    """It is one sentence that names the file, whatever does not fit."""
    path = tmp_path / "a.journal"
    struck(begin(path).play(40))
    with closing(Journal.open(path)) as journal:
        journal._db.execute("PRAGMA foreign_keys = OFF")
        journal._db.execute("COMMIT")
        journal._writing = False
        journal._db.execute("PRAGMA foreign_keys = OFF")
        journal._db.execute(sql)

    with pytest.raises(JournalUnusable, match=r"a\.journal.* damaged"):
        restore_all(path)


# --- with an engine ----------------------------------------------------------------------------------------


def play_killed(path: Path, names: tuple[str, ...], kills: list[int]) -> list[list[tuple[str, object]]]:
    """Play a tournament that is killed so often, after so many commits; return by session what was heard."""
    words = {"games": 2, "concurrency": 3}
    journal = Journal.create(path, tournament(**words).head("test", {}))
    director = Director(tournament(**words), names, journal)
    sessions = []
    for at in [*kills, None]:
        world = World(names, director=director, **words)
        Killing(journal, at, before=False)
        try:
            for name in names:
                world.join(name, honest, events=True)
            world.begin()
            world.play()
        except Killed:
            journal.abandon()
            journal = Journal.open(path)
            director = Director.restored(TournamentSetup.of(journal.reading().head), journal)
        sessions.append([(bot.name, message) for bot in world.bots for message in bot.heard])
    journal.close()
    return sessions


def test_ids_never_repeat_over_sessions(tmp_path: Path) -> None:
    """Each session has ids of its own, above those of all before."""
    sessions = play_killed(tmp_path / "a.journal", NAMES[:3], [9, 14, 5, 20])
    ids = [{message.request for _, message in heard if isinstance(message, REQUESTS)} for heard in sessions]

    assert all(ids)
    assert all(max(before) < min(after) for before, after in itertools.pairwise(ids))
    assert max(ids[-1]) < 2**53


def test_an_interrupted_game_is_resumed_and_others_begin(tmp_path: Path) -> None:
    """A game that was begun says resumed, also to a bot that missed its beginning; a new one does not."""
    first, second = play_killed(tmp_path / "a.journal", NAMES[:3], [12])
    before = {message.game for _, message in first if isinstance(message, GameStart)}
    starts = [message for _, message in second if isinstance(message, GameStart)]

    assert {message.game for message in starts if message.resumed} <= before
    assert {True, False} == {message.resumed for message in starts}
    assert not {message.game for message in starts if not message.resumed} & before


def test_the_instances_of_an_entrant_share_its_interrupted_games(tmp_path: Path) -> None:
    """Two bots of each had a game of their own; after the kill both games go on, each with one of them."""
    words = {"games": 4, "concurrency": 2, "table_size": 2}
    path, names = tmp_path / "a.journal", NAMES[:2]
    journal = Journal.create(path, tournament(**words).head("test", {}))
    world = World(names, instances=2, director=Director(tournament(**words), names, journal), **words)
    Killing(journal, 12, before=False)
    for name, number in itertools.product(names, (1, 2)):
        world.join(name, number=number)
    world.begin()
    with pytest.raises(Killed):
        world.play()
    journal.abandon()
    with closing(Reading.opened(path)) as stored:
        interrupted = [str(game.id) for game in stored.games() if game.digest is None]
    director = restored(path)
    world = World(names, instances=2, director=director, **words)
    bots = [world.join(name, number=number) for name, number in itertools.product(names, (1, 2))]
    world.begin()
    world.play()
    resumed = [[m.game for m in bot.all(GameStart) if m.resumed] for bot in bots]
    director.journal.close()

    assert len(interrupted) == 2
    assert sorted(game for games in resumed for game in games) == sorted(interrupted * 2)
    assert [len(games) for games in resumed] == [1, 1, 1, 1]


def test_secrets_are_kept_with_the_entrants(tmp_path: Path) -> None:
    """A lobby that is filled from a journal knows the same bots by the same secrets, and no others."""
    play_killed(tmp_path / "a.journal", NAMES[:3], [])
    lobby = Lobby(())
    with closing(Reading.opened(tmp_path / "a.journal")) as stored:
        for name, proof in stored.bots():
            lobby.add_known(name, proof, expected_until=0)

    assert sorted(lobby.entrants) == sorted(NAMES[:3])
    assert lobby.find("ada", "ada-secret-1") is not None
    assert lobby.find("ada", "bob-secret-1") is None
