"""Everything this package raises, and the error codes that travel on the wire.

ProtocolError
 +-- PeerError        the other side broke the protocol; carries a code for the wire
 +-- LocalError       this side tried something the protocol forbids: a bug of ours
"""

import enum
from typing import Self


class ErrorCode(enum.Enum):
    """The codes of the `error` message; SPEC.md lists what each means and what to do."""

    FRAME_TOO_LARGE = "frame_too_large"
    BAD_FRAME = "bad_frame"
    BAD_FIELD = "bad_field"
    MISSING_FIELD = "missing_field"
    UNKNOWN_TYPE = "unknown_type"
    UNEXPECTED_MESSAGE = "unexpected_message"
    UNSUPPORTED_VERSION = "unsupported_version"
    UNKNOWN_ENTRANT = "unknown_entrant"
    NAME_TAKEN = "name_taken"
    REGISTRATION_CLOSED = "registration_closed"
    HANDSHAKE_TIMEOUT = "handshake_timeout"
    TOO_MANY_CONNECTIONS = "too_many_connections"
    FLOODING = "flooding"
    SLOW_READER = "slow_reader"
    ILLEGAL_CHOICE = "illegal_choice"
    REQUEST_CLOSED = "request_closed"
    UNKNOWN_REQUEST = "unknown_request"


class Severity(enum.Enum):
    """What follows an error: the connection goes on, or it ends."""

    RECOVERABLE = "recoverable"
    FATAL = "fatal"


class ProtocolError(Exception):
    """The root of all exceptions of this package."""


class LocalError(ProtocolError):
    """This side tried to send what the protocol does not allow here. Always a bug of the caller."""


class PeerError(ProtocolError):
    """The other side sent something that the protocol does not allow.

    Attributes:
        code: the code for the wire.
        sentence: one clear sentence for the author of the other side.
        severity: whether the connection can go on.
        request: the id of the request that the bad message answered, where it could be read.
    """

    def __init__(
        self,
        code: ErrorCode,
        sentence: str,
        *,
        severity: Severity = Severity.RECOVERABLE,
        request: int | None = None,
    ) -> None:
        super().__init__(f"{code.value}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.severity = severity
        self.request = request

    @classmethod
    def fatal(cls, code: ErrorCode, sentence: str) -> Self:
        """Return an error after which the connection ends."""
        return cls(code, sentence, severity=Severity.FATAL)
