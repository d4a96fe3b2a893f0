"""The kinds of value a message field may hold, each with its strict check and a name for people.

A check takes the value as msgpack gave it and returns it in our form (arrays become tuples, maps become
attrs objects), or raises `WrongValue` with what was expected. Types are compared exactly: to Python `True`
is an int and `12.0 == 12`, to the protocol they are wrong.
"""

import enum
import re
from collections.abc import Callable
from typing import Any

import attrs

from protocol.packing import MAX_ARRAY, MAX_INTEGER

NAME_PATTERN = r"[a-z0-9][a-z0-9._-]{0,31}"


class WrongValue(ValueError):
    """A value that is not what the field asks for; the text says what was expected."""


@attrs.frozen(kw_only=True)
class Kind:
    """One kind of value.

    Attributes:
        name: how SPEC.md calls it, such as "card (1 to 104)".
        check: returns the value in our form or raises WrongValue.
        schema: its JSON Schema.
        record: the attrs class, if it is (an array of) maps.
    """

    name: str
    check: Callable[[Any], Any]
    schema: dict[str, Any]
    record: type | None = None


def integer(low: int, high: int, name: str | None = None) -> Kind:
    """An integer from `low` to `high`, both included, of whatever width msgpack gave it."""
    described = name or f"integer ({low} to {high})"

    def check(value: Any) -> int:  # noqa: ANN401
        if type(value) is int and low <= value <= high:
            return value
        raise WrongValue(f"an integer from {low} to {high}")

    return Kind(name=described, check=check, schema={"type": "integer", "minimum": low, "maximum": high})


def text(longest: int, *, pattern: str | None = None, name: str | None = None) -> Kind:
    """A printable string of at most `longest` characters, which wholly matches `pattern` if there is one."""
    matches = re.compile(pattern).fullmatch if pattern else None
    expected = (
        f"a string that matches {pattern}"
        if pattern
        else f"a printable string of at most {longest} characters"
    )
    schema: dict[str, Any] = {"type": "string", "maxLength": longest}
    if pattern:
        schema["pattern"] = f"^{pattern}$"

    def check(value: Any) -> str:  # noqa: ANN401
        if (
            type(value) is str
            and len(value) <= longest
            and value.isprintable()
            and (not matches or matches(value))
        ):
            return value
        raise WrongValue(expected)

    return Kind(name=name or f"string (at most {longest} characters)", check=check, schema=schema)


def boolean() -> Kind:
    """True or false."""

    def check(value: Any) -> bool:  # noqa: ANN401
        if type(value) is bool:
            return value
        raise WrongValue("true or false")

    return Kind(name="boolean", check=check, schema={"type": "boolean"})


def choice(options: type[enum.StrEnum]) -> Kind:
    """A string that is the value of one member of `options`."""
    members = {member.value: member for member in options}
    words = ", ".join(f'"{value}"' for value in members)

    def check(value: Any) -> enum.StrEnum:  # noqa: ANN401
        if type(value) is str and value in members:
            return members[value]
        raise WrongValue(f"one of {words}")

    return Kind(name=f"one of {words}", check=check, schema={"enum": list(members)})


def array(item: Kind, *, longest: int = MAX_ARRAY, shortest: int = 0) -> Kind:
    """An array of `shortest` to `longest` items of one kind."""
    item_check = item.check

    def check(value: Any) -> tuple[Any, ...]:  # noqa: ANN401
        if type(value) is not list or not shortest <= len(value) <= longest:
            raise WrongValue(f"an array of {shortest} to {longest} items")
        try:
            return tuple([item_check(entry) for entry in value])
        except WrongValue as error:
            raise WrongValue(f"an array in which each item is {error}") from None

    schema = {"type": "array", "items": item.schema, "minItems": shortest, "maxItems": longest}
    return Kind(name=f"array of {item.name}", check=check, schema=schema, record=item.record)


def wire(kind: Kind, doc: str) -> Any:  # noqa: ANN401
    """Declare a field that must be there."""
    return attrs.field(metadata={"kind": kind, "doc": doc})


def optional(kind: Kind, doc: str, default: object = None) -> Any:  # noqa: ANN401
    """Declare a field that may be absent or nil, which both mean `default`."""
    return attrs.field(default=default, metadata={"kind": kind, "doc": doc})


CARD = integer(1, 104, "card (1 to 104)")
ROW = integer(0, 3, "row (0 to 3)")
SEAT = integer(0, 9, "seat (0 to 9)")
COUNT = integer(0, MAX_INTEGER, "count (0 or more)")
ORDINAL = integer(1, MAX_INTEGER, "number (from 1)")
MILLISECONDS = integer(0, MAX_INTEGER, "milliseconds")
BULLHEADS = integer(0, MAX_INTEGER, "bullheads")
REQUEST = integer(1, MAX_INTEGER, "request id")
NAME = text(32, pattern=NAME_PATTERN, name=f"name (`{NAME_PATTERN}`)")
GAME = text(32, name="game id")
SENTENCE = text(1000, name="text")
DIGEST = text(64, pattern="[0-9a-f]{64}", name="SHA-256 (64 hex digits)")
CARDS = array(CARD)
"""Cards, ascending unless said otherwise."""
ROWS = array(array(CARD, longest=5), longest=4, shortest=4)
"""The four rows, each in the order in which its cards were laid."""
