"""Durations on the command line."""

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli.durations import Duration, parse_duration

MS = 1_000_000


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("250ms", 250),
        ("2s", 2_000),
        ("1.5s", 1_500),
        ("1m", 60_000),
        ("0.5m", 30_000),
        ("1h", 3_600_000),
        ("0", 0),
        ("0s", 0),
        ("2 s", 2_000),
        (" 2S ", 2_000),
        ("0.001s", 1),
    ],
)
def test_durations_people_write(text: str, milliseconds: int) -> None:
    """A number and a unit give nanoseconds, without a float on the way."""
    parsed = parse_duration(text)

    assert parsed == milliseconds * MS


@given(st.integers(0, 10**9))
def test_whole_milliseconds_are_exact(milliseconds: int) -> None:
    """Whatever is written in ms, or in s with three decimals, is taken exactly."""
    seconds = f"{milliseconds // 1000}.{milliseconds % 1000:03}s"

    assert parse_duration(f"{milliseconds}ms") == parse_duration(seconds) == milliseconds * MS


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("250", "250 has no unit: write 250ms or 250s"),
        ("1.5", "1.5 has no unit: write 1.5ms or 1.5s"),
        ("fast", "'fast' is no duration: write for instance 250ms or 2s"),
        ("", "'' is no duration: write for instance 250ms or 2s"),
        ("-1s", "'-1s' is no duration: write for instance 250ms or 2s"),
        ("1e3s", "'1e3s' is no duration: write for instance 250ms or 2s"),
        ("5sec", "'5sec' has the unknown unit 'sec': use ms, s, m or h"),
        ("0.5ms", "0.5ms is no whole number of milliseconds: round it"),
    ],
)
def test_what_is_no_duration_says_what_would_be(text: str, sentence: str) -> None:
    """Every refusal names the mistake and a form that works."""
    with pytest.raises(ValueError) as refusal:
        parse_duration(text)

    assert str(refusal.value) == sentence


@pytest.mark.parametrize("text", ["1ms", "1h"])
def test_both_ends_of_the_range_are_allowed(text: str) -> None:
    """The range includes its ends."""
    converted = Duration("1ms", "1h").convert(text, None, None)

    assert converted == parse_duration(text)


@pytest.mark.parametrize("text", ["0", "61m", "3600001ms"])
def test_what_is_out_of_range_is_refused(text: str) -> None:
    """The refusal names the range as people would write it."""
    with pytest.raises(click.BadParameter) as refusal:
        Duration("1ms", "1h").convert(text, None, None)

    assert refusal.value.message == f"{text} is not in the range from 1ms to 1h."
