"""The crosstable as a heat map: what each entrant made of each other one, in colours and numbers.

The colours run from orange by white to blue, which people with any of the usual kinds of colour blindness can
tell apart (after "PuOr" and "RdBu" of ColorBrewer); all are light enough for dark numbers.
"""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from referee.cli import svg
from referee.cli.panel import Panel

MOST = 64
"""So many entrants, the best, are in a crosstable at most."""

_ORANGE, _WHITE, _BLUE = (241, 163, 64), (255, 255, 255), (103, 169, 207)
_EMPTY = "#e6e6e6"
_LARGE, _SMALL = 38.0, 16.0
_FEW = 20
_PAD = 12.0
_HEADING = 34.0
_LEGEND = 58.0
_NOTE = "won by the row against the column, ties counting half; a dash: they never met"


@attrs.frozen(kw_only=True)
class Cell:
    """What one entrant made of another.

    Attributes:
        share: The share of their games that it won, ties counting half.
        games: How many games they had.
    """

    share: float
    games: int


def heat_map(names: Sequence[str], cells: Mapping[tuple[int, int], Cell]) -> Panel:
    """Draw a crosstable.

    Args:
        names: The entrants in the order of the standings.
        cells: By (place of the row, place of the column); pairs that never met are not in it.
    """
    shown = names[:MOST]
    side = _LARGE if len(shown) <= _FEW else _SMALL
    longest = svg.widest(shown)
    left, top = longest + _PAD, longest + _PAD + _HEADING
    heading = "Crosstable" if len(shown) == len(names) else f"Crosstable of the first {MOST} of {len(names)}"
    parts = [
        svg.text(heading, 0, 14, font_weight="bold", font_size=15),
        *_labels(shown, left, top, side),
        *(
            _square(shown, (row, column), cells, (left + side * column, top + side * row), side)
            for row in range(len(shown))
            for column in range(len(shown))
        ),
        *_legend(left, top + side * len(shown) + 16),
    ]
    wide = max(left + side * len(shown), left + svg.width(_NOTE), svg.width(heading, 17))
    return Panel(width=wide, height=top + side * len(shown) + _LEGEND, content="\n".join(parts))


def _labels(names: Sequence[str], left: float, top: float, side: float) -> Iterator[str]:
    for place, name in enumerate(names):
        middle = side * (place + 0.5) + 4
        yield svg.name(name, left - _PAD, top + middle, text_anchor="end")
        x, y = left + middle, top - _PAD / 2
        yield svg.name(name, x, y, transform=f"rotate(-90 {x:g} {y:g})")


def _square(
    names: Sequence[str],
    place: tuple[int, int],
    cells: Mapping[tuple[int, int], Cell],
    corner: tuple[float, float],
    side: float,
) -> str:
    """One square: coloured where the two met, grey where an entrant meets itself, else with a dash."""
    cell = cells.get(place)
    x, y = corner
    fill = _colour(cell.share) if cell else _EMPTY if place[0] == place[1] else "#ffffff"
    square = svg.element("rect", x=x, y=y, width=side, height=side, fill=fill, stroke="#bbbbbb")
    if cell is None:
        met_nobody = svg.element("path", d=f"M{x + side / 2 - 3:g} {y + side / 2:g}h6", stroke="#777777")
        return square if place[0] == place[1] else square + met_nobody
    if side >= _LARGE:
        square += svg.text(f"{100 * cell.share:.0f}", x + side / 2, y + side / 2 + 4, text_anchor="middle")
    row, column = (names[one] for one in place)
    return svg.titled(square, f"{row} against {column}: {cell.share:.1%} of {cell.games} games")


def _colour(share: float) -> str:
    end, weight = (_BLUE, 2 * share - 1) if share >= 0.5 else (_ORANGE, 1 - 2 * share)
    return "#" + "".join(
        f"{round(white + (full - white) * weight):02x}" for white, full in zip(_WHITE, end, strict=True)
    )


def _legend(left: float, top: float) -> Iterator[str]:
    for place in range(5):
        x = left + _LARGE * place
        yield svg.element(
            "rect", x=x, y=top, width=_LARGE, height=16.0, fill=_colour(place / 4), stroke="#bbbbbb"
        )
        yield svg.text(f"{25 * place}", x + _LARGE / 2, top + 12, text_anchor="middle", font_size=11)
    yield svg.text("% of their games", left + 5 * _LARGE + 8, top + 13)
    yield svg.text(_NOTE, left, top + 34)
