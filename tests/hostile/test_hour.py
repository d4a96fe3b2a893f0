"""An hour of abuse in virtual time: the engine holds as much after it as before."""

import gc
import itertools
import tracemalloc
from collections import Counter

from referee.play.clock import ClockRules
from referee.server.news import Refused
from tests.hostile.abuses import GUESTS, IMPOSTORS, STRANGERS
from tests.hostile.visitor import hello
from tests.server.network import MS, NAMES, S, World, silent

HOUR = 3600 * S
MOST_LEFT = 64 * 1024
"""In bytes: what may differ by caches and the sizes of tables."""
OURS = [tracemalloc.Filter(True, f"*/{package}/*") for package in ("referee", "protocol")]


class Siege:
    """A world in which two bots sit at a table, and everybody else is up to something.

    Attributes:
        held: How many hostile connections there were.
        codes: The errors they were told at once, and the sentences with which they were turned away.
    """

    def __init__(self) -> None:
        self.held = 0
        self.codes: Counter[str] = Counter()
        unhurried = ClockRules(move_ns=10 * HOUR, strikes=0)
        self.world = World(NAMES[:3], rounds=3, clock=unhurried)
        self.honest = self.world.everybody(silent)
        self.world.begin()
        self.world.settle()
        sayings = [said for said, _ in STRANGERS.values()]
        hellos = [
            hello(**{"name": f"name-{number % 7}", "secret": "?", **changes})
            for number, (changes, _) in enumerate(IMPOSTORS.values())
        ]
        self._sayings = itertools.cycle([*sayings, *hellos, b"", b"\0\0\0\x40\x82"])
        self._guests = itertools.cycle(said for said, _ in GUESTS.values())
        self._players = itertools.cycle(NAMES[:3])

    def go_on_for(self, ns: int) -> None:
        """A stranger a second, an insider every ten, and every ten minutes a crowd that says nothing."""
        for second in range(ns // S):
            self._stranger(next(self._sayings))
            if second % 10 == 0:
                self._insider(next(self._players), next(self._guests))
            if second % 600 == 0:
                for _ in range(400):
                    self._stranger(b"")
            self.world.run_for(1 * S)
            self._forget()

    def _stranger(self, said: bytes) -> None:
        self.held += 1
        bot = self.world.stranger(*([said] if said else []))
        self.world.after(20 * S, lambda: bot.wire and self.world.drop(bot))

    def _insider(self, name: str, said: bytes) -> None:
        """Supersede a bot by one that misbehaves; it has back its place in two seconds."""
        self.held += 1
        bot = self.world.join(name, silent)
        self.world.after(500 * MS, lambda: bot.wire and bot.say(said))
        self.world.after(2 * S, lambda: self.world.join(name, silent))

    def _forget(self) -> None:
        """Let the world forget what the engine has to forget by itself."""
        for bot in self.world.bots:
            self.codes.update(code.value for code in bot.codes)
            bot.heard.clear()
        self.codes.update(item.reason for item in self.world.news if isinstance(item, Refused))
        self.world.bots.clear()
        self.world.news.clear()


def held_bytes() -> int:
    """Return how much memory is held that was allocated in the referee and the protocol."""
    gc.collect()
    snapshot = tracemalloc.take_snapshot().filter_traces(OURS)
    return sum(trace.size for trace in snapshot.traces)


def test_an_hour_of_abuse_leaves_nothing_in_the_engine():
    """Five minutes to fill what is bounded, then an hour: the engine holds the same, to a few KiB."""
    siege = Siege()
    tracemalloc.start()
    try:
        siege.go_on_for(300 * S)
        before = held_bytes()
        siege.go_on_for(HOUR)
        siege.world.run_for(30 * S)
        after = held_bytes()
    finally:
        tracemalloc.stop()
    print(f"{siege.held} connections, {before} bytes before, {after} after; {len(siege.codes)} answers")

    assert abs(after - before) < MOST_LEFT
    assert siege.held > 6000
    assert {"too_many_connections", "flooding", "unknown_entrant"} <= siege.codes.keys()
    assert "No complete 'hello' arrived within 10 seconds." in siege.codes
    assert len(siege.world.engine._peers) <= 3
