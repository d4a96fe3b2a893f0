"""The options of what one connection may cost, and how many connections this system can bear."""

import attrs
import click
import pytest
from click.testing import CliRunner

from referee.cli import bounds
from referee.cli.bounds import bearable
from referee.cli.exits import Failure
from referee.local.descriptors import RESERVE
from referee.server.limits import NS_PER_S, ServerLimits

WANTED = ServerLimits(connections=1000, being_turned_away=100)


def test_with_descriptors_enough_nothing_is_lowered():
    """1,000 + 100 and the reserve, to the last one; nothing is said."""
    said = []

    assert WANTED == bearable(WANTED, said.append, 1100 + RESERVE)
    assert [] == said


def test_with_too_few_descriptors_fewer_connections_are_taken_and_that_is_said():
    """800 are free: an eighth, 100, for those being turned away, and 700 for the others."""
    said = []
    found = bearable(WANTED, said.append, 800 + RESERVE)

    assert (700, 100) == (found.connections, found.being_turned_away)
    assert [
        "this system lets the referee open 864 files: it takes 700 connections; raise the limit with"
        " `ulimit -n 1164` before"
    ] == said


def test_a_little_too_few_cost_only_those_being_turned_away():
    """110 are free: an eighth, 13, may read why they were turned away; the 90 wanted are taken."""
    said = []
    found = bearable(ServerLimits(connections=90, being_turned_away=100), said.append, 110 + RESERVE)

    assert (90, 13, []) == (found.connections, found.being_turned_away, said)


def test_hardly_any_descriptors_are_a_failure():
    """With 17 free there are 15 connections, one less than the fewest."""
    with pytest.raises(Failure, match="open only 81 files at once; raise the limit with `ulimit -n 1164`"):
        bearable(WANTED, print, 17 + RESERVE)


def test_the_limit_of_this_process_is_raised_if_nothing_is_said(monkeypatch):
    """What the system allows is asked for then."""
    monkeypatch.setattr(bounds, "allowed_descriptors", lambda: 500 + RESERVE)

    assert 438 == bearable(WANTED, lambda text: None).connections


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["--max-connections", "100"], "connections", 100),
        (["--connections-per-address", "7"], "connections_per_address", 7),
        (["--names-per-address", "3"], "names_per_address", 3),
        (["--handshake-timeout", "1500ms"], "handshake_ns", 3 * NS_PER_S // 2),
        (["--send-timeout", "1m"], "send_deadline_ns", 60 * NS_PER_S),
        (["--send-queue", "64"], "send_queue_bytes", 65_536),
        (["--message-burst", "5"], "needless_messages", 5),
        (["--message-rate", "1000"], "needless_refill_ns", 1_000_000),
        ([], "connections", 4096),
    ],
)
def test_each_option_sets_its_bound_and_no_other(words, field, value):
    """All others stay as `ServerLimits` has them."""
    found = []
    run = click.command()(bounds.limit_options(lambda limits: found.append(limits)))
    result = CliRunner().invoke(run, words)

    assert 0 == result.exit_code
    assert [attrs.evolve(ServerLimits(), **{field: value})] == found
