"""TLS of one connection without its socket: bytes of the wire in and plain ones out, and the other way round.

So both I/O shells have it alike, arrival times are still those of the kernel, and a slow handshake is bounded
by the time for `hello` like any other silence.
"""

import contextlib
import ssl
from pathlib import Path

from protocol.errors import ErrorCode, PeerError

_HANDSHAKE = 0x16
"""The first byte of whoever speaks TLS."""
_READ_BYTES = 64 * 1024


class TlsError(Exception):
    """Certificate or key cannot be used; the text says why."""


class NoTls(Exception):
    """The peer does not speak TLS."""

    error = PeerError.fatal(ErrorCode.BAD_FRAME, "This port speaks TLS; begin with a TLS handshake.")


class TlsBroken(Exception):
    """The peer broke TLS after the handshake; nothing more can be read or said."""


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return how the referee speaks TLS: version 1.2 at least, with this certificate.

    Args:
        certificate: A PEM file: the certificate, then those that lead to a trusted one, if any.
        key: A PEM file with its key, without a passphrase.

    Raises:
        TlsError: They cannot be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Clients of version 1.2 could have the costly part of a handshake done again and again.
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.num_tickets = 0
    for path in (certificate, key):
        try:
            path.read_bytes()
        except OSError as error:
            raise TlsError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        context.load_cert_chain(certificate, key, password=_no_passphrase)
    except (ssl.SSLError, ValueError) as error:
        reason = _reason(error) if isinstance(error, ssl.SSLError) else error
        what = "a certificate and its key, as PEM and without a passphrase"
        raise TlsError(f"{certificate} and {key} are not {what} ({reason})") from error
    return context


def _no_passphrase() -> str:
    raise ValueError("the key has a passphrase")


class Tls:
    """The referee's end of TLS on one connection: handshake -> established -> over.

    Args:
        context: How to speak it.

    Attributes:
        is_over: Whether the peer has said that it sends nothing more.
    """

    def __init__(self, context: ssl.SSLContext) -> None:
        self.is_over = False
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._heard_nothing = True
        self._established = False

    def receive(self, data: bytes) -> bytes:
        """Return what the bytes of the wire say; nothing while the handshake goes on.

        Raises:
            NoTls: The peer does not speak TLS at all, so that an answer has to be in the clear.
            PeerError: (fatal) The handshake failed, so that there is no way to answer.
            TlsBroken: What was TLS is no more.
        """
        if self._heard_nothing and data[0] != _HANDSHAKE:
            raise NoTls
        self._heard_nothing = False
        self._incoming.write(data)
        if not self._established and not self._shake_hands():
            return b""
        return self._read()

    def send(self, plain: bytes) -> bytes:
        """Return the bytes for the wire that say something; before the handshake is over it is not said."""
        if self._established:
            self._tls.write(plain)
        return self.take()

    def take(self) -> bytes:
        """Return the bytes for the wire that TLS itself has to say."""
        return self._outgoing.read()

    def end(self) -> bytes:
        """Return the bytes for the wire that say that nothing more comes."""
        if self._established:
            # It complains that the peer has not said so as well.
            with contextlib.suppress(ssl.SSLError):
                self._tls.unwrap()
        return self.take()

    def _shake_hands(self) -> bool:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError as error:
            sentence = f"The TLS handshake failed ({_reason(error)})."
            raise PeerError.fatal(ErrorCode.BAD_FRAME, sentence) from None
        self._established = True
        return True

    def _read(self) -> bytes:
        parts = []
        try:
            while part := self._tls.read(_READ_BYTES):
                parts.append(part)
            self.is_over = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            raise TlsBroken(_reason(error)) from None
        return b"".join(parts)


def _reason(error: ssl.SSLError) -> str:
    """Return OpenSSL's own words, such as "no protocols available"."""
    return (error.reason or str(error)).replace("_", " ").lower()
