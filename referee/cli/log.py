"""What goes to stderr: lines for people, or one JSON object a line for programs (`--log-format json`).

docs/operating.md lists the events with their fields.
"""

import contextlib
import datetime
import enum
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

import attrs
import click

from referee.cli.logformat import LogFormat, chosen


class Event(enum.Enum):
    """The names of what is logged: one for each kind of fact, the same wherever it comes from."""

    BOT_ENDED = "bot_ended"
    BOT_JOINED = "bot_joined"
    BOT_LOST = "bot_lost"
    BOT_NOT_STARTED = "bot_not_started"
    COMPARISON_BEGUN = "comparison_begun"
    CONNECTION_REFUSED = "connection_refused"
    DRAINING = "draining"
    ENTRANT_WITHDRAWN = "entrant_withdrawn"
    ERROR = "error"
    EVIDENCE = "evidence"
    GAME_OVER = "game_over"
    INTERRUPTED = "interrupted"
    JOURNAL = "journal"
    LISTENING = "listening"
    NOTE = "note"
    PROGRESS = "progress"
    RESUMABLE = "resumable"
    ROUND_OVER = "round_over"
    ROUND_PLANNED = "round_planned"
    STANDINGS = "standings"
    STOPPING = "stopping"
    TOURNAMENT_BEGUN = "tournament_begun"
    TOURNAMENT_OVER = "tournament_over"
    WARNING = "warning"


@attrs.frozen(kw_only=True)
class Fact:
    """Something to tell.

    Attributes:
        event: What kind of thing it is.
        lines: How people are told; nothing if it goes without saying to them.
        fields: How programs are told, in what JSON can say.
    """

    event: Event
    lines: tuple[str, ...] = ()
    fields: Mapping[str, Any] = attrs.field(factory=dict)


def note(text: str) -> Fact:
    """Return a fact that is only told in words."""
    return Fact(event=Event.NOTE, lines=(text,), fields={"text": text})


def warning(text: str) -> Fact:
    """Return a fact that the user should do something about."""
    return Fact(event=Event.WARNING, lines=(f"warning: {text}",), fields={"text": text})


def interrupted(what: str) -> Fact:
    """Return that a run was stopped before its end, and what has been printed of it."""
    return Fact(event=Event.INTERRUPTED, lines=(f"interrupted: {what}",), fields={"text": what})


def as_json(event: Event, fields: Mapping[str, Any], at: datetime.datetime) -> str:
    """Return an object on one line of ASCII, without any control character.

    Args:
        event: What happened.
        fields: The rest of the object.
        at: When, in UTC.
    """
    time = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"time": time, "event": event.value, **fields}, separators=(",", ":"))


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class JsonLog:
    """Writes objects to a stream.

    Args:
        stream: Where to.
        clock: Returns the time, in UTC.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], datetime.datetime] = _now) -> None:
        self._stream = stream
        self._clock = clock

    def write(self, event: Event, fields: Mapping[str, Any]) -> None:
        """Write a line; if nobody reads it any more, that is no reason to stop a tournament."""
        with contextlib.suppress(OSError):
            print(as_json(event, fields, self._clock()), file=self._stream, flush=True)

    def tell(self, fact: Fact) -> None:
        """Write a fact."""
        self.write(fact.event, fact.fields)


def tell(fact: Fact) -> None:
    """Tell something on stderr, whether or not anything else is wanted there."""
    if chosen() is LogFormat.JSON:
        JsonLog(sys.stderr).tell(fact)
        return
    with contextlib.suppress(OSError):
        for line in fact.lines:
            click.echo(line, err=True)
