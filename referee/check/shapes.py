"""Changes to the map of a message that no reader may mind."""

from typing import Any

from protocol.packing import WireMap
from protocol.records import specs
from protocol.schema import MESSAGES
from referee.check.encodings import Shape, pack

MEANINGLESS: dict[str, Any] = {
    "x_text": "ignore me \N{COW}",
    "x_list": [{"type": "choose_card", "request": 1}, [], {}, None, True, 0],
    "x_map": {"card": 1, "deeper": {"choices": [1]}},
    "x_nil": None,
    "x_large": 2**53 - 1,
}
"""Fields that no version of the protocol has."""


def with_unknown_fields(values: WireMap) -> WireMap:
    """Add fields that mean nothing to the message and to each map in it, before and behind the others."""
    first, last = list(MEANINGLESS.items())[:2], list(MEANINGLESS.items())[2:]
    inner = {key: _with_unknown_fields(value) for key, value in values.items()}
    return {**dict(first), **inner, **dict(last)}


def _with_unknown_fields(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return with_unknown_fields(value)
    if isinstance(value, (list, tuple)):
        return [_with_unknown_fields(entry) for entry in value]
    return value


def with_nil_for_absent(values: WireMap) -> WireMap:
    """Name each field that is absent, with nil."""
    absent = {spec.name: None for spec in specs(MESSAGES[values["type"]]) if spec.name not in values}
    return {**values, **absent}


def in_reverse(values: WireMap) -> WireMap:
    """Put the fields in another order: `type` comes last."""
    return dict(reversed(values.items()))


def filled_to(size: int) -> Shape:
    """Return what adds a meaningless text that makes the payload exactly `size` bytes long."""

    def fill(values: WireMap) -> WireMap:
        start = "x" * 300  # from here up to 64 KiB the head of a string has the same width
        missing = size - len(pack({**values, "x_fill": start}))
        return {**values, "x_fill": start + "x" * missing}

    return fill
