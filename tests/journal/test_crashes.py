"""The referee is killed at every record of a tournament, and what is resumed ends as if nothing had been."""

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.requests import ChooseCard, ChooseRow
from referee.director import Director
from referee.journal.journal import Journal
from referee.journal.reading import Reading
from referee.play.clock import ClockRules
from referee.play.record import tournament_digest
from referee.rules.variants import Rules, Variant
from referee.setup import TournamentSetup
from referee.tournament.model import Kind
from tests.notes import Killed
from tests.server.network import MS, NAMES, World, honest, tournament

NAMES_OF_FIVE = NAMES[:5]


class Killing:
    """Kills at a commit of a journal: just before it, or just after, when nobody has been told yet.

    Attributes:
        commits: How many commits there were.
    """

    def __init__(self, journal: Journal, at: int | None, *, before: bool) -> None:
        self.commits = 0
        self._commit = journal.commit
        self._at = at
        self._before = before
        journal.commit = self  # type: ignore[method-assign]

    def __call__(self) -> None:
        """Commit, unless it is time to die."""
        self.commits += 1
        if self.commits == self._at and self._before:
            raise Killed
        self._commit()
        if self.commits == self._at:
            raise Killed


def played(world: World) -> str:
    """Let a tournament be played by honest bots, some of which follow events; return its digest."""
    for number, name in enumerate(world.engine.lobby.entrants):
        world.join(name, honest, events=number % 2 == 0)
    world.begin()
    world.play()
    return world.director.digest


def undisturbed(setup: TournamentSetup, path: Path, names: tuple[str, ...]) -> tuple[str, int]:
    """Return the digest of a tournament that nobody kills, and how many commits it made."""
    journal = Journal.create(path, setup.head("test", {}))
    director = Director(setup, names, journal)
    counting = Killing(journal, None, before=True)
    digest = played(World(names, director=director, **fields(setup)))
    journal.close()
    return digest, counting.commits


def fields(setup: TournamentSetup) -> dict[str, object]:
    """Return what differs from the setup that tests use by default."""
    wanted = ("kind", "table_size", "rounds", "games", "rules", "clock", "concurrency")
    return {name: getattr(setup, name) for name in wanted}


def killed_and_resumed(
    setup: TournamentSetup, path: Path, names: tuple[str, ...], at: int, *, before: bool
) -> str:
    """Return the digest of a tournament whose referee is killed at a commit and resumed."""
    journal = Journal.create(path, setup.head("test", {}))
    director = Director(setup, names, journal)
    Killing(journal, at, before=before)
    with pytest.raises(Killed):
        played(World(names, director=director, **fields(setup)))
    journal.abandon()

    journal = Journal.open(path)
    restored = Director.restored(TournamentSetup.of(journal.reading().head), journal)
    digest = played(World(names, director=restored, **fields(setup)))
    journal.close()
    return digest


SETUPS: dict[str, Callable[[], TournamentSetup]] = {
    "round-robin": lambda: tournament(table_size=3, games=2, concurrency=3),
    "swiss": lambda: tournament(kind=Kind.SWISS, table_size=3, rounds=3, games=1, concurrency=2),
    "draft and cow": lambda: tournament(
        table_size=4,
        rounds=1,
        rules=Rules(variant=Variant.ADVANCED, jumping_cow=True, target=None, deals=2),
        clock=ClockRules(move_ns=1000 * MS, bank_ns=500 * MS),
    ),
}


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("name", SETUPS)
def test_a_kill_at_every_record_changes_nothing(tmp_path: Path, name: str, before: bool) -> None:
    """Whether a commit was made or not: the resumed tournament has the record of the undisturbed one."""
    setup = SETUPS[name]()
    digest, commits = undisturbed(setup, tmp_path / "whole", NAMES_OF_FIVE)
    kills = range(1, commits, max(1, commits // 12))
    digests = {
        killed_and_resumed(setup, tmp_path / f"killed{at}", NAMES_OF_FIVE, at, before=before) for at in kills
    }

    assert digests == {digest}
    assert len(kills) > 10


@pytest.mark.slow
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("name", SETUPS)
def test_a_kill_at_each_single_record(tmp_path: Path, name: str, before: bool) -> None:
    """The same at each record, without leaving one out."""
    setup = SETUPS[name]()
    digest, commits = undisturbed(setup, tmp_path / "whole", NAMES_OF_FIVE)
    for at in range(1, commits):
        path = tmp_path / f"killed{at}"

        assert killed_and_resumed(setup, path, NAMES_OF_FIVE, at, before=before) == digest, at

        path.unlink()


def test_a_tournament_killed_again_and_again(tmp_path: Path) -> None:
    """Killed at every fifth commit until it is over: each run gets further, and plays nothing twice."""
    setup = SETUPS["swiss"]()
    digest, _ = undisturbed(setup, tmp_path / "whole", NAMES_OF_FIVE)
    path = tmp_path / "killed"
    journal = Journal.create(path, setup.head("test", {}))
    director, runs = Director(setup, NAMES_OF_FIVE, journal), 0
    while True:
        runs += 1
        Killing(journal, 5, before=False)
        try:
            played(World(NAMES_OF_FIVE, director=director, **fields(setup)))
        except Killed:
            journal.abandon()
        else:
            journal.close()
            break
        journal = Journal.open(path)
        director = Director.restored(TournamentSetup.of(journal.reading().head), journal)
    stored = Reading.opened(path)
    games = [game.id for game in stored.games()]
    found = tournament_digest(stored.digests())
    stored.close()

    assert runs > 10
    assert found == digest
    assert len(games) == len(set(games)) == 2 * 3


def test_t5_rejoin_04_a_stop_of_the_referee_is_charged_to_nobody(tmp_path: Path) -> None:
    """Killed with requests open: they come again with new ids and all their time, and nobody has a fault."""
    setup = tournament(table_size=3, clock=ClockRules(move_ns=1000 * MS, bank_ns=500 * MS))
    journal = Journal.create(tmp_path / "journal", setup.head("test", {}))
    director = Director(setup, NAMES_OF_FIVE, journal)
    Killing(journal, 9, before=False)
    first = World(NAMES_OF_FIVE, director=director, **fields(setup))
    with pytest.raises(Killed):
        played(first)
    journal.abandon()
    asked_before = {request.request for bot in first.bots for request in bot.all(ChooseCard, ChooseRow)}
    journal = Journal.open(tmp_path / "journal")
    director = Director.restored(TournamentSetup.of(journal.reading().head), journal)
    second = World(NAMES_OF_FIVE, director=director, **fields(setup))
    played(second)
    journal.close()
    requests = [request for bot in second.bots for request in bot.all(ChooseCard, ChooseRow)]

    assert asked_before
    assert {(1000, 500)} == {(request.time_ms, request.bank_ms) for request in requests}
    assert not asked_before & {request.request for request in requests}
    assert all(not row.faults for row in director.rows())
