"""One connection without its socket: bytes in, messages out, and the other way round.

Knows framing, codec and the table of states; knows nothing of sockets, clocks or games.
"""

from collections.abc import Mapping
from typing import Any

from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.errors import ErrorCode, LocalError, PeerError
from protocol.framing import LIMIT, LIMIT_BEFORE_HELLO, FrameReader, frame
from protocol.messages import Message
from protocol.states import FOLLOWING, Role, State, expects_hello, table_name

MEANINGLESS_EVERY = 16
"""The first of so many messages of the referee carries a field that means nothing, to keep bots tolerant."""

_MEANINGLESS: dict[str, Any] = {
    "x_ignore_me": [{"reason": "fields you do not know are to be ignored"}, None, True, 0, ""]
}

# Looked up once: to get a member from its enum takes longer than to look a message up in the table.
_CLOSED = State.CLOSED


class Connection:
    """One end of a connection.

    Attributes:
        role: which end this is.
        state: where in the table of states the connection is.
    """

    def __init__(self, role: Role) -> None:
        self.role = role
        self._enter(State.HELLO)
        self._reader = FrameReader(LIMIT_BEFORE_HELLO if role is Role.REFEREE else LIMIT)
        self._decode = decode_from_bot if role is Role.REFEREE else decode_from_referee
        self._meaningless = _MEANINGLESS if role is Role.REFEREE else None
        self._sent = 0

    @property
    def waiting(self) -> int:
        """Bytes received that do not yet make a message."""
        return self._reader.waiting

    def receive(self, data: bytes) -> None:
        """Take in bytes from the network; `next_message` then has the messages."""
        if self.state is not _CLOSED:
            self._reader.feed(data)

    def next_message(self) -> Message | None:
        """Return the next message, or None until more bytes arrive or when the connection is closed.

        Raises:
            PeerError: the next frame was not acceptable. If the error is recoverable, that frame is done
                with and the call may be repeated; if it is fatal, nothing more is to be read.
        """
        if self.state is _CLOSED:
            return None
        payload = self._reader.next_frame()
        if payload is None:
            return None
        try:
            message = self._decode(payload)
            if self._receivable.get(table_name(message)) is not self.state:  # as in `send`
                self._advance(self._receivable, message)
        except PeerError as error:
            if expects_hello(self.state):
                raise PeerError.fatal(error.code, error.sentence) from None
            raise
        return message

    def send(self, message: Message) -> bytes:
        """Return the bytes to send for a message.

        Raises:
            LocalError: the message is not allowed in this state, or too large.
        """
        if self._sendable.get(table_name(message)) is not self.state:  # seldom: most messages change nothing
            self._advance_by_sending(message)
        extra = self._meaningless if self._sent % MEANINGLESS_EVERY == 0 else None
        self._sent += 1
        payload = encode(message, extra)
        if len(payload) > LIMIT:
            raise LocalError(f"a message of {len(payload)} bytes exceeds the limit of {LIMIT}")
        return frame(payload)

    def _advance_by_sending(self, message: Message) -> None:
        try:
            self._advance(self._sendable, message)
        except PeerError as error:
            raise LocalError(error.sentence) from None
        # What comes before the first reply, `welcome` or a refusal, keeps to the bound of a hello.
        self._reader.limit = LIMIT
        if self.state is _CLOSED:
            self._reader = FrameReader(LIMIT)  # what was not read yet is not kept until the socket is closed

    def _advance(self, allowed: Mapping[str, State], message: Message) -> None:
        name = table_name(message)
        state = allowed.get(name)
        if state is None:
            raise PeerError.fatal(
                ErrorCode.UNEXPECTED_MESSAGE, f"A '{name}' is not allowed in the state '{self.state.value}'."
            )
        self._enter(state)

    def _enter(self, state: State) -> None:
        self.state = state
        self._sendable = FOLLOWING[self.role, state]
        self._receivable = FOLLOWING[self.role.other, state]
