"""The options of a tournament, shared by all commands that hold one, and what they add up to."""

import enum
import functools
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs
import click

from referee.cli import shapes
from referee.cli.durations import Duration
from referee.cli.logoption import log_format_option
from referee.cli.settings import Function, WholeNumber, choice, config_option, setting, strongest
from referee.cli.suggestions import did_you_mean
from referee.play.clock import ClockRules
from referee.rules.decks import NONCE_BYTES
from referee.rules.variants import HIGHEST_TARGET, MOST_DEALS, Rules, Variant
from referee.setup import TournamentSetup
from referee.tournament.model import Kind
from referee.tournament.sizes import SMALLEST_TABLE

DEFAULT_TARGET = 66
MOST_DEAL_SETS = 10_000
MOST_STRIKES = 1_000
MOST_REPEAT_WEIGHT = 1_000_000

_SEED_BYTES = 16


class Format(enum.Enum):
    """How standings are written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


@attrs.frozen(kw_only=True)
class GameOptions:
    """How a game is played, as the user wants it.

    Attributes:
        rules: The rules of a game.
        clock: The limits of a seat.
        seed: Decides the deals; None for one drawn from the system's random source.
    """

    rules: Rules
    clock: ClockRules
    seed: str | None

    def seed_for(self, number: int) -> str:
        """Return the seed of the tournament of this number, from 1, that is played by these options."""
        if self.seed is None:
            return secrets.token_hex(_SEED_BYTES)
        return self.seed if number == 1 else f"{self.seed}/{number}"


@attrs.frozen(kw_only=True)
class TournamentOptions(GameOptions):
    """What is played, as the user wants it.

    Attributes:
        kind: The format of the tournament.
        table_size: The most that sit at one table; None for the default.
        rounds: How many rounds; None for the default of the format.
        repeat_weight: In a Swiss, how many squared points a first repeat costs; None for the strict order.
        games: Games each table plays in a round, if they are no deal sets.
        deal_sets: Deal sets each table plays in a round; None if each game is a set of its own.
    """

    kind: Kind
    table_size: int | None
    rounds: int | None
    repeat_weight: int | None
    games: int
    deal_sets: int | None

    def size_for(self, entrants: int) -> int:
        """Return the table size for so many entrants: no table has more seats than there are entrants."""
        return min(self.table_size or shapes.DEFAULT_TABLE_SIZE, max(entrants, SMALLEST_TABLE))

    def setup(self, entrants: int, *, number: int = 1, concurrency: int = 1) -> TournamentSetup:
        """Return what a tournament by these options is made from, with a nonce of its own.

        Args:
            entrants: How many there are, or may be.
            number: Which tournament by these options it is, from 1; none has the cards of another.
            concurrency: How many tables run at once.
        """
        table_size = self.size_for(entrants)
        return TournamentSetup(
            kind=self.kind,
            table_size=table_size,
            rounds=self.rounds,
            repeat_weight=self.repeat_weight,
            games=self.games if self.deal_sets is None else self.deal_sets * table_size,
            deal_sets=self.deal_sets,
            rules=self.rules,
            clock=self.clock,
            seed=self.seed_for(number),
            nonce=secrets.token_bytes(NONCE_BYTES),
            concurrency=concurrency,
        )


@attrs.frozen(kw_only=True)
class ReportOptions:
    """What is told, and where.

    Attributes:
        format: How standings are written.
        output: A file that gets the standings after each round; None for none.
        quiet: Whether nothing but errors goes to stderr.
        anchor: Whose rating is 0; None for a mean of 0.
    """

    format: Format
    output: Path | None
    quiet: bool
    anchor: str | None = None


class WeightOrNone(WholeNumber):
    """An integer between bounds, or the word for none at all; a default of None would mean not set."""

    name = "whole number or none"
    NONE = "none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the number, or the word."""
        return value if value == self.NONE else super().convert(value, param, ctx)


_SCHEDULE_OPTIONS = (
    shapes.kind_setting(),
    shapes.table_size_setting("all bots"),
    shapes.rounds_setting(),
    setting(
        "--repeat-weight",
        metavar="N|none",
        type=WeightOrNone(1, MOST_REPEAT_WEIGHT),
        default=WeightOrNone.NONE,
        show_default=True,
        help="In a Swiss, how many squared points a first repeat costs; 10 is sensible, and with none"
        " there is no repeat while it can be avoided.",
    ),
    shapes.games_setting(),
    setting(
        "--deal-sets",
        metavar="N",
        type=WholeNumber(1, MOST_DEAL_SETS),
        help="Instead of games: deals that each table plays once for each rotation of the hands.",
    ),
)

_GAME_OPTIONS = (
    setting(
        "--variant",
        type=choice(Variant),
        default=Variant.CLASSIC.value,
        show_default=True,
        help="All 104 cards, only as many as are in play, or these in an open draft.",
    ),
    setting(
        "--jumping-cow/--no-jumping-cow",
        default=False,
        show_default=True,
        help="Put the cow on the table.",
    ),
    setting(
        "--target",
        metavar="N",
        type=WholeNumber(1, HIGHEST_TARGET),
        show_default=str(DEFAULT_TARGET),
        help="A game ends once somebody has so many bullheads.",
    ),
    setting(
        "--deals",
        metavar="N",
        type=WholeNumber(1, MOST_DEALS),
        help="A game ends after so many deals, instead of at a target.",
    ),
    setting(
        "--move-timeout",
        metavar="TIME",
        type=Duration("1ms", "1h"),
        default="1s",
        show_default=True,
        help="The time for each decision: 250ms, 2s, 1.5s, 1m.",
    ),
    setting(
        "--grace",
        metavar="TIME",
        type=Duration("0", "1h"),
        show_default="0 on this machine, 50ms for bots on others",
        help="Time for the network on top of each decision.",
    ),
    setting(
        "--time-bank",
        metavar="TIME",
        type=Duration("0", "24h"),
        default="0",
        show_default=True,
        help="Spare time for a whole game, used by decisions that take too long.",
    ),
    setting(
        "--strikes",
        metavar="N",
        type=WholeNumber(0, MOST_STRIKES),
        default=3,
        show_default=True,
        help="Strikes that forfeit a game; 0 for never.",
    ),
    shapes.seed_setting("128 random bits", decides="Decides the deals: the same seed gives the same ones."),
)


def check_anchor(anchor: str | None, entrants: Iterable[str]) -> None:
    """See that the entrant of `--anchor`, if there is one, takes part.

    Raises:
        click.UsageError: It does not.
    """
    names = sorted(entrants)
    if anchor is not None and anchor not in names:
        raise click.UsageError(
            f"--anchor {anchor}: nobody of that name takes part{did_you_mean(anchor, names)}"
        )


def anchor_setting() -> Callable[[Function], Function]:
    """Declare `--anchor`."""
    return setting(
        "--anchor",
        metavar="NAME",
        show_default="the mean of all is 0",
        help="The entrant whose rating is 0, so that ratings can be compared between tournaments.",
    )


_REPORT_OPTIONS = (
    setting(
        "--format",
        type=choice(Format),
        default=Format.TEXT.value,
        show_default=True,
        help="How the standings are written.",
    ),
    setting(
        "--output",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Write the standings also to a file, after each round and at the end.",
    ),
    setting("-q", "--quiet", is_flag=True, help="Print the standings and errors, and nothing else."),
    config_option(),
    log_format_option(),
)


def report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is told of standings; it gets them as `report`."""
    return anchor_setting()(_report_options(function))


def _report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is told, whether there are ratings in it or not."""

    @functools.wraps(function)
    def wrapped(**values: Any) -> Any:  # noqa: ANN401
        report = ReportOptions(
            format=Format(values.pop("format")),
            output=values.pop("output"),
            quiet=values.pop("quiet"),
            anchor=values.pop("anchor", None),
        )
        return function(report=report, **values)

    for option in reversed(_REPORT_OPTIONS):
        option(wrapped)
    return wrapped


def tournament_options(*, grace_ns: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of a tournament; it gets them as `tournament` and `report`.

    The command becomes a function of keyword arguments: these two, and its own options.

    Args:
        grace_ns: The time for the network where the user does not set it.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @report_options
        @functools.wraps(function)
        def wrapped(**values: Any) -> Any:  # noqa: ANN401
            tournament = _tournament(click.get_current_context(), values, grace_ns)
            return function(tournament=tournament, **values)

        for option in reversed((*_SCHEDULE_OPTIONS, *_GAME_OPTIONS)):
            option(wrapped)
        return wrapped

    return decorate


def game_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command for bots of this machine the options of a game; it gets them as `game` and `report`."""

    @_report_options
    @functools.wraps(function)
    def wrapped(**values: Any) -> Any:  # noqa: ANN401
        game = GameOptions(**_game(click.get_current_context(), values, grace_ns=0))
        return function(game=game, **values)

    for option in reversed(_GAME_OPTIONS):
        option(wrapped)
    return wrapped


def _tournament(ctx: click.Context, values: dict[str, Any], grace_ns: int) -> TournamentOptions:
    """Take the options of a tournament out of the values of a command."""
    kind = Kind(values.pop("tournament"))
    games, deal_sets = values.pop("games"), values.pop("deal_sets")
    by_set = strongest(ctx, "games", "deal_sets") == "deal_sets"
    return TournamentOptions(
        kind=kind,
        table_size=values.pop("table_size"),
        rounds=values.pop("rounds"),
        repeat_weight=_repeat_weight(ctx, values.pop("repeat_weight"), kind),
        games=games,
        deal_sets=deal_sets if by_set else None,
        **_game(ctx, values, grace_ns),
    )


def _game(ctx: click.Context, values: dict[str, Any], grace_ns: int) -> dict[str, Any]:
    """Take the options of a game out of the values of a command."""
    grace = values.pop("grace")
    return {
        "rules": _rules(ctx, values),
        "clock": ClockRules(
            move_ns=values.pop("move_timeout"),
            grace_ns=grace_ns if grace is None else grace,
            bank_ns=values.pop("time_bank"),
            strikes=values.pop("strikes"),
        ),
        "seed": values.pop("seed"),
    }


def _repeat_weight(ctx: click.Context, weight: int | str, kind: Kind) -> int | None:
    """Return the weight of a repeat; only a Swiss has one."""
    if weight == WeightOrNone.NONE:
        return None
    if kind is not Kind.SWISS:
        raise click.UsageError(
            "--repeat-weight is for a Swiss: add --tournament swiss, or leave it away.", ctx
        )
    return int(weight)


def _rules(ctx: click.Context, values: dict[str, Any]) -> Rules:
    target, deals = values.pop("target"), values.pop("deals")
    fixed_length = strongest(ctx, "target", "deals") == "deals"
    return Rules(
        variant=Variant(values.pop("variant")),
        jumping_cow=values.pop("jumping_cow"),
        target=None if fixed_length else target or DEFAULT_TARGET,
        deals=deals if fixed_length else None,
    )
