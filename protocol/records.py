"""Attrs classes to maps and back, led by the fields that `fields.wire` and `fields.optional` declare."""

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import attrs

from protocol.errors import ErrorCode, PeerError
from protocol.fields import Kind, WrongValue
from protocol.packing import WireMap, make_pack

T = TypeVar("T")

Writer = Callable[[Any], WireMap]
"""Makes the map for an object."""


@attrs.frozen(kw_only=True)
class FieldSpec:
    """One declared field: its name on the wire, what it may hold, if it must be there, what for."""

    name: str
    kind: Kind
    required: bool
    doc: str


@functools.cache
def specs(cls: type) -> tuple[FieldSpec, ...]:
    """Return the declared fields of an attrs class, in order."""
    return tuple(
        FieldSpec(
            name=field.name,
            kind=field.metadata["kind"],
            required=field.default is attrs.NOTHING,
            doc=field.metadata["doc"],
        )
        for field in attrs.fields(cls)
        if "kind" in field.metadata
    )


def record(cls: type) -> Kind:
    """Return the kind of a field that holds a map with the declared fields of `cls`."""

    def check(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not dict:
            raise WrongValue("a map")
        try:
            return read(cls, value)
        except PeerError as error:
            raise WrongValue(f"a map in which this holds: {error.sentence.removesuffix('.')}") from None

    properties = {spec.name: spec.kind.schema for spec in specs(cls)}
    required = [spec.name for spec in specs(cls) if spec.required]
    schema = {"type": "object", "properties": properties, "required": required}
    return Kind(name=f"map {cls.__name__}", check=check, schema=schema, record=cls)


def read(cls: Callable[..., T], values: WireMap) -> T:
    """Return the `cls` that a map describes; keys that `cls` does not declare are ignored.

    Raises:
        PeerError: a field is missing or holds something else than declared.
    """
    found: T = reader(cls)(values)
    return found


@functools.cache
def reader(cls: Callable[..., T]) -> Callable[[WireMap], T]:
    """Return what does for one class the same as `read`, for those who keep it."""
    fields = tuple((spec.name, spec.required, spec.kind.check) for spec in specs(cls))

    def read_fields(values: WireMap) -> T:
        # A plain loop over a prepared tuple: this runs for every message that a bot sends.
        found = {}
        for name, required, check in fields:
            value = values.get(name)
            if value is not None:
                try:
                    found[name] = check(value)
                except WrongValue as error:
                    raise PeerError(ErrorCode.BAD_FIELD, f"The field '{name}' must be {error}.") from None
            elif required:
                raise PeerError(ErrorCode.MISSING_FIELD, f"The field '{name}' is missing.")
        return cls(**found)

    return read_fields


def write(value: Any) -> WireMap:  # noqa: ANN401
    """Return the map for an attrs object, its values in our own form; fields that are None are left out."""
    return writer(value.__class__)(value)


@functools.cache
def writer(cls: type, **constants: str) -> Writer:
    """Return what does for one class the same as `write`, for those who keep it.

    Args:
        cls: The class.
        constants: Further entries, which come first and are the same for all objects.
    """
    get = picker([spec.name for spec in specs(cls)], **constants)
    optional = [spec.name for spec in specs(cls) if not spec.required]

    def write_fields(value: Any) -> WireMap:  # noqa: ANN401
        found = get(value)
        for name in optional:
            if found[name] is None:
                del found[name]
        return found

    return write_fields


def picker(names: Iterable[str], **constants: str) -> Writer:
    """Return what makes a map of some attributes of an object, None or not, behind constant entries."""
    entries = [f"{name!r}: {value!r}" for name, value in constants.items()]
    entries += [f"{name!r}: value.{name}" for name in names]
    # Source made from the names, as attrs makes an __init__: a loop over them takes three times as long.
    picked: Writer = eval(f"lambda value: {{{', '.join(entries)}}}")
    return picked


pack = make_pack(write)
"""Packs a map whose values are in our own form: words that are enums, attrs objects, tuples of them."""
