"""From the result of a game, as tables leave it, to the score that standings take."""

from referee.play.results import GameResult
from referee.tournament.model import GameScore, SeatScore


def score_of(result: GameResult) -> GameScore:
    """Return what a result counts for in the standings."""
    return GameScore(
        round=result.game.round,
        table=result.game.table,
        game=result.game.game,
        seats=tuple(
            SeatScore(
                entrant=seat.name, bullheads=seat.bullheads, forfeited=seat.forfeited, no_show=seat.no_show
            )
            for seat in result.seats
        ),
    )
