"""What the interpreter does for a decision: bytecodes and calls, counted, so that no noise is in the figures.

The engine plays in this process, without sockets; only what it does itself is counted, not what stands in
for the bots and for the shell here. How long a bytecode takes varies, and a call into C counts as one: this
tells whether a change made less to do, not how much time that is.
"""

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import attrs

from benchmarks import host
from benchmarks.profiling import HOME
from benchmarks.running import Workshop
from protocol.connection import Connection
from protocol.framing import LIMIT, FrameReader, frame
from protocol.messages import Hello
from protocol.packing import pack, unpack
from protocol.states import Role
from referee.director import Director
from referee.journal.journal import Journal
from referee.play.clock import Arrival
from referee.rules.variants import Rules
from referee.server.admission import Expected
from referee.server.engine import Engine
from referee.server.limits import ServerLimits
from referee.server.lobby import Lobby

TABLES = (1, 64)
SEATS = 4
DECISIONS, QUICK_DECISIONS = 3_000, 600
WARMUP_PASSES = 20
"""Half a deal: what is prepared once has been prepared then."""
MOST_FUNCTIONS = 15

Answers = list[tuple[int, bytes]]


class Counted:
    """Counts what the interpreter does.

    Attributes:
        bytecodes: By function.
        calls: Of Python functions, by function.
    """

    def __init__(self) -> None:
        self.bytecodes: Counter[CodeType] = Counter()
        self.calls: Counter[CodeType] = Counter()

    def count(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Do some work and count; return what it returns."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return work()
        finally:
            sys.settrace(before)

    def _enter(self, entered: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401
        del event, argument
        self.calls[entered.f_code] += 1
        entered.f_trace_opcodes, entered.f_trace_lines = True, False
        return self._step

    def _step(self, running: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401
        del argument
        if event == "opcode":
            self.bytecodes[running.f_code] += 1
        return self._step


class Lockstep:
    """Tables of an engine at which all bots answer at once, with their first choice.

    Args:
        shop: Where its journal lies.
        tables: How many.
    """

    def __init__(self, shop: Workshop, tables: int) -> None:
        names = [f"bot-{number}" for number in range(1, SEATS * tables + 1)]
        rules = Rules(target=None, deals=10_000)
        made = attrs.evolve(host.setup(seats=SEATS, rules=rules, move_ms=60_000), concurrency=tables)
        lobby = Lobby(names)
        for name in names:
            lobby.add_instance(name, name)
        self._journal = Journal.create(shop.path(".journal"), made.head("benchmark", {}))
        self._engine = Engine(made, lobby, Expected(lobby), ServerLimits(connections=len(names)))
        self._answers: Answers = []
        for name in names:
            number = self._engine.connected("127.0.0.1:1", time.monotonic_ns())
            hello = Connection(Role.BOT).send(Hello(name=name, secret=name, versions=(1,)))
            self._answers.append((number, hello))
        self.play()
        self._engine.begin(Director(made, names, self._journal))

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def play(self, counted: Counted | None = None) -> int:
        """Make a pass; return how many answers went into it."""
        answers, now = self._answers, time.monotonic_ns()

        def one_pass() -> Any:  # noqa: ANN401
            return _one_pass(self._engine, answers, now)

        outgoing = one_pass() if counted is None else counted.count(one_pass)
        self._answers = [answer for sent in outgoing for answer in _answers(sent.peer, sent.data)]
        return len(answers)


def _one_pass(engine: Engine, answers: Answers, now: int) -> Any:  # noqa: ANN401
    """Do what a shell does."""
    arrival = Arrival.at(now)
    for peer, data in answers:
        engine.received(peer, data, arrival, now)
    engine.to_drain(now)
    engine.tick(now)
    engine.commit()
    outgoing = engine.take_outgoing()
    engine.sent(now, {})
    engine.wake_at()
    return outgoing


def _answers(peer: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Answer what is asked."""
    reader = FrameReader(LIMIT)
    reader.feed(data)
    while (payload := reader.next_frame()) is not None:
        message = unpack(payload)
        kind = message["type"].removeprefix("choose_")
        if kind in {"card", "row"}:
            answer = {"type": kind, "request": message["request"], kind: message["choices"][0]}
            yield peer, frame(pack(answer))


def measure(shop: Workshop, tables: int) -> tuple[Counted, int]:
    """Play at so many tables; return what was done, and for how many decisions."""
    counted, decisions = Counted(), 0
    with contextlib.closing(Lockstep(shop, tables)) as playing:
        for _ in range(WARMUP_PASSES):
            playing.play()
        while decisions < (QUICK_DECISIONS if shop.quick else DECISIONS):
            decisions += playing.play(counted)
    for code in [code for code in counted.calls if code.co_filename == __file__]:
        del counted.calls[code], counted.bytecodes[code]
    return counted, decisions


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table of the sums, and the functions that do the most."""
    yield "| tables | bytecodes a decision | calls a decision |"
    yield "| ---: | ---: | ---: |"
    for tables in TABLES:
        counted, decisions = measure(shop, tables)
        bytecodes, calls = (sum(of.values()) / decisions for of in (counted.bytecodes, counted.calls))
        yield f"| {tables} | {bytecodes:,.0f} | {calls:,.1f} |"
    yield ""
    yield f"| function, at {TABLES[-1]} tables | bytecodes a decision | calls |"
    yield "| --- | ---: | ---: |"
    for code, count in counted.bytecodes.most_common(MOST_FUNCTIONS):
        name = f"{code.co_filename.removeprefix(HOME)}:{code.co_qualname}"
        yield f"| `{name}` | {count / decisions:.1f} | {counted.calls[code] / decisions:.2f} |"
