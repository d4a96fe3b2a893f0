"""Results of a check as text for people, as JSON, and as JUnit XML for build servers."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from referee.check.log import Entry, Sender
from referee.check.verdicts import Result, Verdict

FORMAT = 1
"""Of the JSON; fields may be added, and none changes its meaning without a new number."""

SHOWN_ENTRIES = 8
SHOWN_BYTES = 96
SHOWN_CHARACTERS = 400
SHOWN_OUTPUT_LINES = 15

_WORDS = {
    Verdict.PASSED: "passed",
    Verdict.FAILED: "failed",
    Verdict.ADVISED: "could do better",
    Verdict.NOT_APPLICABLE: "not applicable",
}
_WIDTH = 20


def text(result: Result, *, whole: bool) -> Iterator[str]:
    """Yield the lines for one situation, none with a character that could steer a terminal.

    Args:
        result: What it came to.
        whole: Whether to show all that was said, also where the bot passed.
    """
    mark = result.verdict.value.upper() if result.verdict is Verdict.FAILED else result.verdict.value
    yield f"{mark:6}  {result.name:{_WIDTH}}  {result.requirement:14}  {result.title}"
    if result.sentence:
        yield f"        {_plain(result.sentence)}"
    if result.verdict in (Verdict.FAILED, Verdict.ADVISED):
        yield f'        Read {result.requirement} in SPEC.md, under "{result.section}".'
    if whole or result.verdict in (Verdict.FAILED, Verdict.ADVISED):
        yield from _conversation(result, whole=whole)


def summary(results: Sequence[Result]) -> str:
    """Return the last line: how many situations came to what."""
    counts = Counter(result.verdict for result in results)
    parts = [f"{counts[verdict]} {word}" for verdict, word in _WORDS.items() if counts[verdict]]
    return f"{len(results)} situations: {', '.join(parts)}"


def passed(results: Sequence[Result]) -> bool:
    """Say whether the bot failed in no situation; advice is none."""
    return all(result.verdict is not Verdict.FAILED for result in results)


def as_json(bot: str, results: Sequence[Result]) -> str:
    """Return everything as one JSON object."""
    document = {
        "format": FORMAT,
        "bot": bot,
        "passed": passed(results),
        "situations": [_as_map(result) for result in results],
    }
    return json.dumps(document, indent=2, default=repr) + "\n"


def as_junit(bot: str, results: Sequence[Result]) -> str:
    """Return the results in the form of JUnit, as build servers read it; advice passes."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"take5-referee check {_xml(bot)}",
        tests=str(len(results)),
        failures=str(sum(result.verdict is Verdict.FAILED for result in results)),
        skipped=str(sum(result.verdict is Verdict.NOT_APPLICABLE for result in results)),
        errors="0",
        time=f"{sum(result.seconds for result in results):.3f}",
    )
    for result in results:
        case = ElementTree.SubElement(
            suite, "testcase", classname=result.requirement, name=result.name, time=f"{result.seconds:.3f}"
        )
        if result.verdict is Verdict.NOT_APPLICABLE:
            ElementTree.SubElement(case, "skipped", message=_xml(result.sentence))
        elif result.verdict is Verdict.FAILED:
            failure = ElementTree.SubElement(case, "failure", message=_xml(result.sentence))
            failure.text = _xml("\n".join(text(result, whole=False)))
        elif result.verdict is Verdict.ADVISED:
            ElementTree.SubElement(case, "system-out").text = _xml(result.sentence)
    ElementTree.indent(suite)
    return f"{ElementTree.tostring(suite, encoding='unicode', xml_declaration=True)}\n"


def _conversation(result: Result, *, whole: bool) -> Iterator[str]:
    entries = result.entries if whole else result.entries[-SHOWN_ENTRIES:]
    if len(entries) < len(result.entries):
        yield f"        The last {len(entries)} of {len(result.entries)} things that happened:"
    for entry in entries:
        yield from entry_lines(entry, whole=whole)
    lines = result.output.splitlines()[-SHOWN_OUTPUT_LINES:]
    if lines and result.verdict is not Verdict.PASSED:
        yield "        The bot wrote:"
        yield from (f"          {_plain(line)}" for line in lines)


def entry_lines(entry: Entry, *, whole: bool) -> Iterator[str]:
    """Yield the lines for one thing that was said or happened: its moment, what it says, and its bytes."""
    begun = f"        {entry.at_s:8.3f} s  {entry.sender.value:8}  "
    if entry.sender is Sender.NOBODY:
        yield f"{begun}{_plain(entry.remark)}"
        return
    said = _plain(entry.remark) if entry.message is None else _as_text(entry.message)
    yield begun + (said if whole or len(said) <= SHOWN_CHARACTERS else f"{said[:SHOWN_CHARACTERS]} ...")
    shown = entry.data if whole else entry.data[:SHOWN_BYTES]
    for start in range(0, len(shown), 32):
        yield f"                                {shown[start : start + 32].hex(' ')}"
    if len(shown) < len(entry.data):
        yield f"                                ... ({len(entry.data)} bytes in all)"


def _as_map(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "requirement": result.requirement,
        "section": result.section,
        "title": result.title,
        "verdict": result.verdict.value,
        "sentence": result.sentence,
        "seconds": round(result.seconds, 3),
        "conversation": [
            {
                "at_ms": round(entry.at_s * 1000),
                "from": entry.sender.value,
                "message": entry.message,
                "hex": entry.data.hex(),
                "remark": entry.remark,
            }
            for entry in result.entries
        ],
        "output": result.output,
    }


def _as_text(message: dict[str, Any]) -> str:
    """Write a map as JSON; what JSON does not know, in a field that nobody knows, as Python shows it."""
    return json.dumps(message, default=repr)


def _plain(line: str) -> str:
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in line
    )


def _xml(content: str) -> str:
    """Escape what XML 1.0 cannot hold."""
    return "\n".join(_plain(line) for line in content.split("\n"))
