"""How bots come back, and when they stop: in this process, on real sockets, with waits that only count."""

import contextlib
import socket
import time

import pytest

from protocol.client import run
from protocol.codec import encode
from protocol.framing import LIMIT, FrameReader, frame
from protocol.messages import (
    Closing,
    DealEnd,
    Error,
    GameEnd,
    Pong,
    RequestClosed,
    TournamentEnd,
    Waiting,
    Welcome,
)
from protocol.packing import unpack
from tests.protocol.samples import smallest

from .fake_referee import Seat
from .playing import NAMES, load
from .test_processes import ASK_CARD, ASK_DRAFT, ASK_ROW, FINISHED, START, UNKNOWN

every_bot = pytest.mark.parametrize("name", NAMES)

WELCOME = smallest(Welcome, name="ann")
SUSPENDED = smallest(Closing, reason="suspended", retry_ms=2500)
DIAL = socket.create_connection
AWAY = None
"""In place of a connection: nobody listens."""

RESET = object()
"""In place of a connection: one that is gone before anything can be sent on it."""

MOMENTS = {
    "nothing": [],
    "welcome": [WELCOME],
    "waiting": [WELCOME, smallest(Waiting)],
    "game_start": [WELCOME, START],
    "choose_card": [WELCOME, START, ASK_CARD],
    "choose_row": [WELCOME, START, ASK_ROW],
    "choose_draft": [WELCOME, START, ASK_DRAFT],
    "request_closed": [WELCOME, START, ASK_CARD, smallest(RequestClosed)],
    "deal_end": [WELCOME, START, smallest(DealEnd, game="g", bullheads=[1, 2, 3], totals=[1, 2, 3])],
    "game_end": [WELCOME, START, smallest(GameEnd, game="g", totals=[1, 2, 3], places=[1, 2, 3])],
    "error": [WELCOME, START, ASK_CARD, smallest(Error, code="illegal_choice", message="You do not hold 3.")],
    "pong": [WELCOME, smallest(Pong)],
    "unknown": [WELCOME, START, UNKNOWN],
    "tournament_end": [WELCOME, smallest(TournamentEnd)],
}
"""What a connection has brought when it breaks."""


class Stage:
    """A referee that has said all it has to say before the bot reads any of it.

    Attributes:
        script: What each attempt to connect finds: messages to read until the end, or nobody.
        slept: The waits of the bot, in seconds, that it did not have to wait.
        limits: The seconds that each attempt to connect was given.
        links: The bot's ends of the connections.
    """

    def __init__(self, script):
        self.script = list(script)
        self.slept = []
        self.limits = []
        self.links = []
        self._ends = []
        self._listener = socket.create_server(("127.0.0.1", 0))

    def connect(self, address, timeout):
        """Stand in for `socket.create_connection`."""
        assert address == ("192.0.2.1", 5104)
        self.limits.append(timeout)
        messages = self.script.pop(0)
        if messages is AWAY:
            raise ConnectionRefusedError("nobody listens")
        link = DIAL(self._listener.getsockname(), timeout)
        self.links.append(link)
        end, _ = self._listener.accept()
        if messages is RESET:
            Seat(end).reset()
            return link
        self._ends.append(end)
        end.sendall(b"".join(map(framed, messages)))
        end.shutdown(socket.SHUT_WR)
        return link

    def said(self):
        """Return what the bot has said on each connection, as maps."""
        return [list(self._messages(end)) for end in self._ends]

    @staticmethod
    def _messages(end):
        reader = FrameReader(LIMIT)
        # A bot that hangs up on what it did not read resets the connection.
        with contextlib.suppress(ConnectionResetError):
            while data := end.recv(LIMIT):
                reader.feed(data)
        return map(unpack, iter(reader.next_frame, None))

    def close(self):
        """Leave no socket open."""
        for one in (self._listener, *self._ends):
            one.close()


def framed(message):
    """Return the bytes of a message; those that are bytes already are left as they are."""
    return message if isinstance(message, bytes) else frame(encode(message))


@pytest.fixture
def perform(monkeypatch):
    """Let a bot play through a script; return the stage and the exit code, 0 if it just ended."""
    stages = []

    def play(name, *script):
        stage = Stage(script)
        stages.append(stage)
        monkeypatch.setattr(socket, "create_connection", stage.connect)
        monkeypatch.setattr(time, "sleep", stage.slept.append)
        settings = {"HOST": "192.0.2.1", "PORT": "5104", "NAME": "ann", "SECRET": "s3cret"}
        for key, value in settings.items():
            monkeypatch.setenv(f"TAKE5_{key}", value)
        bot = load(name)
        try:
            bot.main() if hasattr(bot, "main") else run(bot.Steady())
        except SystemExit as end:
            return stage, end.code
        return stage, 0

    yield play
    for stage in stages:
        stage.close()


def fatal(code):
    """Return the error with this code that ends a connection."""
    return smallest(Error, code=code, message="No more of this.", fatal=True)


@every_bot
@pytest.mark.parametrize("moment", MOMENTS)
def test_t5_bot_01_a_bot_that_is_dropped_plays_on_as_if_nothing_had_been(perform, name, moment):
    """It comes back after 0.1 s, introduces itself alike, and answers each request as before."""
    game = [WELCOME, START, ASK_CARD, ASK_ROW, ASK_DRAFT, FINISHED]
    undisturbed, _ = perform(name, game)
    (whole,) = undisturbed.said()

    stage, code = perform(name, MOMENTS[moment], game)

    first, second = stage.said()
    answers = {answer["request"]: answer for answer in whole[1:]}
    assert len(answers) == 3
    assert second == whole
    assert first == whole[:1] + [answers[answer["request"]] for answer in first[1:]]
    assert len(first) == 1 + ("choose" in moment or moment in {"request_closed", "error"})
    assert (code, stage.slept, stage.script) == (0, [0.1], [])


@every_bot
def test_t5_bot_01_a_referee_that_is_away_for_a_while_is_waited_for(perform, name):
    """Waits double up to 5 s and begin anew with the next welcome; no attempt lasts longer than 5 s."""
    dropped = [WELCOME, START, ASK_CARD]

    stage, code = perform(name, dropped, *[AWAY] * 7, dropped, AWAY, [WELCOME, FINISHED])

    assert code == 0
    assert stage.slept == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 0.1, 0.2]
    assert set(stage.limits) == {5}


@every_bot
def test_an_answer_that_cannot_be_sent_is_a_drop(perform, name):
    """Sending fails before there is anything to read; the bot comes back without a traceback."""
    stage, code = perform(name, RESET, [WELCOME, FINISHED])

    assert (code, stage.slept) == (0, [0.1])


@every_bot
def test_reading_waits_without_limit(perform, name):
    """A game may keep a bot waiting for longer than connecting may take."""
    stage, _ = perform(name, [WELCOME, FINISHED])

    assert [link.gettimeout() for link in stage.links] == [None]


@every_bot
@pytest.mark.parametrize("start", [[], [[WELCOME]]], ids=["at the start", "after a drop"])
@pytest.mark.parametrize("attempt", [AWAY, []], ids=["away", "hanging up"])
def test_t5_bot_01_a_referee_that_stays_away_is_given_up(perform, name, start, attempt, capsys):
    """After a minute of waiting without a welcome, to within the last wait."""
    stage, code = perform(name, *start, *[attempt] * 100)

    assert code not in {0, None}
    assert 60 <= round(sum(stage.slept), 3) < 65
    assert "Traceback" not in capsys.readouterr().err


@every_bot
def test_t5_bot_02_a_suspended_tournament_is_waited_out(perform, name):
    """So many milliseconds as `closing` says; if the referee is not back by then, as after a drop."""
    stage, code = perform(name, [WELCOME, SUSPENDED], AWAY, [WELCOME, SUSPENDED], [WELCOME, FINISHED])

    assert (code, stage.slept) == (0, [2.5, 0.1, 2.5])


@every_bot
@pytest.mark.parametrize("closing", [FINISHED, smallest(Closing, reason="suspended")])
def test_t5_bot_02_a_bot_ends_when_told_to(perform, name, closing):
    """Without `retry_ms` there is no second attempt, and what comes behind is not answered."""
    stage, code = perform(name, [WELCOME, closing, ASK_CARD], [WELCOME, FINISHED])

    assert (code, stage.slept, len(stage.script)) == (0, [], 1)
    assert [[message["type"] for message in said] for said in stage.said()] == [["hello"]]


@every_bot
@pytest.mark.parametrize(
    "code", ["unsupported_version", "unknown_entrant", "name_taken", "registration_closed"]
)
def test_a_bot_ends_after_an_error_that_will_not_change(perform, name, code):
    """There is no second attempt."""
    stage, exit_code = perform(name, [fatal(code)], [WELCOME, FINISHED])

    assert exit_code not in {0, None}
    assert (stage.slept, len(stage.script)) == ([], 1)


@every_bot
@pytest.mark.parametrize("code", ["handshake_timeout", "too_many_connections"])
def test_a_bot_comes_back_after_an_error_that_will_pass(perform, name, code):
    """As after a broken connection, as often as it takes."""
    stage, exit_code = perform(name, *[[fatal(code)]] * 4, [WELCOME, FINISHED])

    assert (exit_code, stage.slept) == (0, [0.1, 0.2, 0.4, 0.8])


@every_bot
@pytest.mark.parametrize("code", ["flooding", "bad_frame", "unheard_of"])
def test_a_bot_ends_after_three_bugs_in_a_row(perform, name, code):
    """Two are forgiven, and so are more that are not in a row."""
    bug = [WELCOME, fatal(code)]

    stage, exit_code = perform(name, bug, bug, [WELCOME], bug, bug, bug, [WELCOME, FINISHED])

    assert exit_code not in {0, None}
    assert (stage.slept, len(stage.script)) == ([0.1] * 5, 1)


@every_bot
def test_nothing_is_said_after_a_fatal_error(perform, name):
    """A request behind it is not answered."""
    stage, _ = perform(name, [WELCOME, fatal("flooding"), ASK_CARD], [WELCOME, FINISHED])

    assert [len(said) for said in stage.said()] == [1, 1]


@pytest.mark.parametrize("name", sorted({*NAMES} - {"steady"}))
def test_what_went_wrong_is_printed(perform, name, capsys):
    """Each attempt that failed, the errors, and at last that the bot gives up."""
    _, code = perform(name, AWAY, [fatal("unknown_entrant")])

    assert capsys.readouterr().err.splitlines() == [
        "No referee answers: nobody listens.",
        "No more of this.",
    ]
    assert code == "This bot gives up on the referee at 192.0.2.1, port 5104."


def test_what_talks_to_the_referee_is_the_same_in_all_bots_without_a_client():
    """It is a model to copy: everything from `WAITS` on differs in the name alone."""
    others = sorted({*NAMES} - {"steady"})
    texts = {name: load(name).__loader__.get_source(f"sample_{name}") for name in others}
    shared = {text[text.index("WAITS = ") :].replace(f'"{name}"', '"NAME"') for name, text in texts.items()}

    assert len(shared) == 1
