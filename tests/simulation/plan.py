"""A plan: all that happens to one simulated tournament, as data, so that it can be printed and shrunk."""

import enum

import attrs

from referee.play.clock import ClockRules
from referee.play.faults import Fault
from referee.rules.variants import Rules, Variant
from referee.setup import TournamentSetup
from referee.tournament.model import Kind
from tests.server.network import CLOCK, MS, tournament

F = Fault
_AWAY = {F.DISCONNECTED}
_PUT_OUT = {F.VIOLATION, F.DISCONNECTED}


class Deed(enum.Enum):
    """What the adversary can do: its name, the faults that it may cost, whether it may change what is played.

    The first group is done by a bot when it has heard so many messages; the others happen to the referee
    after so many passes, and cost nobody anything.
    """

    JOINED = ("sends its answer together with a ping", set(), False)
    DROPPED = ("loses its connection, and its answer with it", _AWAY, False)
    DROPPED_AFTER = ("loses its connection right behind its answer", _AWAY, False)
    TORN_OFF = ("loses its connection in the middle of its answer", _AWAY, False)
    TAKEN_OVER = ("connects anew while the old connection is still there", _AWAY, False)
    TWICE = ("answers twice, differently", {F.DUPLICATE, F.STALE}, False)
    OLD = ("answers an old request again before the new one", {F.STALE, F.DUPLICATE}, False)
    GUESSED = ("answers a request that there never was", {F.MALFORMED}, False)
    WRONG = ("gives an illegal answer, then a legal one", {F.ILLEGAL}, False)
    THRICE_WRONG = ("gives illegal answers only", {F.ILLEGAL, F.DUPLICATE, F.STALE}, True)
    UNREADABLE = ("sends a message with a wrong field, then its answer", {F.MALFORMED}, False)
    SILENT = ("does not answer", {F.LATE, F.GONE}, True)
    LATE = ("answers so many ms after the limit", {F.LATE, F.GONE, F.STALE}, True)
    GARBAGE = ("sends random bytes", {F.GONE, F.LATE} | _PUT_OUT, True)
    HUGE = ("announces a frame of 4 GiB", {F.GONE, F.LATE} | _PUT_OUT, True)
    HELLO_AGAIN = ("says hello once more", _PUT_OUT, True)
    FLOODING = ("sends 150 pings", {F.FLOODING, F.DISCONNECTED}, True)
    SLOW_READER = ("does not read what it is sent", _PUT_OUT, True)
    LEFT = ("leaves for good", {F.GONE, F.DISCONNECTED, F.STALE}, True)

    STALLED = ("the referee does nothing for a while", set(), False)
    STALLED_LONG = ("the referee does nothing for longer than a limit", set(), False)
    LAGGING = ("passes come before what is ready was read, or no longer", set(), False)
    STRANGER = ("a stranger sends random bytes", set(), False)
    HELLOS = ("ten strangers say hello with wrong secrets", set(), False)
    ENTERED = ("a late entrant comes", set(), True)
    KILLED_BEFORE = ("the referee is killed just before a commit, and resumed", set(), False)
    KILLED_AFTER = ("the referee is killed just after a commit, and resumed", set(), False)

    def __init__(self, words: str, costs: set[Fault], changes: bool) -> None:
        self.words = words
        self.costs = frozenset(costs)
        self.changes = changes


DEEDS_OF_BOTS = tuple(Deed)[: tuple(Deed).index(Deed.STALLED)]
DEEDS_AROUND = tuple(Deed)[len(DEEDS_OF_BOTS) :]
KILLS = frozenset({Deed.KILLED_BEFORE, Deed.KILLED_AFTER})


def _parts(deeds: set[Deed]) -> bool:
    """Say whether one of these ends a connection."""
    return any(F.DISCONNECTED in deed.costs for deed in deeds)


@attrs.frozen(kw_only=True)
class Action:
    """One thing that the adversary does.

    Attributes:
        deed: What.
        after: When: after so many messages that the bot has heard, or so many passes of the referee.
        who: The entrant; empty for what happens to the referee. Of its instances it is the first.
        amount: How much of it: milliseconds, or a seed for random bytes.
    """

    deed: Deed
    after: int
    who: str = ""
    amount: int = 0

    def __str__(self) -> str:
        amount = f" ({self.amount})" if self.amount else ""
        if self.who:
            return f"message {self.after}: {self.who} {self.deed.words}{amount}"
        return f"pass {self.after}: {self.deed.words}{amount}"


@attrs.frozen(kw_only=True)
class Entrant:
    """One entrant, whose bots answer all requests legally and in time but for what the actions say.

    Attributes:
        name: Its name.
        think_ms: How long it takes over each answer.
        arrives_ms: When it connects; what is before the start of all is registration.
        events: Whether it asks for events.
        tears: The longest piece that its wire leaves whole; 0 for a wire that tears nothing.
    """

    name: str
    think_ms: int = 0
    arrives_ms: int = 0
    events: bool = False
    tears: int = 0

    def __str__(self) -> str:
        wire = f", its wire tears into pieces of up to {self.tears} bytes" if self.tears else ""
        events = ", with events" if self.events else ""
        return f"{self.name}: thinks {self.think_ms} ms, comes at {self.arrives_ms} ms{events}{wire}"


@attrs.frozen(kw_only=True)
class Plan:
    """One simulated tournament.

    Attributes:
        seed: Decides the deals, and whatever the plan leaves to chance.
        stamped: Whether arrival times are known exactly, as from the kernel.
    """

    seed: int
    entrants: tuple[Entrant, ...]
    actions: tuple[Action, ...] = ()
    kind: Kind = Kind.ROUND_ROBIN
    table_size: int = 2
    rounds: int | None = 1
    games: int = 1
    deal_sets: int | None = None
    deals: int = 1
    variant: Variant = Variant.CLASSIC
    cow: bool = False
    concurrency: int = 1
    instances: int = 1
    strikes: int = 3
    bank_ms: int = 0
    stamped: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants that are there from the start."""
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def setup(self) -> TournamentSetup:
        """What the tournament is made from."""
        clock = ClockRules(move_ns=CLOCK.move_ns, bank_ns=self.bank_ms * MS, strikes=self.strikes)
        setup = tournament(
            kind=self.kind,
            table_size=self.table_size,
            rounds=self.rounds,
            games=self.games,
            deal_sets=self.deal_sets,
            rules=Rules(variant=self.variant, target=None, deals=self.deals, jumping_cow=self.cow),
            clock=clock,
            seed=f"simulation-{self.seed}",
            concurrency=self.concurrency,
        )
        return setup.fitted(table_size=self.table_size, concurrency=self.concurrency)

    @property
    def changes_nothing(self) -> bool:
        """Whether all answers that count are legal and in time, so that the record is the undisturbed one."""
        return all(map(self.is_good, {action.who for action in self.actions})) and not any(
            action.deed.changes for action in self.actions
        )

    def is_good(self, name: str) -> bool:
        """Say whether all answers of an entrant that count are legal and in time."""
        deeds = self.deeds_of(name)
        return not any(deed.changes for deed in deeds) and not (self._delays_returns and _parts(deeds))

    @property
    def _delays_returns(self) -> bool:
        """Whether a bot that comes back may wait for longer than a move, since the referee does nothing."""
        return any(action.deed is Deed.STALLED_LONG for action in self.actions)

    def deeds_of(self, name: str) -> set[Deed]:
        """Return what an entrant does."""
        return {action.deed for action in self.actions if action.who == name}

    def may_cost(self, name: str) -> set[Fault]:
        """Return the faults that an entrant may have for what it does."""
        deeds = self.deeds_of(name)
        costs = {fault for deed in deeds for fault in deed.costs}
        return costs | {F.GONE, F.LATE, F.STALE} if self._delays_returns and _parts(deeds) else costs

    def __str__(self) -> str:
        """Say it all, one line an action."""
        cow = " with the cow" if self.cow else ""
        games = f"{self.deal_sets} deal sets" if self.deal_sets else f"games {self.games}"
        head = (
            f"seed {self.seed}: {self.kind.value}, tables of {self.table_size}, rounds {self.rounds},"
            f" {games}, deals {self.deals}, {self.variant.value}{cow}, {self.concurrency} at once,"
            f" {self.instances} bots an entrant, strikes {self.strikes}, bank {self.bank_ms} ms,"
            f" arrivals {'stamped' if self.stamped else 'not stamped'}"
        )
        return "\n".join(map(str, (head, *self.entrants, *self.actions)))
