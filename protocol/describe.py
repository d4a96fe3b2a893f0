"""The parts of SPEC.md that come from the code, so that the document cannot say anything else than the code.

`python -m protocol.describe SPEC.md` writes them anew between `<!-- generated: NAME -->` and `<!-- end -->`:
bounds, states, the fields of messages and maps, the error codes, the bytes of the example above, and the
list of requirements stated in the text.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from protocol import framing, packing, parts
from protocol.connection import MEANINGLESS_EVERY
from protocol.errors import ErrorCode
from protocol.fields import Kind
from protocol.messages import FROM_BOT, FROM_REFEREE, VERSION
from protocol.records import FieldSpec, specs
from protocol.states import TRANSITIONS, State

MESSAGES: dict[str, type] = {cls.TYPE: cls for cls in (*FROM_BOT, *FROM_REFEREE)}  # type: ignore[attr-defined]
"""The messages by their type."""

MAPS: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        parts.Rules,
        parts.TournamentInfo,
        parts.Limits,
        parts.Placement,
        parts.Take,
        parts.StandingsLine,
    )
}
"""The maps inside messages, by the name that field tables give them."""

REGION = re.compile(r"<!-- generated: (?P<name>\S+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
REQUIREMENT = re.compile(
    r"\*\*(?P<id>T5-[A-Z]+-\d\d) (?P<title>[^*]+)\*\*\s+\((?P<keeper>both|bot|referee)\)", re.DOTALL
)
EXAMPLE = re.compile(r"```json\n(.*?)```", re.DOTALL)

_HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
_HEX_BYTES_PER_LINE = 16
_LONGEST_COMMENT = 44

_ENDS = "ends the connection"
_GOES_ON = "goes on"
_EITHER = "goes on; before `welcome` it ends"

ERRORS: dict[ErrorCode, tuple[str, str, str]] = {
    ErrorCode.FRAME_TOO_LARGE: (
        _ENDS,
        "The length in front of a frame is beyond the bound. The text guesses the cause.",
        "Send the length as 4 bytes, big-endian, without TLS or HTTP.",
    ),
    ErrorCode.BAD_FRAME: (
        _ENDS,
        "The payload is not one msgpack map with string keys, exceeds a bound, or is empty.",
        "Pack one map, and send exactly as many bytes as the length says.",
    ),
    ErrorCode.BAD_FIELD: (
        _EITHER,
        "A field holds the wrong type or a value out of range.",
        'Compare with the field table; mind `true`, `12.0` and `"12"`, which are no integers.',
    ),
    ErrorCode.MISSING_FIELD: (_EITHER, "A required field is absent or nil.", "Add it."),
    ErrorCode.UNKNOWN_TYPE: (
        _EITHER,
        "`type` is absent, no string, or no message that bots send.",
        "Send one of the types that the text lists.",
    ),
    ErrorCode.UNEXPECTED_MESSAGE: (
        _ENDS,
        "The message exists but is not allowed in this state of the connection.",
        "Follow the table of states: one `hello`, wait for `welcome`, nothing after `leave`.",
    ),
    ErrorCode.UNSUPPORTED_VERSION: (
        _ENDS,
        "None of the versions in `hello` is spoken here; the text names those that are.",
        "Get the document of that version. Do not try again unchanged.",
    ),
    ErrorCode.UNKNOWN_ENTRANT: (
        _ENDS,
        "The name is not entered, the secret is not its own, or the bot is out for good; which is not told.",
        "Use the name and the secret you were given. Do not try again unchanged.",
    ),
    ErrorCode.NAME_TAKEN: (
        _ENDS,
        "In an open tournament, the first secret that comes with a name owns it, and this one is another.",
        "Use the secret you used before, or choose another name.",
    ),
    ErrorCode.REGISTRATION_CLOSED: (
        _ENDS,
        "This tournament takes no newcomers any more: it has begun, a swiss its last round; or it is full.",
        "Stop; connect before the next tournament begins.",
    ),
    ErrorCode.HANDSHAKE_TIMEOUT: (
        _ENDS,
        "No whole `hello` came in time after the connection was made.",
        "Connect only when you are ready, and send `hello` at once.",
    ),
    ErrorCode.TOO_MANY_CONNECTIONS: (
        _ENDS,
        "The referee has no room for a further connection.",
        "Come back as after a broken connection.",
    ),
    ErrorCode.FLOODING: (
        _ENDS,
        "Too many messages that nobody needs came in too short a time.",
        "Answer each request once; ping seldom or never.",
    ),
    ErrorCode.SLOW_READER: (
        _ENDS,
        "Too much is queued for a bot that does not read. Often the bot never sees this message.",
        "Read all the time, also while you think.",
    ),
    ErrorCode.ILLEGAL_CHOICE: (
        _GOES_ON,
        "The answer is well formed but not among the `choices`.",
        "Answer again with one of the `choices`; the clock has not stopped.",
    ),
    ErrorCode.REQUEST_CLOSED: (
        _GOES_ON,
        "The request was answered before, and the first valid answer counts; or it was decided by default.",
        "Answer each request once.",
    ),
    ErrorCode.UNKNOWN_REQUEST: (
        _GOES_ON,
        "No request has had this id so far.",
        "Copy the id from the request.",
    ),
}
"""What SPEC.md says of each error code: what follows, what happened, what to do."""


@attrs.frozen(kw_only=True)
class Requirement:
    """One requirement as SPEC.md states it.

    Attributes:
        id: such as T5-WIRE-01.
        title: the statement in one sentence.
        keeper: who must keep it: "both", "bot" or "referee".
        section: the heading that it stands under.
    """

    id: str
    title: str
    keeper: str
    section: str


def regenerate(spec: str) -> str:
    """Return the text of SPEC.md with all generated regions written anew.

    Raises:
        KeyError: a region has a name that nothing here generates.
    """
    return REGION.sub(_region, spec)


def requirements(spec: str) -> tuple[Requirement, ...]:
    """Return the requirements that the text states, in order."""
    return tuple(
        Requirement(
            id=match["id"],
            title=" ".join(match["title"].split()),
            keeper=match["keeper"],
            section=_HEADING.findall(spec, 0, match.start())[-1],
        )
        for match in REQUIREMENT.finditer(spec)
    )


def _region(match: re.Match[str]) -> str:
    name = match["name"]
    if name == "hex":
        body = annotated_hex(json.loads(EXAMPLE.findall(match.string, 0, match.start())[-1]))
    elif name == "requirements":
        body = requirements_table(requirements(match.string))
    elif name.startswith("fields-"):
        body = fields_table(MESSAGES[name.removeprefix("fields-")])
    elif name.startswith("map-"):
        body = fields_table(MAPS[name.removeprefix("map-")])
    else:
        body = _PLAIN_REGIONS[name]()
    return f"<!-- generated: {name} -->\n{body}<!-- end -->"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = tuple(head)
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def bounds_table() -> str:
    """Return the bounds that frames and values keep to, as a table."""
    rows = (
        ("protocol version", str(VERSION)),
        ("payload of a bot's frame before `welcome`", f"1 to {framing.LIMIT_BEFORE_HELLO} bytes"),
        ("payload of every other frame, both ways", f"1 to {framing.LIMIT} bytes"),
        ("items of an array", f"at most {packing.MAX_ARRAY}"),
        ("keys of a map", f"at most {packing.MAX_MAP}"),
        ("values in a frame, keys of maps and all maps and arrays included", f"at most {packing.MAX_VALUES}"),
        ("integers", f"0 to {packing.MAX_INTEGER} (2^53 - 1)"),
        ("messages of the referee from one meaningless field to the next", str(MEANINGLESS_EVERY)),
    )
    return _table(("bound", "value"), rows)


def states_table() -> str:
    """Return which end may send what in each state, and where that leads, as a table."""
    rows = (
        (f"`{state.value}`", role, _code_list(names), f"`{after.value}`")
        for (state, role, after), names in _grouped_transitions().items()
    )
    return _table(("state", "sender", "may send", "then"), rows)


def states_diagram() -> str:
    """Return the table of states as a Mermaid diagram."""
    arrows = "".join(
        f"    {state.value} --> {after.value}: {role} sends {', '.join(names)}\n"
        for (state, role, after), names in _grouped_transitions().items()
    )
    start, end = State.HELLO.value, State.CLOSED.value
    return f"\n```mermaid\nstateDiagram-v2\n    [*] --> {start}\n{arrows}    {end} --> [*]\n```\n\n"


def _grouped_transitions() -> dict[tuple[State, str, State], list[str]]:
    groups: dict[tuple[State, str, State], list[str]] = {}
    for (role, state, name), after in TRANSITIONS.items():
        groups.setdefault((state, role.value, after), []).append(name)
    return groups


def _code_list(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def fields_table(cls: type) -> str:
    """Return the fields of a message or of a map inside one, as a table."""
    found = specs(cls)
    if not found:
        return "\nNo fields but `type`.\n\n"
    rows = ((f"`{spec.name}`", _holds(spec.kind), _needed(cls, spec), spec.doc) for spec in found)
    return _table(("field", "holds", "required", "meaning"), rows)


def _needed(cls: type, spec: FieldSpec) -> str:
    default = getattr(attrs.fields_dict(cls)[spec.name], "default", None)
    return "yes" if spec.required else "no" if default is None else f"no; default `{json.dumps(default)}`"


def _holds(kind: Kind) -> str:
    """Name what a field holds, with the bounds that the kind's own name leaves out, linked to its map."""
    name, schema = kind.name, kind.schema
    if kind.record:
        title = f"map {kind.record.__name__}"
        name = name.replace(title, f"[{title}](#{_anchor(title)})")
    if schema.get("type") == "array":
        low, high = schema["minItems"], schema["maxItems"]
        return f"{name}; {low} items" if low == high else f"{name}; {low} to {high} items"
    if schema.get("type") == "string" and "pattern" not in schema and "characters" not in name:
        return f"{name}; at most {schema['maxLength']} characters"
    return name


def errors_table() -> str:
    """Return all error codes with what follows, what happened and what to do, as a table."""
    rows = ((f"`{code.value}`", *ERRORS[code]) for code in ErrorCode)
    return _table(("code", "the connection", "what happened", "what to do"), rows)


def requirements_table(found: Iterable[Requirement]) -> str:
    """Return the list of requirements with who must keep each, as a table."""
    rows = ((one.id, one.title, one.keeper, f"[{one.section}](#{_anchor(one.section)})") for one in found)
    return _table(("id", "requirement", "kept by", "section"), rows)


def _anchor(heading: str) -> str:
    """Return the anchor that Markdown renderers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def annotated_hex(message: packing.WireMap) -> str:
    """Return the whole frame of a message as a block of hex bytes, two spaces, and a comment.

    Args:
        message: the message as a map, `type` first.
    """
    payload = packing.pack(message)
    header = framing.frame(payload)[: framing.HEADER]
    lines = [*_chunks(header, f"length: {len(payload)} bytes follow"), *_annotated(b"", message, "", 0)]
    return "\n```hex\n" + "".join(f"{line}\n" for line in lines) + "```\n\n"


def _annotated(key: bytes, value: Any, label: str, depth: int) -> Iterator[str]:  # noqa: ANN401
    """Give the lines for one value, its key in front."""
    comment = "  " * depth + label
    packed = _packed(value)
    if isinstance(value, dict):
        inside = [(_packed(name), entry, f"{name}: ") for name, entry in value.items()]
        shape = f"map of {len(value)}"
    elif isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        inside = [(b"", entry, f"[{index}] ") for index, entry in enumerate(value)]
        shape = f"array of {len(value)}"
    else:
        yield from _chunks(key + packed, comment + _short(value))
        return
    header = len(packed) - sum(len(name) + len(_packed(entry)) for name, entry, _ in inside)
    yield from _chunks(key + packed[:header], comment + shape)
    for name, entry, label_inside in inside:
        yield from _annotated(name, entry, label_inside, depth + 1)


def _packed(value: Any) -> bytes:  # noqa: ANN401
    """Return the bytes of any value: `pack` takes a map only, so the map and its empty key are cut off."""
    return packing.pack({"": value})[2:]


def _short(value: Any) -> str:  # noqa: ANN401
    shown = json.dumps(value, ensure_ascii=False)
    if len(shown) <= _LONGEST_COMMENT:
        return shown
    return f"array of {len(value)}" if isinstance(value, list) else f"string of {len(value.encode())} bytes"


def _chunks(data: bytes, comment: str) -> Iterator[str]:
    """Cut bytes into lines, the comment at the first."""
    width = 3 * _HEX_BYTES_PER_LINE - 1
    for start in range(0, len(data), _HEX_BYTES_PER_LINE):
        line = data[start : start + _HEX_BYTES_PER_LINE].hex(" ")
        yield line if start else f"{line:<{width}}  {comment}"


_PLAIN_REGIONS: dict[str, Callable[[], str]] = {
    "bounds": bounds_table,
    "states-table": states_table,
    "states-diagram": states_diagram,
    "errors": errors_table,
}


def main() -> None:
    """Rewrite the generated regions of the file that the command line names."""
    path = Path(sys.argv[1])
    path.write_text(regenerate(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
