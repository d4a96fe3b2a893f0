"""A referee under abuse: hostile conversations on a real port, while well-behaved bots play.

    python -m tests.hostile.abuse               a referee of its own, each conversation once
    python -m tests.hostile.abuse --seconds 60  the same, over and over for a minute
    python -m tests.hostile.abuse --port 5104   what strangers do, to a referee that runs already

Says which conversations did not end as they have to, how the bots fared, and what became of the referee's
memory. The exit code is 1 if anything was not as it has to be.
"""

import argparse
import functools
import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs
import trio

from tests.hostile import abuses, schemes
from tests.hostile.abuses import Conversation, Ending, Scene
from tests.hostile.served import Referee, new_secrets, run, serving
from tests.hostile.visitor import ANSWERS, HOST, Values, answer, hello, visiting

HONEST = tuple(f"honest-{number}" for number in range(1, 5))
PLAYERS = tuple(f"player-{number}" for number in range(1, 5))
SEED = "abuse-142"
"""With this one the honest ones share a table of the first round, and the others the other one."""
FEWEST_GAMES = 40
GAMES_A_SECOND = 5
"""More than the honest ones play while they take their time."""
AT_ONCE = 8
PATIENCE_S = 60
_THINK_S, _RESIDENTS_THINK_S = 0.02, 0.1
_LEAVERS = 200

_OPTIONS = (
    *("--tournament", "swiss", "--rounds", 2, "--table-size", 4, "--deals", 1, "--seed", SEED),
    *("--entrants", len(HONEST) + len(PLAYERS), "--move-timeout", "10s", "--strikes", 0),
    *("--handshake-timeout", "2s", "--secrets", "secrets.txt", "--journal", "abuse.journal"),
    *("--format", "json"),
)


@attrs.frozen(kw_only=True)
class Act:
    """One conversation and how it has to end."""

    name: str
    talk: Conversation
    ending: Ending


# --- the acts ----------------------------------------------------------------------------------------------


async def _say(said: bytes, ending: Ending, scene: Scene) -> Values:
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(said)
        last = await visitor.last_word()
        # The last word can be read: the connection is closed, and not reset by what was not read.
        assert visitor.ended == "closed", f"{ending} was followed by a connection that is {visitor.ended}"
        return last


async def _introduce(changes: dict[str, object], scene: Scene) -> Values:
    async with visiting(scene.port, scene.source) as visitor:
        await visitor.send(hello(**{"name": "honest-1", "secret": "?", **changes}))
        return await visitor.last_word()


async def _say_as_guest(said: bytes, ending: Ending, scene: Scene) -> Values:
    async with schemes.let_in(scene) as visitor:
        await visitor.send(said)
        return await _hear_out(visitor.hear, ending)


async def _answer(made: Callable[[Values], bytes], ending: Ending, scene: Scene) -> Values:
    async with schemes.let_in(scene) as visitor:
        asked = await visitor.hear_one("choose_card")
        await visitor.send(made(asked))
        return await _hear_out(visitor.hear, ending)


async def _hear_out(hear: Callable, ending: Ending) -> Values:
    """Return the last word, or the first that is as expected: not every error ends a connection."""
    last: Values = {}
    while (heard := await hear()) is not None:
        if heard["type"] in ("error", "closing"):
            last = heard
            if ending.fits(heard):
                return heard
    return last


def by_strangers() -> Iterator[Act]:
    """Give the acts of those who are not let in."""
    for name, (said, ending) in abuses.STRANGERS.items():
        yield Act(name=name, talk=functools.partial(_say, said, ending), ending=ending)
    for name, (changes, ending) in abuses.IMPOSTORS.items():
        yield Act(name=name, talk=functools.partial(_introduce, changes), ending=ending)
    for name, (talk, ending) in schemes.BY_STRANGERS.items():
        yield Act(name=name, talk=talk, ending=ending)


def by_guests() -> Iterator[Act]:
    """Give the acts of those who are let in and have no game."""
    for name, (said, ending) in abuses.GUESTS.items():
        yield Act(name=name, talk=functools.partial(_say_as_guest, said, ending), ending=ending)
    for name, (talk, ending) in schemes.BY_GUESTS.items():
        yield Act(name=name, talk=talk, ending=ending)


def by_players() -> Iterator[Act]:
    """Give the acts of those who are in a game."""
    for name, (made, ending) in abuses.PLAYERS.items():
        yield Act(name=name, talk=functools.partial(_answer, made, ending), ending=ending)
    for name, (talk, ending) in schemes.BY_PLAYERS.items():
        yield Act(name=name, talk=talk, ending=ending)


# --- the play ----------------------------------------------------------------------------------------------


@attrs.define(kw_only=True)
class Report:
    """What has come of it.

    Attributes:
        held: How many conversations there were.
        wrong: Those that did not end as they have to, each with how it did.
        drops: How often a well-behaved bot lost its connection.
        memory_kib: What the referee had before and after the abuse.
        open_files: What it had open before and after.
    """

    held: int = 0
    wrong: list[str] = attrs.field(factory=list)
    drops: int = 0
    memory_kib: tuple[int, int] = (0, 0)
    open_files: tuple[int, int] = (0, 0)


class House:
    """A referee with well-behaved bots at one table, residents at the next, and guests by the door.

    Attributes:
        report: What has come of it so far.
        think_s: How long the well-behaved ones think.
        games: How many games the honest ones have ended in all.
    """

    def __init__(self, port: int, secrets: dict[str, str]) -> None:
        self.report = Report()
        self.think_s = _THINK_S
        self.games = 0
        self._port = port
        self._secrets = secrets
        self._sources = itertools.count()
        self._seats = {name: trio.Lock() for name in PLAYERS}

    async def play_honestly(self, name: str) -> None:
        """Be a bot that answers every request, and has no reason to lose its connection."""
        async with visiting(self._port) as visitor:
            await visitor.send(hello(name, self._secrets[name]))
            while (heard := await visitor.hear()) is not None:
                self.games += heard["type"] == "game_end"
                if heard["type"] in ANSWERS:
                    await trio.sleep(self.think_s)
                    await visitor.send(answer(heard))
                elif heard["type"] == "closing":
                    return
        self.report.drops += 1

    async def reside(self, name: str) -> None:
        """Keep a seat for those who abuse it now and then, and play honestly in between."""
        while True:
            async with visiting(self._port) as visitor:
                # Not while somebody else uses the seat, who would be superseded.
                async with self._seats[name]:
                    await visitor.send(hello(name, self._secrets[name]))
                    await visitor.hear_one("welcome")
                while (heard := await visitor.hear()) is not None:
                    if heard["type"] in ANSWERS:
                        await trio.sleep(_RESIDENTS_THINK_S if self.think_s else 0)
                        await visitor.send(answer(heard))
                    elif heard["type"] == "closing" and heard["reason"] != "superseded":
                        return

    async def perform(self, acts: Iterable[tuple[Act, str]]) -> None:
        """Hold conversations one after the other, each under a name, or under none."""
        for act, name in acts:
            scene = Scene(
                port=self._port, source=self._source(), name=name, secret=self._secrets.get(name, "")
            )
            self.report.held += 1
            try:
                async with self._seats.get(name, trio.Lock()):
                    with trio.fail_after(PATIENCE_S):
                        last = await act.talk(scene)
            except* (AssertionError, trio.TooSlowError, OSError, LookupError) as errors:
                self.report.wrong.append(f"{act.name}: {errors.exceptions}")
                last = None
            if last is None:
                continue
            if not act.ending.fits(last):
                self.report.wrong.append(f"{act.name}: expected {act.ending}, but the last word was {last}")

    def _source(self) -> str:
        """Return an address of this machine for the next conversation; only Linux has many."""
        number = next(self._sources)
        return f"127.1.{number // 250 % 250}.{number % 250 + 1}" if sys.platform == "linux" else HOST


async def abuse(house: House, seconds: float) -> None:
    """Hold all conversations, several at once, and again until the time is up."""
    end = trio.current_time() + seconds
    leavers = (f"leaver-{number}" for number in range(_LEAVERS))
    while True:
        outside = [(act, "") for act in by_strangers()]
        guests = [
            (act, next(leavers) if "leave" in act.name else f"guest-{number}")
            for number, act in enumerate(by_guests())
        ]
        async with trio.open_nursery() as nursery:
            for start in range(AT_ONCE):
                nursery.start_soon(house.perform, outside[start::AT_ONCE])
                nursery.start_soon(house.perform, guests[start::AT_ONCE])
            for start, name in enumerate(PLAYERS):
                acts = list(by_players())[start :: len(PLAYERS)]
                nursery.start_soon(house.perform, [(act, name) for act in acts])
        if trio.current_time() >= end:
            return


async def visit(referee: Referee, secrets: dict[str, str], games: int, seconds: float | None) -> Report:
    """Let the bots play a round, and have the referee abused meanwhile, if there are seconds for it."""
    house = House(referee.port, secrets)
    async with trio.open_nursery() as nursery:
        for name in HONEST:
            nursery.start_soon(house.play_honestly, name)
        for name in PLAYERS:
            nursery.start_soon(house.reside, name)
        if seconds is not None:
            await trio.to_thread.run_sync(referee.says, "^round 1$")
            before = referee.memory_kib, referee.open_files
            await abuse(house, seconds)
            await _until(lambda: referee.open_files <= before[1], PATIENCE_S)
            house.report.memory_kib = before[0], referee.memory_kib
            house.report.open_files = before[1], referee.open_files
        house.think_s = 0
        await _until(lambda: house.games >= games * len(HONEST), PATIENCE_S)
        await trio.to_thread.run_sync(referee.ctl, "finish")
    return house.report


async def _until(condition: Callable[[], bool], patience_s: float) -> None:
    """Wait until something is so, but not for ever."""
    with trio.move_on_after(patience_s):
        while not condition():  # noqa: ASYNC110 - it is another process that knows
            await trio.sleep(0.05)


@attrs.frozen(kw_only=True)
class Outcome:
    """A whole visit, seen from all sides.

    Attributes:
        report: What the visitors say.
        exit_code: Of the referee.
        lines: What it wrote for the organiser.
        faults: Those of the well-behaved bots, by name.
        record: The canonical record of their games.
    """

    report: Report
    exit_code: int
    lines: list[str]
    faults: dict[str, dict[str, int]]
    record: list[str]


def hold(directory: Path, games: int, seconds: float | None) -> Outcome:
    """Serve a tournament in a directory and have it visited."""
    guests = [f"guest-{number}" for number, _ in enumerate(by_guests())]
    leavers = [f"leaver-{number}" for number in range(_LEAVERS)]
    secrets = new_secrets(directory, *HONEST, *PLAYERS, *guests, *leavers)
    with serving(directory, *_OPTIONS, "--games", games) as referee:
        report = trio.run(visit, referee, secrets, games, seconds)
        code = referee.ends()
    rows = json.loads(referee.printed)["standings"]
    return Outcome(
        report=report,
        exit_code=code,
        lines=referee.lines,
        faults={row["name"]: row["faults"] for row in rows if row["name"] in HONEST},
        record=_games_of_the_honest(directory),
    )


def _games_of_the_honest(directory: Path) -> list[str]:
    found, inside = [], False
    for line in run(directory, "export", "abuse.journal").stdout.splitlines():
        event = json.loads(line)
        if event["event"] == "game":
            inside = sorted(event["names"]) == sorted(HONEST)
        if inside:
            found.append(line)
    return found


# --- by hand -----------------------------------------------------------------------------------------------


def main() -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description="Abuse a referee.")
    parser.add_argument("--seconds", type=float, default=0, help="go on for so long (default: once)")
    parser.add_argument("--port", type=int, help="of a referee that runs already: only as strangers")
    words = parser.parse_args()
    if words.port is not None:
        report = trio.run(_only_strangers, words.port, words.seconds)
        return _tell(report)
    with tempfile.TemporaryDirectory() as directory:
        games = FEWEST_GAMES + int(words.seconds * GAMES_A_SECOND)
        outcome = hold(Path(directory), games, words.seconds)
    print(f"faults of the well-behaved bots: {outcome.faults}; they played {games} games")
    before, after = outcome.report.memory_kib
    print(f"the referee's memory: {before} KiB before, {after} KiB after")
    print(f"its open files: {outcome.report.open_files[0]} before, {outcome.report.open_files[1]} after")
    return _tell(outcome.report) or int(any(outcome.faults.values()) or outcome.exit_code != 0)


async def _only_strangers(port: int, seconds: float) -> Report:
    house = House(port, {})
    end = trio.current_time() + seconds
    while True:
        acts = [(act, "") for act in by_strangers()]
        async with trio.open_nursery() as nursery:
            for start in range(AT_ONCE):
                nursery.start_soon(house.perform, acts[start::AT_ONCE])
        if trio.current_time() >= end:
            return house.report


def _tell(report: Report) -> int:
    kinds = len([*by_strangers(), *by_guests(), *by_players()])
    print(f"{report.held} conversations of {kinds} kinds; {len(report.wrong)} ended as they must not")
    for line, count in Counter(report.wrong).items():
        print(f"  {count} x {line}")
    return 1 if report.wrong or report.drops else 0


if __name__ == "__main__":
    raise SystemExit(main())
