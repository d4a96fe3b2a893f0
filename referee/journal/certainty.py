"""How sure the standings of a journal are: ratings with error bars, from the games that have ended."""

import itertools
import json
import operator
from collections.abc import Iterator, Sequence

from referee.journal.reading import Reading
from referee.tournament.bootstrap import Certainty, assess
from referee.tournament.evidence import Evidence
from referee.tournament.model import GameScore, SeatScore
from referee.tournament.ratings import Anchor
from referee.tournament.resample import resample

_GAMES = """
SELECT results.game, round, table_no, deal_set, games.number, course, name, bullheads, forfeited, no_show
FROM results
JOIN games ON games.id = results.game JOIN seatings ON seatings.id = seating
JOIN seat_results ON seat_results.game = results.game JOIN entrants ON entrants.id = entrant
WHERE NOT void
ORDER BY results.game, seat
"""


def certainty(reading: Reading, order: Sequence[str], *, anchor: str | None = None) -> Certainty:
    """Say how sure the ratings and the order of the standings are.

    The seed of the tournament decides the samples, so that the same games always give the same bars.

    Args:
        reading: The journal.
        order: The entrants in the order of the standings.
        anchor: Whose rating is 0; None for a mean of 0.

    Raises:
        JournalUnusable: The journal is damaged.
        TournamentError: The anchor is not among the entrants.
    """
    with reading.believing():
        evidence = Evidence(order)
        for score, deal_set, course in _games(reading):
            evidence.add(score, deal_set=deal_set, identity=course)
    fixed = None if anchor is None else Anchor(name=anchor)
    return assess(evidence, resample(evidence, anchor=fixed, seed=reading.head.seed), order, anchor=anchor)


def _games(reading: Reading) -> Iterator[tuple[GameScore, int, str]]:
    """Give the games that count, with their deal sets and what tells different courses apart."""
    for _, rows in itertools.groupby(reading.rows(_GAMES), key=operator.itemgetter(0)):
        seats = list(rows)
        _, round_, table, deal_set, number, course, *_ = seats[0]
        score = GameScore(
            round=round_,
            table=table,
            game=number,
            seats=tuple(
                SeatScore(
                    entrant=name,
                    bullheads=tuple(json.loads(bullheads)),
                    forfeited=bool(forfeited),
                    no_show=bool(no_show),
                )
                for *_, name, bullheads, forfeited, no_show in seats
            ),
        )
        yield score, deal_set, course
