"""A readable log of what passes between the referee and one bot, or all of them.

Off, it costs nothing: an engine that traces is another class. Secrets are not shown.
"""

import json
import time
from collections.abc import Callable

import attrs

from protocol.errors import PeerError
from protocol.framing import LIMIT, FrameReader, frame
from protocol.packing import WireMap, unpack
from referee.play.clock import Arrival
from referee.server.admission import Admission
from referee.server.engine import Engine, Outgoing
from referee.server.limits import ServerLimits
from referee.server.lobby import Lobby
from referee.setup import TournamentSetup

HIDDEN = "(hidden)"
BYTES_A_LINE = 32
_INDENT = " " * 14
_NS_PER_S = 1e9


@attrs.define(kw_only=True, eq=False)
class _Conversation:
    """One connection: the frames of each direction, and the name once the bot has said it."""

    name: str = ""
    from_bot: FrameReader | None = attrs.field(factory=lambda: FrameReader(LIMIT))
    to_bot: FrameReader | None = attrs.field(factory=lambda: FrameReader(LIMIT))


class Trace:
    """Writes conversations down.

    Args:
        write: Takes a line, without its end.
        bot: The name of the bot to follow; None for all.
        with_hex: Whether to show the bytes of each frame as well.
    """

    def __init__(self, write: Callable[[str], None], *, bot: str | None, with_hex: bool) -> None:
        self._write = write
        self._bot = bot
        self._with_hex = with_hex
        self._begun = time.monotonic_ns()
        self._conversations: dict[int, _Conversation] = {}

    def forget(self) -> None:
        """Forget all connections: another engine counts its own from 1."""
        self._conversations.clear()

    def came(self, peer: int, data: bytes, at_ns: int) -> None:
        """Take bytes that a bot has sent."""
        conversation = self._conversations.setdefault(peer, _Conversation())
        if conversation.from_bot is not None:
            conversation.from_bot.feed(data)
            if not self._follow(peer, conversation, conversation.from_bot, ">", at_ns):
                conversation.from_bot = None

    def went(self, peer: int, data: bytes, at_ns: int) -> None:
        """Take bytes that are being sent to a bot; before it has said its name they are nobody's."""
        conversation = self._conversations.get(peer)
        if conversation is not None and conversation.name and conversation.to_bot is not None:
            conversation.to_bot.feed(data)
            if not self._follow(peer, conversation, conversation.to_bot, "<", at_ns):
                conversation.to_bot = None

    def ended(self, peer: int, reason: str, at_ns: int) -> None:
        """Take that a connection has ended."""
        conversation = self._conversations.pop(peer, None)
        if conversation is not None and self._is_wanted(conversation):
            self._line(peer, conversation, "-", reason, at_ns)

    def _follow(
        self, peer: int, conversation: _Conversation, reader: FrameReader, sign: str, at_ns: int
    ) -> bool:
        """Show the frames that are complete; return whether more can be read."""
        try:
            while (payload := reader.next_frame()) is not None:
                self._message(peer, conversation, unpack(payload), payload, sign, at_ns)
        except PeerError as error:
            if self._is_wanted(conversation):
                self._line(peer, conversation, sign, error.sentence, at_ns)
            return False
        return True

    def _message(
        self, peer: int, conversation: _Conversation, values: WireMap, payload: bytes, sign: str, at_ns: int
    ) -> None:
        is_hello = values.get("type") == "hello"
        if is_hello and not conversation.name:
            conversation.name = str(values.get("name"))
        if not self._is_wanted(conversation):
            return
        # Also in what is no hello: whoever misspells the type has sent the secret all the same.
        has_secret = "secret" in values
        shown = {**values, "secret": HIDDEN} if has_secret else values
        self._line(peer, conversation, sign, json.dumps(shown, default=repr), at_ns)
        if self._with_hex and not has_secret:
            data = frame(payload)
            for start in range(0, len(data), BYTES_A_LINE):
                self._write(_INDENT + data[start : start + BYTES_A_LINE].hex(" "))

    def _line(self, peer: int, conversation: _Conversation, sign: str, text: str, at_ns: int) -> None:
        seconds = (at_ns - self._begun) / _NS_PER_S
        name = json.dumps(conversation.name)[1:-1]
        self._write(f"{seconds:10.3f} s  {name}#{peer} {sign} {text}")

    def _is_wanted(self, conversation: _Conversation) -> bool:
        return bool(conversation.name) and self._bot in (None, conversation.name)


class TracedEngine(Engine):
    """An engine whose conversations are written down.

    Args:
        trace: Writes them.
        setup: As for `Engine`.
        lobby: As for `Engine`.
        admission: As for `Engine`.
        limits: As for `Engine`.
    """

    def __init__(
        self, trace: Trace, setup: TournamentSetup, lobby: Lobby, admission: Admission, limits: ServerLimits
    ) -> None:
        super().__init__(setup, lobby, admission, limits)
        trace.forget()
        self._trace = trace

    def received(self, number: int, data: bytes, arrival: Arrival, now: int) -> None:
        """Take in bytes of a connection, see `Engine`."""
        self._trace.came(number, data, arrival.latest)
        super().received(number, data, arrival, now)

    def take_outgoing(self) -> list[Outgoing]:
        """Return what is to be sent."""
        found, now = super().take_outgoing(), time.monotonic_ns()
        for outgoing in found:
            self._trace.went(outgoing.peer, outgoing.data, now)
        return found

    def disconnected(self, number: int, reason: str, now: int) -> None:
        """Take in that a connection has ended, see `Engine`."""
        super().disconnected(number, reason, now)
        self._trace.ended(number, reason, now)
