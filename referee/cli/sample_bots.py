"""`take5-referee sample-bots`: says where the sample bots are, in a checkout as in an installed wheel."""

from pathlib import Path

import click

import protocol
from referee.cli.exits import ExitCode, Failure


@click.command("sample-bots")
def command() -> int:
    """Print the directory of the sample bots.

    So that they can play wherever the program is installed:

        take5-referee run-local "$(take5-referee sample-bots)"/*
    """
    click.echo(directory())
    return ExitCode.COMPLETE


def directory() -> Path:
    """Return the directory of the sample bots, which lies beside the package of the protocol.

    Raises:
        Failure: It is not there.
    """
    beside = Path(protocol.__path__[0]).resolve().parent / "sample_bots"
    if not beside.is_dir():
        raise Failure(f"there are no sample bots at {beside}: install take5-referee again")
    return beside
