"""`take5-referee new-bot`: copies a sample bot out as the beginning of one's own."""

import shlex
from pathlib import Path

import click

from referee.cli.cells import plain
from referee.cli.exits import ExitCode, Failure, file_problem
from referee.cli.sample_bots import directory as sample_directory
from referee.cli.suggestions import did_you_mean
from referee.local.copying import CopyProblem, NewBot, copy_bot, languages


@click.command("new-bot")
@click.argument("language", metavar="LANGUAGE")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def command(language: str, directory: Path) -> int:
    """Copy a sample bot in LANGUAGE into the new directory DIR, as the beginning of your own.

    The copy plays as it is, under the name of its directory, and depends on nothing beside it. The languages
    are those of the sample bots: python, and each of their directories with a bot.toml.
    """
    known = languages(sample_directory())
    if language not in known:
        guess = did_you_mean(language, known)
        raise click.UsageError(f"there is no sample bot in {language!r}, only in {', '.join(known)}{guess}")
    try:
        bot = copy_bot(known[language], language, directory)
    except CopyProblem as problem:
        raise click.UsageError(plain(str(problem))) from problem
    except OSError as error:
        raise Failure(file_problem(f"the bot cannot be written to {directory}", error)) from error
    click.echo(f"{plain(str(directory))} holds the bot {bot.name}: {bot.description}")
    click.echo("Next:")
    for line in next_commands(bot):
        click.echo(f"    {line}")
    return ExitCode.COMPLETE


def next_commands(bot: NewBot) -> list[str]:
    """Return the commands to go on with; the second does nothing where nothing has to be built."""
    return [
        f"cd {shlex.quote(str(bot.directory))}",
        "take5-referee build .",
        "take5-referee check .",
        'take5-referee run-local . "$(take5-referee sample-bots)"/*.py',
    ]
