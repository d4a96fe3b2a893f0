"""`take5-referee build`: builds the bots whose bot.toml has a build command."""

import click

from referee.cli.exits import ExitCode
from referee.cli.selection import build, find


@click.command("build")
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
def command(bots: tuple[str, ...]) -> int:
    """Build the bots that have to be built before they can play.

    A BOT is given as for run-local. What is built already and has not changed since, or needs no building, is
    left alone.
    """
    selection = find(bots)
    for skipped in selection.skipped:
        click.echo(f"skipped: {skipped.source} {skipped.reason}", err=True)
    builds = (*selection.to_build, *selection.changed())
    if not builds:
        click.echo("nothing to build", err=True)
        return ExitCode.COMPLETE
    build(builds, say=lambda line: click.echo(line, err=True))
    return ExitCode.COMPLETE
