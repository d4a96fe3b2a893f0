"""Tournaments to test with: plans, and results that follow from the names alone."""

from collections.abc import Iterable, Sequence

from referee.tournament.history import History
from referee.tournament.model import GameScore, RoundPlan, SeatScore, TablePlan
from referee.tournament.swiss import pair_round


def names(count: int) -> tuple[str, ...]:
    """So many entrants, in alphabetical order."""
    return tuple(f"bot{number:04}" for number in range(count))


def table(*entrants: str, number: int = 1, table: int = 1) -> TablePlan:
    """A table of a round."""
    return TablePlan(round=number, table=table, entrants=entrants)


def plan(number: int, *tables: Sequence[str], byes: Sequence[str] = ()) -> RoundPlan:
    """A round with these tables."""
    return RoundPlan(
        number=number,
        tables=tuple(table(*seats, number=number, table=place) for place, seats in enumerate(tables, 1)),
        byes=tuple(byes),
    )


def game(number: int, table: int, *seats: SeatScore, game: int = 1) -> GameScore:
    """A game with these seats."""
    return GameScore(round=number, table=table, game=game, seats=seats)


def seat(entrant: str, *bullheads: int, forfeited: bool = False, no_show: bool = False) -> SeatScore:
    """A seat that took these bullheads, deal by deal."""
    return SeatScore(entrant=entrant, bullheads=bullheads, forfeited=forfeited, no_show=no_show)


def results(plan: RoundPlan) -> tuple[GameScore, ...]:
    """One game a table, in which bullheads grow with the digits of the name but upsets happen."""
    return tuple(
        game(plan.number, at.table, *(seat(name, _form(name, plan.number)) for name in at.entrants))
        for at in plan.tables
    )


def _form(name: str, number: int) -> int:
    return int(name[3:]) % 97 + (int(name[3:]) * 31 + number * 17) % 41


def swiss(
    entrants: Sequence[str], rounds: int, *, table_size: int, seed: str = "seed"
) -> tuple[list[RoundPlan], History]:
    """Play some rounds of a Swiss; returns the rounds and the history after them."""
    plans: list[RoundPlan] = []
    scores: list[GameScore] = []
    for number in range(1, rounds + 1):
        history = History.of(plans, scores)
        plans.append(pair_round(number, entrants, history, table_size=table_size, seed=seed))
        scores.extend(results(plans[-1]))
    return plans, History.of(plans, scores)


def seated(plan: RoundPlan) -> list[str]:
    """Everybody at a table of a round, in any order."""
    return [name for at in plan.tables for name in at.entrants]


def spread_of(counts: Iterable[int]) -> int:
    """The largest count less the smallest."""
    counts = tuple(counts)
    return max(counts) - min(counts)
