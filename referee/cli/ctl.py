"""`take5-referee ctl`: a command for a referee that is serving on this machine."""

from pathlib import Path

import click

from referee.cli.exits import ExitCode, Failure
from referee.cli.settings import WholeNumber, setting

DEFAULT_PORT = 5104
HIGHEST_PORT = 65535


@click.command(
    "ctl",
    epilog="Commands: start, pause, continue, status, standings, remove NAME REASON, add NAME, "
    "void ROUND REASON, finish, help. Exit codes: 0 done, 1 not done, 2 wrong usage.",
)
@setting(
    "--port",
    metavar="N",
    type=WholeNumber(1, HIGHEST_PORT),
    default=DEFAULT_PORT,
    show_default=True,
    help="The port on which the referee serves.",
)
@setting("--socket", "path", metavar="FILE", type=click.Path(path_type=Path), help="Its control socket.")
@click.argument("words", metavar="COMMAND...", nargs=-1, required=True)
def command(*, port: int, path: Path | None, words: tuple[str, ...]) -> int:
    """Say something to a referee that is serving on this machine, as at its console."""
    from referee.server.control import ControlError, ask, default_path

    try:
        done, text = ask(path or default_path(port), " ".join(words))
    except ControlError as error:
        raise Failure(str(error)) from error
    click.echo(text, err=not done)
    return ExitCode.COMPLETE if done else ExitCode.FAILED
