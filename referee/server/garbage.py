"""How often Python looks for cyclic garbage while a referee is at work."""

import contextlib
import gc
from collections.abc import Iterator

COLLECT_AFTER = 20_000
"""So many more new objects than deleted ones bring on a look at the youngest, instead of Python's 700."""


@contextlib.contextmanager
def collected_seldom() -> Iterator[None]:
    """Have Python look less often, for as long as this lasts.

    A pass makes thousands of objects that live until its end and are in no cycle; to look at them all in
    mid-pass, several times, finds nothing and takes a thirtieth of the time.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(COLLECT_AFTER, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
