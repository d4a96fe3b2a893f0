"""Messages to payloads and back: a map whose `type` names the message."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from protocol.errors import ErrorCode, PeerError
from protocol.fields import REQUEST, WrongValue
from protocol.messages import FROM_BOT, FROM_REFEREE, Message
from protocol.packing import WireMap, pack_joined, unpack, without_header
from protocol.records import pack, reader, write
from protocol.requests import OWN_FIELDS, ChooseCard, ChooseDraft, ChooseRow

REQUESTS = (ChooseCard, ChooseRow, ChooseDraft)

_own_values = operator.attrgetter(*OWN_FIELDS)

_Readers = dict[str, Callable[[WireMap], Message]]

_BOT_MESSAGES: _Readers = {cls.TYPE: reader(cls) for cls in FROM_BOT}  # type: ignore[attr-defined]
_REFEREE_MESSAGES: _Readers = {cls.TYPE: reader(cls) for cls in FROM_REFEREE}  # type: ignore[attr-defined]


def encode(message: Message, extra: Mapping[str, Any] | None = None) -> bytes:
    """Return the payload for a message, with further fields that mean nothing if `extra` has any."""
    if extra is None and isinstance(message, REQUESTS) and (shared := message.shared) is not None:
        keys, pairs = shared.packed()
        own = pack(dict(zip(OWN_FIELDS, _own_values(message), strict=True)))
        return pack_joined(keys + len(OWN_FIELDS), pairs, without_header(own, len(OWN_FIELDS)))
    values = {"type": message.TYPE, **write(message)}
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
