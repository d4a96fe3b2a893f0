"""Who beat whom in the games of a journal: the evidence for ratings."""

import itertools
import json
import operator
from collections.abc import Iterable, Iterator

from referee.journal.reading import Reading
from referee.tournament.evidence import Evidence
from referee.tournament.model import GameScore, SeatScore

_GAMES = """
SELECT results.game, round, table_no, deal_set, games.number, course, name, bullheads, forfeited, no_show
FROM results
JOIN games ON games.id = results.game JOIN seatings ON seatings.id = seating
JOIN seat_results ON seat_results.game = results.game JOIN entrants ON entrants.id = entrant
WHERE NOT void
ORDER BY results.game, seat
"""


def evidence_of(reading: Reading, names: Iterable[str] | None = None) -> Evidence:
    """Add up the games that have ended and count; games of the same course count once.

    Args:
        reading: The journal.
        names: The entrants in the order wanted; None for the order in which they were entered.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    with reading.believing():
        entrants = (entrant.name for entrant in reading.entrants())
        evidence = Evidence(entrants if names is None else names)
        for score, deal_set, course in _games(reading):
            evidence.add(score, deal_set=deal_set, identity=course)
    return evidence


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
