"""A small blocking client for bots written in Python: you decide, it does the talking.

A whole bot:

    from protocol.client import run

    class Lowest:
        def choose_card(self, request):
            return min(request.choices)

        def choose_row(self, request):
            return request.costs.index(min(request.costs))

    run(Lowest())

Nothing else in this package imports this module; it is the only one here that opens a socket.
"""

import contextlib
import operator
import os
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn, Protocol

import attrs

from protocol.connection import Connection
from protocol.errors import ErrorCode, PeerError, ProtocolError, Severity
from protocol.fields import NAME, WrongValue
from protocol.messages import (
    VERSION,
    Answer,
    Card,
    Closing,
    Draft,
    Error,
    Hello,
    Message,
    Request,
    Row,
    Welcome,
)
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from protocol.states import Role

PATIENCE_S = 60.0
"""Seconds of waiting, in all, without a welcome: at the start, and after a connection that broke."""

MOST_BUGS = 3
"""So many fatal errors in a row, of those that are bugs of the bot, and it ends."""

_HOPELESS = {
    code.value
    for code in (
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.UNKNOWN_ENTRANT,
        ErrorCode.NAME_TAKEN,
        ErrorCode.REGISTRATION_CLOSED,
    )
}
_NO_BUGS = {ErrorCode.HANDSHAKE_TIMEOUT.value, ErrorCode.TOO_MANY_CONNECTIONS.value}
_FIRST_DELAY_S = 0.1
_LONGEST_DELAY_S = 5.0
_CONNECT_TIMEOUT_S = 5.0
_CHUNK = 64 * 1024


class Bot(Protocol):
    """What `run` needs of a bot: two decisions.

    Two more methods are used if the bot has them:

    - `choose_draft(request: ChooseDraft) -> int` picks a card in the advanced variant; without it the lowest
      card on offer is picked.
    - `on_event(message: Message) -> None` is called for every message that is not a request, in the order in
      which they arrive, `welcome` and `closing` included. A bot that has it also gets the event messages,
      which the referee sends only to those who want them.
    """

    def choose_card(self, request: ChooseCard) -> int:
        """Return the card to play, one of `request.choices`."""

    def choose_row(self, request: ChooseRow) -> int:
        """Return the row to take, one of `request.choices`."""


class ClientError(ProtocolError):
    """The bot cannot play, or cannot play on; the text is one sentence that says why."""


@attrs.frozen(kw_only=True)
class Settings:
    """Where the referee listens and who the bot is; `run` takes them from the environment.

    Attributes:
        host: name or address of the referee (TAKE5_HOST).
        port: its TCP port (TAKE5_PORT).
        name: the entrant the bot plays for (TAKE5_NAME).
        secret: what proves the name (TAKE5_SECRET).
        tls: empty for no encryption; "1" to trust whom this system trusts; else the file of the certificate
            to trust, in PEM (TAKE5_TLS, may be absent).
    """

    host: str
    port: int
    name: str
    secret: str = attrs.field(repr=False)
    tls: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Return the settings that the TAKE5_ variables hold.

        Raises:
            ClientError: a variable is missing or holds something impossible.
        """
        host, port, name, secret = (_variable(environment, key) for key in ("HOST", "PORT", "NAME", "SECRET"))
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
            raise ClientError(f"TAKE5_PORT is '{port}' but must be a number from 1 to 65535.")
        try:
            NAME.check(name)
        except WrongValue as error:
            raise ClientError(f"TAKE5_NAME is '{name}' but must be {error}.") from None
        tls = environment.get("TAKE5_TLS", "")
        return cls(host=host, port=int(port), name=name, secret=secret, tls=tls)


def run(bot: Bot, *, games: int = 1) -> None:
    """Play a tournament as the environment says; meant as the last line of a bot's file.

    Returns when the referee has closed the connection in good order. If the bot cannot play, prints one
    sentence to stderr and ends the process: with 2 if the environment is at fault, else with 1.

    Args:
        bot: the bot; see `Bot`.
        games: games the bot takes part in at once. Its methods are still called one after the other, so a
            slow decision in one game uses up time in the others.

    The sharp edges:

    - The referee's clock starts when it sends a request. `request.time_ms` is what was left then, without
      grace and bank; what waited in the queue meanwhile has been lost already.
    - After a dropped connection the open request comes again, with the same id and less time: decide by the
      request alone, and calling twice does no harm.
    - `on_event` runs on the same clock as the decisions; return from it soon.
    - What a method of the bot raises is not caught: the bot ends and the referee plays defaults for it.
    - stdout is yours, but nobody may be reading it. Print to stderr.
    """
    try:
        settings = Settings.from_environment(os.environ)
    except ClientError as error:
        _exit(f"{error} A bot is started by the referee, which sets it.", 2)
    try:
        play(bot, settings, games=games)
    except ClientError as error:
        _exit(str(error), 1)


def play(bot: Bot, settings: Settings, *, games: int = 1) -> Closing:
    """Play a tournament; `run` without the environment and without ending the process.

    A connection that breaks is made again, first after 0.1 s, then after twice as long each time up to 5 s.
    It is given up after a minute without a welcome. It is not made again after `closing`, except where that
    says when to come back, nor after an error that will not change, nor after three bugs in a row.

    Returns:
        The `closing` with which the referee ended the connection for good.

    Raises:
        ClientError: no connection could be made (again), or the referee refused the bot.
    """
    waits, bugs = delays(PATIENCE_S), 0
    while True:
        with _connect(settings, waits) as link:
            session = _Session(bot, link)
            end = session.play(settings, games)
        if session.welcomed:
            waits = delays(PATIENCE_S)
        if isinstance(end, Closing):
            if end.retry_ms is None:
                return end
            time.sleep(end.retry_ms / 1000)
            continue
        bugs = bugs + 1 if end is not None and end.code not in _NO_BUGS else 0
        complaint = _complaint(end)
        if bugs == MOST_BUGS or (end is not None and end.code in _HOPELESS):
            raise ClientError(complaint)
        _wait(waits, complaint)


def delays(patience: float) -> Iterator[float]:
    """Yield the seconds to wait before each new attempt, `patience` seconds in all."""
    delay = _FIRST_DELAY_S
    while patience > 0:
        yield min(delay, patience)
        patience -= delay
        delay = min(2 * delay, _LONGEST_DELAY_S)


class _Session:
    """One connection, from `hello` to its end.

    Attributes:
        welcomed: whether the referee has accepted the bot.
    """

    def __init__(self, bot: Bot, link: socket.socket) -> None:
        self.welcomed = False
        self._bot = bot
        self._link = link
        self._connection = Connection(Role.BOT)
        self._draft: Callable[[ChooseDraft], int] = getattr(bot, "choose_draft", _lowest)
        self._on_event: Callable[[Message], None] | None = getattr(bot, "on_event", None)

    def play(self, settings: Settings, games: int) -> Closing | Error | None:
        """Play until the end; return the `closing` or fatal error, or None if the connection just broke."""
        self._send(
            Hello(
                name=settings.name,
                secret=settings.secret,
                versions=(VERSION,),
                games=games,
                events=self._on_event is not None,
                client="take5-python",
            )
        )
        for message in self._messages():
            if isinstance(message, Request):
                self._send(self._answer(message))
                continue
            if self._on_event is not None:
                self._on_event(message)
            if isinstance(message, Closing) or (isinstance(message, Error) and message.fatal):
                return message
            _check(message)
            self.welcomed = True
        return None

    def _answer(self, request: Request) -> Answer:
        if isinstance(request, ChooseRow):
            row = _legal(self._bot.choose_row(request), request)
            return Row(request=request.request, row=row)
        if isinstance(request, ChooseCard):
            card = _legal(self._bot.choose_card(request), request)
            return Card(request=request.request, card=card)
        return Draft(request=request.request, card=_legal(self._draft(request), request))

    def _send(self, message: Message) -> None:
        data = self._connection.send(message)
        # A failure is left to the reading side: why the referee closed may still wait there.
        with contextlib.suppress(OSError):
            self._link.sendall(data)

    def _messages(self) -> Iterator[Message]:
        while data := _received(self._link):
            self._connection.receive(data)
            while (message := self._next()) is not None:
                yield message

    def _next(self) -> Message | None:
        """Return the next message that can be understood; later referees may send more types than we know."""
        while True:
            try:
                return self._connection.next_message()
            except PeerError as error:
                if error.severity is Severity.FATAL:
                    raise ClientError(f"The referee broke the protocol: {error.sentence}") from None
                if error.code is not ErrorCode.UNKNOWN_TYPE:
                    print(f"a message of the referee was skipped: {error.sentence}", file=sys.stderr)


def _check(message: Message) -> None:
    """Stop at a version that was not offered, and tell the author what the referee complains about."""
    if isinstance(message, Welcome) and message.version != VERSION:
        raise ClientError(f"The referee speaks version {message.version}, this bot version {VERSION}.")
    if isinstance(message, Error):
        print(f"the referee says: {message.message} ({message.code})", file=sys.stderr)


def _complaint(end: Error | None) -> str:
    """Say how a connection ended that was not closed in good order."""
    if end is None:
        return "The referee closed the connection without a word."
    return f"The referee ended the connection: {end.message} ({end.code})"


def _legal(choice: int, request: Request) -> int:
    """Return a choice as a plain int (numpy's are none), or stop the bot: the referee would refuse it."""
    plain = operator.index(choice)
    if plain not in request.choices:
        raise ValueError(f"the bot answered {plain} to {request.TYPE}; possible are {request.choices}")
    return plain


def _lowest(request: ChooseDraft) -> int:
    return min(request.choices)


def _connect(settings: Settings, waits: Iterator[float]) -> socket.socket:
    while True:
        try:
            link = socket.create_connection((settings.host, settings.port), _CONNECT_TIMEOUT_S)
            return _tuned(_secured(link, settings))
        except ssl.SSLCertVerificationError as error:
            reason = error.verify_message
            raise ClientError(
                f"The certificate of {settings.host} is not trusted: {reason}. Set TAKE5_TLS to its file."
            ) from None
        except OSError as error:
            _wait(waits, f"No referee answers at {settings.host}, port {settings.port}: {error}.")


def _secured(link: socket.socket, settings: Settings) -> socket.socket:
    """Speak TLS on a connection, if that is wanted."""
    if not settings.tls:
        return link
    try:
        context = ssl.create_default_context(cafile=None if settings.tls == "1" else settings.tls)
    except OSError as error:
        link.close()
        raise ClientError(f"TAKE5_TLS names {settings.tls}, which is no certificate: {error}.") from None
    return context.wrap_socket(link, server_hostname=settings.host)


def _wait(waits: Iterator[float], complaint: str) -> None:
    """Sleep before the next attempt and say why, or stop when patience is at its end."""
    wait = next(waits, None)
    if wait is None:
        raise ClientError(complaint)
    print(f"{complaint} Trying again in {wait:.1f} s.", file=sys.stderr)
    time.sleep(wait)


def _tuned(link: socket.socket) -> socket.socket:
    """Set the socket up: answers leave at once, reading waits without limit, dead links are noticed."""
    link.settimeout(None)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, option):
            link.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return link


def _received(link: socket.socket) -> bytes:
    """Return what has arrived; nothing if the connection is at its end, in whatever way."""
    try:
        return link.recv(_CHUNK)
    except OSError:
        return b""


def _variable(environment: Mapping[str, str], key: str) -> str:
    value = environment.get(f"TAKE5_{key}")
    if not value:
        raise ClientError(f"The environment variable TAKE5_{key} is not set.")
    return value


def _exit(sentence: str, code: int) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(code)
