"""How sure the standings of a journal are: ratings with error bars, from the games that have ended."""

from collections.abc import Sequence

from referee.journal.comparisons import evidence_of
from referee.journal.reading import Reading
from referee.tournament.bootstrap import Certainty, assess
from referee.tournament.ratings import Anchor
from referee.tournament.resample import resample


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
    evidence = evidence_of(reading, order)
    fixed = None if anchor is None else Anchor(name=anchor)
    return assess(evidence, resample(evidence, anchor=fixed, seed=reading.head.seed), order, anchor=anchor)
