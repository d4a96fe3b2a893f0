"""Options that can also be set by a variable or in a TOML file.

`--table-size` is also `TAKE5_REFEREE_TABLE_SIZE`, and `table-size` or `table_size` in the file of `--config`.
The command line wins over a variable, a variable over the file, and the file over the default.
"""

import enum
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from referee.cli.exits import file_problem
from referee.cli.suggestions import did_you_mean

PREFIX = "TAKE5_REFEREE_"
"""How the variables begin; no bot is ever given one."""

CONFIG = "config"

_STRENGTH = (ParameterSource.DEFAULT_MAP, ParameterSource.ENVIRONMENT, ParameterSource.COMMANDLINE)
"""The places where a setting can be made, the weakest first."""

Function = TypeVar("Function", bound=Callable[..., Any])


def setting(*declarations: str, **attributes: Any) -> Callable[[Function], Function]:  # noqa: ANN401
    """Declare an option as `click.option` does, which a variable and the config file can set as well."""
    name = _longest(declarations)
    return click.option(*declarations, envvar=variable(name), **attributes)


def config_option() -> Callable[[Function], Function]:
    """Declare `--config`, which is read before all other options."""
    return click.option(
        f"--{CONFIG}",
        metavar="FILE",
        type=click.Path(path_type=Path),
        envvar=variable(CONFIG),
        is_eager=True,
        expose_value=False,
        callback=_use_config,
        help="Take options from a TOML file; its keys are the names of the options.",
    )


def variable(name: str) -> str:
    """Return the environment variable of an option, named as on the command line but without dashes."""
    return PREFIX + name.replace("-", "_").upper()


def unknown_variables(command: click.Command, environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that begins like ours but sets nothing."""
    known = [option.envvar for option in command.params if isinstance(option.envvar, str)]
    unknown = sorted(key for key in environment if key.startswith(PREFIX) and key not in known)
    return [f"the variable {key} sets nothing{did_you_mean(key, known, prefix=PREFIX)}" for key in unknown]


def strongest(ctx: click.Context, one: str, other: str) -> str | None:
    """Say which of two options that exclude each other was set, by the place where it was set.

    Args:
        ctx: Where the values of the options came from.
        one: An option, with underscores.
        other: The other one.

    Returns:
        The name of the one that counts; None if neither was set.

    Raises:
        click.UsageError: Both were set in the same place.
    """
    places = {name: _strength(ctx, name) for name in (one, other)}
    if places[one] == places[other]:
        if places[one] < 0:
            return None
        raise click.UsageError(
            f"--{_dashed(one)} and --{_dashed(other)} exclude each other: set only one.", ctx
        )
    return max(places, key=places.__getitem__)


def _strength(ctx: click.Context, name: str) -> int:
    source = ctx.get_parameter_source(name)
    return _STRENGTH.index(source) if source in _STRENGTH else -1


def _longest(declarations: Iterable[str]) -> str:
    return max(declarations, key=len).split("/")[0].lstrip("-")


def _dashed(name: str) -> str:
    return name.replace("_", "-")


class WholeNumber(click.IntRange):
    """An integer between bounds, called in messages what people call it."""

    name = "whole number"


def choice(kinds: Iterable[enum.Enum]) -> "click.Choice[str]":  # generic only since click 8.2
    """Return the type of an option that takes the values of some enums."""
    return click.Choice([kind.value for kind in kinds])


# --- the config file ---------------------------------------------------------------------------------------


def _use_config(ctx: click.Context, _param: click.Parameter, path: Path | None) -> None:
    if path is not None:
        ctx.default_map = read_config(path, ctx)


def read_config(path: Path, ctx: click.Context) -> dict[str, Any]:
    """Read a config file and check it against the options of the command.

    Args:
        path: The TOML file.
        ctx: The context of the command whose options it may set.

    Returns:
        The values by the names of the parameters.

    Raises:
        click.UsageError: It cannot be read, is no TOML, or sets what does not exist or cannot be so.
    """
    options = {
        option.name: option
        for option in ctx.command.params
        if isinstance(option, click.Option) and option.envvar and option.name not in {None, CONFIG}
    }
    values: dict[str, Any] = {}
    for key, value in _load(path, ctx).items():
        option = options.get(key.replace("-", "_"))
        if option is None or option.name is None:
            advice = did_you_mean(_dashed(key), [_dashed(name) for name in options if name])
            raise click.UsageError(f"{path} sets {key!r}, which is no option{advice}", ctx)
        if option.name in values:
            raise click.UsageError(f"{path} sets {_dashed(option.name)!r} twice.", ctx)
        values[option.name] = _checked(path, key, value, option, ctx)
    return values


def _load(path: Path, ctx: click.Context) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise click.UsageError(file_problem(f"the config file {path} cannot be read", error), ctx) from error
    except ValueError as error:  # bad TOML, or bytes that are no UTF-8
        raise click.UsageError(f"the config file {path} is not TOML: {error}", ctx) from error


def _checked(path: Path, key: str, value: object, option: click.Option, ctx: click.Context) -> object:
    """Return the value as it was written, if the option would take it, or a list where it takes several."""
    if not option.multiple:
        return _one_checked(path, key, value, option, ctx)
    values = value if isinstance(value, list) else [value]
    return [_one_checked(path, key, one, option, ctx) for one in values]


def _one_checked(path: Path, key: str, value: object, option: click.Option, ctx: click.Context) -> object:
    kind, expected = _expected(option)
    # To Python True is an int; a duration of 0 needs no unit, and so no quotes.
    if type(value) is not kind and not (option.type.name == "duration" and type(value) is int):
        raise click.UsageError(f"{path} sets {key!r} to {value!r}, but it takes {expected}.", ctx)
    try:
        option.type.convert(value, option, ctx)
    except click.BadParameter as error:
        raise click.UsageError(f"{path} sets {key!r} wrongly: {error.message}", ctx) from error
    return value


def _expected(option: click.Option) -> tuple[type, str]:
    if option.is_flag:
        return bool, "true or false"
    if isinstance(option.type, click.types.IntParamType):
        return int, "a whole number"
    return str, "a text in quotes"
