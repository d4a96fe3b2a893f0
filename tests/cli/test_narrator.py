"""News in words."""

import signal

import attrs

from referee.cli.narrator import Narrator
from referee.local.news import BotEnded, BotNotStarted, LocalNews, Then
from referee.local.processes import Exit, ExitKind
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult, SeatResult
from referee.server.news import (
    GameOver,
    Joined,
    Lost,
    Refused,
    RoundOver,
    RoundPlanned,
    TournamentOver,
    Withdrawn,
)
from referee.tournament.model import RoundPlan

EXIT = Exit(name="greedy", pid=7, code=3, signal=None, output="", kind=ExitKind.CRASHED)
ENDED = BotEnded(name="greedy", exit=EXIT, then=Then.RESTARTED, in_game=True)
SEAT = SeatResult(name="greedy", bullheads=(5,), forfeited=False, no_show=False, faults={}, took_ns=())


def words(*news: LocalNews) -> list[str]:
    """Return the lines of a narrator that has told nothing yet."""
    return Narrator().lines(news)


def game(**attributes: object) -> GameOver:
    """Return the news of a game in which the only seat is as given."""
    place = GameId(round=2, table=1, deal_set=3, game=3)
    seat = attrs.evolve(SEAT, **attributes)
    return GameOver(result=GameResult(game=place, seats=(seat,), digest="", course="", referee_delay_ns=0))


def test_what_is_as_it_should_be_needs_no_words() -> None:
    """Joining, rounds and games that go well are seen in how far things are."""
    joined = Joined(entrant="greedy", address="127.0.0.1:1", client="x")
    plan = RoundPlanned(plan=RoundPlan(number=1, tables=()))

    assert words(joined, plan, game(faults={Fault.LATE: 1}), RoundOver(number=1), TournamentOver()) == []


def test_the_notes_of_a_draw_are_told() -> None:
    """When a rule had to give way, people want to know."""
    plan = RoundPlan(number=4, tables=(), notes=("round 4: a repeat", "a bye"))

    assert words(RoundPlanned(plan=plan)) == ["round 4: a repeat", "a bye"]


def test_the_ways_to_die() -> None:
    """Ending, crashing and being killed are different things, with different numbers."""
    cases = {
        "greedy ended by itself in a game; it is started again": EXIT.__class__(
            name="greedy", pid=7, code=0, signal=None, output="", kind=ExitKind.ENDED
        ),
        "greedy crashed with code 3 in a game; it is started again": EXIT,
        "greedy crashed by signal 11 in a game; it is started again": attrs.evolve(
            EXIT, code=None, signal=int(signal.SIGSEGV)
        ),
        "greedy was killed by signal 9 in a game; it is started again": attrs.evolve(
            EXIT, code=None, signal=int(signal.SIGKILL), kind=ExitKind.KILLED
        ),
    }

    assert {tuple(words(attrs.evolve(ENDED, exit=ending))) for ending in cases.values()} == {
        (line,) for line in cases
    }


def test_what_follows_a_death() -> None:
    """The line says whether the bot is started again, and where it was."""
    idle = attrs.evolve(ENDED, in_game=False, then=Then.GIVEN_UP)
    defaults = attrs.evolve(ENDED, then=Then.DEFAULTS)

    assert words(idle, defaults) == [
        "greedy crashed with code 3; it is not started again",
        "greedy crashed with code 3 in a game; "
        "it is started again for the next game; the rest of this one is played by default",
    ]


def test_the_last_words_of_a_bot_are_shown_indented() -> None:
    """The last eight lines that say something, without what would steer the terminal."""
    tail = "".join(f"line {number}\n\n" for number in range(1, 11)) + "\x1b[2Jbye"
    lines = words(attrs.evolve(ENDED, exit=attrs.evolve(EXIT, output=tail)))

    assert lines[1:] == [*(f"    line {number}" for number in range(4, 11)), "    \\x1b[2Jbye"]


def test_a_bot_that_did_not_start() -> None:
    """The reason is given once, whether or not it came with the name, and with the last words."""
    silent = BotNotStarted(name="a", reason="it did not say hello", output="boo", then=Then.GIVEN_UP)
    broken = BotNotStarted(name="b", reason="b cannot be started: ./b fails", output="", then=Then.RESTARTED)

    assert words(silent, broken) == [
        "a did not start: it did not say hello; it is not started again",
        "    boo",
        "b did not start: ./b fails; it is started again",
    ]


def test_lost_refused_and_withdrawn() -> None:
    """Who is cut off, turned away or out is named with the reason, in which nothing is trusted."""
    lines = words(
        Lost(entrant="a", reason="a frame of 4 GiB"),
        Refused(address="10.0.0.1:5", reason="no\x07thing"),
        Withdrawn(entrant="b", reason="missed two rounds"),
    )

    assert lines == [
        "a lost its connection: a frame of 4 GiB",
        "10.0.0.1:5 was turned away: no\\x07thing",
        "b is out of the tournament: missed two rounds",
    ]


def test_connections_that_end_after_the_end_are_no_news() -> None:
    """Once the tournament is over everybody leaves."""
    assert words(TournamentOver(), Lost(entrant="a", reason="closed")) == []


def test_a_forfeit_is_told_with_its_faults() -> None:
    """The game by its id, and what led to it."""
    assert words(game(forfeited=True, faults={Fault.LATE: 3})) == ["greedy forfeited game r2t1g3 (late 3)"]


def test_who_was_never_there_did_not_forfeit() -> None:
    """A no-show has been told of when it did not start."""
    assert words(game(forfeited=True, no_show=True, faults={Fault.GONE: 3})) == []


def test_of_each_bot_each_kind_of_trouble_is_told_three_times() -> None:
    """The third line says that it is the last; other bots and other kinds have lines of their own."""
    narrator = Narrator()
    deaths = [narrator.lines([ENDED]) for _ in range(5)]
    other = narrator.lines([attrs.evolve(ENDED, name="careful"), Lost(entrant="greedy", reason="x")])

    line = "greedy crashed with code 3 in a game; it is started again"
    assert deaths == [[line], [line], [f"{line} (the next ones are only counted)"], [], []]
    assert len(other) == 2
