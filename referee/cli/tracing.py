"""The options that write down what passes between the referee and a bot."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from io import FileIO
from typing import Any, TypeVar

import attrs
import click

from referee.cli.exits import file_problem
from referee.cli.selection import Say
from referee.cli.settings import setting
from referee.server.engine import Engine
from referee.server.tracing import Trace, TracedEngine

TO_STDERR = "-"

Function = TypeVar("Function", bound=Callable[..., Any])
MakeEngine = Callable[..., Engine]


@attrs.frozen(kw_only=True)
class TraceOptions:
    """What is written down.

    Attributes:
        path: The file, or `-` for stderr; None for nothing.
        bot: The bot to follow; None for all.
        with_hex: Whether to show bytes too.
    """

    path: str | None
    bot: str | None
    with_hex: bool

    @contextlib.contextmanager
    def engine(self, say: Say) -> Iterator[MakeEngine]:
        """Give what makes the engine: one that writes down what is said if that is wanted.

        Args:
            say: Shows a line to the user, for `-` and for what goes wrong.

        Raises:
            click.UsageError: The file cannot be written, or only half of the options are given.
        """
        if self.path is None:
            if self.bot is not None or self.with_hex:
                raise click.UsageError(
                    "--trace-bot and --trace-hex need --trace FILE, or --trace - for stderr"
                )
            yield Engine
        elif self.path == TO_STDERR:
            yield self._traced(say)
        else:
            with _opened(self.path) as file:
                yield self._traced(_Writer(file, self.path, say).write)

    def _traced(self, write: Callable[[str], None]) -> MakeEngine:
        return functools.partial(TracedEngine, Trace(write, bot=self.bot, with_hex=self.with_hex))


def trace_options(function: Function) -> Callable[..., Any]:
    """Add the options to a command, which gets them as `trace`."""

    @functools.wraps(function)
    def command(
        *, trace_path: str | None, trace_bot: str | None, trace_hex: bool, **others: object
    ) -> object:
        options = TraceOptions(path=trace_path, bot=trace_bot, with_hex=trace_hex)
        return function(trace=options, **others)

    for declare in (
        setting("--trace-hex", is_flag=True, help="Show the bytes in the trace too."),
        setting("--trace-bot", metavar="NAME", help="Trace this bot only."),
        setting(
            "--trace", "trace_path", metavar="FILE", help="Write down what passes with bots; - for stderr."
        ),
    ):
        command = declare(command)
    return command


class _Writer:
    """Writes lines to a file; a disk that is full costs the trace, not the tournament."""

    def __init__(self, file: FileIO, path: str, say: Say) -> None:
        self._file: FileIO | None = file
        self._path = path
        self._say = say

    def write(self, line: str) -> None:
        """Write a line, so that it is there at once for whoever follows the file."""
        if self._file is None:
            return
        try:
            self._file.write(f"{line}\n".encode())
        except OSError as error:
            self._file = None
            self._say(file_problem(f"the trace {self._path} ends here, since it cannot be written", error))


@contextlib.contextmanager
def _opened(path: str) -> Iterator[FileIO]:
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(FileIO(path, "w"))
        except OSError as error:
            raise click.UsageError(file_problem(f"the trace {path} cannot be written", error)) from error
        yield file
