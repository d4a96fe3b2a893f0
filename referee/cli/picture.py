"""A picture of standings: ratings or points with their bars, and below them a crosstable.

An SVG of our own: two charts of a fixed form take less code than the styling that a plotting library would
need to make them, nothing has to be installed or loaded, and equal standings give equal bytes.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import attrs

from referee.cli import svg
from referee.cli.heatmap import Cell, heat_map
from referee.cli.panel import Panel

_MARGIN = 24.0
_GAP = 28.0
_TITLE_SIZE = 18
_TITLE_HEIGHT = 58.0
_ROW = 24.0
_PLOT = 420.0
_AXIS = 46.0
_PAD = 12.0
_FEWEST_TICKS = 4
_NO_SPAN = 1e-6
_BLUE = "#2166ac"
_GRID = "#dddddd"
_ZERO = "#888888"


@attrs.frozen(kw_only=True)
class Mark:
    """One entrant in the chart.

    Attributes:
        name: Its name.
        value: Where it is; None if that is not known.
        low: The lower end of its bar; None without a bar.
        high: The upper end.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


@attrs.frozen(kw_only=True)
class Picture:
    """What is drawn.

    Attributes:
        title: What it shows.
        subtitle: More of that, in one line.
        axis: What the values are.
        decimals: With how many decimals they are written.
        marks: The entrants in the order of the standings.
        cells: By (place of the row, place of the column) in that order, what one made of the other; empty
            for a picture without a crosstable.
    """

    title: str
    subtitle: str
    axis: str
    decimals: int
    marks: tuple[Mark, ...]
    cells: Mapping[tuple[int, int], Cell]


def draw(picture: Picture) -> str:
    """Return the picture as SVG."""
    panels = [_chart(picture)]
    if picture.cells:
        panels.append(heat_map([mark.name for mark in picture.marks], picture.cells))
    parts = [
        svg.text(picture.title, _MARGIN, _MARGIN + 10, font_size=_TITLE_SIZE, font_weight="bold"),
        svg.text(picture.subtitle, _MARGIN, _MARGIN + 30),
    ]
    top = _MARGIN + _TITLE_HEIGHT
    for panel in panels:
        parts.append(svg.element("g", panel.content, transform=f"translate({_MARGIN:g} {top:g})"))
        top += panel.height + _GAP
    headings = svg.width(picture.title, _TITLE_SIZE * 1.1), svg.width(picture.subtitle)
    wide = max(*headings, *(panel.width for panel in panels)) + 2 * _MARGIN
    return svg.document("\n".join(parts), wide=wide, high=top - _GAP + _MARGIN, title=picture.title)


# --- the chart ---------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class _Scale:
    """Where values are on the axis: ticks are whole numbers of steps, and lie at both its ends."""

    left: float
    first: int
    last: int
    step: float

    def x(self, value: float) -> float:
        share = (value / self.step - self.first) / (self.last - self.first)
        return self.left + share * _PLOT

    def ticks(self) -> list[float]:
        return [number * self.step for number in range(self.first, self.last + 1)]

    def label(self, tick: float) -> str:
        return f"{tick:.{max(0, -math.floor(math.log10(self.step) + _NO_SPAN))}f}"


def _scale(values: Sequence[float], left: float) -> _Scale:
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high - low < _NO_SPAN:
        low, high = low - 1, high + 1
    power = 10.0 ** math.floor(math.log10((high - low) / _FEWEST_TICKS))
    step = max(size * power for size in (1, 2, 5) if size * power <= (high - low) / _FEWEST_TICKS)
    return _Scale(left=left, first=math.floor(low / step), last=math.ceil(high / step), step=step)


def _chart(picture: Picture) -> Panel:
    names = svg.widest(mark.name for mark in picture.marks)
    values = [_numbers(mark, picture.decimals) for mark in picture.marks]
    reached = [
        value for mark in picture.marks for value in (mark.low, mark.value, mark.high) if value is not None
    ]
    scale = _scale(reached, names + _PAD)
    bottom = _ROW * len(picture.marks)
    beside = scale.left + _PLOT + _PAD
    parts = [*_grid(scale, bottom)]
    for place, (mark, numbers) in enumerate(zip(picture.marks, values, strict=True)):
        middle = _ROW * (place + 0.5)
        parts.append(svg.name(mark.name, names, middle + 4, text_anchor="end"))
        parts += _mark(mark, scale, middle)
        parts.append(svg.text(numbers, beside, middle + 4))
    parts.append(svg.text(picture.axis, scale.left + _PLOT / 2, bottom + 38, text_anchor="middle"))
    wide = max(beside + svg.widest(values), scale.left + (_PLOT + svg.width(picture.axis)) / 2)
    return Panel(width=wide, height=bottom + _AXIS, content="\n".join(parts))


def _grid(scale: _Scale, bottom: float) -> Iterator[str]:
    for tick in scale.ticks():
        x = scale.x(tick)
        stroke = _GRID if tick else _ZERO
        yield svg.element("line", x1=x, y1=0.0, x2=x, y2=bottom, stroke=stroke)
        yield svg.text(scale.label(tick), x, bottom + 18, text_anchor="middle", font_size=12)


def _mark(mark: Mark, scale: _Scale, middle: float) -> Iterator[str]:
    if mark.value is None:
        return
    if mark.low is not None and mark.high is not None:
        ends = scale.x(mark.low), scale.x(mark.high)
        yield svg.element(
            "path",
            d=f"M{ends[0]:.2f} {middle:g}H{ends[1]:.2f}"
            + "".join(f"M{end:.2f} {middle - 4:g}v8" for end in ends),
            stroke=_BLUE,
            stroke_width=2.0,
        )
    yield svg.element("circle", cx=scale.x(mark.value), cy=middle, r=4.5, fill=_BLUE)


def _numbers(mark: Mark, decimals: int) -> str:
    if mark.value is None:
        return "n/a"
    value = f"{mark.value:.{decimals}f}"
    if mark.low is None or mark.high is None:
        return value
    return f"{value} ({mark.low:.{decimals}f} to {mark.high:.{decimals}f})"
