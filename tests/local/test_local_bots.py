"""One bot of this machine: its process is started, restarted, given up; and whole tournaments of them."""

import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import trio
import trio.lowlevel

from referee.director import TournamentSetup
from referee.local import bots
from referee.local import tournament as local_tournament
from referee.local.bots import LocalBot, Ready, Surroundings
from referee.local.news import BotEnded, BotNotStarted, Then
from referee.local.processes import BotProcess, ExitKind
from referee.local.programs import BotProgram
from referee.local.sandbox import UNCONFINED, Sandbox, SandboxKind
from referee.local.tournament import Ending, LocalTournament
from referee.local.warden import warden
from referee.play.clock import NS_PER_MS, ClockRules
from referee.play.names import GameId
from referee.rules.variants import Rules
from referee.server.news import GameOver, Joined, Stopping, TournamentOver, Withdrawn
from referee.tournament.model import Kind
from tests.local.conftest import PATIENCE_S
from tests.notes import begun
from tests.server.network import NAMES, referee_for

GAME = GameId(round=1, table=1, deal_set=1, game=1)
SAMPLES = Path(__file__).parents[2] / "sample_bots"
SAMPLE_NAMES = ("greedy", "simple", "steady")


@pytest.fixture(autouse=True)
async def patience():
    """No test waits longer than this, and none comes near to it."""
    with trio.fail_after(PATIENCE_S):
        yield


class Stage:
    """A referee without a socket, and bots whose program is a shell script.

    Attributes:
        engine: The referee; its lobby has no bot at first.
        told: The news of processes so far.
        stirs: How often the shell was asked for a pass.
        listeners: From which the shell takes in bots, besides its own.
    """

    def __init__(self, directory, keeper):
        self.engine = referee_for(NAMES[:2], instances=0)
        self.told = []
        self.stirs = 0
        self.listeners = []
        self._directory = directory
        self._keeper = keeper

    def _stir(self):
        self.stirs += 1

    def bot(self, *command, number=1, log_dir=None):
        """Return a bot of ada with a command, or a script for the shell."""
        words = command if len(command) > 1 else ("sh", "-c", *command)
        program = BotProgram(name="ada", command=words, cwd=self._directory, source="ada")
        around = Surroundings(
            host="127.0.0.1",
            port=4711,
            warden=self._keeper,
            log_dir=log_dir,
            tell=self.told.append,
            stir=self._stir,
            listen=self.listeners.append,
            ignore=self.listeners.remove,
        )
        return LocalBot(program, number, self.engine, around)

    @property
    def fates(self):
        """What followed each end so far."""
        return [item.then for item in self.told]


@pytest.fixture
def stage(tmp_path):
    """A referee, and a directory in which bots run."""
    with warden(Sandbox(kind=SandboxKind.LIMITS)) as keeper:
        yield Stage(tmp_path, keeper)


def introduce(bot, *, game=None):
    """Let a bot be as after its hello, perhaps with a seat in a game."""
    bot.instance.peer = 1
    if game is not None:
        bot.instance.games[game] = 0
    bot.look()
    bot.instance.peer = None


async def until_started(bot):
    """Wait until the launcher has become the bot, which the bot may be quicker to tell than we to learn."""
    while bot.process is None:
        await trio.lowlevel.checkpoint()


async def test_a_program_that_cannot_be_run(stage):
    """Tried twice, each with a reason; then it is given up and its entrant withdrawn."""
    bot = stage.bot("./missing", "x")
    await bot.live()

    assert [BotNotStarted, BotNotStarted] == [type(item) for item in stage.told]
    assert [Then.RESTARTED, Then.GIVEN_UP] == stage.fates
    assert all("missing" in item.reason for item in stage.told)
    assert (Ready.NEVER, True) == (bot.ready, bot.instance.retired)
    assert [Withdrawn(entrant="ada", reason="its bot does not run")] == stage.engine.news
    assert stage.stirs > 0


async def test_a_program_that_ends_without_a_hello(stage):
    """Started twice; what it had to say is told; nobody waits for it."""
    bot = stage.bot("echo no such module; exit 3")
    await bot.live()

    assert [Then.RESTARTED, Then.GIVEN_UP] == stage.fates
    assert {(ExitKind.CRASHED, 3, "no such module\n")} == {
        (item.exit.kind, item.exit.code, item.exit.output) for item in stage.told
    }
    assert [False, False] == [item.in_game for item in stage.told]
    assert Ready.NEVER is bot.ready


async def test_a_program_that_says_nothing_is_stopped_and_given_up_at_once(stage, monkeypatch):
    """Another wait of the same length would help nobody."""
    monkeypatch.setattr(bots, "START_UP_S", 0.05)
    bot = stage.bot("echo thinking; exec sleep 600")
    await bot.live()

    (item,) = stage.told
    assert isinstance(item, BotNotStarted)
    assert "did not say hello" in item.reason
    assert Then.GIVEN_UP is item.then
    assert bot.process is None
    assert Ready.NEVER is bot.ready


async def test_a_bot_that_has_said_hello_is_not_stopped_for_silence(stage, monkeypatch, mailbox, gate):
    """The start-up time is over; the process runs on."""
    monkeypatch.setattr(bots, "START_UP_S", 0.05)
    bot = stage.bot("echo up > mailbox; read line < gate; exit 0")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.live)
        await mailbox.line()
        introduce(bot)
        await trio.sleep(0.15)

        assert Ready.HERE is bot.ready
        assert [] == stage.told

        monkeypatch.setattr(bots, "START_UP_S", 600)
        gate.open()
        await mailbox.line()
        await until_started(bot)
        nursery.cancel_scope.cancel()
    bot.process.kill()
    await bot.process.ended()

    assert [Then.RESTARTED] == stage.fates


async def test_one_restart_in_a_game_then_defaults(stage, mailbox, gate, monkeypatch):
    """Dead in mid-game: restarted. Dead again: the game is given up, the process started for the next one."""
    bot = stage.bot("echo up > mailbox; read line < gate; kill -SEGV $$")
    given_up = []
    monkeypatch.setattr(stage.engine, "give_up_games", lambda instance, now: given_up.append(instance))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.live)
        for _ in range(2):
            await mailbox.line()
            introduce(bot, game=GAME)
            gate.open()
        await mailbox.line()
        await until_started(bot)
        nursery.cancel_scope.cancel()
    bot.process.kill()
    await bot.process.ended()

    assert [Then.RESTARTED, Then.DEFAULTS] == stage.fates
    assert [True, True] == [item.in_game for item in stage.told]
    assert [bot.instance] == given_up
    assert not bot.instance.retired


async def test_three_idle_deaths_in_a_row_are_enough(stage, mailbox, gate):
    """It introduces itself and ends, between games, again and again."""
    bot = stage.bot("echo up > mailbox; read line < gate; exit 0")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.live)
        for _ in range(3):
            await mailbox.line()
            introduce(bot)
            gate.open()

    assert [Then.RESTARTED, Then.RESTARTED, Then.GIVEN_UP] == stage.fates
    assert {ExitKind.ENDED} == {item.exit.kind for item in stage.told}
    assert bot.instance.retired


async def test_each_life_is_waited_for(stage, mailbox, gate):
    """From each start the lobby expects the bot for the start-up time."""
    bot = stage.bot("echo up > mailbox; read line < gate; exit 1")
    expected = []
    before = time.monotonic_ns()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.live)
        for _ in range(2):
            await mailbox.line()
            expected.append(bot.instance.expected_until)
            gate.open()

    assert before + 30_000_000_000 <= expected[0] < expected[1]


async def test_t5_local_01_what_a_bot_is_told_by_its_environment(stage, mailbox, monkeypatch):
    """Host, port, name and the secret of this very instance; nothing else that begins with TAKE5_."""
    monkeypatch.setenv("TAKE5_ODD", "1")
    bots_of_ada = [
        stage.bot(
            'echo "$TAKE5_HOST $TAKE5_PORT $TAKE5_NAME $TAKE5_SECRET $TAKE5_ODD" > mailbox', number=number
        )
        for number in (1, 2)
    ]
    secrets = [bot._secret for bot in bots_of_ada]
    lines = []
    for bot in bots_of_ada:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bot.live)
            lines.append(await mailbox.line())
            await mailbox.line()

    assert [f"127.0.0.1 4711 ada {secret} " for secret in secrets] == lines
    assert 2 == len(set(secrets))
    assert all(len(secret) == 32 for secret in secrets)


async def test_each_copy_has_a_log_of_its_own(stage, tmp_path):
    """The first is called after the bot, the second after bot and number."""
    for number in (1, 2):
        await stage.bot(f"echo this is {number}", number=number, log_dir=tmp_path).live()

    assert "this is 1\n" * 2 == (tmp_path / "ada.log").read_text()
    assert "this is 2\n" * 2 == (tmp_path / "ada.2.log").read_text()


# --- whole tournaments --------------------------------------------------------------------------------------


def setup(**changes):
    """A tournament of one deal a game."""
    values = {
        "kind": Kind.ROUND_ROBIN,
        "table_size": 2,
        "rounds": None,
        "games": 2,
        "rules": Rules(target=None, deals=1),
        "clock": ClockRules(move_ns=10_000 * NS_PER_MS),
        "seed": "local",
        "nonce": bytes(32),
        "concurrency": 1,
    }
    return TournamentSetup(**(values | changes))


def program(name, *command):
    """A sample bot, or any command."""
    words = command or (sys.executable, str(SAMPLES / f"{name}.py"))
    return BotProgram(name=name, command=words, cwd=SAMPLES, source=name)


def children():
    """The processes that this one has started and that are still there."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the children of a process")


@linux_only
async def test_sample_bots_play_to_the_end(monkeypatch):
    """Three of them, six games, one or four at once: complete, no fault, none started again at the end."""
    started = []
    start = BotProcess.start

    def count(program, **options):
        started.append(program.name)
        return start(program, **options)

    monkeypatch.setattr(BotProcess, "start", count)
    digests = set()
    for concurrency in (1, 4):
        started.clear()
        news = []
        programs = [program(name) for name in SAMPLE_NAMES]
        director = begun(setup(concurrency=concurrency), SAMPLE_NAMES)
        tournament = LocalTournament(
            programs, director, sandbox=UNCONFINED, log_dir=None, on_news=news.extend
        )
        ending = await tournament.run()
        digests.add(tournament.director.digest)

        assert Ending.COMPLETE is ending
        assert 6 == len([item for item in news if isinstance(item, GameOver)])
        assert {} == {row.name: row.faults for row in tournament.director.rows() if row.faults}
        assert isinstance(news[-1], TournamentOver)
        assert not [item for item in news if isinstance(item, (BotEnded, BotNotStarted))]
        # A round has one table, so four games at once are four of the same entrant.
        assert dict.fromkeys(SAMPLE_NAMES, concurrency) == Counter(started)
        assert [] == children()

    assert 1 == len(digests)


@linux_only
async def test_bots_that_cannot_be_run_do_not_hold_it_up():
    """One is missing, one crashes, one plays: complete, and the one that plays wins all its games."""
    news = []
    tournament = LocalTournament(
        [program("greedy"), program("missing", "./missing"), program("wreck", "sh", "-c", "exit 3")],
        begun(setup(), ("greedy", "missing", "wreck")),
        sandbox=UNCONFINED,
        log_dir=None,
        on_news=news.extend,
    )
    ending = await tournament.run()
    out = [item.entrant for item in news if isinstance(item, Withdrawn)]

    assert Ending.COMPLETE is ending
    assert ["missing", "wreck"] == sorted(out)
    assert "greedy" == tournament.director.rows()[0].name
    assert [] == children()


@linux_only
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_stops_it_and_leaves_no_process(number):
    """The first bot that joins makes us interrupt: it is over at once, and so are all processes."""

    def interrupt(news):
        if any(isinstance(item, Joined) for item in news):
            os.kill(os.getpid(), number)

    tournament = LocalTournament(
        [program("greedy"), program("stubborn", "sh", "-c", "trap '' TERM INT; while :; do sleep 0.1; done")],
        begun(setup(games=1000), ("greedy", "stubborn")),
        sandbox=UNCONFINED,
        log_dir=None,
        on_news=interrupt,
    )
    ending = await tournament.run()

    assert Ending.INTERRUPTED is ending
    assert [] == children()


@linux_only
async def test_a_second_ctrl_c_gives_bots_no_time_to_end(monkeypatch):
    """They would have a thousand seconds; one that ignores SIGTERM is killed at once instead."""
    monkeypatch.setattr(local_tournament, "GOODBYE_S", 1000.0)

    def interrupt(news):
        if any(isinstance(item, Joined | Stopping) for item in news):
            signal.raise_signal(signal.SIGINT)

    tournament = LocalTournament(
        [program("greedy"), program("stubborn", "sh", "-c", "trap '' TERM INT; while :; do sleep 0.1; done")],
        begun(setup(games=1000), ("greedy", "stubborn")),
        sandbox=UNCONFINED,
        log_dir=None,
        on_news=interrupt,
    )
    ending = await tournament.run()

    assert Ending.INTERRUPTED is ending
    assert [] == children()
