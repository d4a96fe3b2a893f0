"""Puts what happens into lines for people, and keeps one talkative bot from drowning the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence

from referee.cli.cells import faults, plain
from referee.local.news import BotEnded, BotNotStarted, LocalNews, Then
from referee.local.processes import ExitKind
from referee.play.results import GameResult, SeatResult
from referee.server.news import Draining, GameOver, Lost, Refused, RoundPlanned, TournamentOver, Withdrawn

TOLD_PER_BOT = 3
"""Of one kind of trouble with one bot so many lines are written; the standings count all of it."""

TAIL_LINES = 8
"""So many lines of a dead bot's last words are shown; `--log-dir` keeps all of them."""

_THEN = {
    Then.RESTARTED: "it is started again",
    Then.DEFAULTS: "it is started again for the next game; the rest of this one is played by default",
    Then.GIVEN_UP: "it is not started again",
}


class Narrator:
    """Finds the words for news; remembers of whom it has told enough."""

    def __init__(self) -> None:
        self._told: Counter[tuple[type, str]] = Counter()
        self._over = False

    def lines(self, news: Sequence[LocalNews]) -> list[str]:
        """Return what is worth a line of its own: trouble with bots, and what a draw had to put up with."""
        return [line for item in news for line in self._lines(item)]

    def _lines(self, item: LocalNews) -> Iterator[str]:
        match item:
            case RoundPlanned(plan=plan):
                yield from (plain(note) for note in plan.notes)
            case GameOver(result=result):
                yield from self._forfeits(result)
            case BotEnded():
                yield from self._limited(item, item.name, _end(item))
            case BotNotStarted():
                yield from self._limited(item, item.name, _failed_start(item))
            case Lost(entrant=entrant, reason=reason) if not self._over:
                yield from self._limited(item, entrant, [f"{entrant} lost its connection: {plain(reason)}"])
            case Refused(address=address, reason=reason):
                yield from self._limited(item, "", [f"{plain(address)} was turned away: {plain(reason)}"])
            case Withdrawn(entrant=entrant, reason=reason):
                yield f"{entrant} is out of the tournament: {plain(reason)}"
            case Draining():
                yield _draining(item)
            case TournamentOver():
                self._over = True

    def _forfeits(self, result: GameResult) -> Iterator[str]:
        for seat in result.seats:
            if seat.forfeited and not seat.no_show:
                yield from self._limited(seat, seat.name, [_forfeit(seat, result)])

    def _limited(self, item: object, name: str, lines: Sequence[str]) -> Iterator[str]:
        """Yield lines as long as not enough of the kind has been told of the bot."""
        kind = (type(item), name)
        self._told[kind] += 1
        if self._told[kind] < TOLD_PER_BOT:
            yield from lines
        elif self._told[kind] == TOLD_PER_BOT:
            yield f"{lines[0]} (the next ones are only counted)"
            yield from lines[1:]


def _draining(item: Draining) -> str:
    games = "1 running game ends" if item.games == 1 else f"{item.games} running games end"
    return f"stopping as soon as {games}, after {item.seconds:g} s at the latest; Ctrl-C stops at once"


def _forfeit(seat: SeatResult, result: GameResult) -> str:
    counts = {fault.value: count for fault, count in seat.faults.items() if count}
    return f"{seat.name} forfeited game {result.game} ({faults(counts)})"


def _failed_start(item: BotNotStarted) -> list[str]:
    """Return why a bot did not start, and its last words if it had any."""
    reason = item.reason.removeprefix(f"{item.name} cannot be started: ")
    return [f"{item.name} did not start: {plain(reason)}; {_THEN[item.then]}", *_last_words(item.output)]


def _end(item: BotEnded) -> list[str]:
    """Return how a bot ended, and its last words."""
    where = " in a game" if item.in_game else ""
    return [f"{item.name} {_how(item)}{where}; {_THEN[item.then]}", *_last_words(item.exit.output)]


def _last_words(output: str) -> list[str]:
    """Return the last lines of some output, indented."""
    lines = [line for line in output.splitlines() if line.strip()]
    return [f"    {plain(line)}" for line in lines[-TAIL_LINES:]]


def _how(item: BotEnded) -> str:
    ending = item.exit
    if ending.kind is ExitKind.ENDED:
        return "ended by itself"
    how = f"with code {ending.code}" if ending.code is not None else f"by signal {ending.signal}"
    return f"crashed {how}" if ending.kind is ExitKind.CRASHED else f"was killed {how}"
