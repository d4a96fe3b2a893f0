"""`--io`: which of the two I/O shells moves the bytes."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from referee.cli.settings import setting
from referee.server.readers import Io, available

Function = TypeVar("Function", bound=Callable[..., Any])


def io_option(function: Function) -> Function:
    """Declare `--io`, which the command gets as `io`."""
    option = setting(
        "--io",
        type=click.Choice([kind.value for kind in Io]),
        callback=_chosen,
        default=available()[0].value,
        show_default=True,
        help="How connections are read; what bots see and what is recorded is the same.",
    )
    return option(function)


def _chosen(ctx: click.Context, param: click.Parameter, value: str) -> Io:
    if Io(value) not in available():
        raise click.BadParameter("the fast one needs Linux; leave the option away.", ctx, param)
    return Io(value)
