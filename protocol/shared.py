"""Fields that the requests to all seats of a table have in common: packed once, sent to each."""

from collections.abc import Mapping
from typing import Any

from protocol.packing import without_header
from protocol.records import pack


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
        self._packed: tuple[int, bytes] | None = None

    def packed(self) -> tuple[int, bytes]:
        """Return the number of keys, the type included, and their packed form; what is None is left out."""
        if self._packed is None:
            pairs = {"type": self._type_name}
            pairs |= {name: value for name, value in self.values.items() if value is not None}
            self._packed = len(pairs), without_header(pack(pairs), len(pairs))
        return self._packed
