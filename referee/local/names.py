"""Names for entrants that come from files: made valid, and made distinct."""

import re
from collections.abc import Sequence

from protocol.fields import NAME_PATTERN

LONGEST_NAME = 32
NAME_HINT = "a name is 1 to 32 of a-z, 0-9, '.', '_' and '-', and begins with a letter or a digit"
NAME_FOR_NOTHING = "bot"


def is_valid(name: str) -> bool:
    """Tell whether an entrant may be called this."""
    return re.fullmatch(NAME_PATTERN, name) is not None


def valid_name(text: str) -> str:
    """Return the valid name nearest to `text`, the name of some file: `Über Bot` becomes `ber-bot`."""
    replaced = re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")
    return replaced[:LONGEST_NAME].rstrip("-._") or NAME_FOR_NOTHING


def distinct(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return names in the same order, all different: of equal ones the second gets `-2`, the third `-3`.

    The first of equals keeps its name, and no suffix makes a name that somebody else asked for.
    """
    taken = set(wanted)
    seen: set[str] = set()
    names = []
    for name in wanted:
        own = name if name not in seen else _next_free(name, taken)
        seen.add(name)
        taken.add(own)
        names.append(own)
    return tuple(names)


def _next_free(name: str, taken: set[str]) -> str:
    number = 2
    while (candidate := _numbered(name, number)) in taken:
        number += 1
    return candidate


def _numbered(name: str, number: int) -> str:
    suffix = f"-{number}"
    return name[: LONGEST_NAME - len(suffix)] + suffix
