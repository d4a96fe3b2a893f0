"""Swiss rounds against an integer programme and against the system that chess uses."""

import random
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from referee.tournament.cost import cost
from referee.tournament.history import History
from referee.tournament.model import GameScore, RoundPlan
from referee.tournament.sizes import table_sizes
from referee.tournament.swiss import pair_round
from tests.tournament.played import game, names, plan, seat, swiss

Parts = tuple[int, int, Fraction]


def least_by_programme(entrants: tuple[str, ...], table_size: int, history: History) -> Parts:
    """The least repeats, then small tables, then spread, by HiGHS: which of all possible tables to take.

    Each part in turn is minimised with those before it held at their least.
    """
    import numpy
    from scipy.optimize import LinearConstraint, milp

    sizes = table_sizes(len(entrants), table_size)
    columns = [members for size in sorted(set(sizes)) for members in combinations(entrants, size)]
    costs = [cost(plan(1, members), history) for members in columns]
    spread_unit = max((history.points[name].denominator for name in entrants), default=1) ** 2 * 3600
    parts = [
        [one.repeats for one in costs],
        [
            sum(history.small_tables.get(name, 0) for name in members) * (len(members) < sizes[0])
            for members in columns
        ],
        [int(one.spread * spread_unit) for one in costs],
    ]
    seated = [[name in members for members in columns] for name in entrants]
    of_size = [[len(members) == size for members in columns] for size in sorted(set(sizes))]
    rows = numpy.array(seated + of_size, dtype=float)
    totals = [1.0] * len(entrants) + [float(sizes.count(size)) for size in sorted(set(sizes))]
    held = [LinearConstraint(rows, totals, totals)]
    least = []
    for part in parts:
        found = milp(
            numpy.array(part, dtype=float),
            constraints=held,
            integrality=numpy.ones(len(columns)),
            bounds=(0, 1),
        )
        least.append(round(found.fun))
        held.append(LinearConstraint(numpy.array([part], dtype=float), -numpy.inf, least[-1] + 0.5))
    return least[0], least[1], Fraction(least[2], spread_unit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entrants", "table_size", "rounds"),
    [
        (12, 3, 4),
        (12, 4, 3),
        (13, 4, 3),
        (14, 4, 3),
        (15, 4, 4),
        (16, 4, 3),
        (16, 4, 5),
        (15, 5, 3),
        (16, 5, 2),
    ],
)
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_round_costs_as_little_as_an_integer_programme_finds(
    entrants: int, table_size: int, rounds: int, seed: str
) -> None:
    """No round has fewer repeats, nor fewer small tables with as few, nor then less spread."""
    _, history = swiss(names(entrants), rounds, table_size=table_size, seed=seed)
    drawn = cost(pair_round(rounds + 1, names(entrants), history, table_size=table_size, seed=seed), history)

    assert least_by_programme(names(entrants), table_size, history) == (
        drawn.repeats,
        drawn.small_tables,
        drawn.spread,
    )


class Dutch:
    """A tournament at tables of two that the FIDE Dutch system pairs, by caissify-pairings."""

    def __init__(self, entrants: tuple[str, ...], rounds: int) -> None:
        self.plans: list[RoundPlan] = []
        self.scores: list[GameScore] = []
        self._rounds = rounds
        self._players: list[dict[str, Any]] = [
            {
                "id": number,
                "name": name,
                "score": 0.0,
                "rating": 3_000 - number,
                "starting_number": number,
                "color_hist": [],
                "float_history": [],
                "bye_count": 0,
            }
            for number, name in enumerate(entrants, 1)
        ]

    def draw(self) -> RoundPlan:
        """The next round."""
        from caissify_pairings import generate_pairings

        number = len(self.plans) + 1
        met = {tuple(sorted(self._number(one.entrant) for one in score.seats)) for score in self.scores}
        drawn = generate_pairings(
            system="dutch",
            players=self._players,
            previous_pairings=met,
            round_number=number,
            total_rounds=self._rounds,
            bye_value=0.5,
        )
        games = [one for one in drawn if not one.get("bye")]
        return plan(
            number,
            *((self._name(one["white_id"]), self._name(one["black_id"])) for one in games),
            byes=[self._name(one["white_id"]) for one in drawn if one.get("bye")],
        )

    def enter(self, drawn: RoundPlan, chance: random.Random) -> None:
        """Play a round with random results, the earlier names winning more often, and remember it."""
        self.plans.append(drawn)
        before = {player["name"]: player["score"] for player in self._players}
        for at in drawn.tables:
            totals = [self._number(name) / 4 + chance.randrange(12) for name in at.entrants]
            self.scores.append(game(drawn.number, at.table, *map(seat, at.entrants, map(int, totals))))
            self._remember(at.entrants, ("white", "black"), before)
        points = History.of(self.plans, self.scores).points
        for player in self._players:
            player["score"] = float(points[player["name"]])
            if player["name"] in drawn.byes:
                player["bye_count"] += 1
                player["color_hist"].append("none")
                player["float_history"].append("down")

    def _remember(self, pair: Iterable[str], colours: tuple[str, str], before: dict[str, float]) -> None:
        one, other = pair
        for name, against, colour in ((one, other, colours[0]), (other, one, colours[1])):
            player = self._players[self._number(name) - 1]
            player["color_hist"].append(colour)
            gap = before[name] - before[against]
            player["float_history"].append("down" if gap > 0 else "up" if gap < 0 else "none")

    def _number(self, name: str) -> int:
        return next(player["id"] for player in self._players if player["name"] == name)

    def _name(self, number: int) -> str:
        return str(self._players[number - 1]["name"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entrants", "rounds"), [(8, 4), (10, 5), (11, 5), (16, 6), (20, 9), (21, 7), (40, 9)]
)
@pytest.mark.parametrize("seed", range(5))
def test_score_gaps_are_never_worse_than_in_the_dutch_system(entrants: int, rounds: int, seed: int) -> None:
    """In every round of an event that the Dutch system pairs, our round costs no more, seats apart.

    Byes, repeats and the squared gaps in points: since ours minds no colours, it may cost less.
    """
    chance = random.Random(f"{entrants}/{seed}")
    event = Dutch(names(entrants), rounds)
    for number in range(1, rounds + 1):
        history = History.of(event.plans, event.scores)
        theirs = event.draw()
        ours = pair_round(number, names(entrants), history, table_size=2, seed=str(seed))

        assert cost(ours, history)[:-1] <= cost(theirs, history)[:-1]
        event.enter(theirs, chance)
