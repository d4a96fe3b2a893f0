"""The standings in each format, as they are printed."""

import csv
import io
import json
from fractions import Fraction

import attrs
import pytest

from referee.cli.options import Format
from referee.cli.render import render
from referee.tournament.bootstrap import Bar, Certainty, Neighbours
from referee.tournament.report import to_json
from referee.tournament.tiebreaks import TieBreaks
from tests.cli.conftest import FACTS, ROWS

HALF = Fraction(1, 2)

HOSTILE = attrs.evolve(ROWS[0], name='=HYPERLINK("x")|<b>\x1b[31m\u202e', faults={"@late": 1})
"""No entrant can be called this; should a way be found, the output is still safe."""


ORDER = (
    "equal points: by direct encounter if all of them have met, bullhead margin, Buchholz,"
    " Buchholz without the least round (cut-1), Sonneborn-Berger (SB)\n"
)


def test_text() -> None:
    """Words are aligned left and numbers right; points are exact, with decimals behind a fraction."""
    shown = render(ROWS, FACTS, Format.TEXT)

    assert shown == (
        "                                                                           "
        "bullheads  answers\n"
        "rank  name     points         margin  Buchholz  cut-1     SB  games  wins  "
        "   a deal   p50 ms  p95 ms  max ms  faults\n"
        "   1  careful  13/3 = 4.3333  +68.50     11.83   9.50  10.33      5     4  "
        "     7.14     0.25    12.3    1234  -\n"
        "   2  greedy   2              -68.50     13.00   8.67   0.00      5     1  "
        "    10.00     9.99    99.9     100  gone 2, late 13\n"
        "   3  absent   0                0.00      0.00   0.00   0.00      0     0  "
        "        -        -       -       -  -\n" + ORDER
    )


def test_markdown() -> None:
    """A table whose columns of numbers are aligned right."""
    shown = render(ROWS, FACTS, Format.MARKDOWN)

    assert shown == (
        "| rank | name | points | margin | Buchholz | cut-1 | SB | games | wins | bullheads a deal "
        "| answers p50 ms | p95 ms | max ms | faults |\n"
        "| --: | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n"
        "| 1 | careful | 13/3 = 4.3333 | +68.50 | 11.83 | 9.50 | 10.33 | 5 | 4 | 7.14 "
        "| 0.25 | 12.3 | 1234 | - |\n"
        "| 2 | greedy | 2 | -68.50 | 13.00 | 8.67 | 0.00 | 5 | 1 | 10.00 | 9.99 | 99.9 | 100 "
        "| gone 2, late 13 |\n"
        "| 3 | absent | 0 | 0.00 | 0.00 | 0.00 | 0.00 | 0 | 0 | - | - | - | - | - |\n"
        "\n" + ORDER
    )


def test_the_direct_encounter_is_shown_where_it_decided() -> None:
    """Of three with two points it ranks all; the two with none, who tied with each other, it does not."""
    directs = [Fraction(3, 2), Fraction(1), HALF, HALF, HALF]
    rows = [
        attrs.evolve(ROWS[1], rank=place, points=points, tie_breaks=TieBreaks(direct_encounter=direct))
        for place, (points, direct) in enumerate(zip([2, 2, 2, 0, 0], directs, strict=True), 1)
    ]
    rows = [attrs.evolve(row, name=name) for row, name in zip(rows, "abcde", strict=True)]
    shown = render(rows, FACTS, Format.TEXT).splitlines()

    assert "direct" == shown[1].split()[3]
    assert ["1.50", "1.00", "0.50", "-", "-"] == [line.split()[3] for line in shown[2:7]]
    assert "direct" not in render(rows[3:], FACTS, Format.TEXT).splitlines()[1]


def test_voided_rounds_are_told() -> None:
    """A line for each, below that of the order."""
    shown = render(ROWS, attrs.evolve(FACTS, voided=(1, 3)), Format.TEXT)

    assert shown.endswith(
        ORDER + "round 1 was voided and played again\nround 3 was voided and played again\n"
    )


def test_csv() -> None:
    """The numbers of the JSON form, a line an entrant; what there is not is empty."""
    shown = render(ROWS, FACTS, Format.CSV)

    assert shown == (
        "rank,name,points,points_decimal,games,deals,wins,bullheads,bullheads_per_deal,faults,"
        "latency_p50_ms,latency_p95_ms,latency_max_ms,"
        "direct_encounter,margin,buchholz,buchholz_cut1,sonneborn_berger,elo,elo_low,elo_high\n"
        "1,careful,13/3,4.3333,5,21,4,150,7.1429,,0.25,12.34,1234.5,,68.5,11.8333,9.5,10.3333,,,\n"
        "2,greedy,2,2.0,5,20,1,200,10.0,gone 2; late 13,9.99,99.94,100.4,,-68.5,13.0,8.6667,0.0,,,\n"
        "3,absent,0,0.0,0,0,0,0,,,,,,,0.0,0.0,0.0,0.0,,,\n"
    )


CERTAINTY = Certainty(
    bars=(
        Bar(name="careful", elo=80.4, low=-10.6, high=160.0),
        Bar(name="greedy", elo=-80.4, low=-160.0, high=0.4),
        Bar(name="absent", elo=None, low=None, high=None),
    ),
    neighbours=(
        Neighbours(upper="careful", lower="greedy", superiority=0.95514, significant=False, more_deals=34),
        Neighbours(upper="greedy", lower="absent", superiority=None, significant=False, more_deals=None),
    ),
    games=10,
    distinct=9,
    anchor=None,
)


def test_ratings_as_text() -> None:
    """Bars, how likely the one above is better, what may be chance, and n/a where nothing is known."""
    shown = render(ROWS, FACTS, Format.TEXT, CERTAINTY)

    assert shown == render(ROWS, FACTS, Format.TEXT) + (
        "\n"
        "                                 the one above\n"
        "rank  name     elo     95 % bar      is better  ~  more deals\n"
        "   1  careful  +80  -11 to +160              -              -\n"
        "   2  greedy   -80    -160 to 0         95.5 %  ~          34\n"
        "   3  absent   n/a          n/a            n/a  ~         n/a\n"
        "ratings: Elo points, the mean is 0; from 10 games, 9 of them distinct\n"
        "~ not significantly apart from the one above (95 %); if their difference is what it seems,"
        " about so many more deals of each would show it\n"
    )


def test_places_that_are_no_chance_are_not_marked() -> None:
    """The table as Markdown; an anchor is named, and as many games as are distinct are told once."""
    neighbours = (attrs.evolve(CERTAINTY.neighbours[0], superiority=0.98, significant=True, more_deals=None),)
    sure = attrs.evolve(CERTAINTY, neighbours=neighbours, bars=CERTAINTY.bars[:2], distinct=10, anchor="a|b")
    shown = render(ROWS[:2], FACTS, Format.MARKDOWN, sure)

    assert "| 2 | greedy | -80 | -160 to 0 | 98.0 % |  | - |\n" in shown
    assert "\n\nratings: Elo points, a|b is 0; from 10 games\n" in shown


def test_ratings_as_csv() -> None:
    """Three more columns, empty for those without a rating."""
    lines = render(ROWS, FACTS, Format.CSV, CERTAINTY).splitlines()

    assert [",80.4,-10.6,160.0", ",-80.4,-160.0,0.4", ",0.0,,,"] == [
        lines[1][-17:],
        lines[2][-17:],
        lines[3][-7:],
    ]


def test_ratings_as_json() -> None:
    """Numbers or null, with the neighbours and what it all is based on."""
    shown = json.loads(render(ROWS, FACTS, Format.JSON, CERTAINTY))

    assert [{"elo": 80.4, "low": -10.6, "high": 160.0}, {"elo": -80.4, "low": -160.0, "high": 0.4}, None] == [
        row["rating"] for row in shown["standings"]
    ]
    assert {
        "upper": "careful",
        "lower": "greedy",
        "superiority": 0.9551,
        "significant": False,
        "more_deals": 34,
    } == shown["neighbours"][0]
    assert None is shown["neighbours"][1]["superiority"]
    assert {"anchor": None, "games": 10, "distinct": 9} == shown["ratings"]


def test_json_is_the_form_of_the_report() -> None:
    """What is printed is the report and nothing else."""
    shown = render(ROWS, FACTS, Format.JSON)

    assert json.loads(shown) == to_json(ROWS, FACTS)
    assert shown.endswith("}\n")


def test_names_that_would_steer_a_terminal_are_escaped() -> None:
    """Escapes and marks that turn the writing direction arrive as text."""
    shown = render([HOSTILE], FACTS, Format.TEXT)

    assert "\\x1b[31m\\u202e" in shown
    assert all(char.isprintable() or char == "\n" for char in shown)


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_names_that_a_spreadsheet_would_run_are_made_harmless(start: str) -> None:
    """Such a cell begins with an apostrophe, in whatever column it is."""
    row = attrs.evolve(ROWS[0], name=f"{start}1+1", faults={f"{start}late": 1})
    cells = next(csv.DictReader(io.StringIO(render([row], FACTS, Format.CSV))))

    assert (cells["name"], cells["faults"]) == (f"'{start}1+1", f"'{start}late 1")


def test_names_that_markdown_would_take_for_markup_are_escaped() -> None:
    """Bars would end the cell, and brackets of HTML begin an element."""
    shown = render([HOSTILE], FACTS, Format.MARKDOWN)

    assert '| =HYPERLINK("x")\\|&lt;b&gt;\\\\x1b\\[31m\\\\u202e |' in shown


@pytest.mark.parametrize("how", [Format.TEXT, Format.CSV, Format.MARKDOWN])
def test_nothing_is_cut_off(how: Format) -> None:
    """However long a cell, all of it is there: whoever reads a file has no window to make wider."""
    faults = {f"kind{number}": number for number in range(1, 60)}
    shown = render([attrs.evolve(ROWS[0], faults=faults)], FACTS, how)

    assert all(f"kind{number} {number}" in shown for number in range(1, 60))
