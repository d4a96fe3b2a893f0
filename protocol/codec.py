"""Messages to payloads and back: a map whose `type` names the message."""

from collections.abc import Callable, Mapping
from typing import Any

from protocol.errors import ErrorCode, PeerError
from protocol.fields import REQUEST, WrongValue
from protocol.messages import FROM_BOT, FROM_REFEREE, Message
from protocol.packing import WireMap, unpack, without_header
from protocol.records import Writer, pack, picker, reader, writer
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from protocol.shared import OWN_FIELDS, SharedFields

_OWN: dict[type, Writer] = {cls: picker(OWN_FIELDS) for cls in (ChooseCard, ChooseRow, ChooseDraft)}
_WRITERS: dict[type, Writer] = {cls: writer(cls, type=cls.TYPE) for cls in FROM_BOT + FROM_REFEREE}  # type: ignore[attr-defined]

_Readers = dict[str, Callable[[WireMap], Message]]

_BOT_MESSAGES: _Readers = {cls.TYPE: reader(cls) for cls in FROM_BOT}  # type: ignore[attr-defined]
_REFEREE_MESSAGES: _Readers = {cls.TYPE: reader(cls) for cls in FROM_REFEREE}  # type: ignore[attr-defined]


def encode(message: Message, extra: Mapping[str, Any] | None = None) -> bytes:
    """Return the payload for a message, with further fields that mean nothing if `extra` has any."""
    cls = type(message)
    shared: SharedFields | None = getattr(message, "shared", None)  # which only requests have
    if shared is not None and extra is None:
        return shared.packed() + without_header(pack(_OWN[cls](message)), len(OWN_FIELDS))
    values = _WRITERS[cls](message)
    return pack({**values, **extra} if extra else values)


def decode_from_bot(payload: bytes) -> Message:
    """Return the message that a bot sent.

    Raises:
        PeerError: fatal if the payload is no msgpack map; recoverable if its type is unknown or a field is
            wrong, then with the id of the request that was answered, where it could be read.
    """
    return _decode(payload, _BOT_MESSAGES)


def decode_from_referee(payload: bytes) -> Message:
    """Return the message that the referee sent; raises as `decode_from_bot` does."""
    return _decode(payload, _REFEREE_MESSAGES)


def _decode(payload: bytes, readers: _Readers) -> Message:
    values = unpack(payload)
    name = values.get("type")
    read = readers.get(name) if type(name) is str else None
    if read is None:
        known = ", ".join(readers)
        raise PeerError(ErrorCode.UNKNOWN_TYPE, f"The field 'type' must be one of: {known}.")
    try:
        return read(values)
    except PeerError as error:
        error.request = _request_of(values)
        raise


def _request_of(values: WireMap) -> int | None:
    try:
        request: int = REQUEST.check(values.get("request"))
    except WrongValue:
        return None
    return request
