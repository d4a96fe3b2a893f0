"""Whole tournaments of real processes, on real sockets, by the installed program."""

import re
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from referee.local.sources import PRODUCTS
from tests.e2e.conftest import PROGRAM, ROOT, SAMPLE_BOTS, Outcome, environment, odd

Play = Callable[..., Outcome]

JSON = ("--format", "json", "--move-timeout", "30s")
"""Results to compute with, and a limit that nobody misses on a busy machine."""


def assert_adds_up(outcome: Outcome, *, entrants: int) -> None:
    """Check what must hold of the results of a complete tournament without faults, whoever won.

    A table of k hands out k/2 points, and a bye is worth 1/2: a round is worth half a point for each entrant.
    """
    tournament, rows = outcome.report["tournament"], outcome.report["standings"]
    points = [Fraction(row["points"]) for row in rows]

    assert (outcome.code, tournament["complete"], len(rows)) == (0, True, entrants)
    assert sum(points) == Fraction(entrants, 2) * tournament["rounds"]
    assert points == sorted(points, reverse=True)
    keys = [(row["points"], row["tie_breaks"]) for row in rows]
    assert [row["rank"] for row in rows] == [1 + keys.index(key) for key in keys]
    for row, own in zip(rows, points, strict=True):
        assert row["points_decimal"] == round(float(own), 4)
        assert row["bullheads_per_deal"] == round(row["bullheads"] / row["deals"], 4)
        assert row["wins"] <= row["games"] <= row["deals"]
        assert 0 < row["latency_ms"]["p50"] <= row["latency_ms"]["p95"] <= row["latency_ms"]["max"]
        assert row["faults"] == {}


def copies(count: int) -> list[str]:
    """Return BOT arguments for copies of the sample bots under other names."""
    return [
        f"{bot.stem}{number // len(SAMPLE_BOTS) + 1}={bot}"
        for number, bot in zip(range(count), SAMPLE_BOTS * count, strict=False)
    ]


def test_the_sample_bots_play_a_tournament(play: Play, tmp_path: Path) -> None:
    """What `make demo` does in a fresh clone: all is given, and what is no bot or not built is skipped."""
    fresh = tmp_path / "sample_bots"
    shutil.copytree(ROOT / "sample_bots", fresh, ignore=shutil.ignore_patterns(*PRODUCTS))
    outcome = play("run-local", *sorted(fresh.iterdir()), *JSON, "--deals", 2)

    assert_adds_up(outcome, entrants=5)
    assert set(outcome.standings) == {bot.stem for bot in SAMPLE_BOTS}
    assert outcome.report["tournament"] | {"seed": ""} == {
        "kind": "round-robin",
        "variant": "classic",
        "jumping_cow": False,
        "seed": "",
        "rounds": 5,
        "table_size": 4,
        "games": 1,
        "complete": True,
        "voided": [],
    }
    # n = 5 at tables of 3 and 2: everybody plays in each of the five rounds, two deals a game.
    assert {(row["games"], row["deals"]) for row in outcome.standings.values()} == {(5, 10)}
    assert any("README.md is no bot" in line for line in outcome.err.splitlines())
    for bot in (file.parent for file in fresh.glob("*/bot.toml")):
        assert re.search(
            f"skipped: {bot} needs (building first: take5-referee build {bot}|.* installed; install)",
            outcome.err,
        )
    assert f"seed {outcome.report['tournament']['seed']} " in outcome.err


def test_a_swiss_of_twelve(play: Play) -> None:
    """Three rounds at tables of four: nobody can meet somebody new in a fourth, 3 times 3 being 9 of 11."""
    outcome = play("run-local", *copies(12), *JSON, "--tournament", "swiss", "--deals", 1)

    assert_adds_up(outcome, entrants=12)
    assert outcome.report["tournament"]["rounds"] == 3
    assert {row["games"] for row in outcome.standings.values()} == {3}


def test_a_round_robin_of_seven(play: Play) -> None:
    """Tables of four and three: one cycle has seven rounds, in each of which everybody plays."""
    outcome = play("run-local", *copies(7), *JSON, "--deals", 1)

    assert_adds_up(outcome, entrants=7)
    assert outcome.report["tournament"]["rounds"] == 7
    assert {row["games"] for row in outcome.standings.values()} == {7}


def test_an_odd_field_at_tables_of_two_has_byes(play: Play) -> None:
    """Of three bots one rests in each of three rounds, with half a point, so each plays two games."""
    outcome = play("run-local", *SAMPLE_BOTS[:3], *JSON, "--deals", 1, "--table-size", 2)

    assert_adds_up(outcome, entrants=3)
    assert {row["games"] for row in outcome.standings.values()} == {2}


@pytest.mark.parametrize("variant", ["classic", "tactic", "advanced"])
def test_every_variant_with_the_cow(play: Play, variant: str) -> None:
    """All sample bots play all variants, and the cow on top of any of them, without a fault."""
    outcome = play(
        "run-local",
        *SAMPLE_BOTS,
        *JSON,
        "--variant",
        variant,
        "--jumping-cow",
        "--deals",
        1,
        "--table-size",
        5,
    )

    assert_adds_up(outcome, entrants=5)
    tournament = outcome.report["tournament"]
    assert (tournament["variant"], tournament["jumping_cow"]) == (variant, True)


def test_the_same_seed_gives_the_same_record(play: Play) -> None:
    """One table at a time, eight at once, and eight once more, with the bots in another order."""
    words = (*JSON, "--seed", "2026", "--deals", 2, "--games", 2, "--table-size", 3)
    runs = [
        play("run-local", *SAMPLE_BOTS, *words, "--concurrency", 1),
        play("run-local", *SAMPLE_BOTS, *words, "--concurrency", 8),
        play("run-local", *reversed(SAMPLE_BOTS), *words, "--concurrency", 8),
    ]
    for outcome in runs:
        assert_adds_up(outcome, entrants=5)

    assert len({outcome.digest for outcome in runs}) == 1
    without_times = [[{**row, "latency_ms": None} for row in outcome.report["standings"]] for outcome in runs]
    assert without_times[0] == without_times[1] == without_times[2]


def test_another_seed_gives_another_record(play: Play) -> None:
    """The seed decides the deals."""
    one, other = (play("run-local", *SAMPLE_BOTS[:2], *JSON, "--deals", 1, "--seed", seed) for seed in "ab")

    assert one.digest != other.digest


def test_the_output_file_holds_what_is_printed(play: Play, tmp_path: Path) -> None:
    """In the same format, and nothing is left beside it."""
    (tmp_path / "out").mkdir()
    outcome = play(
        "run-local", *SAMPLE_BOTS[:2], "--deals", 1, "--format", "markdown", "--output", "out/standings.md"
    )

    assert outcome.code == 0
    assert (tmp_path / "out" / "standings.md").read_text() == outcome.out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["standings.md"]


def test_quiet_leaves_stderr_empty(play: Play) -> None:
    """Results on stdout, and nothing else anywhere."""
    outcome = play("run-local", *SAMPLE_BOTS[:2], "--deals", 1, "--quiet")

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[1].startswith("rank  name")


# --- bots that misbehave -----------------------------------------------------------------------------------


def test_bots_that_sleep_crash_and_talk_nonsense_harm_only_themselves(play: Play) -> None:
    """One table of six, one game of ten tricks: each fault sits with its bot, and the game is played out.

    Three strikes forfeit, and are reached by three silences; by three requests with three wrong answers each
    (a row cannot be out of the choices, so some of these may be malformed rather than illegal); by two
    violations, after which the bot is not started again in this game, and what is then open; and by two
    crashes, which are no strikes, and three decisions after them. Forfeited seats have no points, and each of
    the two others beats them all: 4 of 5 opponents.
    """
    outcome = play(
        "run-local",
        odd("honest", "lowest"),
        odd("decent", "lowest"),
        odd("sleepy", "sleepy"),
        odd("crashing", "crashing"),
        odd("nonsense", "nonsense"),
        odd("illegal", "illegal"),
        *("--format", "json", "--table-size", 6, "--deals", 1, "--move-timeout", "1s"),
    )
    rows = outcome.standings

    assert (outcome.code, outcome.report["tournament"]["complete"]) == (0, True)
    assert rows["honest"]["faults"] == rows["decent"]["faults"] == {}
    assert rows["sleepy"]["faults"] == {"late": 3}
    assert rows["crashing"]["faults"]["disconnected"] == 2
    assert set(rows["crashing"]["faults"]) == {"disconnected", "gone"}
    assert rows["nonsense"]["faults"]["violation"] == 2
    assert "late" not in rows["nonsense"]["faults"]
    assert rows["illegal"]["faults"].keys() == {"illegal", "malformed"}
    assert sum(rows["illegal"]["faults"].values()) == 9
    assert all(outcome.points[name] >= Fraction(4, 5) for name in ("honest", "decent"))
    assert all(outcome.points[name] == 0 for name in ("sleepy", "crashing", "nonsense", "illegal"))
    assert sum(outcome.points.values()) <= Fraction(6, 2)


def test_a_bot_that_crashes_is_reported_with_its_last_words(play: Play) -> None:
    """Twice in a game it is told what happened, in words that cannot colour the terminal."""
    outcome = play(
        "run-local", odd("good", "lowest"), odd("crash", "crashing"), "--deals", 1, "--move-timeout", "30s"
    )
    lines = outcome.err.splitlines()

    assert "crash crashed with code 3 in a game; it is started again" in lines
    assert lines.count("    odd: \\x1b[31mI am about to crash") == 2
    assert any(line.startswith("crash crashed") and "played by default" in line for line in lines)


def test_identical_deterministic_bots_tie_exactly_over_deal_sets(play: Play, tmp_path: Path) -> None:
    """Three copies of careful: each has each hand once, so all have half the points and the same bullheads.

    However many tables run at once, the record is the same, and it passes its audit.
    """
    careful = ROOT / "sample_bots" / "careful.py"
    words = ("run-local", *(f"{name}={careful}" for name in ("one", "two", "three")))
    one, two = (
        play(*words, *JSON, "--deal-sets", 2, "--deals", 1, "--seed", "s", *more)
        for more in (("--concurrency", 1, "--journal", "sets"), ("--concurrency", 4))
    )
    rows = one.standings.values()

    assert {"1/2"} == {row["points"] for row in rows}
    assert len({row["bullheads"] for row in rows}) == 1
    assert {6} == {row["games"] for row in rows}
    assert one.digest == two.digest
    assert play("audit", tmp_path / "sets").code == 0


def test_a_bot_that_never_starts_is_no_opponent(play: Play) -> None:
    """It has played no game, and the two others share what two can share: one point."""
    outcome = play(
        "run-local", odd("one", "lowest"), odd("two", "lowest"), odd("never", "absent"), *JSON, "--deals", 1
    )

    assert outcome.code == 0
    assert outcome.standings["never"]["games"] == 0
    assert outcome.points["never"] == 0
    assert outcome.points["one"] + outcome.points["two"] == outcome.report["tournament"]["rounds"]
    assert "    odd: I will not come" in outcome.err.splitlines()
    assert "never crashed with code 1; it is not started again" in outcome.err.splitlines()


def test_a_tournament_in_which_nobody_ever_starts_ends_too(play: Play) -> None:
    """There is nothing to play, but there are standings, and the program ends."""
    outcome = play("run-local", odd("one", "absent"), odd("two", "absent"), *JSON)

    assert outcome.code == 0
    assert {row["games"] for row in outcome.standings.values()} == {0}


def test_a_bot_that_leaves_is_not_started_again(play: Play) -> None:
    """Its leave is for good, and told once.

    The rest of its game is played by default and won by the other. From the second game it is absent, so the
    other is alone there, which is worth a half: (1 + 1/2) / 2 for the round.
    """
    outcome = play(
        "run-local",
        *(odd("stays", "lowest"), odd("leaves", "leaving")),
        *JSON,
        *("--deals", 1, "--games", 2, "--concurrency", 1),
    )
    lines = [line for line in outcome.err.splitlines() if line.startswith("leaves ")]

    assert outcome.code == 0
    assert outcome.points == {"stays": Fraction(3, 4), "leaves": Fraction(0)}
    assert lines.count("leaves is out of the tournament: left the tournament") == 1
    assert not any("started again" in line for line in lines)


def test_a_bot_sees_its_own_variables_and_the_interpreter_of_the_referee(play: Play, tmp_path: Path) -> None:
    """Nothing was activated, yet the bot runs in the environment that has msgpack; settings stay ours.

    The log directory, which is made, holds what the bot wrote.
    """
    outcome = play(
        "run-local",
        *(odd("asks", "asking"), odd("other", "lowest")),
        *("--deals", 1, "--log-dir", "new/logs"),
        env=environment(TAKE5_REFEREE_SEED="abc", TAKE5_REFEREE_CONCURRENCY="1", TAKE5_SECRET="mine"),
    )
    log = (tmp_path / "new" / "logs" / "asks.log").read_text().splitlines()

    assert outcome.code == 0
    assert log == [
        "variables: TAKE5_HOST TAKE5_NAME TAKE5_PORT TAKE5_SECRET",
        f"python: {PROGRAM.parent / 'python3'}",
    ]
    assert "seed abc (--seed deals the same cards again)" in outcome.err.splitlines()


@pytest.mark.parametrize("where", ["file", "-"])
def test_a_conversation_can_be_traced(play: Play, tmp_path: Path, where: str) -> None:
    """From hello to closing, to a file or to stderr; the secret is hidden, and other bots are left out."""
    trace = "-" if where == "-" else tmp_path / "simple.trace"
    words = ("--deals", 1, *JSON, "--trace", trace, "--trace-bot", "simple")
    outcome = play(
        "run-local", *words, ROOT / "sample_bots" / "simple.py", ROOT / "sample_bots" / "greedy.py"
    )

    text = outcome.err if where == "-" else (tmp_path / "simple.trace").read_text("utf-8")
    lines = [line for line in text.splitlines() if "simple#" in line]
    assert '"type": "hello"' in lines[0]
    assert '"secret": "(hidden)"' in lines[0]
    assert [10, 1] == [sum(f'"type": "{kind}"' in line for line in lines) for kind in ("card", "closing")]
    assert "greedy#" not in text
    assert 0 == outcome.code


def test_all_combinations_of_a_small_field(play: Play, tmp_path: Path) -> None:
    """Five at tables of three are ten tables, six for each bot, as the journal knows too."""
    words = (*SAMPLE_BOTS, *JSON, "--tournament", "all-combinations", "--table-size", 3, "--deals", 1)
    outcome = play("run-local", *words, "--journal", "all")

    assert (outcome.code, outcome.report["tournament"]["rounds"]) == (0, 10)
    assert {6} == {row["games"] for row in outcome.standings.values()}
    assert sum(outcome.points.values()) == 10 * Fraction(5, 2)
    assert play("standings", tmp_path / "all", "--format", "json").report == outcome.report
    assert play("audit", tmp_path / "all").code == 0


def compared(play: Play, *words: object) -> Outcome:
    """Compare two bots by single deals."""
    return play("compare", *words, "--deals", 1, *JSON, "--seed", "s")


def test_identical_deterministic_bots_tie_exactly_in_a_comparison(play: Play) -> None:
    """In every pair: the bar is as narrow as it can be, around zero, and nothing is shown."""
    careful, greedy = ROOT / "sample_bots" / "careful.py", ROOT / "sample_bots" / "greedy.py"
    for against in ((), ("--against", greedy, "--table-size", 3)):
        outcome = compared(play, careful, careful, *against)

        assert (outcome.code, outcome.report["verdict"]) == (3, "no difference shown")
        assert outcome.report["difference"] == 0


def test_the_verdict_is_the_same_however_many_tables_run_at_once(play: Play, tmp_path: Path) -> None:
    """Careful is better than greedy; what counts is the schedule, and the journal holds it all."""
    words = [ROOT / "sample_bots" / f"{name}.py" for name in ("greedy", "careful", "simple")]
    words.insert(2, "--against")
    one = compared(play, *words, "--concurrency", 1, "--journal", "pairs")
    two = compared(play, *words, "--concurrency", 5)
    counted = ("verdict", "sentence", "pairs", "difference", "low", "high")

    assert (one.code, one.report["verdict"]) == (0, "better")
    assert [one.report[field] for field in counted] == [two.report[field] for field in counted]
    assert play("standings", tmp_path / "pairs", "--format", "json").report == one.report
    assert play("audit", tmp_path / "pairs").code == 0


def test_a_comparison_with_a_bot_that_does_not_run_fails(play: Play) -> None:
    """It says who is missing, and nothing about who is better."""
    outcome = compared(play, ROOT / "sample_bots" / "simple.py", odd("never", "absent"))

    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1].startswith("take5-referee: never did not stay to the end")
