"""Answer times of one entrant, kept in a bounded histogram."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import attrs

_STEPS_PER_DOUBLING = 32
_FLOOR_MS = 0.01


@attrs.frozen(kw_only=True)
class Latency:
    """A summary of answer times, in milliseconds.

    Attributes:
        p50: The median.
        p95: The 95th percentile.
        max: The slowest, exactly.
    """

    p50: float
    p95: float
    max: float


class LatencyHistogram:
    """Counts answer times in buckets 2.2 % wide, so that millions of answers take a few kilobytes.

    Percentiles are therefore right to within one bucket; times below 0.01 ms share the first one.
    """

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self._samples = 0
        self._max = 0.0

    def add(self, samples: Iterable[float]) -> None:
        """Count some answer times, in milliseconds."""
        for sample in samples:
            self._buckets[bucket(sample)] += 1
            self._samples += 1
            self._max = max(self._max, float(sample))

    def add_counts(self, counts: Mapping[int, int], slowest: float) -> None:
        """Count answer times that are known by their buckets.

        Args:
            counts: How many fell into each bucket, see `bucket`.
            slowest: The longest of them, exactly, in milliseconds.
        """
        self._buckets.update(counts)
        self._samples += sum(counts.values())
        self._max = max(self._max, slowest)

    def summary(self) -> Latency | None:
        """The median, the 95th percentile and the maximum, or None before the first sample."""
        if not self._samples:
            return None
        return Latency(p50=self._percentile(50), p95=self._percentile(95), max=self._max)

    def _percentile(self, percent: int) -> float:
        """The upper edge of the bucket that holds the nearest-rank percentile."""
        wanted = -(-self._samples * percent // 100)
        seen = 0
        for place in sorted(self._buckets):
            seen += self._buckets[place]
            if seen >= wanted:
                return min(_upper_edge(place), self._max)
        raise AssertionError("the buckets hold every sample")


def bucket(sample: float) -> int:
    """Return the bucket of an answer time in milliseconds: 0 up to 0.01 ms, then 32 for each doubling."""
    if sample <= _FLOOR_MS:
        return 0
    return math.ceil(math.log2(sample / _FLOOR_MS) * _STEPS_PER_DOUBLING)


def middle(place: int) -> float:
    """Return an answer time, in milliseconds, that stands for all of a bucket and falls into it."""
    return _upper_edge(place) * 2.0 ** (-0.5 / _STEPS_PER_DOUBLING) if place else _FLOOR_MS


def _upper_edge(place: int) -> float:
    return float(_FLOOR_MS * 2.0 ** (place / _STEPS_PER_DOUBLING))
