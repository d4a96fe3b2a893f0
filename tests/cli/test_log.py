"""The log as JSON: every event is documented with its fields, an object a line, harmless to a terminal."""

import datetime
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from referee.cli import events, journals, log
from referee.cli.doors import how_to_connect
from referee.cli.jsonlog import JsonOrganiserView, JsonProgress
from referee.cli.log import Event, Fact, JsonLog, as_json
from referee.cli.logformat import LogFormat, use
from referee.cli.progress import SIGN_OF_LIFE_S, Snapshot
from referee.director import Director
from referee.local.news import BotEnded, BotNotStarted, LocalNews, Then
from referee.local.processes import Exit, ExitKind
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult, SeatResult
from referee.server.news import (
    Draining,
    GameOver,
    Joined,
    Lost,
    Refused,
    RoundOver,
    RoundPlanned,
    StopCause,
    Stopping,
    TournamentOver,
    Withdrawn,
)
from tests.cli.conftest import ROWS
from tests.notes import begun
from tests.server.network import tournament
from tests.tournament.played import plan

DOCUMENT = Path(__file__).parents[2] / "docs" / "operating.md"
NOON = datetime.datetime(2026, 11, 30, 12, 0, 0, 1000, tzinfo=datetime.UTC)

SEAT = SeatResult(
    name="ada",
    bullheads=(3, 4),
    forfeited=False,
    no_show=False,
    faults={Fault.LATE: 2, Fault.STALE: 0},
    took_ns=(1_000_000,),
)
RESULT = GameResult(
    game=GameId(round=1, table=2, deal_set=3, game=4),
    seats=(SEAT,),
    digest="d1",
    course="c1",
    referee_delay_ns=1_234_567,
)
ENDED = BotEnded(
    name="ada",
    exit=Exit(name="ada", pid=7, code=3, signal=None, output="oh\x1b[31m no", kind=ExitKind.CRASHED),
    then=Then.RESTARTED,
    in_game=True,
)

NEWS: tuple[LocalNews, ...] = (
    ENDED,
    BotNotStarted(name="ada", reason="it is lazy", output="", then=Then.GIVEN_UP),
    Draining(games=2, seconds=5.0),
    GameOver(result=RESULT),
    Joined(entrant="ada", address="192.0.2.7:4", client="mine 1"),
    Lost(entrant="ada", reason="gone"),
    Refused(address="192.0.2.7:4", reason="no"),
    RoundOver(number=3),
    RoundPlanned(plan=plan(1, ("ada", "bob"))),
    Stopping(cause=StopCause.HANGUP),
    TournamentOver(),
    Withdrawn(entrant="ada", reason="left"),
)
"""One of each kind."""


@pytest.fixture
def director() -> Director:
    """Return a tournament that has begun."""
    return begun(tournament(), ["ada", "bob"])


@pytest.fixture
def facts(director: Director) -> tuple[Fact, ...]:
    """Return a fact of each kind."""
    return (
        *map(events.fact_of, NEWS),
        events.begun(Event.TOURNAMENT_BEGUN, director.setup),
        events.begun(Event.COMPARISON_BEGUN, director.setup),
        events.evidence(director),
        events.progress(number=1, rounds=2, done=3, planned=4, running=5),
        events.standings(director, ()),
        how_to_connect("192.0.2.7", 5104, is_open=True, has_tls=False),
        journals.kept_in(Path("a.journal")),
        journals.how_to_go_on(Path("a.journal")),
        log.note("so"),
        log.warning("beware"),
        log.interrupted("so far"),
        Fact(event=Event.ERROR, fields={"text": "no", "exit_code": 2}),
    )


def documented() -> dict[str, list[str]]:
    """Return the fields of each event, in order, as docs/operating.md lists them."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\| ", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    return {name: re.findall(r"`(\w+)`", fields) for name, fields in rows}


def test_every_event_is_documented_with_its_fields(facts: tuple[Fact, ...]) -> None:
    """The table has the same names, and behind each the same fields in the same order."""
    real = {fact.event.value: list(fact.fields) for fact in facts}

    assert documented() == real
    assert set(real) == {event.value for event in Event}


def test_all_news_have_names() -> None:
    """Whoever adds news has to say what it is called, and each is called differently."""
    assert set(get_args(LocalNews)) == set(events.NAMES) == {type(item) for item in NEWS}
    assert len(set(events.NAMES.values())) == len(events.NAMES)


def test_inner_objects_are_documented_too(facts: tuple[Fact, ...]) -> None:
    """Of games, rounds and standings, whose fields are in the last column."""
    text = DOCUMENT.read_text("utf-8")
    inner = {
        name: list(fact.fields[name][0])
        for fact in facts
        for name in ("seats", "tables", "standings")
        if name in fact.fields
    }

    for fields in inner.values():
        assert f"has {' '.join(f'`{field}`' for field in fields)} |" in text
    assert set(inner) == {"seats", "tables", "standings"}


def test_a_game_in_full() -> None:
    """The place in the schedule in four numbers; faults that did not occur are left out."""
    assert dict(events.fact_of(GameOver(result=RESULT)).fields) == {
        "round": 1,
        "table": 2,
        "deal_set": 3,
        "game": 4,
        "seats": [
            {"entrant": "ada", "bullheads": 7, "forfeited": False, "no_show": False, "faults": {"late": 2}}
        ],
        "digest": "d1",
        "referee_delay_ms": 1.235,
    }


def test_each_is_one_line_of_ascii_that_steers_no_terminal() -> None:
    """Escapes, line ends, DEL and what is not ASCII are escaped; they come back when it is read."""
    nasty = "a\x1b[31m\r\n\x7f\x9b\u202e\u2028é"
    line = as_json(Event.NOTE, {"text": nasty}, NOON)

    assert line.startswith('{"time":"2026-11-30T12:00:00.001Z","event":"note","text":"a')
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["text"] == nasty


class Stream(io.StringIO):
    """A stream of which the objects can be taken that were written to it."""

    def taken(self) -> list[dict[str, Any]]:
        """Return what was written since the last call."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return [json.loads(line) for line in text.splitlines()]


def test_local_tournaments_are_logged_as_they_go() -> None:
    """News at once; how far it is after 15 s of it, and again after 15 more; nothing once it is over."""
    stream, times = Stream(), iter([0.0, 14.9, 15.0, 15.0, 16.0, 99.0])
    progress = JsonProgress(JsonLog(stream, lambda: NOON), lambda: next(times))
    progress.open(lambda: Snapshot(round=2, rounds=7, done=3, planned=12, running=2, rows=ROWS))
    progress.news([RoundOver(number=1)])
    progress.tick()
    told = stream.taken()
    progress.tick()
    shown = stream.taken()
    progress.tick()
    progress.close()
    progress.tick()

    head = {"time": "2026-11-30T12:00:00.001Z"}
    assert told == [{**head, "event": "round_over", "round": 1}]
    assert shown == [
        {
            **head,
            "event": "progress",
            "round": 2,
            "rounds": 7,
            "games_done": 3,
            "games_planned": 12,
            "games_running": 2,
        }
    ]
    assert stream.taken() == []


def test_served_tournaments_are_logged_as_they_go(director: Director) -> None:
    """The same, and nothing of how far it is before it has begun."""
    stream, now = Stream(), iter([0.0, SIGN_OF_LIFE_S, SIGN_OF_LIFE_S])
    view = JsonOrganiserView(JsonLog(stream, lambda: NOON), lambda: next(now))
    view.tick(None, ["ada"], 0)
    view.news([Lost(entrant="ada", reason="gone")], None, [])
    view.answer("done")
    view.tick(director, ["ada"], 1)

    assert [item["event"] for item in stream.taken()] == ["bot_lost", "note", "progress"]


def test_a_reader_that_left_is_no_reason_to_stop() -> None:
    """A stream that cannot be written to is none of our business."""

    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    JsonLog(Broken()).tell(log.note("so"))


@pytest.fixture
def json_wanted() -> Iterator[None]:
    """Write the log of this process as JSON meanwhile."""
    use(LogFormat.JSON)
    yield
    use(LogFormat.TEXT)


def test_what_is_told_anyway_has_the_chosen_form(
    json_wanted: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A warning as an object while that is wanted, else as a line."""
    log.tell(log.warning("beware"))
    use(LogFormat.TEXT)
    log.tell(log.warning("beware"))
    first, second = capsys.readouterr().err.splitlines()

    assert json.loads(first).items() >= {"event": "warning", "text": "beware"}.items()
    assert second == "warning: beware"
