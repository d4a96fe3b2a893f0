"""Progress on stderr: lines, a live display, or nothing."""

import io
from collections.abc import Callable

import attrs
import pytest

from referee.cli.live import Live
from referee.cli.progress import Plain, Silent, Snapshot, how_far, make_progress
from referee.server.news import RoundOver, Withdrawn
from tests.cli.conftest import ROWS

SNAPSHOT = Snapshot(round=2, rounds=7, done=3, planned=12, running=2, rows=ROWS)


class FakeClock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time that the test has set."""
        return self.now


def written(steps: Callable[[Plain, FakeClock], None]) -> list[str]:
    """Return the lines that a plain progress writes during some steps."""
    stream, clock = io.StringIO(), FakeClock()
    progress = Plain(stream, clock)
    progress.open(lambda: SNAPSHOT)
    steps(progress, clock)
    progress.close()
    return stream.getvalue().splitlines()


def test_how_far() -> None:
    """Round, games, tables, and the time left at the pace so far: 3 of 12 games in 30 s leave 90 s."""
    assert how_far(SNAPSHOT, 30.0) == ("round 2 of 7, 3 of 12 games done, 2 tables running, about 2 min left")


def test_how_far_at_both_ends() -> None:
    """Before the first game nothing is known of the pace; after the last nothing is left."""
    first = attrs.evolve(SNAPSHOT, round=1, done=0, running=1)
    last = attrs.evolve(SNAPSHOT, round=7, done=12, running=0)

    assert how_far(first, 30.0) == "round 1 of 7, 0 of 12 games done, 1 table running"
    assert how_far(last, 30.0) == "round 7 of 7, 12 of 12 games done, 0 tables running"


def test_finished_rounds_get_a_line_at_most_every_two_seconds() -> None:
    """Rounds at 1, 2, 3 and 4 s: those at 2 and 4 are told."""

    def rounds(progress: Plain, clock: FakeClock) -> None:
        for number in range(1, 5):
            clock.now += 1
            progress.news([RoundOver(number=number)])

    assert written(rounds) == [how_far(SNAPSHOT, 2.0), how_far(SNAPSHOT, 4.0)]


def test_trouble_is_told_at_once() -> None:
    """No clock holds it back."""

    def trouble(progress: Plain, _clock: FakeClock) -> None:
        for name in "ab":
            progress.news([Withdrawn(entrant=name, reason="x")])

    assert written(trouble) == ["a is out of the tournament: x", "b is out of the tournament: x"]


def test_a_long_silence_is_broken() -> None:
    """A single long round shows a sign of life every fifteen seconds, counted from the last one."""

    def silence(progress: Plain, clock: FakeClock) -> None:
        for _ in range(40):
            clock.now += 1
            progress.tick()

    assert written(silence) == [how_far(SNAPSHOT, 15.0), how_far(SNAPSHOT, 30.0)]


def test_a_reader_that_left_does_not_stop_the_tournament() -> None:
    """Lines that nobody reads any more are lost, and nothing else is."""

    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    Plain(Closed(), FakeClock()).say("x")


def shown(*, colours: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a live display writes to a terminal in two ticks with trouble between them."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream, clock = io.StringIO(), FakeClock()
    live = Live(stream, colours=colours, clock=clock)
    live.open(lambda: SNAPSHOT)
    live.news([Withdrawn(entrant="[red]x[/red]", reason="y")])
    clock.now += 1
    live.tick()
    live.close()
    return stream.getvalue()


def test_the_live_display_shows_progress_leaders_and_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """How far, the standings so far, and trouble word for word; at the end the cursor is back."""
    text = shown(colours=True, monkeypatch=monkeypatch)

    assert "round 2 of 7, 3 of 12 games done, 2 tables running" in text
    assert "careful" in text
    assert "13/3 = 4.3333" in text
    assert "[red]x[/red] is out of the tournament: y" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


def test_without_colours_only_the_cursor_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR no sequence sets a style (those end in m); with colours some do."""
    styles = "\x1b[1m"

    assert styles in shown(colours=True, monkeypatch=monkeypatch)
    assert not any(
        part.lstrip("0123456789;?").startswith("m")
        for part in shown(colours=False, monkeypatch=monkeypatch).split("\x1b[")[1:]
    )


def test_the_live_display_is_not_drawn_more_often_than_people_can_see() -> None:
    """Ticks within a quarter of a second draw once."""
    stream, clock = io.StringIO(), FakeClock()
    live = Live(stream, colours=False, clock=clock)
    live.open(lambda: SNAPSHOT)
    before = stream.getvalue()
    clock.now += 0.2
    live.tick()

    assert stream.getvalue() == before
    clock.now += 0.1
    live.tick()

    assert len(stream.getvalue()) > len(before)
    live.close()


def test_only_ten_of_the_standings_are_shown_live() -> None:
    """A thousand entrants do not fit a terminal."""
    rows = [attrs.evolve(ROWS[0], rank=rank, name=f"bot{rank:02}") for rank in range(1, 21)]
    stream = io.StringIO()
    live = Live(stream, colours=False, clock=FakeClock())
    live.open(lambda: attrs.evolve(SNAPSHOT, rows=rows))
    live.close()

    assert "bot10" in stream.getvalue()
    assert "bot11" not in stream.getvalue()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "quiet", "kind"),
    [
        (Terminal(), {"TERM": "xterm"}, False, Live),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False, Live),
        (Terminal(), {"TERM": "dumb"}, False, Plain),
        (Terminal(), {}, False, Plain),
        (io.StringIO(), {"TERM": "xterm"}, False, Plain),
        (Terminal(), {"TERM": "xterm"}, True, Silent),
        (io.StringIO(), {"TERM": "xterm"}, True, Silent),
    ],
)
def test_how_progress_is_shown(
    stream: io.StringIO,
    environment: dict[str, str],
    quiet: bool,
    kind: type,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Live on a terminal that can move its cursor, lines elsewhere, nothing if quiet."""
    monkeypatch.setattr("sys.stderr", stream)

    assert type(make_progress(quiet=quiet, environment=environment)) is kind


def test_silence_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing that happens makes a quiet run speak."""
    progress = Silent()
    progress.open(lambda: SNAPSHOT)
    progress.news([Withdrawn(entrant="a", reason="x")])
    progress.tick()
    progress.say("x")
    progress.close()

    assert capfd.readouterr() == ("", "")
