"""The standings in each format, as they are printed."""

import csv
import io
import json

import attrs
import pytest

from referee.cli.options import Format
from referee.cli.render import render
from referee.tournament.report import to_json
from tests.cli.conftest import FACTS, ROWS

HOSTILE = attrs.evolve(ROWS[0], name='=HYPERLINK("x")|<b>\x1b[31m\u202e', faults={"@late": 1})
"""No entrant can be called this; should a way be found, the output is still safe."""


def test_text() -> None:
    """Words are aligned left and numbers right; points are exact, with decimals behind a fraction."""
    shown = render(ROWS, FACTS, Format.TEXT)

    assert shown == (
        "                                           bullheads  answers\n"
        "rank  name     points         games  wins     a deal   p50 ms  p95 ms  max ms  faults\n"
        "   1  careful  13/3 = 4.3333      5     4       7.14     0.25    12.3    1234  -\n"
        "   2  greedy   2                  5     1      10.00     9.99    99.9     100  gone 2, late 13\n"
        "   3  absent   0                  0     0          -        -       -       -  -\n"
    )


def test_markdown() -> None:
    """A table whose columns of numbers are aligned right."""
    shown = render(ROWS, FACTS, Format.MARKDOWN)

    assert shown == (
        "| rank | name | points | games | wins | bullheads a deal "
        "| answers p50 ms | p95 ms | max ms | faults |\n"
        "| --: | --- | --- | --: | --: | --: | --: | --: | --: | --- |\n"
        "| 1 | careful | 13/3 = 4.3333 | 5 | 4 | 7.14 | 0.25 | 12.3 | 1234 | - |\n"
        "| 2 | greedy | 2 | 5 | 1 | 10.00 | 9.99 | 99.9 | 100 | gone 2, late 13 |\n"
        "| 3 | absent | 0 | 0 | 0 | - | - | - | - | - |\n"
    )


def test_csv() -> None:
    """The numbers of the JSON form, a line an entrant; what there is not is empty."""
    shown = render(ROWS, FACTS, Format.CSV)

    assert shown == (
        "rank,name,points,points_decimal,games,deals,wins,bullheads,bullheads_per_deal,faults,"
        "latency_p50_ms,latency_p95_ms,latency_max_ms\n"
        "1,careful,13/3,4.3333,5,21,4,150,7.1429,,0.25,12.34,1234.5\n"
        "2,greedy,2,2.0,5,20,1,200,10.0,gone 2; late 13,9.99,99.94,100.4\n"
        "3,absent,0,0.0,0,0,0,0,,,,,\n"
    )


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
