"""How late this machine wakes a program: whether it is fit for rated play at a time limit.

A program that asks to sleep for a millisecond and comes back 20 ms later has lost what a bot would have
lost that was ready to answer. The referee judges by the arrival that the kernel notes, so its own lateness
costs nobody anything; that of the bots on a machine, or of everything on it, does.
"""

import statistics
import time
from collections.abc import Callable, Sequence

import attrs

from referee.doctor.findings import Finding, Verdict

NAP_NS = 1_000_000
_NS_PER_S = 1e9
_NS_PER_MS = 1e6

GOOD_SHARE = 20
"""The worst lateness may be a twentieth of the limit: then no answer that comes by 95 % of it is lost."""

BAD_SHARE = 4
"""At a quarter of the limit a result says more of the machine than of the bots."""


@attrs.frozen(kw_only=True)
class Jitter:
    """How late it was, in ns.

    Attributes:
        samples: How often it was measured.
        median: The middle of them.
        p99: 99 of 100 were not later.
        worst: The latest.
    """

    samples: int
    median: int
    p99: int
    worst: int


def measure(
    seconds: float,
    clock: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> Jitter:
    """Sleep for a millisecond again and again; return how late it woke.

    Args:
        seconds: For so long.
        clock: Nanoseconds, rising.
        sleep: Waits for so many seconds.
    """
    lateness: list[int] = []
    began = now = clock()
    while now - began < seconds * _NS_PER_S or not lateness:
        before = now
        sleep(NAP_NS / _NS_PER_S)
        now = clock()
        lateness.append(max(0, now - before - NAP_NS))
    return summary(lateness)


def summary(lateness: Sequence[int]) -> Jitter:
    """Sum up measurements, at least one."""
    ordered = sorted(lateness)
    return Jitter(
        samples=len(ordered),
        median=int(statistics.median_low(ordered)),
        p99=ordered[-(-len(ordered) * 99 // 100) - 1],
        worst=ordered[-1],
    )


def judge(jitter: Jitter, limit_ns: int) -> Finding:
    """Say whether a machine that is so late is fit for rated play.

    Args:
        jitter: How late it is.
        limit_ns: The limit of a decision, grace included.
    """
    text = (
        f"programs wake {_ms(jitter.median)} late, 1 in 100 more than {_ms(jitter.p99)}, at worst"
        f" {_ms(jitter.worst)}; the limit is {limit_ns / _NS_PER_MS:g} ms"
    )
    if jitter.worst * GOOD_SHARE <= limit_ns:
        return Finding(check="timer", verdict=Verdict.OK, text=f"{text}: fit for rated play")
    wanted = -(-jitter.worst * GOOD_SHARE // 10_000_000) * 10
    advice = f"use a --move-timeout of {wanted}ms or more, or a machine that has nothing else to do"
    if jitter.worst * BAD_SHARE <= limit_ns:
        return Finding(
            check="timer",
            verdict=Verdict.NOTE,
            text=f"{text}: a bot that uses nearly all of it may be late through no fault of its own",
            advice=advice,
        )
    unfit = f"{text}: not fit for rated play"
    return Finding(check="timer", verdict=Verdict.PROBLEM, text=unfit, advice=advice)


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / _NS_PER_MS:.2f} ms"
