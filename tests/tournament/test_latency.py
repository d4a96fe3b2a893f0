"""Answer times in bounded memory."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.latency import Latency, LatencyHistogram


def test_nothing_measured_is_nothing_to_show() -> None:
    """Without samples there is no summary, rather than zeros."""
    assert LatencyHistogram().summary() is None


def test_a_single_sample_is_every_percentile() -> None:
    """One answer after 7 ms: median, 95th and maximum are 7 ms."""
    histogram = LatencyHistogram()
    histogram.add([7])

    assert Latency(p50=7.0, p95=7.0, max=7.0) == histogram.summary()


def test_a_hundred_even_samples() -> None:
    """Of 1, 2, ... 100 ms the median is 50, the 95th percentile 95 and the maximum 100."""
    histogram = LatencyHistogram()
    histogram.add(range(1, 101))
    summary = histogram.summary()

    assert summary is not None
    assert (pytest.approx(50, rel=0.022), pytest.approx(95, rel=0.022), 100) == (
        summary.p50,
        summary.p95,
        summary.max,
    )


@given(st.lists(st.floats(0.02, 1e6), min_size=1, max_size=60))
def test_percentiles_are_right_to_one_bucket(samples: list[float]) -> None:
    """Nearest-rank percentiles are met or overshot by at most 2.2 %, and the maximum is exact."""
    histogram = LatencyHistogram()
    histogram.add(samples)
    summary = histogram.summary()
    ordered = sorted(samples)

    assert summary is not None
    assert max(samples) == summary.max
    for percent, actual in ((50, summary.p50), (95, summary.p95)):
        exact = ordered[-(-len(ordered) * percent // 100) - 1]
        assert exact * 0.999_999 <= actual <= exact * 1.022


def test_zero_and_tiny_times_are_counted() -> None:
    """Times below the resolution share a bucket and are shown as no more than 0.01 ms."""
    histogram = LatencyHistogram()
    histogram.add([0, 0, 0, 4])

    assert Latency(p50=0.01, p95=4.0, max=4.0) == histogram.summary()


def test_memory_does_not_grow_with_the_samples() -> None:
    """Fifty thousand answers take hardly more room than two thousand of the same spread."""
    sizes = []
    for count in (2_000, 50_000):
        histogram = LatencyHistogram()
        histogram.add(0.1 + (step % 2_000) / 4 for step in range(count))
        sizes.append(len(pickle.dumps(histogram)))

    assert sizes[1] < 1.1 * sizes[0]
