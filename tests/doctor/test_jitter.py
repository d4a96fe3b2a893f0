"""How lateness is measured and judged, by a clock that is handed in."""

import pytest

from referee.doctor.findings import Verdict
from referee.doctor.jitter import Jitter, judge, measure, summary

MS = 1_000_000


class Machine:
    """A clock, and a sleep that is late by what is next on a list, in ms."""

    def __init__(self, *late: float) -> None:
        self.now = 0
        self._late = iter(late)

    def clock(self) -> int:
        """Return the time in ns."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds * 1e9) + round(next(self._late) * MS)


def test_lateness_is_what_goes_beyond_the_nap() -> None:
    """In 20 ms there is room for naps of 1 ms that are 0, 2, 5 and 9 ms late: 1 + 3 + 6 + 10 = 20 ms."""
    machine = Machine(0, 2, 5, 9)
    jitter = measure(0.020, machine.clock, machine.sleep)

    assert jitter == Jitter(samples=4, median=2 * MS, p99=9 * MS, worst=9 * MS)


def test_at_least_one_nap_is_taken() -> None:
    """Also in no time at all."""
    machine = Machine(3)

    assert measure(0.0, machine.clock, machine.sleep).samples == 1


def test_one_in_a_hundred_may_be_later() -> None:
    """Of 1 to 200 the median is 100, and 198 are not above 198."""
    assert summary(range(200, 0, -1)) == Jitter(samples=200, median=100, p99=198, worst=200)


@pytest.mark.parametrize(
    ("worst_ms", "verdict"),
    [(50, Verdict.OK), (50.001, Verdict.NOTE), (250, Verdict.NOTE), (250.001, Verdict.PROBLEM)],
)
def test_fit_for_a_limit_of_a_second(worst_ms: float, verdict: Verdict) -> None:
    """A twentieth of it is good, more than a quarter is bad."""
    jitter = Jitter(samples=9, median=0, p99=MS, worst=round(worst_ms * MS))

    assert judge(jitter, 1000 * MS).verdict is verdict


def test_the_advice_is_a_limit_that_would_be_fit() -> None:
    """Twenty times 7.3 ms is 146 ms, rounded up to 150; with that it is fit."""
    jitter = Jitter(samples=9, median=0, p99=MS, worst=7_300_000)

    assert judge(jitter, 20 * MS).advice.startswith("use a --move-timeout of 150ms or more, ")
    assert judge(jitter, 150 * MS).verdict is Verdict.OK
