"""`take5-referee secret`: secrets for the entrants of a served tournament."""

from pathlib import Path

import click

from referee.cli.exits import file_problem
from referee.server.secretsfile import SecretsFileError, append

DEFAULT_FILE = "secrets.txt"


@click.group("secret")
def command() -> None:
    """Make secrets for entrants."""


@command.command("new")
@click.option(
    "--file",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=DEFAULT_FILE,
    show_default=True,
    help="The secrets file to add to.",
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def new(*, path: Path, names: tuple[str, ...]) -> None:
    """Make a secret for each NAME.

    The secrets are printed once, a line each; the file keeps their hashes, for `serve --secrets FILE`. A name
    that is in the file already gets one more secret, for a further bot.
    """
    try:
        made = append(path, names)
    except SecretsFileError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(file_problem(f"the secrets file {path} cannot be written", error)) from error
    for name, secret in made:
        click.echo(f"{name} {secret}")
