"""Who beat whom in the games of a journal: the evidence for ratings."""

import hashlib
from collections.abc import Iterator

from referee.journal.reading import Reading
from referee.journal.scores import score_of
from referee.play.names import GameId
from referee.rules.variants import Variant
from referee.tournament.evidence import Evidence


def evidence_of(reading: Reading) -> Evidence:
    """Add up the games that have ended and count.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    with reading.believing():
        evidence = Evidence(entrant.name for entrant in reading.entrants())
        identities = dict(_identities(reading))
        for result in reading.results():
            evidence.add(
                score_of(result), deal_set=result.game.deal_set, identity=identities.get(result.game)
            )
    return evidence


def _identities(reading: Reading) -> Iterator[tuple[GameId, str]]:
    """Give what the seats did in each game of a variant in which nothing is left to chance."""
    if reading.head.rules.variant is not Variant.ADVANCED:
        return
    for game in reading.games():
        done = hashlib.sha256()
        for step in reading.steps(game):
            done.update(repr([(one.seat, one.choice) for one in step.decisions]).encode())
        yield game.id, done.hexdigest()
