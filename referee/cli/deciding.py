"""`--until-decided`: a tournament that goes on until its order, or its top, is no chance any more.

It is looked at after certain rounds only, and until then no game of a later round begins. So what has been
played when it ends does not depend on how many tables ran at once, nor on which of them ended first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import attrs
import click

from referee.cli.cells import plain
from referee.cli.planning import counted
from referee.cli.selection import Say
from referee.cli.settings import WholeNumber, setting
from referee.director import Director
from referee.journal.comparisons import evidence_of
from referee.local.news import LocalNews
from referee.server.news import RoundOver
from referee.tournament.bootstrap import Neighbours
from referee.tournament.decided import Decision, decide, looks
from referee.tournament.resample import resample

DEFAULT_BUDGET = 1000
"""So many rounds are played at most if `--rounds` does not say."""

_KEY = "until_decided"
_MOST_TOLD = 5

Function = TypeVar("Function", bound=Callable[..., Any])


@attrs.frozen(kw_only=True)
class Aim:
    """What is to be decided.

    Attributes:
        top: How many of the first places; None for the whole order.
    """

    top: int | None

    @property
    def words(self) -> str:
        """What is to be decided, in words."""
        if self.top is None:
            return "the order"
        return "the first place" if self.top == 1 else f"the order of the first {self.top}"


def until_decided_options(function: Function) -> Function:
    """Declare `--until-decided` and `--top`, which the command gets by their names; see `aim_of`."""
    top = setting(
        "--top",
        metavar="N",
        type=WholeNumber(1, 1000),
        help="With --until-decided: only the first N places are to be decided.",
    )
    until = setting(
        "--until-decided",
        is_flag=True,
        help="Go on until the order is significant, at most for --rounds, or else for"
        f" {DEFAULT_BUDGET:,} rounds.",
    )
    return until(top(function))


def aim_of(*, until_decided: bool, top: int | None, entrants: int) -> Aim | None:
    """Return what the options say is to be decided; None for nothing.

    Raises:
        click.UsageError: `--top` without `--until-decided`, or of more places than there are.
    """
    if not until_decided:
        if top is not None:
            raise click.UsageError("--top says what --until-decided is to decide: give both, or none.")
        return None
    if top is not None and top > entrants:
        raise click.UsageError(f"--top {top}: there are only {entrants} places to decide.")
    return Aim(top=top)


def kept(aim: Aim | None) -> dict[str, Any]:
    """Return an aim as the head of a journal keeps it, among its extras."""
    return {} if aim is None else {_KEY: attrs.asdict(aim)}


def aim_kept(extras: Mapping[str, Any]) -> Aim | None:
    """Return the aim that the head of a journal keeps, if it has one."""
    return Aim(**extras[_KEY]) if _KEY in extras else None


class Deciding:
    """Looks at a tournament now and then, and ends it once it is decided.

    Args:
        director: The tournament; what has been played already counts.
        aim: What is to be decided.
        say: Tells the user something.
    """

    def __init__(self, director: Director, aim: Aim, say: Say) -> None:
        self._director = director
        self._aim = aim
        self._say = say
        self._stop: Callable[[], None] | None = None
        self._play_on: Callable[[], None] | None = None
        # Who resumes may have been stopped between the end of a round and the look at it; but where a later
        # round has begun, there was a look already, and to look again would be at more than it saw.
        begun = max((game.id.round for game in director.journal.reading().games()), default=0)
        self._looks = [look for look in looks(director.rounds) if look >= begun]
        self._over = False
        self._hold()

    def open(self, *, stop: Callable[[], None], play_on: Callable[[], None]) -> None:
        """Say what is about to happen, and be told how to bring it about.

        Args:
            stop: Ends the tournament.
            play_on: Has games start that were held back.
        """
        self._stop, self._play_on = stop, play_on
        rounds = ", ".join(f"{look:,}" for look in self._looks)
        self._say(f"it ends once {self._aim.words} is decided; that is looked at after round {rounds}")
        self._look_if_due()

    def news(self, items: Sequence[LocalNews]) -> None:
        """Take in what has happened."""
        if any(isinstance(item, RoundOver) for item in items):
            self._look_if_due()

    def _look_if_due(self) -> None:
        if self._over or not self._looks or self._director.rounds_done < self._looks[0]:
            return
        self._looks.pop(0)
        decision = self._decision()
        if decision is None or decision.decided or not self._looks:
            self._over = True
            self._say(self._sentence(decision))
            if not self._director.over and self._stop is not None:
                self._stop()
            return
        self._hold()
        if self._play_on is not None:
            self._play_on()

    def _hold(self) -> None:
        self._director.last_round_for_now = self._looks[0] if self._looks else None

    def _decision(self) -> Decision | None:
        """Decide by all games so far, which are those of the rounds up to the look; None if only one is left.

        Who has withdrawn has a place, but none that anybody waits for.
        """
        director = self._director
        everybody = [row.name for row in director.rows()]
        order = [name for name in everybody if not director.is_withdrawn(name)]
        if len(order) < 2:
            return None
        evidence = evidence_of(director.journal.reading(), everybody)
        top = None if self._aim.top is None else min(self._aim.top, len(order))
        return decide(resample(evidence, seed=director.setup.seed), order, top=top)

    def _sentence(self, decision: Decision | None) -> str:
        director, what = self._director, self._aim.words
        if decision is None:
            return f"{what} was not decided, since all but one have withdrawn"
        if decision.likelihood is None:
            return f"{what} was not decided, since not everybody can be rated"
        likely = f"it has a likelihood of {decision.likelihood:.1%}, and {decision.needed:.1%} are needed"
        played = f"{director.rounds_done:,} of at most {director.rounds:,} rounds"
        if decision.decided:
            return f"{what} was decided after {played}: {likely}"
        return f"{what} was not decided within {director.rounds:,} rounds: {likely}; {self._still_open()}"

    def _still_open(self) -> str:
        """Say which neighbours may be so by chance, and about how much more it would take."""
        neighbours = self._director.certainty().neighbours[: self._aim.top]
        unsure = [_told(two) for two in neighbours if not two.significant]
        if not unsure:
            return "each place by itself is significant, but not all of them at once"
        more = f" and {len(unsure) - _MOST_TOLD:,} more" if len(unsure) > _MOST_TOLD else ""
        return f"what may be chance is {', '.join(unsure[:_MOST_TOLD])}{more}"


def _told(two: Neighbours) -> str:
    deals = "" if two.more_deals is None else f" (about {counted(two.more_deals, 'more deal')} each)"
    return f"{plain(two.upper)} above {plain(two.lower)}{deals}"
