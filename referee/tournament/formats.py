"""The formats on offer, behind one interface: which round comes next."""

import abc
import enum
from bisect import bisect_right
from collections.abc import Sequence

import attrs

from referee.tournament.combinations import all_combinations
from referee.tournament.history import History
from referee.tournament.model import Kind, RoundPlan, TournamentError
from referee.tournament.paired import Rivals, paired_round
from referee.tournament.round_robin import cycle_rounds, schedule
from referee.tournament.sizes import check_tournament
from referee.tournament.swiss import check_repeat_weight, default_rounds, pair_round, size_warning


class Order(enum.Enum):
    """When a round can be planned and started."""

    FREE = "free"
    """At any time: later rounds may start before earlier ones have ended."""

    BARRIER = "barrier"
    """Only when all rounds before it are complete, since their results decide who meets."""


class Format(abc.ABC):
    """What to play next.

    Attributes:
        rounds: How many rounds the tournament has.
        order: When a round can be planned.
    """

    rounds: int
    order: Order

    @abc.abstractmethod
    def plan(self, number: int, *, active: Sequence[str], history: History) -> RoundPlan:
        """Say what a round looks like.

        Args:
            number: The round, from 1 to `rounds`.
            active: Who is still in the tournament, in any order.
            history: The rounds so far.

        Returns:
            The round; the same arguments always give the same one.

        Raises:
            TournamentError: There is no such round.
        """


class RoundRobin(Format):
    """A schedule that is fixed from the start; those who withdraw keep their places in it, as no-shows."""

    order = Order.FREE

    def __init__(self, entrants: Sequence[str], *, table_size: int, rounds: int | None, seed: str) -> None:
        self.schedule = schedule(entrants, table_size=table_size, rounds=rounds, seed=seed)
        self.rounds = len(self.schedule)

    def plan(self, number: int, *, active: Sequence[str], history: History) -> RoundPlan:
        """Look the round up; who is active and what happened before make no difference."""
        _check_number(number, self.rounds)
        return self.schedule[number - 1]


class AllCombinations(Format):
    """Every table that the field can form, once; further rounds go through them again in another order."""

    order = Order.FREE

    def __init__(self, entrants: Sequence[str], *, table_size: int, rounds: int | None, seed: str) -> None:
        check_tournament(entrants, table_size, rounds)
        self._entrants = tuple(entrants)
        self._table_size = table_size
        self._seed = seed
        self._pass, self._plans = 1, self._drawn(1)
        self.rounds = len(self._plans) if rounds is None else rounds
        self._starts = [1, len(self._plans) + 1]

    def plan(self, number: int, *, active: Sequence[str], history: History) -> RoundPlan:
        """Look the round up; who is active and what happened before make no difference."""
        _check_number(number, self.rounds)
        while self._starts[-1] <= number:
            self._turn_to(len(self._starts))
            self._starts.append(self._starts[-1] + len(self._plans))
        which = bisect_right(self._starts, number)
        self._turn_to(which)
        plan = self._plans[number - self._starts[which - 1]]
        tables = tuple(attrs.evolve(table, round=number) for table in plan.tables)
        return attrs.evolve(plan, number=number, tables=tables)

    def _turn_to(self, which: int) -> None:
        """Have the rounds of a pass at hand, from 1."""
        if which != self._pass:
            self._pass, self._plans = which, self._drawn(which)

    def _drawn(self, which: int) -> tuple[RoundPlan, ...]:
        seed = self._seed if which == 1 else f"{self._seed}/{which}"
        return all_combinations(self._entrants, table_size=self._table_size, seed=seed)


class Swiss(Format):
    """Rounds that are drawn one at a time from the results so far."""

    order = Order.BARRIER

    def __init__(
        self,
        entrants: Sequence[str],
        *,
        table_size: int,
        rounds: int | None,
        seed: str,
        repeat_weight: int | None = None,
    ) -> None:
        check_tournament(entrants, table_size, rounds)
        check_repeat_weight(repeat_weight)
        self.rounds = default_rounds(len(entrants), table_size) if rounds is None else rounds
        self._warning = size_warning(len(entrants), table_size, self.rounds)
        self._table_size = table_size
        self._seed = seed
        self._repeat_weight = repeat_weight

    def plan(self, number: int, *, active: Sequence[str], history: History) -> RoundPlan:
        """Draw the round; the first carries a note when a round-robin would suit the field better."""
        _check_number(number, self.rounds)
        plan = pair_round(
            number,
            active,
            history,
            table_size=self._table_size,
            seed=self._seed,
            repeat_weight=self._repeat_weight,
        )
        if number > 1 or self._warning is None:
            return plan
        return attrs.evolve(plan, notes=(self._warning, *plan.notes))


class Comparison(Format):
    """Pairs of games of two rivals, one a round."""

    order = Order.FREE

    def __init__(
        self, entrants: Sequence[str], *, table_size: int, rounds: int | None, rivals: Rivals | None
    ) -> None:
        if rivals is None or rounds is None:
            raise TournamentError("a comparison needs two rivals and a number of rounds")
        check_tournament(entrants, table_size, rounds)
        self.rounds = rounds
        self._entrants = tuple(entrants)
        self._rivals = rivals
        self._table_size = table_size
        paired_round(1, self._entrants, rivals, table_size=table_size)

    def plan(self, number: int, *, active: Sequence[str], history: History) -> RoundPlan:
        """Seat the pair; who is active and what happened before make no difference."""
        _check_number(number, self.rounds)
        return paired_round(number, self._entrants, self._rivals, table_size=self._table_size)


def make_format(
    kind: Kind,
    entrants: Sequence[str],
    *,
    table_size: int,
    rounds: int | None,
    seed: str,
    repeat_weight: int | None = None,
    rivals: Rivals | None = None,
) -> Format:
    """Set up a tournament of a kind.

    Args:
        kind: Which format.
        entrants: At least two distinct names, in any order.
        table_size: The most that may sit at one table, 2 to 10.
        rounds: How many rounds, or None for the default of the format.
        seed: Decides whatever is left to chance.
        repeat_weight: In a Swiss, how many squared points a first repeat costs; None for the strict order.
        rivals: Who is compared, in a comparison.

    Raises:
        TournamentError: The tournament cannot be held like that.
    """
    if kind is Kind.COMPARISON:
        return Comparison(entrants, table_size=table_size, rounds=rounds, rivals=rivals)
    if kind is Kind.ALL_COMBINATIONS:
        return AllCombinations(entrants, table_size=table_size, rounds=rounds, seed=seed)
    if kind is Kind.SWISS:
        return Swiss(entrants, table_size=table_size, rounds=rounds, seed=seed, repeat_weight=repeat_weight)
    return RoundRobin(entrants, table_size=table_size, rounds=rounds, seed=seed)


def rounds_planned(kind: Kind, entrants: int, *, table_size: int, rounds: int | None) -> int:
    """Return how many rounds a tournament of so many entrants has, without drawing any.

    Args:
        kind: Which format.
        entrants: How many there were at its start.
        table_size: The most that may sit at one table.
        rounds: How many rounds were asked for, or None for the default of the format.

    Raises:
        TournamentError: That depends on more than the numbers; see `TournamentSetup.settled`.
    """
    if rounds is not None:
        return rounds
    if kind not in {Kind.ROUND_ROBIN, Kind.SWISS}:
        raise TournamentError(f"the rounds of a tournament of the kind {kind.value} are settled beforehand")
    defaults = {Kind.ROUND_ROBIN: cycle_rounds, Kind.SWISS: default_rounds}
    return defaults[kind](entrants, table_size)


def _check_number(number: int, rounds: int) -> None:
    if not 1 <= number <= rounds:
        raise TournamentError(f"there is no round {number}: this tournament has rounds 1 to {rounds}")
