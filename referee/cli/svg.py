"""SVG as text: shapes, and words that are escaped, whoever made them up.

Names are set in a monospaced face, the only one whose width is known without the font: so a column can be
made wide enough for the longest of them.
"""

import math
import unicodedata
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from referee.cli.cells import plain

SANS = "DejaVu Sans, Helvetica, Arial, sans-serif"
MONO = "DejaVu Sans Mono, Menlo, Consolas, monospace"
INK = "#1a1a1a"
SIZE = 13
"""Of the letters, in pixels."""

_NARROW = 0.62
_WIDE = 1.25
"""Widths of letters of a monospaced face and of a full-width one, in letter sizes, rounded up."""


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """Return an element.

    Args:
        tag: Its name.
        content: What is inside, as SVG.
        attributes: Its attributes, with underscores for the dashes.
    """
    words = "".join(f" {name.replace('_', '-')}={_value(value)}" for name, value in attributes.items())
    return f"<{tag}{words}>{content}</{tag}>" if content else f"<{tag}{words}/>"


def text(words: str, x: float, y: float, /, **attributes: str | float) -> str:
    """Return words at a place; `y` is the line they stand on."""
    values: dict[str, str | float] = {"x": x, "y": y, "font_size": SIZE, "fill": INK}
    return element("text", escape(plain(words)), **(values | attributes))


def name(words: str, x: float, y: float, /, **attributes: str | float) -> str:
    """Return a name at a place."""
    return text(words, x, y, font_family=MONO, **attributes)


def titled(content: str, words: str) -> str:
    """Return a group that tells more when one points at it."""
    return element("g", element("title", escape(plain(words))) + content)


def width(words: str, size: float = SIZE) -> float:
    """Return how wide a name is at most, in pixels."""
    letters = (_WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW for letter in plain(words))
    return size * sum(letters)


def widest(words: Iterable[str], size: float = SIZE) -> float:
    """Return how wide the widest of some names is, in pixels."""
    return max((width(one, size) for one in words), default=0)


def document(content: str, *, wide: float, high: float, title: str) -> str:
    """Return a whole picture on white, with a line feed at the end."""
    size = {"width": math.ceil(wide), "height": math.ceil(high)}
    attributes: dict[str, str | float] = {
        "xmlns": "http://www.w3.org/2000/svg",
        **size,
        "viewBox": f"0 0 {size['width']} {size['height']}",
        "role": "img",
        "font_family": SANS,
    }
    paper = element("rect", width="100%", height="100%", fill="#ffffff")
    return (
        element("svg", element("title", escape(plain(title))) + "\n" + paper + content, **attributes) + "\n"
    )


def _value(value: str | float) -> str:
    return quoteattr(value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip("."))
