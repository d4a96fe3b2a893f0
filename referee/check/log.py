"""All that was said in one situation, as it is shown to the author of a bot."""

import enum
from typing import Any

import attrs
import trio


class Sender(enum.Enum):
    """Who said it."""

    REFEREE = "referee"
    BOT = "bot"
    NOBODY = "--"
    """It is a remark on what happened to the connection or the process."""


@attrs.frozen(kw_only=True)
class Entry:
    """One thing that was said or happened.

    Attributes:
        at_s: Seconds since the situation began.
        sender: Who.
        message: The decoded map; None for a remark and for bytes that are no message.
        data: The bytes of the whole frame; empty for a remark.
        remark: What happened, for people; mostly empty.
    """

    at_s: float
    sender: Sender
    message: dict[str, Any] | None = None
    data: bytes = b""
    remark: str = ""


class Log:
    """Collects the entries of one situation."""

    def __init__(self) -> None:
        self._begun = trio.current_time()
        self.entries: list[Entry] = []

    @property
    def seconds(self) -> float:
        """How long ago the situation began."""
        return trio.current_time() - self._begun

    def said(self, sender: Sender, message: dict[str, Any], data: bytes) -> None:
        """Note a message."""
        self.entries.append(Entry(at_s=self.seconds, sender=sender, message=message, data=data))

    def garbled(self, data: bytes, remark: str) -> None:
        """Note bytes of the bot that are no message that it may send."""
        self.entries.append(Entry(at_s=self.seconds, sender=Sender.BOT, data=data, remark=remark))

    def happened(self, remark: str) -> None:
        """Note what nobody said."""
        self.entries.append(Entry(at_s=self.seconds, sender=Sender.NOBODY, remark=remark))
