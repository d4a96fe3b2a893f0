"""The console script `take5-referee`: finds the command and turns every expected failure into a sentence.

A command's module is imported when the command is used, since Trio and the tables of rich take longer to
import than `--help` may take.
"""

import importlib
import os
import sys
from collections.abc import Sequence

import click
from click.core import ParameterSource

from referee.cli.exits import EXIT_CODES_HELP, ExitCode
from referee.cli.logformat import LogFormat, use

PROGRAM = "take5-referee"

COMMANDS = {
    "run-local": ("referee.cli.run_local", "Play a tournament of bots that are programs of this machine."),
    "compare": ("referee.cli.compare", "Find out whether one bot is better than another."),
    "serve": ("referee.cli.serve", "Serve a tournament for bots on other machines."),
    "resume": ("referee.cli.resume", "Go on with a tournament that was stopped."),
    "standings": ("referee.cli.standings", "Print the standings of a journal, final or so far."),
    "list": ("referee.cli.listing", "List the rounds, tables and games of a journal."),
    "replay": ("referee.cli.replay", "Show a game of a journal, trick by trick."),
    "export": ("referee.cli.export", "Write a journal as lines for other programs."),
    "explain": ("referee.cli.explain", "Say why each table of a round of a journal was formed."),
    "plot": ("referee.cli.plot", "Draw the ratings and the crosstable of a journal."),
    "audit": ("referee.cli.audit", "Prove a journal, or say what is wrong with it."),
    "schedule": ("referee.cli.schedule", "Print a round-robin schedule without playing it."),
    "simulate": ("referee.cli.simulate", "Try formats on made-up bots, to choose one."),
    "ctl": ("referee.cli.ctl", "Say something to a referee that is serving on this machine."),
    "secret": ("referee.cli.secret", "Make secrets for entrants."),
    "build": ("referee.cli.build", "Build the bots that have to be built before they can play."),
    "new-bot": ("referee.cli.new_bot", "Copy a sample bot as the beginning of your own."),
    "check": ("referee.cli.check", "Check a bot: play named situations against it, say what it does wrong."),
    "doctor": ("referee.cli.doctor", "Say whether this machine is fit for rated play."),
    "schema": ("referee.cli.schema", "Print the JSON Schema of the messages."),
    "sample-bots": ("referee.cli.sample_bots", "Print the directory of the sample bots."),
}
"""By name: the module, whose `command` is the click command, and what the list of commands says of it."""


class Commands(click.Group):
    """The commands of the program, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, the most useful first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = importlib.import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line, or fail with the name of the one that was probably meant."""
        if args[0] in COMMANDS or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from referee.cli.suggestions import did_you_mean

        raise click.UsageError(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])


@click.group(
    PROGRAM,
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"`{PROGRAM} COMMAND --help` says more about a command. {EXIT_CODES_HELP}",
)
@click.version_option(package_name=PROGRAM, prog_name=PROGRAM)
def cli() -> None:
    """Referee for tournaments between bots of the card game Take 5 (6 nimmt!)."""


def main() -> None:
    """Run the console script and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line, with every expected failure told on stderr in one sentence.

    Args:
        arguments: The words behind the name of the program.

    Returns:
        The exit code, see `ExitCode`.
    """
    use(LogFormat.TEXT)
    try:
        code = cli.main(list(arguments) or ["--help"], prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _complain(_sentence(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        _abandon_stdout()
        return ExitCode.FAILED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", ExitCode.FAILED)
    return code or ExitCode.COMPLETE


def _complain(sentence: str, code: int) -> int:
    """Tell the user what went wrong; return the exit code."""
    from referee.cli import log

    stop = "" if sentence.endswith((".", "?", "!")) else "."
    line = f"{PROGRAM}: {sentence}{stop}"
    fields = {"text": sentence, "exit_code": int(code)}
    log.tell(log.Fact(event=log.Event.ERROR, lines=(line,), fields=fields))
    return code


def _sentence(error: click.ClickException) -> str:
    """Return click's message, with the variable added from which a bad value came."""
    message = " ".join(error.format_message().split())
    if not isinstance(error, click.BadParameter) or error.ctx is None or error.param is None:
        return message
    source = error.ctx.get_parameter_source(error.param.name or "")
    if source is not ParameterSource.ENVIRONMENT:
        return message
    return f"{message} The value comes from the variable {error.param.envvar}."


def _abandon_stdout() -> None:
    """Let what stdout still holds go nowhere: its reader has left, and Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
