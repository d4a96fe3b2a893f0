"""TLS: the codec by itself, the shell with it, and what becomes of those who speak something else."""

import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio
import trustme

from protocol.connection import Connection
from protocol.errors import ErrorCode, PeerError
from protocol.messages import Closing, Error, Hello, Message, Welcome
from protocol.parts import ClosingBecause
from protocol.states import Role
from referee.server.limits import ServerLimits
from referee.server.news import GameOver, Refused
from referee.server.tls import NoTls, Tls, TlsBroken, TlsError, server_context
from tests.server.network import MS, NAMES, REQUESTS, answer_to, referee_for, secret
from tests.server.sockets import HOST, closing, connect

HELLO_OF_1_1 = b"\x16\x03\x02\x00\x2d\x01\x00\x00\x29\x03\x02" + bytes(33) + b"\x00\x02\x00\x2f\x01\x00"
"""A client that speaks TLS 1.1, with one cipher."""


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Somebody who certifies."""
    return trustme.CA()


@pytest.fixture(scope="module")
def pem(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for this machine and its key, in files."""
    directory = tmp_path_factory.mktemp("pem")
    certificate = authority.issue_cert(HOST, "localhost")
    paths = directory / "cert.pem", directory / "key.pem"
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(paths[0], append=True)
    certificate.private_key_pem.write_to_path(paths[1])
    return paths


@pytest.fixture
def context(pem: tuple[Path, Path]) -> ssl.SSLContext:
    """How the referee speaks TLS."""
    return server_context(*pem)


@pytest.fixture
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """How a bot speaks TLS that trusts the authority."""
    client = ssl.create_default_context()
    authority.configure_trust(client)
    return client


class Client:
    """The other end, without a socket."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    def shake(self) -> bytes:
        """Go on with the handshake as far as it goes; return what is to be sent."""
        with contextlib.suppress(ssl.SSLWantReadError):
            self.tls.do_handshake()
        return self.outgoing.read()

    def say(self, plain: bytes) -> bytes:
        """Return what is to be sent to say something."""
        self.tls.write(plain)
        return self.outgoing.read()


def established(context: ssl.SSLContext, trusting: ssl.SSLContext) -> tuple[Tls, Client]:
    """Return both ends after the handshake, each byte of which went by itself."""
    server, client = Tls(context), Client(trusting)
    for _ in range(3):
        for byte in client.shake():
            assert b"" == server.receive(bytes([byte]))
            client.incoming.write(server.take())
    return server, client


def test_both_ways_however_torn(context: ssl.SSLContext, trusting: ssl.SSLContext) -> None:
    """200 KB from the client, a byte of the wire at a time at first; an answer of the same size."""
    server, client = established(context, trusting)
    data = bytes(range(256)) * 800
    wire = client.say(data)
    heard = b"".join(server.receive(bytes([byte])) for byte in wire[:20_000]) + server.receive(wire[20_000:])
    client.incoming.write(server.send(data))
    answer = b""
    while len(answer) < len(data):
        answer += client.tls.read(65_536)

    assert data == heard == answer
    assert not server.is_over


def test_nothing_is_said_before_the_handshake_is_over(context: ssl.SSLContext) -> None:
    """Least of all in the clear."""
    server = Tls(context)

    assert b"" == server.send(b"secret") == server.end()


def test_the_end_is_heard(context: ssl.SSLContext, trusting: ssl.SSLContext) -> None:
    """What came before it, in the same read, counts."""
    server, client = established(context, trusting)
    last = client.say(b"last")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.tls.unwrap()

    assert b"last" == server.receive(last + client.outgoing.read())
    assert server.is_over


def test_the_end_is_said(context: ssl.SSLContext, trusting: ssl.SSLContext) -> None:
    """So that a bot can tell it from a connection that was cut."""
    server, client = established(context, trusting)
    client.incoming.write(server.send(b"bye") + server.end())

    assert b"bye" == client.tls.read(100)
    assert b"" == client.tls.read(100)


@pytest.mark.parametrize("said", [b"\0\0\0\x3e\x84\xa4type", b"GET / HTTP/1.1\r\n\r\n", b"\x80"])
def test_who_speaks_no_tls_is_told_apart_by_the_first_byte(context: ssl.SSLContext, said: bytes) -> None:
    """So that the answer can be one that it understands."""
    with pytest.raises(NoTls):
        Tls(context).receive(said)

    assert "begin with a TLS handshake" in NoTls.error.sentence


def test_a_handshake_that_fails_leaves_an_alert(context: ssl.SSLContext) -> None:
    """Whoever speaks TLS 1.1 at most is told so by TLS, and by us only in the log."""
    server = Tls(context)
    with pytest.raises(PeerError, match=r"The TLS handshake failed \(.*\)\.") as caught:
        server.receive(HELLO_OF_1_1)

    assert ErrorCode.BAD_FRAME is caught.value.code
    assert 0x15 == server.send(b"never said")[0]


def test_garbage_in_the_midst_breaks_it(context: ssl.SSLContext, trusting: ssl.SSLContext) -> None:
    """A record that was changed on its way ends everything."""
    server, client = established(context, trusting)
    wire = bytearray(client.say(b"one"))
    wire[-1] ^= 1
    with pytest.raises(TlsBroken):
        server.receive(bytes(wire))


def test_files_that_are_no_certificate_and_key_are_told(pem: tuple[Path, Path], tmp_path: Path) -> None:
    """Absent, swapped, nonsense, a key of another certificate, one with a passphrase."""
    certificate, key = pem
    other = tmp_path / "other.pem"
    trustme.CA().issue_cert("localhost").private_key_pem.write_to_path(other)
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    told = []
    for files in (
        (tmp_path / "none.pem", key),
        (certificate, nonsense),
        (key, certificate),
        (certificate, other),
    ):
        with pytest.raises(TlsError) as caught:
            server_context(*files)
        told.append(str(caught.value))

    assert f"{tmp_path / 'none.pem'} cannot be read: No such file or directory" == told[0]
    assert all(
        "are not a certificate and its key, as PEM and without a passphrase" in text for text in told[1:]
    )


# --- the shell ---------------------------------------------------------------------------------------------


class SecureGuest:
    """A bot that speaks TLS."""

    def __init__(self, stream: trio.SSLStream) -> None:
        self.stream = stream
        self._connection = Connection(Role.BOT)

    async def say(self, message: Message) -> None:
        """Send a message."""
        await self.stream.send_all(self._connection.send(message))

    async def hear(self) -> Message | None:
        """Return the next message; None at the end, which has to be announced."""
        while (message := self._connection.next_message()) is None:
            data = await self.stream.receive_some(65_536)
            if not data:
                return None
            self._connection.receive(data)
        return message

    async def play(self, name: str) -> list[Message]:
        """Play to the end; return all that was heard."""
        heard: list[Message] = []
        await self.say(Hello(name=name, secret=secret(name), versions=(1,)))
        while (message := await self.hear()) is not None:
            heard.append(message)
            if isinstance(message, REQUESTS):
                await self.say(answer_to(message))
        return heard


@contextlib.asynccontextmanager
async def secure(port: int, context: ssl.SSLContext) -> AsyncIterator[SecureGuest]:
    """Connect by TLS."""
    stream = await trio.open_ssl_over_tcp_stream("localhost", port, ssl_context=context)
    try:
        yield SecureGuest(stream)
    finally:
        await trio.aclose_forcefully(stream)


async def test_a_whole_tournament_by_tls(serving, context, trusting) -> None:
    """Three bots play to the end, which is announced; no answer is late."""
    async with serving(referee_for(NAMES[:3], concurrency=2), tls=context) as server:
        heard = {}

        async def play(name):
            async with secure(server.port, trusting) as guest:
                heard[name] = await guest.play(name)

        async with trio.open_nursery() as nursery:
            for name in NAMES[:3]:
                nursery.start_soon(play, name)
            await server.until(lambda: all(bot.peer is not None for bot in server.engine.lobby))
            server.begin()
        await server.done.wait()
    results = [item.result for item in server.news if isinstance(item, GameOver)]

    assert [Closing] * 3 == [type(messages[-1]) for messages in heard.values()]
    assert {ClosingBecause.FINISHED} == {messages[-1].reason for messages in heard.values()}
    assert 3 == len(results)
    assert {0} == {sum(seat.faults.values()) for result in results for seat in result.seats}


async def test_a_bot_without_tls_reads_a_sentence_that_helps(serving, context) -> None:
    """In the clear, and then the end; a bot with TLS is still welcome."""
    async with serving(referee_for(NAMES[:2]), tls=context) as server:
        guest = await connect(server)
        with closing(guest):
            error = await guest.hello("ada")
            end = await guest.hear()

    assert isinstance(error, Error)
    assert (ErrorCode.BAD_FRAME.value, True) == (error.code, error.fatal)
    assert "This port speaks TLS; begin with a TLS handshake." == error.message
    assert end is None


async def test_a_handshake_that_fails_is_news_and_nothing_is_said_in_the_clear(serving, context) -> None:
    """An outdated client hears an alert, a record of type 21, and the end; the organiser reads why."""
    async with serving(referee_for(NAMES[:2]), tls=context) as server:
        guest = await connect(server)
        with closing(guest):
            await guest.send(HELLO_OF_1_1)
            heard = b""
            while data := await guest.read():
                heard += data
        await server.until(lambda: any(isinstance(item, Refused) for item in server.news))
    (refused,) = (item for item in server.news if isinstance(item, Refused))

    assert (21, 7) == (heard[0], len(heard))
    assert refused.reason.startswith("The TLS handshake failed (")


async def test_t5_hello_02_the_handshake_of_tls_is_within_the_time_for_hello(
    serving, context, trusting
) -> None:
    """Half a handshake, and then silence: the end of the connection comes, without a word."""
    limits = ServerLimits(handshake_ns=50 * MS)
    async with serving(referee_for(NAMES[:2], limits=limits), tls=context) as server:
        guest = await connect(server)
        with closing(guest):
            await guest.send(Client(trusting).shake()[:100])
            data = await guest.read()

    assert b"" == data


async def test_a_record_that_was_changed_loses_the_connection_and_not_the_seat(
    serving, context, trusting
) -> None:
    """The bot is away, and comes back."""
    async with serving(referee_for(NAMES[:2]), tls=context) as server:
        async with secure(server.port, trusting) as guest:
            await guest.say(Hello(name="ada", secret=secret("ada"), versions=(1,)))
            await guest.hear()
            await guest.stream.transport_stream.send_all(b"\x17\x03\x03\x00\x20" + bytes(32))
            await server.until(lambda: server.engine.lobby.instances("ada")[0].peer is None)
        async with secure(server.port, trusting) as again:
            await again.say(Hello(name="ada", secret=secret("ada"), versions=(1,)))
            welcome = await again.hear()

    assert isinstance(welcome, Welcome)
