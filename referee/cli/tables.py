"""Tables for people, as aligned text and as Markdown. No text in them is trusted."""

from collections.abc import Sequence

import attrs


@attrs.frozen(kw_only=True)
class Column:
    """A column.

    Attributes:
        above: The upper line of its heading, shared with the columns behind it that have none.
        name: The lower line.
        left: Whether it is aligned left, as words are; numbers are aligned right.
        cells: One for each row.
    """

    above: str = ""
    name: str
    left: bool = False
    cells: Sequence[str]


def as_text(columns: Sequence[Column]) -> str:
    """Align the columns; nothing is ever cut off, however wide it gets."""
    above = any(column.above for column in columns)
    aligned = [_aligned(column, above=above) for column in columns]
    return "".join("  ".join(line).rstrip() + "\n" for line in zip(*aligned, strict=True))


def as_markdown(columns: Sequence[Column]) -> str:
    """Return a table of Markdown, in which nothing that is in a cell is markup."""
    headings = [" ".join(part for part in (column.above, column.name) if part) for column in columns]
    rules = ["---" if column.left else "--:" for column in columns]
    lines = zip(*(map(_escaped, column.cells) for column in columns), strict=True)
    return "".join(f"| {' | '.join(line)} |\n" for line in (headings, rules, *lines))


def _aligned(column: Column, *, above: bool) -> list[str]:
    lines = [*([column.above] if above else []), column.name, *column.cells]
    width = max(map(len, lines))
    return [line.ljust(width) if column.left else line.rjust(width) for line in lines]


def _escaped(text: str) -> str:
    """Escape what Markdown, or the HTML that may stand in it, would take for more than text."""
    escaped = "".join(f"\\{char}" if char in "\\`*_[]|~#" else char for char in text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
