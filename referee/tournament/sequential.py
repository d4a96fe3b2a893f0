"""Is B better than A? A sequential test on paired games that stops as soon as the question is decided.

A pair is the same deals from the same seats against the same opponents, once with A and once with B; its
difference is B's share less A's, from -1 to 1. The test is the generalised sequential probability ratio test
(Wald 1945, Annals of Mathematical Statistics 16; with what is unknown estimated, as in Li, Liu and Ying 2014,
Sequential Analysis 33), once for "better" and once for "worse" against "equal" (Sobel and Wald 1949, Annals
of Mathematical Statistics 20).
"""

import enum
import math
from fractions import Fraction

import attrs

from referee.tournament.model import TournamentError

_PRIOR_PAIRS = 5
_PRIOR_VARIANCE = 0.25
_FEWEST_PAIRS = 10
_MOST_REPEATED = 100
_DEVIATIONS = 1.96


class Verdict(enum.Enum):
    """What the test says; the values are the words that users read."""

    BETTER = "better"
    """B is better than A."""

    WORSE = "worse"
    """B is worse than A."""

    NO_DIFFERENCE_SHOWN = "no difference shown"
    """If there is a difference, it is smaller than the smallest of interest."""

    UNDECIDED = "undecided"
    """Not enough pairs yet."""


@attrs.frozen(kw_only=True)
class Question:
    """What is asked, and how sure the answer has to be.

    Attributes:
        smallest: The smallest difference in shares that is of interest, above 0 and at most 1.
        alpha: How often "better" may be said of equals, and how often "worse"; below 1/2.
        beta: How often a difference as large as the smallest of interest may be missed; below 1/2.
    """

    smallest: float = 0.06
    alpha: float = 0.05
    beta: float = 0.05

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot be asked.

        Raises:
            TournamentError: A number is outside its range.
        """
        if not 0 < self.smallest <= 1:
            raise TournamentError(
                f"the smallest difference of interest is a share above 0 and up to 1, not {self.smallest}"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise TournamentError(f"{name} is a chance of error between 0 and 0.5, not {value}: try 0.05")


@attrs.frozen(kw_only=True)
class Comparison:
    """How the comparison stands.

    Attributes:
        verdict: The answer so far; once it is another than undecided it stays.
        pairs: Pairs that counted.
        repeated: Pairs within the prefix that did not, since they were identical to one before.
        beyond: Finished pairs that did not count, since the question was decided without them or one before
            them is still to come.
        mean: Mean difference in shares, B less A; None without a pair.
        low: The lower end of its 95 % bar; None with fewer than two pairs.
        high: The upper end.
    """

    verdict: Verdict
    pairs: int
    repeated: int
    beyond: int
    mean: float | None
    low: float | None
    high: float | None


class PairedTest:
    """Takes in pairs in any order and counts them in the order of the schedule, until it is decided.

    Only the longest finished prefix of the schedule counts, so that the verdict does not depend on which pair
    happened to end first.
    """

    def __init__(self, question: Question | None = None) -> None:
        """Start without a pair.

        Args:
            question: What is asked; None for the usual.
        """
        self.question = question or Question()
        self._waiting: dict[int, tuple[Fraction, str | None]] = {}
        self._next = 0
        self._identities: set[str] = set()
        self._sum = self._squares = Fraction(0)
        self._pairs = self._repeated = self._repeated_in_a_row = 0
        self._verdict = Verdict.UNDECIDED

    def add(self, place: int, difference: Fraction, *, identity: str | None = None) -> None:
        """Enter a finished pair.

        Args:
            place: Its place in the schedule, from 0.
            difference: B's share less A's, each the mean over the games of the pair.
            identity: What was played, in words that are the same for identical pairs, where games can be
                identical since nothing in them is left to chance; None where they cannot.

        Raises:
            TournamentError: The place has been entered before.
        """
        if place < self._next or place in self._waiting:
            raise TournamentError(f"pair {place + 1} of the schedule has been entered before")
        self._waiting[place] = (difference, identity)
        while self._verdict is Verdict.UNDECIDED and not self.exhausted and self._next in self._waiting:
            self._count(*self._waiting.pop(self._next))
            self._next += 1

    @property
    def verdict(self) -> Verdict:
        """The answer so far; once it is another than undecided it stays, whatever else is entered."""
        return self._verdict

    @property
    def exhausted(self) -> bool:
        """Whether a hundred pairs on end were repeated: nothing new is to be expected then."""
        return self._repeated_in_a_row >= _MOST_REPEATED

    def state(self) -> Comparison:
        """How the comparison stands.

        The mean and its bar are those of plain pairs: a test that has stopped because of a large difference
        tends to overstate it a little.
        """
        pairs = self._pairs
        mean = float(self._sum / pairs) if pairs else None
        reach = _DEVIATIONS * math.sqrt(self._variance() / pairs) if pairs > 1 else None
        return Comparison(
            verdict=self._verdict,
            pairs=pairs,
            repeated=self._repeated,
            beyond=len(self._waiting),
            mean=mean,
            low=None if mean is None or reach is None else max(-1.0, mean - reach),
            high=None if mean is None or reach is None else min(1.0, mean + reach),
        )

    def _count(self, difference: Fraction, identity: str | None) -> None:
        if identity is not None:
            if identity in self._identities:
                self._repeated += 1
                self._repeated_in_a_row += 1
                return
            self._repeated_in_a_row = 0
            self._identities.add(identity)
        self._pairs += 1
        self._sum += difference
        self._squares += difference * difference
        if self._pairs >= _FEWEST_PAIRS:
            self._verdict = self._judge()

    def _judge(self) -> Verdict:
        question = self.question
        accept = math.log((1 - question.beta) / question.alpha)
        reject = math.log(question.beta / (1 - question.alpha))
        better, worse = self._log_ratio(question.smallest), self._log_ratio(-question.smallest)
        if better >= accept:
            return Verdict.BETTER
        if worse >= accept:
            return Verdict.WORSE
        return Verdict.NO_DIFFERENCE_SHOWN if max(better, worse) <= reject else Verdict.UNDECIDED

    def _log_ratio(self, supposed: float) -> float:
        """The logarithm of how much likelier the pairs are with the supposed mean than with 0.

        That of normal deviates with the variance seen, which the mean of many pairs comes near to.
        """
        return (float(self._sum) - self._pairs * supposed / 2) * supposed / self._variance()

    def _variance(self) -> float:
        """The variance of the differences, as if five pairs more had been seen that vary a good deal.

        So the first few pairs that happen to agree do not pass for certainty.
        """
        squares = float(self._squares - self._sum * self._sum / self._pairs)
        return (squares + _PRIOR_PAIRS * _PRIOR_VARIANCE) / (self._pairs + _PRIOR_PAIRS)
