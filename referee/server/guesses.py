"""Wrong secrets: each is answered late and takes a place until then, so that nobody guesses fast.

A right secret is never refused for what others have tried: where all places are taken, a hello waits for
one, and first those of the address with the fewest wrong ones. Where a name has been proven before, it does
not wait for what others try under it elsewhere: who comes back in mid-game has no second to lose.
"""

from collections import Counter, deque
from collections.abc import Iterator

from protocol.messages import Hello
from referee.server.limits import ServerLimits
from referee.server.peers import Peer

HOMES_OF_A_NAME = 8
"""So many addresses are remembered from which a name was proven last: an entrant has a few bots."""


class Guesses:
    """The wrong secrets of the last moment, and the hellos that wait until they are over.

    Args:
        limits: The bounds.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._wrong: deque[tuple[int, str, str]] = deque()
        self._by_source: Counter[str] = Counter()
        self._by_name: Counter[str] = Counter()
        self._homes: dict[str, deque[str]] = {}
        self._waiting: dict[str, deque[tuple[Peer, Hello]]] = {}
        self._look_again_at = 0

    def allows(self, source: str, name: str, now: int) -> bool:
        """Say whether a secret for a name may be looked at now, if it comes from there."""
        self._forget_old(now)
        if self._by_source[source] >= self._limits.guesses_per_address:
            return False
        return self._by_name[name] < self._limits.guesses_per_name or source in self._homes.get(name, ())

    def prove(self, source: str, name: str) -> None:
        """Take in a right secret."""
        homes = self._homes.setdefault(name, deque(maxlen=HOMES_OF_A_NAME))
        if source not in homes:
            homes.append(source)

    def add(self, source: str, name: str, now: int) -> int:
        """Take in a wrong secret; return when it is to be answered."""
        until = now + self._limits.refusal_ns
        self._wrong.append((until, source, name))
        self._by_source[source] += 1
        self._by_name[name] += 1
        return until

    def wait(self, peer: Peer, hello: Hello) -> None:
        """Let a hello wait for its turn."""
        self._waiting.setdefault(peer.source, deque()).append((peer, hello))
        self._look_again_at = self._next_place()

    def give_up(self, peer: Peer) -> None:
        """Forget the hello of a connection, if it waits."""
        queue = self._waiting.get(peer.source, deque())
        for item in [item for item in queue if item[0] is peer]:
            queue.remove(item)
        if not queue:
            self._waiting.pop(peer.source, None)

    def take_allowed(self, now: int) -> Iterator[tuple[Peer, Hello]]:
        """Give the hellos whose turn it is, one by one: what becomes of one decides about the next."""
        if not self._waiting or now < self._look_again_at:
            return
        # By what they did until now, though some of it is over at this moment: else all would be equal.
        sources = sorted(self._waiting, key=self._by_source.__getitem__)
        for source in sources:
            queue = self._waiting[source]
            while queue and self.allows(source, queue[0][1].name, now):
                yield queue.popleft()
            if not queue:
                self._waiting.pop(source, None)
        self._look_again_at = self._next_place()

    def next_due(self) -> int | None:
        """Return when `take_allowed` may have something to give."""
        return self._look_again_at if self._waiting else None

    def _next_place(self) -> int:
        return self._wrong[0][0] if self._wrong else 0

    def _forget_old(self, now: int) -> None:
        while self._wrong and self._wrong[0][0] <= now:
            _, source, name = self._wrong.popleft()
            _subtract(self._by_source, source)
            _subtract(self._by_name, name)


def _subtract(counts: Counter[str], key: str) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
