"""JSON Schema (draft 2020-12) of the messages, made from the declared kinds.

What it cannot say: that texts are printable, and that `12.0` is no integer on the wire. What it leaves open
on purpose: fields that nobody knows.
"""

from typing import Any

from protocol.fields import Kind
from protocol.messages import FROM_BOT, FROM_REFEREE
from protocol.records import specs

DIALECT = "https://json-schema.org/draft/2020-12/schema"

MESSAGES: dict[str, type] = {cls.TYPE: cls for cls in (*FROM_BOT, *FROM_REFEREE)}  # type: ignore[attr-defined]
"""The class of each message, by its type."""

Schema = dict[str, Any]


def schema() -> Schema:
    """Return the schema of all messages; each has a definition under `$defs`, named by its type."""
    definitions = {name: _of_message(name) for name in MESSAGES}
    return {
        "$schema": DIALECT,
        "title": "A message of the Take 5 bot protocol",
        "oneOf": [_reference(name) for name in definitions],
        "$defs": {**definitions, **_maps_of(*MESSAGES.values())},
    }


def schema_of(name: str) -> Schema:
    """Return the schema of one message.

    Args:
        name: Its type, such as "choose_card".

    Raises:
        KeyError: There is no such message.
    """
    found = {"$schema": DIALECT, **_of_message(name)}
    maps = _maps_of(MESSAGES[name])
    return {**found, "$defs": maps} if maps else found


def _of_message(name: str) -> Schema:
    cls = MESSAGES[name]
    sender = "bot" if cls in FROM_BOT else "referee"
    found = _of_record(cls)
    return {
        "title": name,
        "description": f"{_first_line(cls)} Sent by the {sender}.",
        **found,
        "properties": {"type": {"const": name}, **found["properties"]},
        "required": ["type", *found["required"]],
    }


def _of_record(cls: type) -> Schema:
    """Return the schema of a map with the declared fields of a class; nil is as good as absent."""
    properties = {}
    for spec in specs(cls):
        value = _of_kind(spec.kind)
        if not spec.required:
            value = {"anyOf": [value, {"type": "null"}]}
        properties[spec.name] = {"description": spec.doc, **value}
    required = [spec.name for spec in specs(cls) if spec.required]
    return {"type": "object", "properties": properties, "required": required}


def _of_kind(kind: Kind) -> Schema:
    if kind.record is None:
        return kind.schema
    reference = _reference(kind.record.__name__)
    return {**kind.schema, "items": reference} if kind.schema["type"] == "array" else reference


def _maps_of(*classes: type) -> dict[str, Schema]:
    """Return the definitions of all maps inside some classes, at every depth."""
    found: dict[str, Schema] = {}
    for cls in classes:
        for spec in specs(cls):
            inner = spec.kind.record
            if inner is not None and inner.__name__ not in found:
                found[inner.__name__] = {"description": _first_line(inner), **_of_record(inner)}
                found |= _maps_of(inner)
    return found


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").split("\n")[0]
