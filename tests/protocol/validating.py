"""As much of JSON Schema (draft 2020-12) as our schema uses; any other keyword is refused."""

import re
from typing import Any

_REMARKS = {"$schema", "$defs", "title", "description"}


def is_valid(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None) -> bool:
    """Say whether a value satisfies a schema, whose references point into `root`."""
    base = schema if root is None else root
    return all(_CHECKS[word](value, schema, base) for word in schema if word not in _REMARKS)


def _type(value, schema, root):
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "boolean": bool,
        "null": type(None),
    }
    # The specification knows no difference between 12.0 and 12; here the stricter reading is enough.
    return type(value) is kinds[schema["type"]]


def _reference(value, schema, root):
    name = schema["$ref"].removeprefix("#/$defs/")
    return is_valid(value, root["$defs"][name], root)


def _properties(value, schema, root):
    return type(value) is not dict or all(
        is_valid(value[key], inner, root) for key, inner in schema["properties"].items() if key in value
    )


_CHECKS = {
    "type": _type,
    "$ref": _reference,
    "properties": _properties,
    "const": lambda value, schema, root: value == schema["const"],
    "enum": lambda value, schema, root: value in schema["enum"],
    "oneOf": lambda value, schema, root: sum(is_valid(value, one, root) for one in schema["oneOf"]) == 1,
    "anyOf": lambda value, schema, root: any(is_valid(value, one, root) for one in schema["anyOf"]),
    "required": lambda value, schema, root: (
        type(value) is not dict or set(schema["required"]) <= value.keys()
    ),
    "minimum": lambda value, schema, root: type(value) is not int or schema["minimum"] <= value,
    "maximum": lambda value, schema, root: type(value) is not int or value <= schema["maximum"],
    "maxLength": lambda value, schema, root: type(value) is not str or len(value) <= schema["maxLength"],
    "pattern": lambda value, schema, root: (
        type(value) is not str or re.search(schema["pattern"].replace("$", r"\Z"), value) is not None
    ),
    "items": lambda value, schema, root: (
        type(value) is not list or all(is_valid(entry, schema["items"], root) for entry in value)
    ),
    "minItems": lambda value, schema, root: type(value) is not list or schema["minItems"] <= len(value),
    "maxItems": lambda value, schema, root: type(value) is not list or len(value) <= schema["maxItems"],
}
