"""Where a process spends its processor time: samples of the stack, each booked to the layer it was in.

A timer of the kernel sends SIGPROF after so much processor time. Python deals with it between two
instructions: time inside a call to C, such as a commit of SQLite or a send, is booked to the function that
made the call. Nothing is wrapped, so that fast and slow functions are treated alike, and it does not matter
how the referee is built inside.
"""

import json
import signal
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

INTERVAL_S = 0.001
"""Asked for; the kernel rounds it up to its own tick, which is often 4 ms."""

HOME = f"{Path(__file__).resolve().parents[1]}/"

_LAYERS = (
    ("protocol/", "protocol"),
    ("referee/rules/", "rules"),
    ("referee/play/", "table"),
    ("referee/journal/", "journal"),
    ("referee/server/stamps.py", "socket"),
    ("referee/server/links.py", "socket"),
    ("referee/server/shell", "socket"),
    ("referee/server/readers.py", "socket"),
    ("referee/", "engine"),
)
"""The first that a file begins with."""

LAYERS = ("decode", "table", "rules", "journal", "encode", "socket", "engine", "trio", "other")
"""`table` is clocks, faults and messages of a table, `engine` joins tables to connections."""

_DECODING = {"receive", "next_message", "waiting"}
"""The functions by which bytes enter the protocol; by all others they leave it."""


class Profile:
    """Counts samples by layer, and by the innermost of our functions.

    Args:
        path: Where the counts are written, as JSON.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._layers: Counter[str] = Counter()
        self._functions: Counter[str] = Counter()

    def await_signals(self) -> None:
        """Count from SIGUSR1 to SIGUSR2."""
        signal.signal(signal.SIGPROF, self._take)
        signal.signal(signal.SIGUSR1, lambda *_: signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S))
        signal.signal(signal.SIGUSR2, lambda *_: self._end())

    def _end(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        counts = {"layers": self._layers, "functions": self._functions.most_common()}
        unfinished = self._path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(counts))
        unfinished.rename(self._path)

    def _take(self, number: int, frame: FrameType | None) -> None:
        del number
        layer, function = locate(frame)
        self._layers[layer] += 1
        self._functions[function] += 1


def locate(frame: FrameType | None) -> tuple[str, str]:
    """Return the layer of a stack, and the innermost of its functions that belongs to a layer."""
    while frame is not None:
        layer = _layer(frame)
        if layer is not None:
            return _direction(frame) if layer == "protocol" else layer, _name(frame)
        frame = frame.f_back
    return "other", "other"


def _layer(frame: FrameType) -> str | None:
    file = frame.f_code.co_filename
    if "/trio/" in file:
        return "trio"
    if not file.startswith(HOME):
        return None  # a library: booked to who called it
    return next((layer for start, layer in _LAYERS if file.startswith(start, len(HOME))), None)


def _direction(frame: FrameType) -> str:
    """Say whether the protocol was entered to decode or to encode."""
    entered, outer = frame, frame.f_back
    while outer is not None and _layer(outer) in {"protocol", None}:
        if _layer(outer) == "protocol":
            entered = outer
        outer = outer.f_back
    return "decode" if entered.f_code.co_name in _DECODING else "encode"


def _name(frame: FrameType) -> str:
    code = frame.f_code
    file = code.co_filename.removeprefix(HOME).rpartition("/site-packages/")[2]
    return f"{file}:{code.co_qualname}"


def read(path: Path) -> dict[str, Any]:
    """Return what a profile wrote: samples by layer, and pairs of function and samples, most at first."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found
