"""The formats behind their one interface."""

import os
import subprocess
import sys

import pytest

from referee.tournament.formats import Order, make_format, rounds_planned
from referee.tournament.history import History
from referee.tournament.model import TOURNAMENTS, Kind, TournamentError
from referee.tournament.round_robin import schedule
from referee.tournament.swiss import pair_round
from tests.tournament.played import names, results


def test_a_round_robin_is_its_schedule_whatever_happens() -> None:
    """All rounds can be had at any time, and withdrawn entrants keep their places."""
    tournament = make_format(Kind.ROUND_ROBIN, names(8), table_size=4, rounds=None, seed="seed")
    planned = schedule(names(8), table_size=4, rounds=None, seed="seed")

    assert (Order.FREE, 7) == (tournament.order, tournament.rounds)
    assert planned == tuple(
        tournament.plan(number, active=names(8)[:2], history=History()) for number in range(1, 8)
    )


def test_a_swiss_draws_the_active_from_the_history() -> None:
    """Its rounds wait for one another, are as many as the default, and leave out the withdrawn."""
    tournament = make_format(Kind.SWISS, names(16), table_size=2, rounds=None, seed="seed")
    first = tournament.plan(1, active=names(16), history=History())
    history = History.of([first], results(first))

    assert (Order.BARRIER, 6) == (tournament.order, tournament.rounds)
    assert pair_round(2, names(15), history, table_size=2, seed="seed") == tournament.plan(
        2, active=names(15), history=history
    )


def test_a_swiss_with_too_many_rounds_says_so_once() -> None:
    """The first round carries the advice to play a round-robin, the second does not."""
    tournament = make_format(Kind.SWISS, names(6), table_size=2, rounds=5, seed="seed")
    notes = [tournament.plan(number, active=names(6), history=History()).notes for number in (1, 2)]

    advice = "5 rounds at tables of 2 are many for a Swiss of 6: a round-robin suits so small a field better"
    assert [(advice,), ()] == notes


def test_all_combinations_are_played_again_and_again_if_there_are_rounds_for_it() -> None:
    """Five at tables of three are ten tables, one a round; 25 rounds play five of them a third time."""
    tournament = make_format(Kind.ALL_COMBINATIONS, names(5), table_size=3, rounds=25, seed="seed")
    plans = [tournament.plan(number, active=(), history=History()) for number in range(1, 26)]
    tables = [frozenset(plan.tables[0].entrants) for plan in plans]
    again = [tournament.plan(number, active=(), history=History()) for number in range(25, 0, -1)]

    assert 10 == make_format(Kind.ALL_COMBINATIONS, names(5), table_size=3, rounds=None, seed="seed").rounds
    assert 10 == len(set(tables[:10])) == len(set(tables[10:20]))
    assert tables[:10] != tables[10:20]
    assert [(number, number) for number in range(1, 26)] == [
        (plan.number, plan.tables[0].round) for plan in plans
    ]
    assert plans == again[::-1]


def test_rounds_that_depend_on_more_than_numbers_are_settled_beforehand() -> None:
    """Those of a round-robin are known, those of all combinations only with the schedule."""
    assert 5 == rounds_planned(Kind.ROUND_ROBIN, 5, table_size=3, rounds=None)
    assert 25 == rounds_planned(Kind.ALL_COMBINATIONS, 5, table_size=3, rounds=25)
    with pytest.raises(TournamentError, match="all-combinations are settled beforehand"):
        rounds_planned(Kind.ALL_COMBINATIONS, 5, table_size=3, rounds=None)


@pytest.mark.parametrize("kind", TOURNAMENTS)
@pytest.mark.parametrize("number", [0, 4])
def test_there_are_only_the_rounds_that_there_are(kind: Kind, number: int) -> None:
    """A round before the first or after the last is refused with the range."""
    tournament = make_format(kind, names(9), table_size=3, rounds=3, seed="seed")
    with pytest.raises(TournamentError, match=f"no round {number}: this tournament has rounds 1 to 3"):
        tournament.plan(number, active=names(9), history=History())


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_a_tournament_that_cannot_be_held_is_refused(kind: Kind) -> None:
    """One entrant alone, equal names, no rounds and tables of one are refused by both formats."""
    for entrants, table_size, rounds in (
        (["a"], 4, 1),
        (["a", "a"], 4, 1),
        (["a", "b"], 4, 0),
        (["a", "b"], 1, 1),
    ):
        with pytest.raises(TournamentError):
            make_format(kind, entrants, table_size=table_size, rounds=rounds, seed="seed")


PRINT_ROUNDS = """
from referee.tournament.formats import make_format, rounds_planned
from referee.tournament.model import Kind
from tests.tournament.played import names, swiss
print(make_format(Kind.ROUND_ROBIN, names(11), table_size=4, rounds=14, seed="seed").schedule)
print(swiss(names(9), 4, table_size=2), swiss(names(11), 3, table_size=4)[0])
"""


def test_another_process_draws_the_same_rounds() -> None:
    """Nothing depends on the order of sets, which differs from process to process with the hash seed."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ROUNDS],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("History")[0]
        for hash_seed in ("1", "2")
    }

    assert 1 == len(printed)
