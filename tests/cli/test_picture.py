"""The picture of standings: where things are, what is written, and that names do no harm."""

from itertools import pairwise
from xml.etree import ElementTree

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli import svg
from referee.cli.cells import plain
from referee.cli.heatmap import Cell
from referee.cli.picture import Mark, Picture, draw

SVG = "{http://www.w3.org/2000/svg}"
RATED = Picture(
    title="Swiss of 3 bots",
    subtitle="3 rounds",
    axis="rating",
    decimals=0,
    marks=(
        Mark(name="ada", value=100.0, low=-50.0, high=200.0),
        Mark(name="bob", value=-100.4, low=-200.0, high=0.0),
        Mark(name="cyd", value=None),
    ),
    cells={(0, 1): Cell(share=0.75, games=4), (1, 0): Cell(share=0.25, games=4)},
)


def drawn(picture: Picture) -> ElementTree.Element:
    """The picture, read as XML; that fails if it is none."""
    return ElementTree.fromstring(draw(picture))


def words(root: ElementTree.Element) -> list[str]:
    """What is written, in the order of the file."""
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def test_what_is_written() -> None:
    """Title, names twice in the crosstable, ratings with their bars, the axis and the legend."""
    written = words(drawn(RATED))

    assert written[:2] == ["Swiss of 3 bots", "3 rounds"]
    assert [written.count(name) for name in ("ada", "bob", "cyd")] == [3, 3, 3]
    assert {"100 (-50 to 200)", "-100 (-200 to 0)", "n/a", "rating", "75", "25"} <= set(written)


def test_the_axis() -> None:
    """From -200 to 200 there are four steps of 100, each a quarter of 420 pixels wide."""
    root = drawn(attrs.evolve(RATED, cells={}))
    ticks = [
        (one.text, float(one.get("x", ""))) for one in root.iter(f"{SVG}text") if one.get("font-size") == "12"
    ]

    assert [label for label, _ in ticks] == ["-200", "-100", "0", "100", "200"]
    assert [right - left for (_, left), (_, right) in pairwise(ticks)] == pytest.approx([105] * 4, abs=0.02)


def test_where_a_mark_and_its_bar_are() -> None:
    """At 100 of -200 to 200, three quarters along; its bar from -50 to 200."""
    root = drawn(attrs.evolve(RATED, cells={}))
    left = min(float(one.get("x1", "")) for one in root.iter(f"{SVG}line"))
    first, *others = root.iter(f"{SVG}circle")
    bar = next(root.iter(f"{SVG}path")).get("d", "")

    assert len(others) == 1
    assert float(first.get("cx", "")) == pytest.approx(left + 315, abs=0.02)
    assert bar.startswith(f"M{left + 157.5:.2f} 12H{left + 420:.2f}")


def test_the_colours_of_the_crosstable() -> None:
    """Grey where a bot meets itself, blue for more than half, orange for less, and white for none."""
    fills = [one.get("fill") for one in drawn(RATED).iter(f"{SVG}rect")][1:10]

    assert fills == [
        "#e6e6e6",
        "#b3d4e7",
        "#ffffff",
        "#f8d1a0",
        "#e6e6e6",
        "#ffffff",
        "#ffffff",
        "#ffffff",
        "#e6e6e6",
    ]


def test_a_square_says_more_when_pointed_at() -> None:
    """Who it is, against whom, and of how many games."""
    told = [one.text for one in drawn(RATED).iter(f"{SVG}title")]

    assert told == [
        "Swiss of 3 bots",
        "ada against bob: 75.0% of 4 games",
        "bob against ada: 25.0% of 4 games",
    ]


def test_a_large_field() -> None:
    """The chart has everybody, the crosstable the first 64, without numbers, and it says so."""
    marks = tuple(Mark(name=f"bot{number}", value=float(number)) for number in range(70))
    root = drawn(attrs.evolve(RATED, marks=marks))

    assert len(list(root.iter(f"{SVG}circle"))) == 70
    assert len(list(root.iter(f"{SVG}rect"))) == 1 + 64 * 64 + 5
    assert "Crosstable of the first 64 of 70" in words(root)
    assert words(root).count("75") == 1


@pytest.mark.parametrize(
    "marks", [(), (Mark(name="a", value=None),), (Mark(name="a", value=7.0), Mark(name="b", value=7.0))]
)
def test_values_without_a_span(marks: tuple[Mark, ...]) -> None:
    """Nobody, nobody who is rated, and everybody alike still make an axis."""
    assert "rating" in words(drawn(attrs.evolve(RATED, marks=marks, cells={})))


@given(
    names=st.lists(st.text(max_size=40), min_size=1, max_size=4),
    numbers=st.lists(st.floats(-1e9, 1e9), min_size=4, max_size=4),
)
def test_no_name_and_no_number_does_any_harm(names: list[str], numbers: list[float]) -> None:
    """Whatever bots are called, the picture is XML, and each name is in it whole, on the paper."""
    marks = tuple(Mark(name=name, value=value) for name, value in zip(names, numbers, strict=False))
    root = drawn(attrs.evolve(RATED, marks=marks, cells={(0, 0): Cell(share=0.5, games=1)}))
    written = [one for one in root.iter(f"{SVG}text") if one.get("font-family") == svg.MONO]
    of_rows = [one for one in written if one.get("text-anchor") == "end"]

    assert [one.text or "" for one in of_rows] == [plain(name) for name in names] * 2
    for one, name in zip(of_rows, names * 2, strict=True):
        right = float(one.get("x", ""))
        assert svg.width(name) - 0.01 <= right <= int(root.get("width", "")) - 24


def test_wide_letters_are_wide() -> None:
    """A letter takes 0.62 of its size, a full-width one twice that; what is escaped counts as it is shown."""
    assert [svg.width("ab"), svg.width("日"), svg.width("\n")] == pytest.approx([16.12, 16.25, 16.12])
