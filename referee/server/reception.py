"""Greeting: from a connection that has said nothing to a bot that is in, or is turned away."""

import itertools

from protocol.errors import ErrorCode, PeerError
from protocol.messages import VERSION, Hello, Welcome
from referee.server.admission import Admission
from referee.server.ceremony import welcome
from referee.server.limits import NS_PER_S, ServerLimits
from referee.server.lobby import Instance
from referee.server.peers import Peer
from referee.setup import TournamentSetup


class Reception:
    """The connections that are not yet anybody's.

    A connection is expected to say hello; once heard, its greeting waits for the next tick, so that the
    connection it may replace can be read to its end before.
    """

    def __init__(self, setup: TournamentSetup, admission: Admission, limits: ServerLimits) -> None:
        self._setup = setup
        self._admission = admission
        self._limits = limits
        self._expected: dict[int, Peer] = {}
        self._heard: dict[int, tuple[Peer, Instance, Hello]] = {}

    def expect(self, peer: Peer) -> None:
        """Wait for the hello of a connection, so long and no longer."""
        self._expected[peer.id] = peer

    def forget(self, peer: Peer) -> None:
        """Expect nothing more of a connection."""
        self._expected.pop(peer.id, None)
        self._heard.pop(peer.id, None)

    def hear(self, peer: Peer, hello: Hello) -> Instance:
        """Take in a hello; return the bot that says it.

        Raises:
            PeerError: (fatal) it cannot be let in.
        """
        if VERSION not in hello.versions:
            sentence = (
                f"This referee speaks version {VERSION} of the protocol; the bot speaks {hello.versions}."
            )
            raise PeerError.fatal(ErrorCode.UNSUPPORTED_VERSION, sentence)
        instance = self._admission.admit(hello)
        del self._expected[peer.id]
        self._heard[peer.id] = (peer, instance, hello)
        return instance

    def to_be_superseded(self) -> set[int]:
        """Return the connections that the greetings to come will replace."""
        return {instance.peer for _, instance, _ in self._heard.values() if instance.peer is not None}

    def has_heard(self, instance: Instance) -> bool:
        """Say whether a bot has said hello and is about to be let in."""
        return any(heard is instance for _, heard, _ in self._heard.values())

    def take_greetings(self) -> list[tuple[Peer, Instance, Hello]]:
        """Return the connections to be let in now."""
        heard, self._heard = self._heard, {}
        return list(heard.values())

    def let_in(self, peer: Peer, instance: Instance, hello: Hello, rounds: int | None) -> Welcome:
        """Make a connection the one its bot is on; return what to tell it."""
        peer.instance = instance
        instance.peer = peer.id
        instance.capacity = min(hello.games, self._limits.games_per_connection)
        instance.wants_events = hello.events
        instance.client = hello.client
        return welcome(self._setup, instance, rounds)

    def overdue(self, now: int) -> list[Peer]:
        """Return the connections that have said nothing for too long."""
        latest = now - self._limits.handshake_ns
        # Connections are expected in the order in which they came.
        expected = self._expected.values()
        return list(itertools.takewhile(lambda peer: peer.connected_at <= latest, expected))

    @property
    def too_late(self) -> PeerError:
        """What to tell those who have said nothing for too long."""
        seconds = self._limits.handshake_ns // NS_PER_S
        sentence = f"No complete 'hello' arrived within {seconds} seconds."
        return PeerError.fatal(ErrorCode.HANDSHAKE_TIMEOUT, sentence)

    def next_due(self) -> int | None:
        """Return when the next connection has said nothing for too long; 0 if somebody is to be greeted."""
        if self._heard:
            return 0
        oldest = next(iter(self._expected.values()), None)
        return None if oldest is None else oldest.connected_at + self._limits.handshake_ns
