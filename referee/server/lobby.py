"""Who may play, through which bots: entrants, the instances of their bots, and what each is doing."""

import hmac
from collections.abc import Iterable, Iterator

import attrs

from referee.play.names import GameId


@attrs.define(kw_only=True, eq=False)
class Instance:
    """One bot of an entrant, known by a secret of its own; a connection comes and goes, the instance stays.

    Attributes:
        entrant: The name it plays for.
        secret: What proves it.
        peer: The connection it is on; None while there is none.
        capacity: Games it can play at once.
        wants_events: Whether it asked for event messages.
        games: Its seat in each game it is playing.
        played: How many games it has played to the end.
        expected_until: While it is not connected, it is waited for until then; in ns.
        retired: It will never come (back).
        client: What it calls itself.
    """

    entrant: str
    secret: str
    peer: int | None = None
    capacity: int = 1
    wants_events: bool = False
    games: dict[GameId, int] = attrs.field(factory=dict)
    played: int = 0
    expected_until: int = 0
    retired: bool = False
    client: str = ""

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

    def add_instance(self, entrant: str, secret: str, *, expected_until: int = 0) -> Instance:
        """Let one more bot play for an entrant."""
        instance = Instance(entrant=entrant, secret=secret, expected_until=expected_until)
        self._instances[entrant].append(instance)
        return instance

    def instances(self, entrant: str) -> tuple[Instance, ...]:
        """Return the instances of an entrant."""
        return tuple(self._instances[entrant])

    def find(self, entrant: str, secret: str) -> Instance | None:
        """Return the instance with this name and secret, in a time that does not tell which one is wrong."""
        found = None
        for instance in self._instances.get(entrant, ()):
            if hmac.compare_digest(instance.secret.encode(), secret.encode()):
                found = instance
        return None if found is None or found.retired else found

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
