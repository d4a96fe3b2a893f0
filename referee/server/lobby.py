"""Who may play, through which bots: entrants, the instances of their bots, and what each is doing."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator

import attrs

from referee.play.faults import FaultCounts
from referee.play.names import GameId


def hashed(secret: str) -> str:
    """Return what is kept of a secret: its SHA-256 in hex, which suffices for long random ones."""
    return hashlib.sha256(secret.encode()).hexdigest()


@attrs.define(kw_only=True, eq=False)
class Instance:
    """One bot of an entrant, known by a secret of its own; a connection comes and goes, the instance stays.

    Attributes:
        entrant: The name it plays for.
        proof: SHA-256 of the secret that proves it; the secret itself is not kept.
        source: From where it came for the first time; empty where that is not known.
        peer: The connection it is on; None while there is none.
        capacity: Games it can play at once.
        wants_events: Whether it asked for event messages.
        games: Its seat in each game it is playing.
        played: How many games it has played to the end.
        expected_until: While it is not connected, it is waited for until then; in ns.
        retired: It will never come (back).
        client: What it calls itself.
        early_faults: Faults from before the tournament began.
    """

    entrant: str
    proof: str
    source: str = ""
    peer: int | None = None
    capacity: int = 1
    wants_events: bool = False
    games: dict[GameId, int] = attrs.field(factory=dict)
    played: int = 0
    expected_until: int = 0
    retired: bool = False
    client: str = ""
    early_faults: FaultCounts = attrs.field(factory=FaultCounts)

    @property
    def has_room(self) -> bool:
        """Whether it can take one more game."""
        return not self.retired and len(self.games) < self.capacity

    def is_awaited(self, now: int) -> bool:
        """Say whether it is here, or worth waiting for."""
        return not self.retired and (self.peer is not None or now < self.expected_until)


class Lobby:
    """The entrants and their instances."""

    def __init__(self, entrants: Iterable[str]) -> None:
        self._instances: dict[str, list[Instance]] = {name: [] for name in entrants}

    def __iter__(self) -> Iterator[Instance]:
        return (instance for instances in self._instances.values() for instance in instances)

    @property
    def entrants(self) -> tuple[str, ...]:
        """The names, in the order in which they were entered."""
        return tuple(self._instances)

    def add_instance(
        self, entrant: str, secret: str, *, source: str = "", expected_until: int = 0
    ) -> Instance:
        """Let one more bot play for an entrant, who is entered if it is new."""
        proof = hashed(secret)
        instance = Instance(entrant=entrant, proof=proof, source=source, expected_until=expected_until)
        self._instances.setdefault(entrant, []).append(instance)
        return instance

    def add_known(self, entrant: str, proof: str, *, expected_until: int) -> Instance:
        """Let in again a bot whose secret's hash is known from before."""
        instance = Instance(entrant=entrant, proof=proof, expected_until=expected_until)
        self._instances.setdefault(entrant, []).append(instance)
        return instance

    def forget(self, entrant: str) -> None:
        """Drop an entrant who has not played: its name is free again."""
        for instance in self._instances.pop(entrant):
            instance.retired = True

    def names_from(self, source: str) -> int:
        """Return how many entrants have a bot that first came from there."""
        return sum(
            any(instance.source == source for instance in instances) for instances in self._instances.values()
        )

    def instances(self, entrant: str) -> tuple[Instance, ...]:
        """Return the instances of an entrant."""
        return tuple(self._instances[entrant])

    def is_out(self, entrant: str) -> bool:
        """Say whether an entrant was there and has no bot left that may come back."""
        instances = self._instances.get(entrant, ())
        return bool(instances) and all(instance.retired for instance in instances)

    def find(self, entrant: str, secret: str) -> Instance | None:
        """Return the instance with this name and secret; None if there is none, or if it has left."""
        instance = self._prove(entrant, secret)
        return None if instance is None or instance.retired else instance

    def has_left(self, entrant: str, secret: str) -> bool:
        """Say whether the instance with this name and secret was there and is gone for good."""
        instance = self._prove(entrant, secret)
        return instance is not None and instance.retired

    def _prove(self, entrant: str, secret: str) -> Instance | None:
        """Look through all secrets of the name, in a time that does not tell which of them is right."""
        given, found = hashed(secret), None
        for instance in self._instances.get(entrant, ()):
            if hmac.compare_digest(instance.proof, given):
                found = instance
        return found

    def can_seat(self, entrant: str, now: int) -> bool:
        """Say whether an entrant can be given one more game: one bot has room, or none will ever come."""
        none_left = all(instance.retired for instance in self._instances[entrant])
        return none_left or self.choose(entrant, now) is not None

    def choose(self, entrant: str, now: int) -> Instance | None:
        """Return the instance to give a game to: the least busy that is connected; None if there is none.

        One that is away gets a game only where all are, and none is waited for: it may still come.
        """
        instances = self._instances[entrant]
        all_away = not any(instance.is_awaited(now) for instance in instances)
        able = [bot for bot in instances if bot.has_room and (all_away or bot.peer is not None)]
        return min(able, key=lambda bot: len(bot.games), default=None)

    def next_give_up(self, now: int) -> int | None:
        """Return the next moment at which an instance is no longer waited for."""
        times = (
            instance.expected_until
            for instance in self
            if instance.peer is None and not instance.retired and instance.expected_until > now
        )
        return min(times, default=None)
