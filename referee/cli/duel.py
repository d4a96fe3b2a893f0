"""A comparison under way: takes in its games, shows how it stands, and ends it once it is decided."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import click

from referee.cli import events
from referee.cli.exits import ExitCode, Failure, file_problem
from referee.cli.log import Event
from referee.cli.options import Format, ReportOptions
from referee.cli.output import OutputFile
from referee.cli.progress import LINE_EVERY_S, Progress
from referee.cli.verdicts import Report, estimate, to_json, to_text
from referee.director import Director
from referee.journal.head import Head
from referee.journal.reading import Reading
from referee.journal.scores import score_of
from referee.local.news import LocalNews
from referee.rules.variants import Variant
from referee.server.news import GameOver, Withdrawn
from referee.setup import TournamentSetup
from referee.tournament.paired import Pairs
from referee.tournament.sequential import Question, Verdict

_QUESTION = "question"


class Duel:
    """Shows a comparison from its announcement to its verdict.

    Args:
        director: What is played; what has been played already counts.
        question: What is asked.
        report: How and where the verdict is told.
        output: The file that gets it too, or None.
        progress: What shows how far things are.
        clock: Seconds, rising.
    """

    interrupted = "that is how the comparison stands"

    def __init__(
        self,
        director: Director,
        question: Question,
        report: ReportOptions,
        output: OutputFile | None,
        progress: Progress,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._director = director
        self._question = question
        self._format = report.format
        self._output = output
        self._progress = progress
        self._clock = clock
        self._last = clock()
        self._stop: Callable[[], None] | None = None
        self._missing: str | None = None
        self._pairs = _pairs(director.setup, question, director.journal.reading())

    @property
    def decided(self) -> bool:
        """Whether no further pair can change the answer."""
        return self._pairs.over

    def stop_by(self, stop: Callable[[], None]) -> None:
        """Have this called once it is decided, which ends what is played."""
        self._stop = stop

    def open(self, director: Director, running: Callable[[], int]) -> None:
        """Announce the comparison."""
        del running
        report = self.report
        one, other = report.rivals
        whom = f" against {', '.join(report.opponents)}" if report.opponents else ""
        question = self._question
        lines = (
            f"is {other} better than {one}{whom}? tables of {director.setup.table_size},"
            f" at most {director.games_planned:,} games;"
            f" smallest difference {question.smallest:g}, alpha {question.alpha:g}, beta {question.beta:g}",
            f"commitment to the seed: {director.setup.commitment}",
        )
        self._progress.tell(events.begun(Event.COMPARISON_BEGUN, director.setup, lines))

    def news(self, items: Sequence[LocalNews]) -> None:
        """Take in what has happened."""
        self._progress.news(items)
        for item in items:
            if isinstance(item, GameOver):
                self._pairs.add(score_of(item.result))
            elif isinstance(item, Withdrawn) and not self.decided:
                self._missing = self._missing or item.entrant
        if self._stop is not None and (self.decided or self._missing) and not self._director.over:
            self._stop()
        now = self._clock()
        if now - self._last >= LINE_EVERY_S:
            self._last = now
            self._progress.say(estimate(self.report))

    def close(self) -> None:
        """Do nothing: every line is out."""

    def standings(self) -> None:
        """Print the verdict, and write it to the output file.

        Raises:
            Failure: A bot was not there, so nothing can be said; or the file cannot be written.
        """
        if self._missing is not None:
            raise Failure(f"{self._missing} did not stay to the end, so nothing can be said of who is better")
        text = written(self.report, self._format)
        click.echo(text, nl=False)
        if self._output is None:
            return
        try:
            self._output.write(text)
        except OSError as error:
            what = f"the output file {self._output.path} cannot be written"
            raise Failure(file_problem(what, error)) from error

    def evidence(self) -> None:
        """Say what the deals can be played again from, and proven with."""
        self._progress.tell(events.evidence(self._director))

    def code(self) -> ExitCode:
        """Return the exit code for the verdict."""
        return code_for(self.report)

    @property
    def report(self) -> Report:
        """How it stands."""
        director = self._director
        return Report(
            setup=director.setup,
            opponents=_opponents(director.setup, director.entrants),
            question=self._question,
            state=self._pairs.state(),
            over=director.over,
        )


def stored(reading: Reading) -> Report:
    """Return how the comparison of a journal stands.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    setup, question = TournamentSetup.of(reading.head), question_of(reading.head)
    return Report(
        setup=setup,
        opponents=_opponents(setup, sorted(entrant.name for entrant in reading.entrants())),
        question=question,
        state=_pairs(setup, question, reading).state(),
        over=reading.ending is not None,
    )


def written(report: Report, how: Format) -> str:
    """Return a comparison in a format, with a line feed at the end.

    Raises:
        click.UsageError: It is not written like that.
    """
    check_format(how)
    return to_json(report) if how is Format.JSON else to_text(report)


def check_format(how: Format) -> None:
    """See that a comparison can be written in a format.

    Raises:
        click.UsageError: It cannot.
    """
    if how not in {Format.TEXT, Format.JSON}:
        raise click.UsageError(f"a comparison is written as text or json, not {how.value}")


def code_for(report: Report) -> ExitCode:
    """Return the exit code for a verdict."""
    return ExitCode.COMPLETE if report.state.verdict is Verdict.BETTER else ExitCode.NOT_SHOWN


def question_of(head: Head) -> Question:
    """Return the question that the head of a journal keeps."""
    return Question(**head.extras[_QUESTION])


def kept(question: Question) -> dict[str, Any]:
    """Return a question as the head of a journal keeps it, among its extras."""
    return {_QUESTION: attrs.asdict(question)}


def _opponents(setup: TournamentSetup, entrants: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in entrants if name not in (setup.rivals or ()))


def _pairs(setup: TournamentSetup, question: Question, reading: Reading) -> Pairs:
    """Return the pairs that a journal holds."""
    if setup.rivals is None:
        raise ValueError("this is no comparison")
    chance = setup.rules.variant is not Variant.ADVANCED
    pairs = Pairs(setup.rivals, question, is_drawn_by_lot=chance)
    for result in reading.results():
        pairs.add(score_of(result))
    return pairs
