"""The option of how stderr is written."""

from collections.abc import Callable

import click

from referee.cli.logformat import LogFormat, use
from referee.cli.settings import Function, setting


def log_format_option() -> Callable[[Function], Function]:
    """Declare `--log-format`, which holds from the moment it is read."""
    return setting(
        "--log-format",
        type=click.Choice([kind.value for kind in LogFormat]),
        default=LogFormat.TEXT.value,
        show_default=True,
        is_eager=True,
        expose_value=False,
        callback=lambda _ctx, _param, value: use(LogFormat(value)),
        help="How stderr is written: lines for people, or a JSON object a line.",
    )
