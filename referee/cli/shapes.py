"""The options that say what shape a tournament has, for those who play it and those who plan it."""

from collections.abc import Callable

import click

from referee.cli.settings import Function, WholeNumber, choice, setting
from referee.tournament.model import TOURNAMENTS, Kind
from referee.tournament.sizes import LARGEST_TABLE, SMALLEST_TABLE

DEFAULT_TABLE_SIZE = 4
MOST_ROUNDS = 100_000
MOST_GAMES = 100_000
LONGEST_SEED = 200
"""In characters; the seed is told to every bot at the end, in a field that is bounded."""


def kind_setting() -> Callable[[Function], Function]:
    """Declare `--tournament`."""
    return setting(
        "--tournament",
        type=choice(TOURNAMENTS),
        default=Kind.ROUND_ROBIN.value,
        show_default=True,
        help="The format: everybody meets equally often, or those with like points meet, or every table that "
        "a small field can form is played.",
    )


def table_size_setting(everybody: str) -> Callable[[Function], Function]:
    """Declare `--table-size`.

    Args:
        everybody: All who take part, in words.
    """
    return setting(
        "--table-size",
        metavar="N",
        type=WholeNumber(SMALLEST_TABLE, LARGEST_TABLE),
        show_default=f"{DEFAULT_TABLE_SIZE}, or {everybody} if they are fewer",
        help="The most that sit at one table, 2 to 10.",
    )


def rounds_setting() -> Callable[[Function], Function]:
    """Declare `--rounds`."""
    return setting(
        "--rounds",
        metavar="N",
        type=WholeNumber(1, MOST_ROUNDS),
        show_default="as the format needs",
        help="How many rounds there are.",
    )


def games_setting() -> Callable[[Function], Function]:
    """Declare `--games`."""
    return setting(
        "--games",
        metavar="N",
        type=WholeNumber(1, MOST_GAMES),
        default=1,
        show_default=True,
        help="Games that each table plays in a round.",
    )


def seed_setting(without: str, *, decides: str) -> Callable[[Function], Function]:
    """Declare `--seed`.

    Args:
        without: What is taken where it is not given.
        decides: What it decides, as a sentence.
    """
    return setting("--seed", metavar="TEXT", callback=_check_seed, show_default=without, help=decides)


def _check_seed(ctx: click.Context, param: click.Parameter, seed: str | None) -> str | None:
    """Check a seed; the callback of an option.

    Raises:
        click.BadParameter: It is too long, or not printable.
    """
    if seed is not None and not (0 < len(seed) <= LONGEST_SEED and seed.isprintable()):
        raise click.BadParameter(f"a seed is 1 to {LONGEST_SEED} printable characters.", ctx, param)
    return seed
