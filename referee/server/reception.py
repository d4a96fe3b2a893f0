"""Greeting: from a connection that has said nothing to a bot that is in, or is turned away."""

import itertools
from collections.abc import Iterator

from protocol.errors import ErrorCode, PeerError
from protocol.messages import VERSION, Hello, Welcome
from referee.server.admission import WRONG_SECRET, Admission
from referee.server.ceremony import welcome
from referee.server.door import Door
from referee.server.guesses import Guesses
from referee.server.limits import NS_PER_S, ServerLimits
from referee.server.lobby import Instance
from referee.server.peers import Peer
from referee.setup import TournamentSetup


class Reception:
    """The connections that are not yet anybody's.

    A connection is expected to say hello; once heard, its greeting waits for the next tick, so that the
    connection it may replace can be read to its end before. A wrong secret is refused, but not at once.
    """

    def __init__(self, setup: TournamentSetup, admission: Admission, limits: ServerLimits) -> None:
        self._setup = setup
        self._admission = admission
        self._limits = limits
        self._door = Door(limits)
        self._guesses = Guesses(limits)
        self._expected: dict[int, Peer] = {}
        self._heard: dict[int, tuple[Peer, Instance, Hello]] = {}
        self._refused: dict[int, tuple[int, Peer, PeerError]] = {}

    @property
    def is_full(self) -> bool:
        """Whether not even a refusal can be said to one more connection."""
        return self._door.is_full

    def expect(self, peer: Peer) -> None:
        """Wait for the hello of a connection, so long and no longer.

        Raises:
            PeerError: (fatal) there are too many connections.
        """
        self._door.enter(peer.id, peer.source)
        self._expected[peer.id] = peer

    def turn_away(self, peer: Peer) -> None:
        """Expect nothing more of a connection that is told so and will end."""
        self._forget_words(peer)
        self._door.turn_away(peer.id)

    def forget(self, peer: Peer) -> None:
        """Take in that a connection has ended."""
        self._forget_words(peer)
        self._door.forget(peer.id)

    def _forget_words(self, peer: Peer) -> None:
        self._expected.pop(peer.id, None)
        self._heard.pop(peer.id, None)
        self._refused.pop(peer.id, None)
        self._guesses.give_up(peer)

    def hear(self, peer: Peer, hello: Hello, now: int) -> Instance | None:
        """Take in a hello.

        Returns:
            The bot that says it; None where it is not decided, or not to be told, before a later tick.

        Raises:
            PeerError: (fatal) it cannot be let in.
        """
        if VERSION not in hello.versions:
            sentence = (
                f"This referee speaks version {VERSION} of the protocol; the bot speaks {hello.versions}."
            )
            raise PeerError.fatal(ErrorCode.UNSUPPORTED_VERSION, sentence)
        del self._expected[peer.id]
        if self._guesses.allows(peer.source, hello.name, now):
            return self._look_at(peer, hello, now)
        self._guesses.wait(peer, hello)
        return None

    def hear_waiting(self, now: int) -> Iterator[tuple[Peer, Instance | PeerError]]:
        """Take in the hellos that had to wait and whose turn it is; give what `hear` returns or raises."""
        for peer, hello in self._guesses.take_allowed(now):
            try:
                instance = self._look_at(peer, hello, now)
            except PeerError as error:
                yield peer, error
            else:
                if instance is not None:
                    yield peer, instance

    def _look_at(self, peer: Peer, hello: Hello, now: int) -> Instance | None:
        try:
            instance = self._admission.admit(hello, peer.source)
        except PeerError as error:
            if error.code not in WRONG_SECRET:
                raise
            self._refused[peer.id] = (self._guesses.add(peer.source, hello.name, now), peer, error)
            return None
        self._guesses.prove(peer.source, hello.name)
        self._heard[peer.id] = (peer, instance, hello)
        return instance

    def take_refusals(self, now: int) -> list[tuple[Peer, PeerError]]:
        """Return the connections with a wrong secret to which it is time to say so."""
        # All wait equally long, so they are in order.
        due = itertools.takewhile(lambda refusal: refusal[0] <= now, self._refused.values())
        found = [(peer, error) for _, peer, error in due]
        for peer, _ in found:
            del self._refused[peer.id]
        return found

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
        self._door.let_in(peer.id)
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

    def is_due(self, now: int) -> bool:
        """Say whether a tick at `now` has something to do here."""
        due = self.next_due()
        return due is not None and due <= now

    def next_due(self) -> int | None:
        """Return when a tick has something to do here; 0 if somebody is to be greeted."""
        if self._heard:
            return 0
        if not (self._expected or self._refused):  # mostly
            return self._guesses.next_due()
        times = []
        if self._expected:
            times.append(next(iter(self._expected.values())).connected_at + self._limits.handshake_ns)
        if self._refused:
            times.append(next(iter(self._refused.values()))[0])
        waiting = self._guesses.next_due()
        return min(times if waiting is None else [*times, waiting], default=None)
