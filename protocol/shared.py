"""Fields that the requests to all seats of a table have in common: packed once, sent to each."""

from collections.abc import Mapping
from typing import Any

from protocol.packing import map_header, without_header
from protocol.records import pack

OWN_FIELDS = ("request", "seat", "hand", "choices", "time_ms", "bank_ms", "bot_seed")
"""The fields of a request that are each seat's own; all others may be shared."""


class SharedFields:
    """The common fields of several messages of one type.

    Args:
        type_name: The type of the messages.
        values: The fields, by name, in our own form.

    Attributes:
        values: As given.
    """

    __slots__ = ("_packed", "_type_name", "values")

    def __init__(self, type_name: str, values: Mapping[str, Any]) -> None:
        self.values = values
        self._type_name = type_name
        self._packed: bytes | None = None

    def packed(self) -> bytes:
        """Return the packed map, of type and fields that are not None, that waits for the `OWN_FIELDS`."""
        if self._packed is None:
            pairs = {"type": self._type_name, **self.values}
            for name, value in self.values.items():
                if value is None:
                    del pairs[name]
            header = map_header(len(pairs) + len(OWN_FIELDS))
            self._packed = header + without_header(pack(pairs), len(pairs))
        return self._packed
