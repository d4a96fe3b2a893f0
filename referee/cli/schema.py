"""`take5-referee schema`: prints the JSON Schema of the messages."""

import json

import click

from protocol.schema import MESSAGES, schema, schema_of
from referee.cli.exits import ExitCode
from referee.cli.suggestions import did_you_mean


@click.command("schema")
@click.argument("message", required=False)
def command(message: str | None) -> int:
    """Print the JSON Schema (draft 2020-12) of a MESSAGE, such as choose_card, or of all of them.

    It is for the maps that travel as msgpack. SPEC.md says what they mean, and what no schema can say.
    """
    if message is not None and message not in MESSAGES:
        raise click.UsageError(f"there is no message {message!r}{did_you_mean(message, MESSAGES)}")
    found = schema() if message is None else schema_of(message)
    click.echo(json.dumps(found, indent=2))
    return ExitCode.COMPLETE
