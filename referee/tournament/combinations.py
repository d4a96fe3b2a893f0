"""All combinations: every table that a small field can form, each once."""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations

from referee.tournament.chance import generator, index, shuffled
from referee.tournament.model import RoundPlan, TablePlan, TournamentError
from referee.tournament.round_robin import schedule
from referee.tournament.seating import seat_order
from referee.tournament.sizes import LARGEST_TABLE, SMALLEST_TABLE, check_tournament

MOST_TABLES = 100_000
"""How many tables a schedule of all combinations may have."""

_LOOKED_AT = 500
_DRAWN = 40


def all_combinations(entrants: Sequence[str], *, table_size: int, seed: str) -> tuple[RoundPlan, ...]:
    """Draw up rounds in which every set of `table_size` entrants meets at a table exactly once.

    So everybody plays equally often, meets everybody equally often, and has equally many byes: whoever sits
    at no table of a round has one. The rounds are packed greedily, so there may be a few more of them than
    there must be; at tables of two there are not.

    Args:
        entrants: At least two distinct names, in any order; where a table holds them all they sit at one.
        table_size: How many sit at each table, 2 to 10.
        seed: Decides who meets when.

    Returns:
        The rounds in order.

    Raises:
        TournamentError: There would be more than 100,000 tables; fewer than two entrants, a name that comes
            twice, or a table size that is not on offer.
    """
    check_tournament(entrants, table_size, None)
    names = sorted(entrants)
    size = min(table_size, len(names))
    tables = math.comb(len(names), size)
    if tables > MOST_TABLES:
        raise TournamentError(
            f"all combinations of {len(names)} entrants at tables of {size} are {tables:,} tables, and "
            f"{MOST_TABLES:,} are the most: enter fewer, or play a round-robin of as many rounds as you like"
        )
    if size == SMALLEST_TABLE:
        return schedule(names, table_size=size, rounds=None, seed=seed)
    return tuple(_plans(names, _Packing(len(names), size, generator(seed, "combinations"))))


class _Packing:
    """Packs the tables into rounds, one round at a time; a table is a set of entrants by their numbers."""

    def __init__(self, field: int, size: int, chance: random.Random) -> None:
        self._size = size
        self._chance = chance
        tables = shuffled(map(frozenset, combinations(range(field), size)), chance)
        self._left = dict.fromkeys(tables)
        self._of = [[table for table in tables if one in table] for one in range(field)]
        self._to_come = [len(of) for of in self._of]

    def rounds(self) -> Iterator[list[list[int]]]:
        """The rounds, until every table has been in one."""
        while self._left:
            yield list(self._round())

    def _round(self) -> Iterator[list[int]]:
        """Seat whoever has most tables to come, with others who are free and have many, and so on."""
        free = sorted(
            shuffled(range(len(self._of)), self._chance), key=lambda one: self._to_come[one], reverse=True
        )
        while len(free) >= self._size:
            first, *others = free
            table = self._table(first, others)
            free = others
            if table is not None:
                self._take(table)
                free = [one for one in others if one not in table]
                yield sorted(table)

    def _table(self, first: int, others: Sequence[int]) -> frozenset[int] | None:
        """A table that is left, of somebody with some of the others; those named first are preferred."""
        if math.comb(len(others), self._size - 1) <= _LOOKED_AT:
            seated = (frozenset((first, *some)) for some in combinations(others, self._size - 1))
            return next((table for table in seated if table in self._left), None)
        for _ in range(_DRAWN):
            table = frozenset((first, *self._some(others)))
            if table in self._left:
                return table
        return self._searched(first, frozenset(others))

    def _some(self, others: Sequence[int]) -> list[int]:
        drawn = list(others)
        return [drawn.pop(index(self._chance, len(drawn))) for _ in range(self._size - 1)]

    def _searched(self, first: int, others: frozenset[int]) -> frozenset[int] | None:
        self._of[first] = [table for table in self._of[first] if table in self._left]
        return next((table for table in self._of[first] if table - others == {first}), None)

    def _take(self, table: frozenset[int]) -> None:
        del self._left[table]
        for one in table:
            self._to_come[one] -= 1


def _plans(names: Sequence[str], packing: _Packing) -> Iterator[RoundPlan]:
    seats = [[0] * LARGEST_TABLE for _ in names]
    for number, tables in enumerate(packing.rounds(), start=1):
        seated = {one for table in tables for one in table}
        yield RoundPlan(
            number=number,
            tables=tuple(
                TablePlan(round=number, table=place, entrants=_seated(table, names, seats))
                for place, table in enumerate(tables, start=1)
            ),
            byes=tuple(name for one, name in enumerate(names) if one not in seated),
        )


def _seated(table: Sequence[int], names: Sequence[str], seats: list[list[int]]) -> tuple[str, ...]:
    order = seat_order(table, seats)
    for seat, one in enumerate(order):
        seats[one][seat] += 1
    return tuple(names[one] for one in order)
