"""What the tests of the command line share: running it in this process, and standings to show."""

import os
from collections.abc import Callable
from fractions import Fraction

import attrs
import pytest

from referee.cli.main import run
from referee.tournament.latency import Latency
from referee.tournament.model import Kind
from referee.tournament.report import TournamentFacts
from referee.tournament.standings import StandingsRow
from referee.tournament.tiebreaks import TieBreaks


@attrs.frozen(kw_only=True)
class Outcome:
    """What a command line came to."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs these tests may have variables of the referee set."""
    for key in [key for key in os.environ if key.startswith("TAKE5_")]:
        monkeypatch.delenv(key)


@pytest.fixture
def referee(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run the command line with these words."""

    def invoke(*words: object) -> Outcome:
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code=int(code), out=captured.out, err=captured.err)

    return invoke


ROWS = (
    StandingsRow(
        rank=1,
        name="careful",
        points=Fraction(13, 3),
        games=5,
        deals=21,
        wins=4,
        bullheads=150,
        bullheads_per_deal=Fraction(150, 21),
        faults={},
        latency=Latency(p50=0.25, p95=12.34, max=1234.5),
        tie_breaks=TieBreaks(
            margin=Fraction(137, 2),
            buchholz=Fraction(71, 6),
            buchholz_cut1=Fraction(19, 2),
            sonneborn_berger=Fraction(31, 3),
        ),
    ),
    StandingsRow(
        rank=2,
        name="greedy",
        points=Fraction(2),
        games=5,
        deals=20,
        wins=1,
        bullheads=200,
        bullheads_per_deal=Fraction(10),
        faults={"gone": 2, "late": 13},
        latency=Latency(p50=9.994, p95=99.94, max=100.4),
        tie_breaks=TieBreaks(margin=Fraction(-137, 2), buchholz=Fraction(13), buchholz_cut1=Fraction(26, 3)),
    ),
    StandingsRow(
        rank=3,
        name="absent",
        points=Fraction(0),
        games=0,
        deals=0,
        wins=0,
        bullheads=0,
        bullheads_per_deal=None,
        faults={},
        latency=None,
    ),
)
"""An ordinary entrant, one with faults, and one that never came."""

FACTS = TournamentFacts(
    kind=Kind.SWISS,
    variant="classic",
    jumping_cow=True,
    seed="abc",
    rounds=5,
    table_size=3,
    games=1,
    complete=True,
)
