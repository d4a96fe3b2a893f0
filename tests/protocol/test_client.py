"""The blocking client, on sockets that play a script: no network, no process, no time."""

import itertools
import socket
import time
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

from protocol.client import ClientError, Settings, delays, play, run
from protocol.connection import Connection
from protocol.framing import frame
from protocol.messages import Card, Closing, Draft, Error, GameStart, Hello, Row, Waiting, Welcome
from protocol.packing import pack
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from protocol.states import Role

from .samples import smallest

ENVIRONMENT = {"TAKE5_HOST": "h", "TAKE5_PORT": "5555", "TAKE5_NAME": "ann", "TAKE5_SECRET": "s"}
SETTINGS = Settings(host="h", port=5555, name="ann", secret="s")
WELCOME = smallest(Welcome, version=1)
ASK_CARD = smallest(ChooseCard, request=7, hand=[3, 9], choices=[3, 9])
ASK_ROW = smallest(ChooseRow, request=8, costs=[4, 1, 1, 2], choices=[0, 1, 2, 3])
ASK_DRAFT = smallest(ChooseDraft, request=9, choices=[5, 6])
FINISHED = smallest(Closing, reason="finished")
HELLO = Hello(name="ann", secret="s", versions=(1,), client="take5-python")


class Link:
    """A socket at whose other end a script is played: messages or raw bytes to read, then the end.

    Attributes:
        heard: what the client has said.
        closed: whether the client has closed it.
    """

    def __init__(self, *script, deaf=False):
        self.heard = []
        self.closed = False
        self._script = list(script)
        self._deaf = deaf
        self._referee = Connection(Role.REFEREE)

    def sendall(self, data):
        """Take in what the client says; `deaf` ones are gone after the hello."""
        if self._deaf and self.heard:
            raise BrokenPipeError
        self._referee.receive(data)
        while (message := self._referee.next_message()) is not None:
            self.heard.append(message)

    def recv(self, _size):
        """Return the next line of the script; nothing at its end."""
        if not self._script:
            return b""
        line = self._script.pop(0)
        if isinstance(line, OSError):
            raise line
        return line if isinstance(line, bytes) else self._referee.send(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True

    def settimeout(self, seconds):
        """Do nothing; a script never keeps anybody waiting."""

    def setsockopt(self, level, option, value):
        """Do nothing; a script has no network."""


class Lowest:
    """A bot of the two methods that are needed."""

    def choose_card(self, request):
        """Pick the lowest card."""
        return min(request.choices)

    def choose_row(self, request):
        """Pick the cheapest row."""
        return request.costs.index(min(request.costs))


class Listening(Lowest):
    """A bot that remembers its events and drafts the highest card."""

    def __init__(self):
        self.events = []

    def choose_draft(self, request):
        """Pick the highest card."""
        return max(request.choices)

    def on_event(self, message):
        """Remember it."""
        self.events.append(message.TYPE)


@pytest.fixture
def world(monkeypatch):
    """Replace network and clock: `world.links` are what connecting yields, `world.slept` the waits."""
    world = SimpleNamespace(links=[], slept=[], dialled=[])

    def connect(address, _timeout):
        world.dialled.append(address)
        link = world.links.pop(0) if world.links else ConnectionRefusedError("refused")
        if isinstance(link, OSError):
            raise link
        return link

    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(time, "sleep", world.slept.append)
    return world


def played(world, *links, bot=None, **options):
    """Play through these links and return the closing."""
    world.links[:] = links
    return play(bot or Lowest(), SETTINGS, **options)


def test_a_game_in_short(world):
    """Hello, three requests, three answers; the draft of a bot that has no opinion is the lowest card."""
    link = Link(WELCOME, ASK_CARD, ASK_ROW, ASK_DRAFT, FINISHED)

    closing = played(world, link)

    assert closing == FINISHED
    assert link.heard == [HELLO, Card(request=7, card=3), Row(request=8, row=1), Draft(request=9, card=5)]
    assert (link.closed, world.slept, world.dialled) == (True, [], [("h", 5555)])


def test_a_bot_with_more_methods_is_asked_and_told_more(world):
    """It drafts for itself, asks for events, and hears everything that is no request, in order."""
    bot = Listening()
    link = Link(WELCOME, smallest(Waiting), ASK_DRAFT, smallest(GameStart, names=["a", "b"]), FINISHED)

    played(world, link, bot=bot, games=3)

    assert link.heard[0].events is True
    assert link.heard[0].games == 3
    assert link.heard[1] == Draft(request=9, card=6)
    assert bot.events == ["welcome", "waiting", "game_start", "closing"]


def test_types_that_the_client_does_not_know_are_ignored(world, capsys):
    """A later referee may send more; nothing is said about it."""
    link = Link(WELCOME, frame(pack({"type": "applause"})), ASK_CARD, FINISHED)

    played(world, link)

    assert link.heard[1:] == [Card(request=7, card=3)]
    assert capsys.readouterr().err == ""


def test_a_message_that_cannot_be_read_is_skipped_and_said(world, capsys):
    """A pong without any number for its echo is no reason to stop playing."""
    link = Link(WELCOME, frame(pack({"type": "pong", "echo": "x"})), ASK_CARD, FINISHED)

    played(world, link)

    assert link.heard[1:] == [Card(request=7, card=3)]
    assert "was skipped: The field 'echo' must be" in capsys.readouterr().err


def test_complaints_go_to_stderr(world, capsys):
    """Errors after which the connection goes on are for the author."""
    played(world, Link(WELCOME, smallest(Error, code="flooding", message="Slower."), FINISHED))

    assert capsys.readouterr().err == "the referee says: Slower. (flooding)\n"


def test_a_drop_is_followed_by_a_new_connection(world):
    """After 0.1 s; the request that comes again is answered again."""
    first, second = Link(WELCOME, ASK_CARD), Link(WELCOME, ASK_CARD, FINISHED)

    closing = played(world, first, second)

    assert closing == FINISHED
    assert first.heard == second.heard == [HELLO, Card(request=7, card=3)]
    assert (first.closed, world.slept) == (True, [0.1])


def test_a_reset_is_a_drop(world):
    """It makes no difference how the connection ends."""
    assert played(world, Link(WELCOME, ConnectionResetError()), Link(WELCOME, FINISHED)) == FINISHED


def test_an_answer_that_cannot_be_sent_does_not_hide_the_closing(world):
    """The referee has closed, and why still waits to be read: nobody dials again after `superseded`."""
    superseded = smallest(Closing, reason="superseded")

    assert played(world, Link(WELCOME, ASK_CARD, superseded, deaf=True)) == superseded
    assert len(world.dialled) == 1


@pytest.mark.parametrize("reason", ["finished", "superseded", "removed", "left"])
def test_a_closing_is_the_end(world, reason):
    """No second connection, though one could be had."""
    closing = smallest(Closing, reason=reason)

    assert played(world, Link(WELCOME, closing), Link(WELCOME, FINISHED)) == closing
    assert len(world.dialled) == 1


def test_a_suspension_is_waited_out(world):
    """The referee says after how many milliseconds to come back."""
    suspended = smallest(Closing, reason="suspended", retry_ms=2500)

    assert played(world, Link(WELCOME, suspended), Link(WELCOME, FINISHED)) == FINISHED
    assert world.slept == [2.5]


def fatal(code):
    """Return the error with this code that ends a connection."""
    return smallest(Error, code=code, message="No more of this.", fatal=True)


@pytest.mark.parametrize(
    "code", ["unsupported_version", "unknown_entrant", "name_taken", "registration_closed"]
)
def test_a_hopeless_error_is_the_end(world, code):
    """The referee's sentence and its code are passed on, and nobody dials again."""
    with pytest.raises(ClientError, match=rf"No more of this\. \({code}\)"):
        played(world, Link(fatal(code)), Link(WELCOME, FINISHED))

    assert len(world.dialled) == 1


@pytest.mark.parametrize("code", ["handshake_timeout", "too_many_connections"])
def test_an_error_that_will_pass_is_like_a_broken_connection(world, code):
    """It waits longer each time, and the fifth attempt is welcome."""
    assert played(world, *(Link(fatal(code)) for _ in range(4)), Link(WELCOME, FINISHED)) == FINISHED
    assert world.slept == [0.1, 0.2, 0.4, 0.8]


@pytest.mark.parametrize("code", ["handshake_timeout", "too_many_connections"])
def test_an_error_that_does_not_pass_is_given_up(world, code):
    """After a minute of waiting in all, with what the referee said."""
    with pytest.raises(ClientError, match=code):
        played(world, *(Link(fatal(code)) for _ in range(100)))

    assert sum(world.slept) == pytest.approx(60)


@pytest.mark.parametrize("code", ["flooding", "bad_frame", "unheard_of"])
def test_the_third_bug_in_a_row_is_the_end(world, code):
    """Two are forgiven, each after 0.1 s since the bot was welcome in between."""
    with pytest.raises(ClientError, match=code):
        played(world, *(Link(WELCOME, fatal(code)) for _ in range(3)), Link(WELCOME, FINISHED))

    assert (len(world.dialled), world.slept) == (3, [0.1, 0.1])


def test_bugs_that_are_not_in_a_row_are_forgiven(world):
    """A connection that just broke lies between the second and the third."""
    bugs = [Link(WELCOME, fatal("flooding")) for _ in range(4)]

    assert played(world, *bugs[:2], Link(WELCOME), *bugs[2:], Link(WELCOME, FINISHED)) == FINISHED


def test_what_broke_the_connection_is_said(world, capsys):
    """On stderr, with the time until the next attempt."""
    played(world, Link(WELCOME, fatal("flooding")), Link(WELCOME), Link(WELCOME, FINISHED))

    assert capsys.readouterr().err.splitlines() == [
        "The referee ended the connection: No more of this. (flooding) Trying again in 0.1 s.",
        "The referee closed the connection without a word. Trying again in 0.1 s.",
    ]


def test_another_version_is_the_end(world):
    """A referee that chose a version which was not offered cannot be played with."""
    with pytest.raises(ClientError, match="speaks version 2, this bot version 1"):
        played(world, Link(smallest(Welcome, version=2)))


def test_bytes_that_are_no_message_are_the_end(world):
    """What is at the port is no referee."""
    with pytest.raises(ClientError, match="broke the protocol"):
        played(world, Link(b"HTTP/1.1 400 Bad Request\r\n"))


def test_a_referee_that_listens_late_is_waited_for(world):
    """Twice refused, then it answers: 0.1 s and 0.2 s were waited."""
    refused = ConnectionRefusedError("refused")

    assert played(world, refused, refused, Link(WELCOME, FINISHED)) == FINISHED
    assert world.slept == [0.1, 0.2]


def test_nobody_there_is_given_up(world):
    """A minute of waiting in all, then one sentence."""
    with pytest.raises(ClientError, match="No referee answers at h, port 5555: refused"):
        played(world)

    assert sum(world.slept) == pytest.approx(60)


def test_a_referee_that_does_not_come_back_is_given_up(world):
    """A minute of waiting in all."""
    with pytest.raises(ClientError, match="No referee answers"):
        played(world, Link(WELCOME))

    assert sum(world.slept) == pytest.approx(60)


def test_a_port_that_only_hangs_up_is_given_up(world):
    """Without a welcome, patience does not begin anew with each connection."""
    with pytest.raises(ClientError, match="without a word"):
        played(world, *(Link() for _ in range(100)))

    assert sum(world.slept) == pytest.approx(60)


def test_patience_begins_anew_with_each_welcome(world):
    """Forty drops in a long tournament, each after a welcome, are 0.1 s each."""
    played(world, *(Link(WELCOME) for _ in range(40)), Link(WELCOME, FINISHED))

    assert world.slept == [0.1] * 40


def test_waits_double_up_to_five_seconds():
    """0.1, 0.2, ... 3.2, then 5 at a time."""
    first = list(itertools.islice(delays(60), 9))

    assert first == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5])


@pytest.mark.parametrize("choice", [4, 0, -1, 105])
def test_an_illegal_choice_stops_the_bot_loudly(world, choice):
    """The referee would refuse it and play a default; the author should rather see the line."""

    class Wrong(Lowest):
        def choose_card(self, request):
            return choice

    link = Link(WELCOME, ASK_CARD, FINISHED)
    with pytest.raises(ValueError, match=rf"answered {choice} to choose_card; possible are \(3, 9\)"):
        played(world, link, bot=Wrong())

    assert (link.heard, link.closed) == ([HELLO], True)


@pytest.mark.parametrize("choice", [None, 3.0, "3"])
def test_a_choice_that_is_no_integer_stops_the_bot_loudly(world, choice):
    """Forgetting `return` is the commonest way to answer None."""

    class Wrong(Lowest):
        def choose_card(self, request):
            return choice

    with pytest.raises(TypeError):
        played(world, Link(WELCOME, ASK_CARD, FINISHED), bot=Wrong())


def test_integers_of_other_libraries_are_answers(world):
    """Numpy's integers, and all that can be an index, are sent as plain ones."""

    class Array(Lowest):
        def choose_card(self, request):
            return np.int64(9)

    link = Link(WELCOME, ASK_CARD, FINISHED)
    played(world, link, bot=Array())

    assert link.heard[1] == Card(request=7, card=9)


def test_settings_come_from_the_environment():
    """Four variables, the port as a number."""
    assert Settings.from_environment(ENVIRONMENT) == SETTINGS


def test_the_secret_is_not_shown():
    """Settings may end up in a log."""
    assert "secret" not in repr(Settings(host="h", port=1, name="n", secret="hush"))


@pytest.mark.parametrize("missing", ENVIRONMENT)
def test_a_missing_variable_is_named(missing):
    """Absent and empty are the same."""
    for environment in ({**ENVIRONMENT, missing: ""}, {k: v for k, v in ENVIRONMENT.items() if k != missing}):
        with pytest.raises(ClientError, match=f"^The environment variable {missing} is not set.$"):
            Settings.from_environment(environment)


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "5_5", "٣", " 5"])
def test_a_port_that_is_none_is_refused(port):
    """The sentence says what a port is."""
    with pytest.raises(ClientError, match="must be a number from 1 to 65535"):
        Settings.from_environment({**ENVIRONMENT, "TAKE5_PORT": port})


def test_a_name_that_is_none_is_refused_before_connecting():
    """Otherwise the referee would have to say it."""
    with pytest.raises(ClientError, match="TAKE5_NAME is 'Ann' but must be a string that matches"):
        Settings.from_environment({**ENVIRONMENT, "TAKE5_NAME": "Ann"})


def exit_of(monkeypatch, capsys, environment):
    """Run with an environment; return the exit code and what was printed."""
    for key in ENVIRONMENT:
        monkeypatch.delenv(key, raising=False)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    with pytest.raises(SystemExit) as caught:
        run(Lowest())
    return caught.value.code, *capsys.readouterr()


def test_run_without_environment_exits_with_2(monkeypatch, capsys):
    """One sentence on stderr and no traceback."""
    sentence = (
        "The environment variable TAKE5_HOST is not set. A bot is started by the referee, which sets it.\n"
    )

    assert exit_of(monkeypatch, capsys, {}) == (2, "", sentence)


def test_run_without_referee_exits_with_1(world, monkeypatch, capsys):
    """The environment was right, the world was not; each attempt is told, and the last line is the reason."""
    code, stdout, stderr = exit_of(monkeypatch, capsys, ENVIRONMENT)

    assert (code, stdout) == (1, "")
    assert stderr.splitlines()[0] == "No referee answers at h, port 5555: refused. Trying again in 0.1 s."
    assert stderr.splitlines()[-1] == "No referee answers at h, port 5555: refused."


def test_run_returns_when_all_is_over(world, monkeypatch):
    """So a bot's file may say something after it."""
    for key, value in ENVIRONMENT.items():
        monkeypatch.setenv(key, value)
    world.links[:] = [Link(WELCOME, FINISHED)]

    assert run(Lowest()) is None


def test_nothing_else_in_the_package_imports_the_client():
    """`protocol` stays free of sockets but for this module."""
    modules = [path for path in files("protocol").iterdir() if path.name.endswith(".py")]

    texts = [path.read_text(encoding="utf-8") for path in modules if path.name != "client.py"]
    assert len(texts) > 5
    assert not any("import socket" in text or "protocol.client" in text for text in texts)
