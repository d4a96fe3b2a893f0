"""Comparisons of two bots: rounds of paired games, and what the pairs come to.

A round is one pair. Against a field it is the same deals from the same seat against the same opponents, once
with A and once with B, who never meet; without one, A and B meet and change hands.
"""

from collections.abc import Sequence
from fractions import Fraction

from referee.tournament.model import GameScore, RoundPlan, TablePlan, TournamentError
from referee.tournament.points import game_points
from referee.tournament.sequential import Comparison, PairedTest, Question, Verdict

GAMES_OF_A_PAIR = 2

Rivals = tuple[str, str]
"""A and B: what is asked is whether B is better than A."""


def paired_round(number: int, entrants: Sequence[str], rivals: Rivals, *, table_size: int) -> RoundPlan:
    """Say who meets in a pair of games.

    The table has both rivals, next to each other; in each game one of them stands aside, so that the other
    takes the same seat. Opponents who are more than fit take turns, and all move one seat on with each round.

    Args:
        number: The round, from 1.
        entrants: The rivals and their opponents, in any order.
        rivals: The rivals.
        table_size: Seats of a game.

    Raises:
        TournamentError: A rival is missing, or there are too few opponents.
    """
    field = sorted(set(entrants) - set(rivals))
    if len(field) + len(rivals) != len(entrants):
        raise TournamentError("a comparison needs both of its rivals among the entrants, each once")
    if not field:
        return _round(number, rivals, ())
    seats = table_size - 1
    if len(field) < seats:
        raise TournamentError(f"tables of {table_size} need {seats} opponents, not {len(field)}")
    met = [field[((number - 1) * seats + place) % len(field)] for place in range(seats)]
    seat = (number - 1) % table_size
    table = (*met[:seat], *rivals, *met[seat:])
    return _round(number, table, tuple(name for name in field if name not in met))


def _round(number: int, table: tuple[str, ...], byes: tuple[str, ...]) -> RoundPlan:
    return RoundPlan(number=number, tables=(TablePlan(round=number, table=1, entrants=table),), byes=byes)


class Pairs:
    """Puts the games of a comparison together, in whatever order they end, and has the pairs judged.

    Args:
        rivals: A and B.
        question: What is asked.
        is_drawn_by_lot: Whether anything is left to chance; else identical pairs count once.
    """

    def __init__(self, rivals: Rivals, question: Question, *, is_drawn_by_lot: bool) -> None:
        self._rivals = rivals
        self._is_drawn_by_lot = is_drawn_by_lot
        self._test = PairedTest(question)
        self._halves: dict[int, GameScore] = {}

    def add(self, score: GameScore) -> None:
        """Enter a game that has ended."""
        other = self._halves.pop(score.round, None)
        if other is None:
            self._halves[score.round] = score
            return
        pair = sorted((score, other), key=lambda one: one.game)
        shares = [game_points(game) for game in pair]
        means = [_mean(name, shares) for name in self._rivals]
        self._test.add(
            score.round - 1, means[1] - means[0], identity=None if self._is_drawn_by_lot else _identity(pair)
        )

    @property
    def over(self) -> bool:
        """Whether no further pair can change the answer."""
        return self._test.verdict is not Verdict.UNDECIDED or self._test.exhausted

    def state(self) -> Comparison:
        """How the comparison stands."""
        return self._test.state()


def _mean(name: str, shares: Sequence[dict[str, Fraction]]) -> Fraction:
    own = [of_game[name] for of_game in shares if name in of_game]
    return sum(own, Fraction(0)) / len(own)


def _identity(pair: Sequence[GameScore]) -> str:
    """What was played, in short: bots that do anything else hardly take the same bullheads in every deal."""
    return repr([[(seat.entrant, seat.bullheads, seat.forfeited) for seat in game.seats] for game in pair])
