"""Did you mean: what a mistyped word was probably meant to be."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], *, prefix: str = "") -> str:
    """Return the end of a sentence that suggests the nearest of the known words, if one is near.

    Args:
        word: What was written.
        known: What could have been.
        prefix: With what all the words begin, and so says nothing of their likeness.
    """
    near = difflib.get_close_matches(
        word.removeprefix(prefix), [one.removeprefix(prefix) for one in known], n=1
    )
    return f"; did you mean {prefix}{near[0]}?" if near else "."
