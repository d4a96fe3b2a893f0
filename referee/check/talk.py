"""The referee's end of one connection with the bot that is checked."""

import contextlib
import enum
import socket
import struct
from collections.abc import Collection, Iterable

import trio

from protocol.codec import encode
from protocol.connection import Connection
from protocol.errors import ErrorCode, PeerError
from protocol.framing import HEADER, frame
from protocol.messages import Answer, BotMessage, Message, Ping, Pong, Request, answer_value
from protocol.packing import WireMap, unpack
from protocol.requests import ChooseCard, ChooseRow
from protocol.states import Role, State
from referee.check.encodings import PLAIN, Manner
from referee.check.log import Log, Sender
from referee.check.verdicts import Fault

_CHUNK = 64 * 1024

MOST_PINGS = 20
"""More than so many on one connection is a bot that pings for no reason."""

_BROKEN = {
    ErrorCode.FRAME_TOO_LARGE: "T5-WIRE-01",
    ErrorCode.BAD_FRAME: "T5-WIRE-03",
    ErrorCode.BAD_FIELD: "T5-DATA-01",
    ErrorCode.MISSING_FIELD: "T5-DATA-03",
    ErrorCode.UNKNOWN_TYPE: "T5-STATE-03",
    ErrorCode.UNEXPECTED_MESSAGE: "T5-STATE-01",
}
"""Which requirement a bot has broken that sends what cannot be taken."""


class Quiet(enum.Enum):
    """Why there is no message."""

    SILENT = "silent"
    HUNG_UP = "hung up"


def map_of(message: Message) -> WireMap:
    """Return the map that travels for a message."""
    return unpack(encode(message))


class Talk:
    """One connection: waiting for `hello`, then open, then over.

    What the bot sends is checked against the protocol as it is read. A `ping` is answered at once and shown
    to nobody.
    """

    def __init__(self, stream: trio.abc.HalfCloseableStream, log: Log) -> None:
        self._stream = stream
        self._log = log
        self._connection = Connection(Role.REFEREE)
        self._raw = bytearray()
        self._pings = 0
        self._answered: set[int] = set()

    async def say(self, *messages: Message, manner: Manner = PLAIN) -> None:
        """Send messages, all in one piece."""
        await self.send(self.frames(messages, manner))

    async def say_more(self, *maps: WireMap) -> None:
        """Send maps that are not in the table of states: of unknown types, or behind the end."""
        await self.send(b"".join(map(self.frame_of_map, maps)))

    def frames(self, messages: Iterable[Message], manner: Manner = PLAIN) -> bytes:
        """Return the bytes of messages that are about to be sent with `send`."""
        return b"".join([self._frame(message, manner) for message in messages])

    def frame_of_map(self, values: WireMap, manner: Manner = PLAIN) -> bytes:
        """Return the bytes of a map that is about to be sent, whatever it says."""
        data = frame(manner.write(values))
        self._log.said(Sender.REFEREE, values, data)
        return data

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Fault("The bot hung up while the referee was speaking.") from None

    async def send_in_pieces(self, data: bytes, pieces: Iterable[int], pause_s: float) -> None:
        """Send bytes in pieces of so many each, the rest last, with a pause between them."""
        for size in pieces:
            await self.send(data[:size])
            data = data[size:]
            await trio.sleep(pause_s)
        await self.send(data)

    async def next(self, within: float) -> BotMessage | Quiet:
        """Return the bot's next message, or why there is none.

        Args:
            within: Seconds to wait for it.

        Raises:
            Fault: The bot sent what it must not send.
        """
        with trio.move_on_after(within):
            while True:
                message = self._decoded()
                if isinstance(message, Ping):
                    await self._pong(message)
                elif message is not None:
                    return message
                elif not await self._receive():
                    return Quiet.HUNG_UP
        return Quiet.SILENT

    async def quiet(self, seconds: float, when: str) -> None:
        """Make sure that the bot neither speaks nor hangs up for a while.

        Args:
            seconds: How long.
            when: Goes on "The bot sent a 'card' ...".
        """
        heard = await self.next(seconds)
        if heard is Quiet.HUNG_UP:
            raise Fault(f"The bot hung up {when}.")
        if not isinstance(heard, Quiet):
            raise Fault(f"The bot sent a '{heard.TYPE}' {when}.")

    async def hung_up(self, within: float) -> bool:
        """Say whether the bot closes the connection in time; it may say no more on the way."""
        heard = await self.next(within)
        if not isinstance(heard, Quiet):
            raise Fault(f"The bot sent a '{heard.TYPE}' when all was said.")
        return heard is Quiet.HUNG_UP

    async def answer_to(self, *requests: Request, stale: Collection[int] = ()) -> Answer:
        """Return the bot's next answer to one of the open requests, after checking it.

        Args:
            requests: What was asked.
            stale: Requests that are closed; answers to them may have been on the way and are skipped.

        Raises:
            Fault: There is none, it is late, or it is wrong.
        """
        answer = await self._next_answer(requests[0], stale)
        if answer.request in self._answered:
            raise Fault(f"The bot answered request {answer.request} twice.", "T5-ANSWER-01")
        for request in requests:
            if answer.request == request.request:
                _judge(request, answer)
                self._answered.add(answer.request)
                return answer
        ids = ", ".join(str(request.request) for request in requests)
        raise Fault(f"The bot answered request {answer.request}; open was {ids}.", "T5-ANSWER-05")

    async def _next_answer(self, request: Request, stale: Collection[int]) -> Answer:
        limit = max(request.time_ms, 1000) / 1000
        begun = trio.current_time()
        heard = await self.next(limit)
        while isinstance(heard, Answer) and heard.request in stale:
            heard = await self.next(limit)
        if heard is Quiet.SILENT:
            heard = await self.next(limit)
            if isinstance(heard, Answer):
                took = round(1000 * (trio.current_time() - begun))
                raise Fault(f"The answer came after {took} ms; time_ms was {request.time_ms}.", "T5-CLOCK-02")
        if isinstance(heard, Quiet):
            did = "hung up without an answer" if heard is Quiet.HUNG_UP else "did not answer"
            raise Fault(f"The bot {did} when request {request.request} ({request.TYPE}) was open.")
        if not isinstance(heard, Answer):
            raise Fault(f"The bot sent a '{heard.TYPE}' when request {request.request} was open.")
        return heard

    async def drop(self) -> None:
        """Close without a word."""
        self._log.happened("the connection is closed without a word")
        await self.close()

    async def reset(self) -> None:
        """Close so that the bot gets an error instead of an end, where the network can do that."""
        self._log.happened("the connection is reset")
        if isinstance(self._stream, trio.SocketStream):
            self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await self.close()

    async def close(self) -> None:
        """Close the connection; further calls do nothing."""
        await trio.aclose_forcefully(self._stream)

    @property
    def is_open(self) -> bool:
        """Whether the bot is welcome and was not told that all is over."""
        return self._connection.state is State.OPEN

    def _frame(self, message: Message, manner: Manner) -> bytes:
        self._connection.send(message)  # moves the state; the bytes are written here
        return self.frame_of_map(map_of(message), manner)

    def _decoded(self) -> BotMessage | None:
        waiting = len(self._raw)
        try:
            message = self._connection.next_message()
        except PeerError as error:
            self._log.garbled(bytes(self._raw), error.sentence)
            sentence = f"What the bot sent cannot be taken ({error.code.value}): {error.sentence}"
            raise Fault(sentence, self._broken_by(error)) from None
        if message is None:
            return None
        size = waiting - self._connection.waiting
        data = bytes(self._raw[:size])
        del self._raw[:size]
        self._log.said(Sender.BOT, unpack(data[HEADER:]), data)
        return message  # type: ignore[return-value]

    def _broken_by(self, error: PeerError) -> str:
        before_welcome = self._connection.state in (State.HELLO, State.GREETING)
        if before_welcome and error.code is ErrorCode.UNEXPECTED_MESSAGE:
            return "T5-HELLO-01"
        return _BROKEN[error.code]

    async def _receive(self) -> bool:
        """Take in what comes next; return whether anything did before the end."""
        try:
            data = bytes(await self._stream.receive_some(_CHUNK))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            data = b""
        if not data:
            self._log.happened("the bot has hung up")
            return False
        if self._connection.state is State.CLOSED:
            self._log.garbled(data, "sent behind the end")
            raise Fault("The bot went on speaking when the connection was over.", "T5-STATE-02")
        self._raw += data
        self._connection.receive(data)
        return True

    async def _pong(self, ping: Ping) -> None:
        self._pings += 1
        if self._pings > MOST_PINGS:
            raise Fault(f"The bot pings for no reason: {self._pings} times by now.", "T5-LIMIT-01")
        with contextlib.suppress(Fault):
            await self.say(Pong(echo=ping.echo))


def _judge(request: Request, answer: Answer) -> None:
    """Check an answer as the referee would: is it of the right kind, and among the choices?"""
    kind = "card" if isinstance(request, ChooseCard) else "row" if isinstance(request, ChooseRow) else "draft"
    if kind != answer.TYPE:
        raise Fault(
            f"A '{request.TYPE}' is answered with '{kind}', not with '{answer.TYPE}'.", "T5-ANSWER-02"
        )
    if answer_value(answer) not in request.choices:
        choices = ", ".join(map(str, request.choices))
        raise Fault(f"The bot chose {answer_value(answer)}; the choices are {choices}.", "T5-REQ-03")
