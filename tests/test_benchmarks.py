"""The benchmarks measure what they say: load generator, echo servers, profile, simpler pairings."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import BinaryIO

import pytest

from benchmarks import bytecodes, local, rules, throughput
from benchmarks.lateness import late_in
from benchmarks.pairing import ROUNDS, greedy, measure, naive, ours, table_lines
from benchmarks.processes import cpu_of, cpu_of_descendants, resident_kib
from benchmarks.profiling import HOME, locate
from benchmarks.running import (
    BenchmarkError,
    Generator,
    Server,
    Workshop,
    environment,
    generator,
    load,
    python,
    referee,
    workshop,
)
from protocol.framing import LIMIT, FrameReader, frame
from protocol.packing import pack, unpack
from referee.journal.reading import Reading
from referee.server.readers import available
from referee.tournament.history import History

HISTORY = History(
    points={"a": Fraction(4), "b": Fraction(3), "c": Fraction(2), "d": Fraction(1), "e": Fraction(0)},
    meetings={frozenset("ab"): 1, frozenset("ac"): 1},
)


def test_naive_cutting_minds_no_repeats() -> None:
    """The standings a, b, c, d are cut in two, though a and b have met, and the last rests."""
    plan = naive(2, "edcba", HISTORY, 2)

    assert [table.entrants for table in plan.tables] == [("a", "b"), ("c", "d")]
    assert plan.byes == ("e",)


def test_the_greedy_walk_takes_the_next_who_is_new() -> None:
    """For a that is d, behind b and c; then b and c are left for each other."""
    plan = greedy(2, "edcba", HISTORY, 2)

    assert [table.entrants for table in plan.tables] == [("a", "d"), ("b", "c")]
    assert plan.byes == ("e",)


def test_the_greedy_walk_takes_the_next_where_nobody_is_new() -> None:
    """At tables of three a gets d and e; without them, b, whom it has met, and then c likewise."""
    assert [table.entrants for table in greedy(2, "abcde", HISTORY, 3).tables] == [
        ("a", "d", "e"),
        ("b", "c"),
    ]
    assert [table.entrants for table in greedy(2, "abc", HISTORY, 3).tables] == [("a", "b", "c")]


def test_what_is_counted() -> None:
    """Three who always meet, in three rounds: three pairs meet again twice."""
    figures = [measure(pairing, 3, 3, 3) for pairing in (ours, greedy, naive)]

    assert [one.repeats for one in figures] == [6, 6, 6]
    assert [len(one.seconds) for one in figures] == [3, 3, 3]


def test_the_table_has_a_line_for_each_size() -> None:
    """Two of headings, and one for tables of 2, 4, 5 and 10."""
    lines = list(table_lines([6], 1))

    assert len(lines) == 6
    assert [line.split(" | ")[:2] for line in lines[2:]] == [["| 6", size] for size in ("2", "4", "5", "10")]
    assert ROUNDS == 11


# --- the programs --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop() -> Iterator[Workshop]:
    """Compile the programs once."""
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(workshop(quick=True, io=available()[0]))
        except BenchmarkError as error:
            pytest.skip(str(error))
        yield made


def test_without_a_compiler_the_benchmarks_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and what to do."""
    monkeypatch.setattr(shutil, "which", lambda name: None)

    with (
        pytest.raises(BenchmarkError, match=r"^the load generator is written in C: install a C compiler"),
        workshop(quick=True, io=available()[0]),
    ):
        pass


def test_an_unknown_measurement_is_wrong_usage() -> None:
    """The exit code is 2, and the name is repeated."""
    done = subprocess.run(
        python("-m", "benchmarks", "speed"), env=environment(), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "python -m benchmarks: error: there is no measurement speed",
    )


@pytest.mark.parametrize("variant", ["classic", "advanced"])
def test_the_load_generator_plays_without_a_fault(shop: Workshop, variant: str) -> None:
    """Two tables of four play two deals to the end: each answer counts, and the journal has as many.

    At 10 cards for each of 8 bots in 2 deals that is 160 decisions, as many picks in the draft of the
    advanced variant, and what rows had to be chosen.
    """
    path = shop.path(".journal")
    with referee(shop, 8, deals=2, variant=variant, journal=path) as running:
        counted = load(shop.programs.bots, running, 8, seconds=60, think_ms=1)
        running.process.wait(30)
    with contextlib.closing(Reading.opened(path)) as reading:
        results, ending = list(reading.results()), reading.ending

    assert counted["answers"] > (160 if variant == "classic" else 320)
    assert counted["answered"] == counted["answers"]
    assert [counted[key] for key in ("late", "illegal", "gone", "forfeited", "errors")] == [0] * 5
    assert sum(len(seat.took_ns) for result in results for seat in result.seats) == counted["answers"]
    assert [seat.faults for result in results for seat in result.seats] == [{}] * 8
    assert (ending, late_in(path)) == ("complete", 0)


def test_the_recorded_reply_is_what_comes_between_two_tricks(shop: Workshop) -> None:
    """The end of a request, and the next one, of the sixth trick: five cards are left."""
    reader = FrameReader(LIMIT)
    reader.feed(throughput.recorded_reply(shop).read_bytes())
    closed, request, end = (reader.next_frame() for _ in range(3))

    assert closed is not None
    assert request is not None
    assert end is None
    assert unpack(closed)["type"] == "request_closed"
    assert [unpack(request)[key] for key in ("type", "trick")] == ["choose_card", 6]
    assert len(unpack(request)["choices"]) == 5


@pytest.mark.parametrize("kind", [throughput.TRIO, throughput.EPOLL])
def test_an_echo_server_sends_its_reply_for_whatever_it_reads(shop: Workshop, kind: str) -> None:
    """Twice on each of two connections, whatever the bytes."""
    reply = shop.path(".reply")
    reply.write_bytes(b"the reply")
    heard = []
    with throughput.start(shop, kind, 2, reply) as running:
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", running.port), timeout=30) as link:
                for word in (b"one", b"another"):
                    link.sendall(word)
                    heard.append(link.recv(9, socket.MSG_WAITALL))

    assert heard == [b"the reply"] * 4


def test_a_generator_that_nobody_greets_is_an_error(shop: Workshop) -> None:
    """The peer hangs up at once: no bot is greeted, which is said instead of a rate of 0."""
    with socket.create_server(("127.0.0.1", 0)) as listener, _generator(shop, listener, hold=True) as playing:
        listener.accept()[0].close()

        with pytest.raises(BenchmarkError, match=r"^only 0 of 1 bots were greeted$"):
            playing.greeted()


def test_bytecodes_are_counted_one_by_one() -> None:
    """Ten more turns of a loop take as many more each time; what is called from it is counted by itself."""

    def inner() -> None:
        return None

    def work(turns: int) -> None:
        for _ in range(turns):
            inner()

    found = []
    for turns in (10, 20, 30):
        counted = bytecodes.Counted()
        counted.count(lambda turns=turns: work(turns))
        found.append((counted.bytecodes[work.__code__], counted.calls[inner.__code__]))
    (first, _), (second, _), (third, _) = found

    assert third - second == second - first
    assert (second - first) % 10 == 0
    assert second > first > 0
    assert [calls for _, calls in found] == [10, 20, 30]


def test_the_bytecodes_are_those_of_the_decisions_that_were_counted(shop: Workshop) -> None:
    """Each answer comes by the desk of its table once; what stands in for bots and shell is not counted."""
    counted, decisions = bytecodes.measure(shop, 2)
    calls = {code.co_qualname: count for code, count in counted.calls.items()}

    assert decisions >= bytecodes.QUICK_DECISIONS
    assert calls["Desk.answered"] == decisions
    assert not {"Lockstep.play", "_one_pass", "_answers"} & set(calls)


# --- what the load generator thinks of lateness --------------------------------------------------------

REQUEST = {"type": "choose_card", "game": "r1t1g1", "deal": 1, "trick": 1, "request": 7, "choices": [3, 9]}
LATE = {"type": "request_closed", "game": "r1t1g1", "request": 7, "reason": "late"}


@contextlib.contextmanager
def _generator(shop: Workshop, listener: socket.socket, **options: object) -> Iterator[Generator]:
    """Run the load generator as one bot against a referee that the test plays."""
    with subprocess.Popen([sys.executable, "-c", ""]) as nobody:
        server = Server(process=nobody, port=listener.getsockname()[1])
        with generator(shop.programs.bots, server, 1, **options) as playing:
            yield playing


def _judged(shop: Workshop, *sent: bytes, limit_ms: float) -> list[int]:
    """Send pieces, those behind the first after the answer; return false, true and unknown lateness."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        _generator(shop, listener, hold=True, limit_ms=limit_ms) as playing,
    ):
        with listener.accept()[0] as link, link.makefile("rb") as stream:
            _read(stream)
            for piece in sent:
                link.sendall(piece)
                if piece is sent[0]:
                    answer = _read(stream)
        playing.line()
        counted = playing.line()

    assert answer == {"type": "card", "request": 7, "card": 3}
    return [counted[key] for key in ("late_false", "late_true", "late_unknown")]


def _read(stream: BinaryIO) -> dict[str, object]:
    return unpack(stream.read(int.from_bytes(stream.read(4), "big")))


def test_who_answered_within_the_limit_was_not_late(shop: Workshop) -> None:
    """The bot answers at once and has an hour: to call it late is false."""
    assert _judged(shop, frame(pack(REQUEST)), frame(pack(LATE)), limit_ms=3_600_000) == [1, 0, 0]


def test_who_answered_after_the_limit_was_late(shop: Workshop) -> None:
    """Nobody answers within a limit of 0."""
    assert _judged(shop, frame(pack(REQUEST)), frame(pack(LATE)), limit_ms=0) == [0, 1, 0]


def test_a_request_that_is_read_with_its_end_has_no_time_of_its_own(shop: Workshop) -> None:
    """Both come in one piece, whose time is that of its last byte: nobody knows when the request came."""
    assert _judged(shop, frame(pack(REQUEST)) + frame(pack(LATE)), limit_ms=3_600_000) == [0, 0, 1]


# --- what is booked to whom ----------------------------------------------------------------------------


def _stack(*calls: tuple[str, str]) -> SimpleNamespace | None:
    """Return a frame as Python has it, from the outermost call to the innermost: file and function."""
    frame_ = None
    for file, name in calls:
        code = SimpleNamespace(co_filename=file, co_name=name, co_qualname=name)
        frame_ = SimpleNamespace(f_code=code, f_back=frame_)
    return frame_


@pytest.mark.parametrize(
    ("calls", "layer"),
    [
        ([("/lib/trio/_run.py", "run"), ("referee/server/engine.py", "tick")], "engine"),
        ([("referee/play/table.py", "tick"), ("referee/rules/game.py", "apply")], "rules"),
        ([("referee/journal/journal.py", "commit"), ("/lib/python3/contextlib.py", "exit")], "journal"),
        ([("referee/server/links.py", "push")], "socket"),
        ([("protocol/connection.py", "next_message"), ("protocol/packing.py", "unpack")], "decode"),
        ([("protocol/connection.py", "send"), ("protocol/packing.py", "pack")], "encode"),
        ([("referee/server/shell.py", "wait"), ("/lib/trio/_run.py", "step")], "trio"),
        ([("/lib/python3/threading.py", "run")], "other"),
    ],
)
def test_a_sample_is_booked_to_the_innermost_of_our_layers(calls: list[tuple[str, str]], layer: str) -> None:
    """A library counts for who called it; the protocol for the direction in which it was entered."""
    absolute = [(file if file.startswith("/") else HOME + file, name) for file, name in calls]

    assert locate(_stack(*absolute))[0] == layer


def test_a_function_is_called_by_its_place_in_its_package() -> None:
    """Ours begins in the repository, another one's behind `site-packages`."""
    ours, others = (
        _stack((f"{HOME}protocol/codec.py", "encode")),
        _stack(("/x/site-packages/trio/a.py", "run")),
    )

    assert locate(ours)[1] == "protocol/codec.py:encode"
    assert locate(others)[1] == "trio/a.py:run"


def test_the_time_of_children_is_told_apart() -> None:
    """A child that has computed for a while and is gone still counts as a descendant."""
    before = cpu_of_descendants(os.getpid())
    subprocess.run([sys.executable, "-c", "sum(range(10_000_000))"], check=True)

    assert cpu_of_descendants(os.getpid()) > before
    assert cpu_of(os.getpid()) > 0
    assert resident_kib(os.getpid()) > 1000


def test_a_game_by_chance_takes_a_card_of_each_seat_in_each_trick() -> None:
    """Three deals of ten tricks with four seats are 120 cards; at most one row is chosen in each trick."""
    deals_a_second, decisions_a_second = rules.rate(with_cow=True, deals=3, seed=1)

    assert 40 < round(decisions_a_second / deals_a_second) <= 50


def test_the_first_card_of_a_local_run_is_noticed(shop: Workshop) -> None:
    """It comes after some time, and the run is ended."""
    assert local.first_card_s(shop) > 0
