"""Values for messages, made from the declared kinds, so that no test keeps a second list of the fields."""

import re
from typing import Any

from hypothesis import strategies as st

from protocol.messages import FROM_BOT, FROM_REFEREE, Error, Hello, Message
from protocol.records import read, record
from protocol.states import FATAL_ERROR

ALL_MESSAGES = (*FROM_BOT, *FROM_REFEREE)

PRINTABLE = st.one_of(st.just(" "), st.characters(exclude_categories=("C", "Z")))

EXAMPLES_OF_PATTERNS = ("a", "0", "0" * 64)


def wire_maps(cls: type) -> st.SearchStrategy[dict[str, Any]]:
    """Return maps as they come off the wire for `cls`, optional fields sometimes absent, without `type`."""
    return values_of(record(cls).schema)


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return the values that a kind's JSON Schema allows; long arrays and texts are cut short for speed."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "boolean":
            return st.booleans()
        case "string" if "pattern" in schema:
            return st.from_regex(schema["pattern"].strip("^$"), fullmatch=True).filter(
                lambda text: len(text) <= schema["maxLength"]
            )
        case "string":
            return st.text(PRINTABLE, max_size=schema["maxLength"])
        case "array":
            longest = min(schema["maxItems"], max(schema["minItems"], 4))
            return st.lists(values_of(schema["items"]), min_size=schema["minItems"], max_size=longest)
    fields = {name: values_of(kind) for name, kind in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: fields[name] for name in schema["required"]},
        optional={name: kind for name, kind in fields.items() if name not in schema["required"]},
    )


def smallest_map(cls: type) -> dict[str, Any]:
    """Return one valid map for `cls` with the required fields only, each as small as it may be."""
    found: dict[str, Any] = _smallest(record(cls).schema)
    return found


def smallest(cls: type, **changes: Any) -> Message:
    """Return one valid message of a class; `changes` are wire values of single fields."""
    message: Message = read(cls, {**smallest_map(cls), **changes})
    return message


def one_of_each() -> dict[str, Message]:
    """Return a message for every name in the table of states."""
    found = {cls.TYPE: smallest(cls) for cls in ALL_MESSAGES}
    return {**found, FATAL_ERROR: smallest(Error, fatal=True)}


def hello(**changes: Any) -> Message:
    """Return a hello that the referee would accept, but for `changes`."""
    return smallest(Hello, **{"name": "ann", "secret": "s", "versions": [1], **changes})


def _smallest(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "integer":
            return schema["minimum"]
        case "boolean":
            return False
        case "string":
            return next(text for text in ("", *EXAMPLES_OF_PATTERNS) if _fits(text, schema))
        case "array":
            return [_smallest(schema["items"]) for _ in range(schema["minItems"])]
    return {name: _smallest(schema["properties"][name]) for name in schema["required"]}


def _fits(text: str, schema: dict[str, Any]) -> bool:
    return re.search(schema.get("pattern", ""), text) is not None
