"""The options of a tournament: from the command line, variables and a config file to what they add up to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from referee.cli.options import Format, TournamentOptions, tournament_options
from referee.cli.settings import setting, unknown_variables
from referee.play.clock import ClockRules
from referee.rules.variants import Rules, Variant
from referee.tournament.model import Kind

MS = 1_000_000
Parse = Callable[..., dict[str, Any]]


@click.command()
@tournament_options(grace_ns=0)
@setting("--concurrency", type=click.IntRange(1, 8))
def holding(**values: Any) -> dict[str, Any]:
    """Return what the options gave."""
    return values


@pytest.fixture
def parse() -> Parse:
    """Give the values to which a command line comes."""

    def with_words(*words: object) -> dict[str, Any]:
        return holding.main([str(word) for word in words], standalone_mode=False)

    return with_words


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """Write a config file."""

    def write(text: str) -> Path:
        path = tmp_path / "cup.toml"
        path.write_text(text)
        return path

    return write


def refusal(parse: Parse, *words: object) -> str:
    """Return the sentence with which a command line is refused."""
    with pytest.raises(click.UsageError) as caught:
        parse(*words)
    return caught.value.format_message()


def test_defaults(parse: Parse) -> None:
    """Without any option: round-robin, tables of four, one classic game to 66 a table, a second a move."""
    values = parse("--seed", "s")

    assert values["tournament"] == TournamentOptions(
        kind=Kind.ROUND_ROBIN,
        table_size=None,
        rounds=None,
        repeat_weight=None,
        games=1,
        deal_sets=None,
        rules=Rules(variant=Variant.CLASSIC, jumping_cow=False, target=66, deals=None),
        clock=ClockRules(move_ns=1000 * MS, grace_ns=0, bank_ns=0, strikes=3),
        seed="s",
    )


def test_every_option_of_a_tournament_is_heard(parse: Parse) -> None:
    """Each option ends up where it belongs."""
    words = (
        "--tournament swiss --table-size 3 --rounds 7 --repeat-weight 10 --games 2 --variant tactic "
        "--jumping-cow --deals 5 "
        "--move-timeout 250ms --grace 20ms --time-bank 1m --strikes 0 --seed abc --format csv --output o.csv "
        "--quiet --anchor bob --concurrency 2"
    )
    values = parse(*words.split())

    assert values["tournament"] == TournamentOptions(
        kind=Kind.SWISS,
        table_size=3,
        rounds=7,
        repeat_weight=10,
        games=2,
        deal_sets=None,
        rules=Rules(variant=Variant.TACTIC, jumping_cow=True, target=None, deals=5),
        clock=ClockRules(move_ns=250 * MS, grace_ns=20 * MS, bank_ns=60_000 * MS, strikes=0),
        seed="abc",
    )
    report = values["report"]
    assert (report.format, report.output, report.quiet) == (Format.CSV, Path("o.csv"), True)
    assert (values["concurrency"], report.anchor) == (2, "bob")


@pytest.mark.parametrize("weight", ["0", "1000001", "some"])
def test_a_repeat_weighs_a_whole_number_or_nothing(parse: Parse, weight: str) -> None:
    """Any other word is refused; `none` is the strict order."""
    assert parse("--tournament", "swiss", "--repeat-weight", "none")["tournament"].repeat_weight is None
    assert weight in refusal(parse, "--tournament", "swiss", "--repeat-weight", weight)


def test_a_round_robin_has_no_weight_of_repeats(parse: Parse) -> None:
    """It would change nothing, so it is a mistake."""
    assert "--repeat-weight is for a Swiss: add --tournament swiss, or leave it away." == refusal(
        parse, "--repeat-weight", "10"
    )


def test_a_seed_is_drawn_from_128_random_bits(parse: Parse) -> None:
    """Two tournaments without a seed get different ones of 32 hex digits."""
    one, other = parse()["tournament"].seed_for(1), parse()["tournament"].seed_for(1)

    assert len(one) == len(other) == 32
    assert int(one, 16) != int(other, 16)


@pytest.mark.parametrize(
    ("wanted", "entrants", "size"), [(None, 9, 4), (None, 3, 3), (None, 2, 2), (6, 9, 6), (6, 5, 5)]
)
def test_a_table_has_no_more_seats_than_there_are_entrants(
    parse: Parse, wanted: int | None, entrants: int, size: int
) -> None:
    """The table size is what was asked for, four if nothing was, and all if they are fewer."""
    words = () if wanted is None else ("--table-size", wanted)

    assert parse(*words)["tournament"].size_for(entrants) == size


def test_a_further_tournament_has_other_cards_and_a_nonce_of_its_own(parse: Parse) -> None:
    """The second by the same options has another seed; the rest is alike."""
    options = parse("--seed", "cup", "--rounds", 3)["tournament"]
    one, other = options.setup(9, concurrency=5), options.setup(9, number=2)

    assert (one.seed, one.rounds, one.table_size, one.concurrency) == ("cup", 3, 4, 5)
    assert (other.seed, other.rounds, other.table_size, other.concurrency) == ("cup/2", 3, 4, 1)
    assert 32 == len(one.nonce) == len(other.nonce)
    assert one.nonce != other.nonce


def test_deal_sets_are_so_many_games_as_the_table_has_seats(parse: Parse) -> None:
    """Two sets at tables of four are eight games; without sets it is the games that count."""
    sets, games = parse("--deal-sets", 2)["tournament"], parse("--games", 3)["tournament"]

    assert (sets.deal_sets, sets.setup(9).games) == (2, 8)
    assert (games.deal_sets, games.setup(9).games) == (None, 3)


def test_the_command_line_decides_between_games_and_deal_sets(
    parse: Parse, config: Callable[[str], Path]
) -> None:
    """Of two options that exclude each other the stronger place wins, whichever way round."""
    by_set = parse("--config", config("games = 5"), "--deal-sets", 2)["tournament"]
    by_game = parse("--config", config("deal-sets = 5"), "--games", 2)["tournament"]

    assert (by_set.deal_sets, by_game.deal_sets, by_game.games) == (2, None, 2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--table-size 11", "Invalid value for '--table-size': 11 is not in the range 2<=x<=10."),
        ("--table-size four", "Invalid value for '--table-size': 'four' is not a valid whole number."),
        ("--rounds 0", "Invalid value for '--rounds': 0 is not in the range 1<=x<=100000."),
        ("--games 0", "Invalid value for '--games': 0 is not in the range 1<=x<=100000."),
        ("--target 0", "Invalid value for '--target': 0 is not in the range 1<=x<=100000."),
        ("--strikes -1", "Invalid value for '--strikes': -1 is not in the range 0<=x<=1000."),
        (
            "--move-timeout 250",
            "Invalid value for '--move-timeout': 250 has no unit: write 250ms or 250s.",
        ),
        (
            "--move-timeout 2h",
            "Invalid value for '--move-timeout': 2h is not in the range from 1ms to 1h.",
        ),
        ("--deal-sets 0", "Invalid value for '--deal-sets': 0 is not in the range 1<=x<=10000."),
        ("--games 5 --deal-sets 5", "--games and --deal-sets exclude each other: set only one."),
        ("--target 5 --deals 5", "--target and --deals exclude each other: set only one."),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_one_sentence(parse: Parse, words: str, sentence: str) -> None:
    """The sentence names the option, the value and what is possible."""
    assert refusal(parse, *words.split()) == sentence


def test_a_word_that_is_no_format_is_refused_with_those_that_are(parse: Parse) -> None:
    """A choice names its possibilities."""
    sentence = refusal(parse, "--tournament", "knock-out")

    assert "'knock-out' is not one of 'round-robin', 'swiss'" in sentence


@pytest.mark.parametrize("seed", ["", "a\nb", "x" * 201, "\udce4"])
def test_a_seed_that_cannot_be_told_to_bots_is_refused(parse: Parse, seed: str) -> None:
    """At the end the seed is told to every bot, in a field that is bounded and printable."""
    sentence = refusal(parse, "--seed", seed)

    assert sentence == "Invalid value for '--seed': a seed is 1 to 200 printable characters."


# --- variables and the config file -------------------------------------------------------------------------


def test_a_variable_sets_an_option(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option has its variable, those of a single command too."""
    for key, value in {"TABLE_SIZE": "3", "JUMPING_COW": "1", "GRACE": "5ms", "CONCURRENCY": "4"}.items():
        monkeypatch.setenv(f"TAKE5_REFEREE_{key}", value)
    values = parse()

    tournament = values["tournament"]
    assert (tournament.table_size, tournament.rules.jumping_cow, tournament.clock.grace_ns) == (
        3,
        True,
        5 * MS,
    )
    assert values["concurrency"] == 4


def test_a_config_file_sets_options_by_either_spelling(parse: Parse, config: Callable[[str], Path]) -> None:
    """Keys are the names of options with "-" or "_", values have the types of TOML."""
    path = config(
        'table-size = 3\nmove_timeout = "2s"\ngrace = 0\njumping_cow = true\nformat = "json"\noutput = "o"\n'
    )
    values = parse("--config", path)

    tournament, report = values["tournament"], values["report"]
    assert (tournament.table_size, tournament.clock.move_ns, tournament.clock.grace_ns) == (3, 2000 * MS, 0)
    assert tournament.rules.jumping_cow is True
    assert (report.format, report.output) == (Format.JSON, Path("o"))


def test_a_variable_names_the_config_file(
    parse: Parse, config: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TAKE5_REFEREE_CONFIG does what --config does."""
    monkeypatch.setenv("TAKE5_REFEREE_CONFIG", str(config("rounds = 9\n")))

    assert parse()["tournament"].rounds == 9


def test_the_command_line_wins_over_a_variable_and_that_over_the_file(
    parse: Parse, config: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of three options is set in one place more than the one before; the strongest place counts."""
    path = config("rounds = 1\ngames = 1\ntable-size = 2\n")
    monkeypatch.setenv("TAKE5_REFEREE_GAMES", "2")
    monkeypatch.setenv("TAKE5_REFEREE_TABLE_SIZE", "3")
    tournament = parse("--config", path, "--table-size", "4")["tournament"]

    assert (tournament.rounds, tournament.games, tournament.table_size) == (1, 2, 4)


@pytest.mark.parametrize(
    ("file", "variable", "words", "ends"),
    [
        ("target = 30\n", {}, "--deals 4", (None, 4)),
        ("deals = 4\n", {}, "--target 30", (30, None)),
        ("deals = 4\n", {"TAKE5_REFEREE_TARGET": "30"}, "", (30, None)),
        ("", {"TAKE5_REFEREE_TARGET": "30"}, "--deals 4", (None, 4)),
        ("deals = 4\n", {}, "", (None, 4)),
    ],
)
def test_of_target_and_deals_the_one_set_in_the_stronger_place_counts(
    parse: Parse,
    config: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    variable: dict[str, str],
    words: str,
    ends: tuple[int | None, int | None],
) -> None:
    """A file of one's habits does not stand in the way of one game that ends otherwise."""
    for key, value in variable.items():
        monkeypatch.setenv(key, value)
    rules = parse("--config", config(file), *words.split())["tournament"].rules

    assert (rules.target, rules.deals) == ends


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tabel-size = 3\n", "sets 'tabel-size', which is no option; did you mean table-size?"),
        ("colour = 3\n", "sets 'colour', which is no option."),
        ('config = "x"\n', "sets 'config', which is no option."),
        ("table-size = 3\ntable_size = 4\n", "sets 'table-size' twice."),
        ('rounds = "3"\n', "sets 'rounds' to '3', but it takes a whole number."),
        ("rounds = true\n", "sets 'rounds' to True, but it takes a whole number."),
        ("rounds = 1.5\n", "sets 'rounds' to 1.5, but it takes a whole number."),
        ("table-size = 11\n", "sets 'table-size' wrongly: 11 is not in the range 2<=x<=10."),
        ("jumping-cow = 1\n", "sets 'jumping-cow' to 1, but it takes true or false."),
        ("seed = 7\n", "sets 'seed' to 7, but it takes a text in quotes."),
        ("move-timeout = 2\n", "sets 'move-timeout' wrongly: 2 has no unit: write 2ms or 2s."),
        ("[rounds]\n", "sets 'rounds' to {}, but it takes a whole number."),
    ],
)
def test_a_config_file_with_a_mistake_is_refused_in_one_sentence(
    parse: Parse, config: Callable[[str], Path], text: str, sentence: str
) -> None:
    """The sentence names the file, the key and what would be right."""
    path = config(text)

    assert refusal(parse, "--config", path) == f"{path} {sentence}"


def test_a_config_file_whose_target_and_deals_conflict_is_refused(
    parse: Parse, config: Callable[[str], Path]
) -> None:
    """In one place they exclude each other."""
    sentence = refusal(parse, "--config", config("target = 3\ndeals = 3\n"))

    assert sentence == "--target and --deals exclude each other: set only one."


def test_a_config_file_that_cannot_be_read_is_refused(parse: Parse, tmp_path: Path) -> None:
    """Missing, broken and binary files are each one sentence."""
    missing, broken, binary = tmp_path / "missing", tmp_path / "broken", tmp_path / "binary"
    broken.write_text("rounds =")
    binary.write_bytes(b"\xff\xfe")

    assert refusal(parse, "--config", missing) == (
        f"the config file {missing} cannot be read: No such file or directory"
    )
    assert refusal(parse, "--config", broken).startswith(f"the config file {broken} is not TOML: ")
    assert refusal(parse, "--config", binary).startswith(f"the config file {binary} is not TOML: ")
    assert refusal(parse, "--config", tmp_path) == (
        f"the config file {tmp_path} cannot be read: Is a directory"
    )


def test_a_variable_that_sets_nothing_is_reported() -> None:
    """Mistyped variables get a suggestion; those of others, and those that bots get, are left alone."""
    environment = {
        "TAKE5_REFEREE_ROUNDS": "1",
        "TAKE5_REFEREE_ROUDNS": "1",
        "TAKE5_REFEREE_ZZZZ": "1",
        "TAKE5_HOST": "x",
        "PATH": "x",
    }

    assert unknown_variables(holding, environment) == [
        "the variable TAKE5_REFEREE_ROUDNS sets nothing; did you mean TAKE5_REFEREE_ROUNDS?",
        "the variable TAKE5_REFEREE_ZZZZ sets nothing.",
    ]
