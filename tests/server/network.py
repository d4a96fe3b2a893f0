"""A world for the engine: bots, the wires between them and the referee, and the time, without a socket.

Time is virtual and moves only from one thing that happens to the next. A pass is made as the shell makes it.
Whatever a world does follows from what it was given, so a run that fails fails again.
"""

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from protocol.connection import Connection
from protocol.errors import ErrorCode
from protocol.messages import Answer, Card, Closing, Draft, Error, Hello, Message, Row
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from protocol.states import Role, State
from referee.director import Director
from referee.play.clock import Arrival, ClockRules
from referee.play.faults import FaultCounts
from referee.play.results import GameResult
from referee.rules.variants import Rules
from referee.server.admission import Expected
from referee.server.engine import Engine, Outgoing
from referee.server.limits import ServerLimits
from referee.server.lobby import Lobby
from referee.server.news import GameOver, News
from referee.setup import TournamentSetup
from referee.tournament.model import Kind
from tests.notes import begun

MS = 1_000_000
S = 1000 * MS
START = 50 * S
"""When worlds begin: late enough that nothing can mistake it for nothing."""

ONE_DEAL = Rules(target=None, deals=1)
CLOCK = ClockRules(move_ns=1000 * MS)
NONCE = bytes(range(32))
NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida", "joe")

REQUESTS = (ChooseCard, ChooseRow, ChooseDraft)
Request = ChooseCard | ChooseRow | ChooseDraft


class Stuck(AssertionError):
    """The engine waits for nothing, and nothing is on its way: it would sleep for ever."""


@attrs.frozen
class Later:
    """Something to be sent after a while."""

    wait_ns: int
    item: Message | bytes


Policy = Callable[["Bot", Message], Iterable[Message | bytes | Later]]
"""What a bot does about a message: what it sends, now or later."""


# --- policies ----------------------------------------------------------------------------------------------


def answer_to(asked: Request, choice: int | None = None) -> Answer:
    """Answer a request, by default as its number for chance says: the same whenever it is asked."""
    value = asked.choices[asked.bot_seed % len(asked.choices)] if choice is None else choice
    if isinstance(asked, ChooseRow):
        return Row(request=asked.request, row=value)
    if isinstance(asked, ChooseDraft):
        return Draft(request=asked.request, card=value)
    return Card(request=asked.request, card=value)


def honest(bot: "Bot", message: Message) -> Iterator[Message]:
    """Answer every request at once."""
    del bot
    if isinstance(message, REQUESTS):
        yield answer_to(message)


def silent(bot: "Bot", message: Message) -> Iterator[Message]:
    """Never say a word."""
    del bot, message
    yield from ()


def slow(wait_ns: int) -> Policy:
    """Answer every request after a while."""

    def policy(bot: "Bot", message: Message) -> Iterator[Later]:
        del bot
        if isinstance(message, REQUESTS):
            yield Later(wait_ns, answer_to(message))

    return policy


# --- wires -------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Weather:
    """What a wire does to bytes.

    Attributes:
        delay: Gives how long the next piece is under way, in ns; pieces never overtake each other.
        tear: Cuts what is sent into pieces, each of which travels by itself.
    """

    delay: Callable[[], int] = lambda: 0
    tear: Callable[[bytes], Iterable[bytes]] = lambda data: (data,)


CLEAR = Weather()


def torn(rng: random.Random, longest: int) -> Weather:
    """Tear everything into pieces of 1 to so many bytes, each with a delay of its own of up to 3 ms."""

    def tear(data: bytes) -> Iterator[bytes]:
        start = 0
        while start < len(data):
            end = start + rng.randint(1, longest)
            yield data[start:end]
            start = end

    return Weather(delay=lambda: rng.randrange(3 * MS), tear=tear)


class Wire:
    """One connection, with what is under way on it.

    Attributes:
        number: What the engine calls it.
        bot: Who is at the other end.
        up: Whether bytes still travel; a wire that is down stays down.
        inbox: What has reached the referee and was not read yet: (arrival, bytes); None for the end.
        overlooked: Whether it is read only where it must be, as when its reader never gets its turn.
    """

    def __init__(self, number: int, bot: "Bot", weather: Weather) -> None:
        self.number = number
        self.bot = bot
        self.weather = weather
        self.up = True
        self.inbox: deque[tuple[int, bytes | None]] = deque()
        self.overlooked = False
        self.last_word_sent = False
        self._busy_until = {Role.BOT: 0, Role.REFEREE: 0}

    def pieces(self, sender: Role, data: bytes, now: int) -> Iterator[tuple[int, bytes]]:
        """Cut data into pieces, each with the time at which it arrives."""
        for piece in self.weather.tear(data):
            arrival = max(self._busy_until[sender], now + self.weather.delay())
            self._busy_until[sender] = arrival
            yield arrival, piece

    def clear_at(self, sender: Role, now: int) -> int:
        """Return when all that was sent so far has arrived."""
        return max(now, self._busy_until[sender])


# --- bots --------------------------------------------------------------------------------------------------


class Bot:
    """A bot with a policy; it holds the referee to the protocol in passing.

    Attributes:
        name: The entrant it plays for.
        heard: All messages it has heard, on all its connections.
        wire: The connection it is on; None while there is none.
        rejoin_ns: After a broken connection it comes back so much later; None for never.
        ended: Whether it was told to stop, or has left.
    """

    def __init__(self, world: "World", hello: Hello, policy: Policy, rejoin_ns: int | None) -> None:
        self.name = hello.name
        self.hello = hello
        self.policy = policy
        self.rejoin_ns = rejoin_ns
        self.heard: list[Message] = []
        self.wire: Wire | None = None
        self.ended = False
        self._world = world
        self._connection = Connection(Role.BOT)

    def connect(self, weather: Weather = CLEAR, *, say_hello: bool = True) -> "Bot":
        """Make a connection, and say hello on it; one that was there before is left alone."""
        self._connection = Connection(Role.BOT)
        self.wire = self._world.wire_up(self, weather)
        if say_hello:
            self.say(self.hello)
        return self

    def say(self, *items: Message | bytes) -> None:
        """Send messages, or any bytes, in one piece."""
        data = b"".join(item if isinstance(item, bytes) else self._connection.send(item) for item in items)
        if self.wire is not None:
            self._world.carry_to_referee(self.wire, data)

    def frames(self, *messages: Message) -> bytes:
        """Return the bytes of messages, to be sent by `say`."""
        return b"".join(map(self._connection.send, messages))

    def take(self, wire: Wire, piece: bytes) -> None:
        """Take in bytes; answer what they say."""
        if wire is not self.wire:
            return
        assert self._connection.state is not State.CLOSED, "nothing may follow the last message"
        self._connection.receive(piece)
        while wire is self.wire and (message := self._connection.next_message()) is not None:
            self.heard.append(message)
            self.ended |= isinstance(message, Closing) and message.retry_ms is None
            for item in self.policy(self, message):
                self._do(item)

    def lost(self, wire: Wire) -> None:
        """Take in that a connection has ended; come back if that was nobody's will."""
        if wire is not self.wire:
            return
        self.wire = None
        if self.rejoin_ns is not None and not self.ended:
            self._world.after(self.rejoin_ns, lambda: self._come_back(wire.weather))

    def _come_back(self, weather: Weather) -> None:
        if self.wire is None and not self.ended:
            self.connect(weather)

    def _do(self, item: Message | bytes | Later) -> None:
        if isinstance(item, Later):
            self._world.after(item.wait_ns, lambda: self._say_if_open(item.item))
        else:
            self._say_if_open(item)

    def _say_if_open(self, item: Message | bytes) -> None:
        if self.wire is not None and self.is_open:
            self.say(item)

    @property
    def is_open(self) -> bool:
        """Whether it is welcome and has not left: whatever bots say besides hello, they may say now."""
        return self._connection.state is State.OPEN

    # --- what it has heard ---------------------------------------------------------------------------------

    def all(self, *kinds: type) -> list:
        """Return the messages of some kinds, in order."""
        return [message for message in self.heard if isinstance(message, kinds)]

    def last(self, *kinds: type) -> Message:
        """Return the last message, or the last of some kinds."""
        return self.all(*kinds)[-1] if kinds else self.heard[-1]

    @property
    def types(self) -> list[str]:
        """The types of all messages, in order, as the wire names them."""
        return [message.TYPE for message in self.heard]

    @property
    def codes(self) -> list[ErrorCode]:
        """The codes of all errors, in order."""
        return [ErrorCode(message.code) for message in self.all(Error)]

    @property
    def asked(self) -> Request:
        """The request it was asked last."""
        return self.last(*REQUESTS)


# --- the world ---------------------------------------------------------------------------------------------


class World:
    """The referee, its bots and the time.

    Args:
        names: The entrants.
        instances: Bots of each entrant.
        limits: The bounds of the engine.
        director: The tournament, if it is not to be a new one.
        engine: The referee, if it is not to be one that expects `instances` bots of each entrant.
        setup: What the tournament is made from, where it is not as `tournament` has it.

    Attributes:
        now: The time, in ns.
        engine: The referee.
        bots: All bots that ever joined, in that order.
        news: All news so far.
        passes: How many passes were made.
        lagging: Whether passes come before the sockets that are ready have been read, as when the task that
            makes them happens to be first: only what must be read before judging is read.
        after_pass: Called after each pass.
    """

    def __init__(
        self,
        names: Sequence[str] = NAMES[:2],
        *,
        instances: int = 1,
        limits: ServerLimits | None = None,
        director: Director | None = None,
        engine: Engine | None = None,
        **setup: object,
    ) -> None:
        self.now = START
        self.engine = engine or referee_for(names, instances=instances, limits=limits, **setup)
        self.director = begun(tournament(**setup), names) if director is None else director
        self.bots: list[Bot] = []
        self.news: list[News] = []
        self.passes = 0
        self.lagging = False
        self.after_pass: list[Callable[[], None]] = []
        self._wires: dict[int, Wire] = {}
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._stirred = False
        self._stalled_until = 0
        self._last_read = START

    # --- what a test does ----------------------------------------------------------------------------------

    def join(
        self,
        name: str,
        policy: Policy = honest,
        *,
        number: int = 1,
        weather: Weather = CLEAR,
        rejoin_ns: int | None = None,
        **hello: object,
    ) -> Bot:
        """Let a bot come and say hello."""
        words = {"name": name, "secret": secret(name, number), "versions": (1,), **hello}
        bot = Bot(self, Hello(**words), policy, rejoin_ns)
        self.bots.append(bot)
        return bot.connect(weather)

    def stranger(self, *items: Message | bytes) -> Bot:
        """Let something connect that sends what it likes, and no hello."""
        bot = Bot(self, Hello(name="x", secret="x", versions=(1,)), silent, None)
        self.bots.append(bot)
        bot.connect(say_hello=False)
        if items:
            bot.say(*items)
        return bot

    def everybody(self, policy: Policy = honest, **hello: object) -> list[Bot]:
        """Let one bot of each entrant come."""
        return [self.join(name, policy, **hello) for name in self.engine.lobby.entrants]

    def begin(self) -> None:
        """Open the tournament."""
        self.settle()
        self.engine.begin(self.director)
        self._stirred = True

    def drop(self, bot: Bot, *, delivered: bool = False) -> None:
        """Break a bot's connection: what is under way is lost, or still delivered to the referee."""
        wire = bot.wire
        assert wire is not None, "only a connection can be dropped"
        if delivered:
            self.at(wire.clear_at(Role.BOT, self.now), lambda: self._cut(wire))
        else:
            self._cut(wire)
        bot.lost(wire)

    def stall(self, ns: int) -> None:
        """Let the referee do nothing for a while, though bytes go on arriving at its machine."""
        self._stalled_until = self.now + ns

    def suspend(self, message: str) -> None:
        """Let the organiser stop the tournament."""
        self.engine.suspend(message)
        self._stirred = True

    # --- the course of time --------------------------------------------------------------------------------

    def at(self, moment: int, action: Callable[[], None]) -> None:
        """Plan something."""
        heapq.heappush(self._agenda, (moment, next(self._order), action))

    def after(self, ns: int, action: Callable[[], None]) -> None:
        """Plan something for so much later."""
        self.at(self.now + ns, action)

    def run_until(self, condition: Callable[[], bool], *, within_ns: int = 24 * 3600 * S) -> None:
        """Let time go on until something is so.

        Raises:
            Stuck: it would never be so, or not within that time.
        """
        end = self.now + within_ns
        while not condition():
            if not self._step(end):
                raise Stuck(f"nothing more happens, or not by {(end - START) // MS} ms")

    def run_for(self, ns: int) -> None:
        """Let so much time pass, with everything that happens in it."""
        end = self.now + ns
        while self._step(end):
            pass
        self.now = end

    def settle(self) -> None:
        """Let everything happen that happens at this moment."""
        self.run_for(0)

    def play(self) -> None:
        """Let time go on until the tournament is over and everybody has heard of it."""
        self.run_until(lambda: self.engine.finished)
        self.run_for(1 * S)

    def _step(self, end: int) -> bool:
        """Let the next thing happen if there is one by `end`; say whether there was."""
        wanted = self._next_pass()
        event = self._agenda[0][0] if self._agenda else None
        if event is not None and (wanted is None or event <= wanted):
            if event > end:
                return False
            self.now = max(self.now, event)
            heapq.heappop(self._agenda)[2]()
            return True
        if wanted is None or wanted > end:
            return False
        self.now = max(self.now, wanted)
        self._make_pass()
        return True

    def _next_pass(self) -> int | None:
        wake = self.now if self._stirred else None if self.engine.finished else self.engine.wake_at()
        return None if wake is None else max(wake, self._stalled_until, self.now)

    def _make_pass(self) -> None:
        """Do what the shell does in a pass."""
        self._stirred = False
        if not self.lagging:
            self._read_all()
        for number in sorted(self.engine.to_drain(self.now)):
            self._read(self._wires[number])
        self.engine.tick(self.now)
        self.engine.commit()
        for outgoing in self.engine.take_outgoing():
            self._carry_to_bot(outgoing)
        self.engine.sent(self.now, {})
        self.news += self.engine.news
        self.engine.news.clear()
        if self.lagging:
            self._read_all()
        self._last_read = self.now
        self.passes += 1
        for check in self.after_pass:
            check()

    # --- wires ---------------------------------------------------------------------------------------------

    def wire_up(self, bot: Bot, weather: Weather) -> Wire:
        """Make a connection for a bot."""
        wire = Wire(self.engine.connected(f"{bot.name}:1", self.now), bot, weather)
        self._wires[wire.number] = wire
        self._stirred = True
        return wire

    def carry_to_referee(self, wire: Wire, data: bytes) -> None:
        """Send bytes of a bot on their way."""
        for arrival, piece in wire.pieces(Role.BOT, data, self.now):
            self.at(arrival, lambda piece=piece: self._arrive_if_up(wire, piece))

    def _arrive_if_up(self, wire: Wire, piece: bytes) -> None:
        if wire.up:
            self._arrive(wire, piece)

    def _arrive(self, wire: Wire, piece: bytes | None) -> None:
        wire.inbox.append((self.now, piece))
        self._stirred = True

    def _read_all(self) -> None:
        for wire in list(self._wires.values()):
            if not wire.overlooked:
                self._read(wire)

    def _read(self, wire: Wire) -> None:
        """Hand over all that has arrived in one piece, and then the end if it was that."""
        pieces = [(arrival, piece) for arrival, piece in wire.inbox if piece is not None]
        at_end = len(pieces) < len(wire.inbox)
        wire.inbox.clear()
        if pieces:
            data, last = b"".join(piece for _, piece in pieces), pieces[-1][0]
            self.engine.received(wire.number, data, self._arrival(last), self.now)
            self._stirred = True
        if at_end and self._wires.pop(wire.number, None):
            self.engine.disconnected(wire.number, "the connection was closed by the bot", self.now)
            self._stirred = True

    def _arrival(self, last: int) -> Arrival:
        """Return what is known of an arrival where the kernel takes no times: it was after the last read."""
        return Arrival(last, min(self._last_read, last))

    def _carry_to_bot(self, outgoing: Outgoing) -> None:
        wire = self._wires[outgoing.peer]
        assert not wire.last_word_sent, "nothing may be sent after the last message"
        wire.last_word_sent = outgoing.then_close
        for arrival, piece in wire.pieces(Role.REFEREE, outgoing.data, self.now):
            self.at(arrival, lambda piece=piece: self._reach(wire, piece))
        if outgoing.then_close:
            self.at(wire.clear_at(Role.REFEREE, self.now), lambda: self._hang_up(wire))

    def _reach(self, wire: Wire, piece: bytes) -> None:
        if wire.up:
            wire.bot.take(wire, piece)

    def _hang_up(self, wire: Wire) -> None:
        """The bot has read the last message and closes the connection."""
        self._cut(wire)
        wire.bot.lost(wire)

    def _cut(self, wire: Wire) -> None:
        """Let nothing more pass; the referee's machine notices at once."""
        if wire.up:
            wire.up = False
            self._arrive(wire, None)

    # --- what has come of it -------------------------------------------------------------------------------

    @property
    def results(self) -> list[GameResult]:
        """The results of all games, in the order of the schedule."""
        found = [item.result for item in self.news if isinstance(item, GameOver)]
        return sorted(found, key=lambda result: result.game)

    def faults(self, name: str) -> dict[str, int]:
        """Return the faults of an entrant by kind."""
        return next(dict(row.faults) for row in self.director.rows() if row.name == name)

    def faults_so_far(self, name: str) -> dict[str, int]:
        """Return the faults of an entrant in the games it is playing, by kind."""
        tables = [running.table for running in self.engine._floor._tables.values()]
        seats = [seat for table in tables for seat in table.seats if seat.name == name]
        total = sum((seat.faults for seat in seats), start=FaultCounts())
        return {fault.value: count for fault, count in total.items()}

    def points(self) -> dict[str, str]:
        """Return the points of all entrants."""
        return {row.name: str(row.points) for row in self.director.rows()}


def secret(name: str, number: int = 1) -> str:
    """Return the secret of a bot of an entrant."""
    return f"{name}-secret-{number}"


def referee_for(
    names: Sequence[str], *, instances: int = 1, limits: ServerLimits | None = None, **setup: object
) -> Engine:
    """Return a referee that expects so many bots of each entrant, with the secrets that `secret` gives."""
    lobby = Lobby(names)
    for name, number in itertools.product(names, range(1, instances + 1)):
        lobby.add_instance(name, secret(name, number))
    return Engine(tournament(**setup), lobby, Expected(lobby), limits or ServerLimits())


def tournament(**changes: object) -> TournamentSetup:
    """Return what a tournament is made from: one deal a game at tables of two, one second a move."""
    values: dict[str, object] = {
        "kind": Kind.ROUND_ROBIN,
        "table_size": 2,
        "rounds": None,
        "games": 1,
        "rules": ONE_DEAL,
        "clock": CLOCK,
        "seed": "world",
        "nonce": NONCE,
        "concurrency": 1,
    }
    return TournamentSetup(**(values | changes))
