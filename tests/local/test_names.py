import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.local.names import distinct, is_valid, valid_name

names = st.from_regex(r"\A[a-z0-9][a-z0-9._-]{0,31}\Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("greedy", "greedy"),
        ("Greedy Bot", "greedy-bot"),
        ("my_bot.v2", "my_bot.v2"),
        ("__init__", "init"),
        ("Über  Bot!", "ber-bot"),
        ("..", "bot"),
        ("", "bot"),
        ("日本", "bot"),
        ("a" * 31 + "-b", "a" * 31),
        ("a\x1b[31m\n", "a-31m"),
    ],
)
def test_valid_name_by_hand(text, expected):
    """Lower case, other characters become one hyphen, ends are trimmed, 32 characters at most."""
    assert valid_name(text) == expected


@given(st.text(max_size=80))
def test_valid_name_is_always_valid(text):
    """Whatever a file is called, its bot has a name."""
    assert is_valid(valid_name(text))


@given(names)
def test_valid_name_keeps_what_is_valid_but_for_trimming(name):
    """A valid name stays as it is, less the punctuation at its end."""
    assert valid_name(name) == name.rstrip("-._")


@pytest.mark.parametrize("name", ["", "-a", "A", "a b", "a" * 33, "a\n", ".a", "é"])
def test_invalid_names(name):
    """The pattern of the protocol is matched as a whole."""
    assert not is_valid(name)


def test_distinct_numbers_the_second_and_third():
    """The first keeps its name."""
    assert distinct(["bot", "bot", "x", "bot"]) == ("bot", "bot-2", "x", "bot-3")


def test_distinct_takes_no_name_that_somebody_else_has():
    """`bot-2` belongs to the one that is called so, even if it comes later."""
    assert distinct(["bot", "bot", "bot-2", "bot-2"]) == ("bot", "bot-3", "bot-2", "bot-2-2")


def test_distinct_stays_within_32_characters():
    """A long name is cut to make room for its number."""
    long = "a" * 32

    assert distinct([long, long]) == (long, "a" * 30 + "-2")


@given(st.lists(names | st.sampled_from(["a", "a-2", "a-3", "a" * 32]), max_size=20))
def test_distinct_names_are_distinct_and_valid(wanted):
    """No two are equal, all are valid, and whoever is first of equals keeps the name."""
    actual = distinct(wanted)

    assert len(set(actual)) == len(wanted)
    assert all(is_valid(name) for name in actual)
    assert all(actual[wanted.index(name)] == name for name in wanted)
