"""`compare`: its words, its JSON, and how a comparison under way is ended; no bots here."""

import json
from collections.abc import Callable
from pathlib import Path

import attrs
import click
import pytest

from referee.audit import audit
from referee.cli.compare import _opponents, command
from referee.cli.duel import Duel, kept, stored, written
from referee.cli.exits import ExitCode, Failure
from referee.cli.options import Format, ReportOptions
from referee.cli.output import OutputFile
from referee.cli.verdicts import Report, estimate, sentence, to_json
from referee.director import Director
from referee.journal.journal import Journal
from referee.play.results import GameResult
from referee.rules.variants import Rules
from referee.server.news import GameOver, Withdrawn
from referee.setup import TournamentSetup
from referee.tournament.model import Kind
from referee.tournament.sequential import Comparison, Question, Verdict
from tests.cli.conftest import Outcome
from tests.cli.test_show import Recording
from tests.journal.keeping import Evening, setup

FIELD = ("new", "old", "x", "y")
STATE = Comparison(verdict=Verdict.BETTER, pairs=80, repeated=0, beyond=3, mean=0.125, low=0.05, high=0.2)


def made(**changes: object) -> TournamentSetup:
    """A comparison of old and new against x and y, of at most so many pairs."""
    values: dict[str, object] = {
        "kind": Kind.COMPARISON,
        "table_size": 3,
        "rounds": 30,
        "games": 2,
        "rivals": ("old", "new"),
        "rules": Rules(target=None, deals=1),
    }
    return setup(**(values | changes))


def begin(path: Path | None = None, names: tuple[str, ...] = FIELD, **changes: object) -> Director:
    """A comparison that has begun, in memory unless there is a path."""
    chosen = made(**changes)
    head = chosen.head("compare", kept(Question()))
    return Director(chosen, names, Journal.in_memory(head) if path is None else Journal.create(path, head))


def report(**changes: object) -> Report:
    """A comparison in which new is better."""
    values: dict[str, object] = {
        "setup": made(),
        "opponents": ("x", "y"),
        "question": Question(),
        "state": STATE,
        "over": True,
    }
    return Report(**(values | changes))


@attrs.define
class Played:
    """A duel that is played by seats which follow from their numbers."""

    duel: Duel
    lines: Recording
    stops: int = 0

    @classmethod
    def of(cls, director: Director, output: Path | None = None) -> "Played":
        """Take a comparison up."""
        lines = Recording()
        told = ReportOptions(format=Format.TEXT, output=output, quiet=False)
        file = None if output is None else OutputFile(output)
        played = cls(Duel(director, Question(), told, file, lines, clock=lambda: 0.0), lines)
        played.duel.stop_by(played.stop)
        return played

    def stop(self) -> None:
        """Count how often it is to be ended."""
        self.stops += 1


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (
            STATE,
            "new is better than old, by 0.125 of its opponents after 80 pairs of games"
            " (95 % bar +0.050 to +0.200): take new.",
        ),
        (
            attrs.evolve(STATE, verdict=Verdict.WORSE, mean=-0.125, low=-0.2, high=-0.05),
            "new is worse than old, by 0.125 of its opponents after 80 pairs of games"
            " (95 % bar -0.200 to -0.050): stay with old.",
        ),
        (
            attrs.evolve(STATE, verdict=Verdict.NO_DIFFERENCE_SHOWN),
            "no difference between new and old was shown in 80 pairs of games (95 % bar +0.050 to +0.200):"
            " if there is one, it is hardly as large as 0.06; choose by other things, or lower --smallest.",
        ),
        (
            attrs.evolve(STATE, verdict=Verdict.UNDECIDED, pairs=1, low=None, high=None),
            "it stays undecided whether new is better than old, after 1 pair of games:"
            " allow more games by --max-games, or ask for a larger --smallest.",
        ),
        (
            attrs.evolve(STATE, verdict=Verdict.UNDECIDED, pairs=2, repeated=100),
            "it stays undecided whether new is better than old, after 2 pairs of games (95 % bar +0.050 to"
            " +0.200): nothing is left to chance, so the same games came again and again and show no more"
            " than the first time; name more opponents by --against, or compare in another --variant.",
        ),
    ],
)
def test_the_sentence_says_what_to_do(state: Comparison, words: str) -> None:
    """For each verdict one sentence, with the figures it rests on."""
    assert words == sentence(report(state=state))


def test_what_is_not_over_is_not_decided_yet() -> None:
    """An interrupted comparison draws no conclusion, and one without a pair has no figures."""
    state = attrs.evolve(STATE, verdict=Verdict.UNDECIDED)
    none = Comparison(
        verdict=Verdict.UNDECIDED, pairs=0, repeated=0, beyond=0, mean=None, low=None, high=None
    )

    assert sentence(report(state=state, over=False)).startswith("it is not decided yet whether new is better")
    assert "80 pairs of games: new +0.125 (95 % bar +0.050 to +0.200), better" == estimate(report())
    assert "no pair of games is over yet; is new better than old?" == estimate(report(state=none))


def test_the_seed_is_told_only_at_the_end() -> None:
    """It gives the deals away."""
    over, running = (json.loads(to_json(report(over=over))) for over in (True, False))

    assert ("journal", None) == (over["comparison"]["seed"], running["comparison"]["seed"])
    assert (160, 80, 3, 80) == tuple(
        over[field] for field in ("games", "pairs", "pairs_not_counted", "rounds_counted")
    )


def test_every_field_is_explained() -> None:
    """docs/comparing.md names all that the JSON form has."""
    text = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text("utf-8")
    values = json.loads(to_json(report()))

    assert [] == [
        field for field in (*values, *values["comparison"]) if field != "format" and f"`{field}`" not in text
    ]


def test_every_option_of_its_own_is_explained() -> None:
    """Those that run-local does not have are in docs/comparing.md, with their defaults."""
    text = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text("utf-8")
    own = {option.name: option for option in command.params}

    for name in ("smallest", "alpha", "beta", "max_games"):
        assert f"| {own[name].default} |" in text
        assert f"`--{name.replace('_', '-')}" in text


@pytest.mark.parametrize(
    ("against", "size", "field"),
    [((), 2, ""), ((), 4, "AAA"), (("x",), 4, "xxx"), (("x", "y"), 4, "xyx"), (("x", "y", "z"), 3, "xyz")],
)
def test_copies_fill_the_table(against: tuple[str, ...], size: int, field: str) -> None:
    """Of the opponents, in turn; of A where there are none and the table has more than two seats."""
    assert list(field) == list(_opponents("A", against, size))


def test_it_ends_once_it_is_decided(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """New takes none and old most: ten pairs, the fewest that can, decide; who leaves then is not missed."""
    director = begin()
    played = Played.of(director, tmp_path / "verdict")
    while not played.stops:
        game = director.next_game(lambda names: True)
        assert game is not None
        result = made_up(game.names, game.id)
        director.game_ended(result)
        played.duel.news([GameOver(result=result)])
    director.finish_now()
    director.close()
    played.duel.news([Withdrawn(entrant="x", reason="crashed as it was told the end")])
    played.duel.standings()

    assert played.duel.decided
    assert ExitCode.COMPLETE is played.duel.code()
    assert played.duel.report == stored(director.journal.reading())
    assert (tmp_path / "verdict").read_text() == capsys.readouterr().out
    assert 20 == director.games_done == 2 * played.duel.report.state.pairs


def made_up(names: tuple[str, ...], place: object) -> GameResult:
    """A game in which new takes nothing, old most, and the others one bullhead."""
    from tests.journal.test_tally import seat

    takes = {"new": 0, "old": 9}
    return GameResult(
        game=place,
        seats=tuple(seat(name, takes.get(name, 1)) for name in names),
        digest="0" * 64,
        course="",
        referee_delay_ns=0,
    )


def test_nothing_is_said_if_a_bot_is_missing() -> None:
    """Whoever is withdrawn ends it, and it fails in a sentence."""
    played = Played.of(begin())
    played.duel.news([Withdrawn(entrant="x", reason="its bot does not run")])

    assert 1 == played.stops
    with pytest.raises(Failure, match="x did not stay to the end, so nothing can be said of who is better"):
        played.duel.standings()


@pytest.mark.parametrize("names", [FIELD, ("new", "old")])
def test_a_comparison_is_proven_and_goes_on(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Interrupted in mid-game, it goes on from what counted, passes its audit, and the verdict is stored."""
    changes = {"table_size": 2, "deal_sets": 1} if len(names) == 2 else {}
    first = Evening(begin(tmp_path / "j", names, rounds=12, **changes), honest=True).play(60)
    first.close()
    journal = Journal.open(tmp_path / "j")
    again = Director.restored(TournamentSetup.of(journal.reading().head), journal)
    before = Played.of(again).duel.report
    Evening(again, honest=True).play()
    after = Played.of(again).duel.report

    assert 0 < before.state.pairs < after.state.pairs == 12
    assert after == stored(journal.reading())
    assert (24, True) == (audit(journal.reading()).games, audit(journal.reading()).ended)
    journal.close()


def test_who_resumes_it_cannot_anchor_a_rating(referee: Callable[..., Outcome], tmp_path: Path) -> None:
    """There is none in a comparison; it is said before the journal is touched."""
    Evening(begin(tmp_path / "j"), honest=True).play(10).close()
    before = (tmp_path / "j").read_bytes()
    outcome = referee("resume", "--anchor", "old", tmp_path / "j")

    assert (2, "") == (outcome.code, outcome.out)
    assert outcome.err == (
        "take5-referee: --anchor is for ratings, and a comparison has none: leave it away.\n"
    )
    assert before == (tmp_path / "j").read_bytes()


def test_both_games_of_a_pair_are_dealt_alike() -> None:
    """The same decks for both, other ones in the next round; and in a draft the same seat opens."""
    director = begin()
    games = [director.next_game(lambda names: True) for _ in range(4)]
    decks = [director.table_setup(game).decks(1) for game in games if game is not None]

    assert decks[0] == decks[1] != decks[2] == decks[3]
    assert [1, 1, 1, 1] == [director.table_setup(game).opening for game in games]


@pytest.mark.parametrize("how", [Format.CSV, Format.MARKDOWN])
def test_it_is_written_as_text_or_json(how: Format) -> None:
    """Anything else is refused in a sentence."""
    with pytest.raises(click.UsageError, match=f"a comparison is written as text or json, not {how.value}"):
        written(report(), how)
