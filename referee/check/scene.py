"""What a situation is played with: the bot's connections, its games, and the welcome."""

import enum
from collections.abc import Iterator

import attrs
import trio

from protocol.framing import LIMIT
from protocol.messages import (
    VERSION,
    Closing,
    Error,
    Hello,
    RefereeMessage,
    Welcome,
)
from protocol.parts import ClosingBecause, Format, Limits, TournamentInfo
from referee.check.encodings import PLAIN, Manner
from referee.check.log import Log
from referee.check.match import ONE_DEAL, STRIKES, Match, Plan, request_ids
from referee.check.stages import Stage
from referee.check.talk import Quiet, Talk
from referee.check.verdicts import Fault, NotApplicable
from referee.play.briefing import rules_info

HELLO_S = 10.0
"""How long the referee waits for `hello` on a new connection (T5-HELLO-02)."""

RETURN_S = 6.0
"""How long a bot that comes back may take: the longest wait of T5-BOT-01, and a little."""

END_S = 3.0
"""How long a bot has to end; it should take one second."""

FIRST_WAIT_S = 0.1
"""How long a bot waits before it comes back, at first (T5-BOT-01)."""

TOLERANCE = 0.75
"""The part of a wait that has to be seen here: the bot may have begun to wait before."""

MOST_GAMES = 16
"""What the referee gives one connection at most."""


class Nobody(enum.Enum):
    """Why there is no further connection."""

    ENDED = "ended"
    """The process of the bot has ended."""
    ABSENT = "absent"
    """It did not come in time."""


class Scene:
    """One situation with one bot, from its start to its end.

    Attributes:
        log: All that is said.
        stage: Where the bot comes from.
        hello: The bot's last `hello`; None before the first.
        move_ms: The time for a decision that the bot is told.
    """

    def __init__(self, stage: Stage, log: Log, move_ms: int) -> None:
        self.stage = stage
        self.log = log
        self.move_ms = move_ms
        self.hello: Hello | None = None
        self._talks: list[Talk] = []
        self._ids: Iterator[int] = request_ids()

    @property
    def events(self) -> bool:
        """Whether the bot wants events."""
        return self.hello is not None and self.hello.events

    @property
    def name(self) -> str:
        """The bot's name."""
        return "" if self.hello is None else self.hello.name

    def match(self, plan: Plan = Plan(), ids: Iterator[int] | None = None) -> Match:  # noqa: B008 - frozen
        """Return a game for the bot that has introduced itself."""
        return Match(attrs.evolve(plan, move_ms=self.move_ms), self.name, ids or self._ids)

    async def connect(self) -> Talk:
        """Return the bot's first connection.

        Raises:
            Fault: It makes none.
        """
        talk = await self.next_talk(self.stage.start_up_s)
        if isinstance(talk, Talk):
            return talk
        did = "ended without connecting" if talk is Nobody.ENDED else "did not connect"
        raise Fault(f"The bot {did} within {self.stage.start_up_s:.0f} s of its start.", "T5-HELLO-01")

    async def meet(self) -> Talk:
        """Return the bot's first connection, with its `hello` read."""
        talk = await self.connect()
        await self.hear_hello(talk)
        return talk

    async def enter(self, manner: Manner = PLAIN) -> Talk:
        """Return the bot's first connection, with the bot welcome."""
        talk = await self.meet()
        await talk.say(self.welcome(), manner=manner)
        return talk

    async def hear_hello(self, talk: Talk) -> Hello:
        """Read the `hello` of a new connection."""
        heard = await talk.next(HELLO_S)
        if isinstance(heard, Hello):
            self.hello = heard
            return heard
        did = {Quiet.SILENT: "said nothing", Quiet.HUNG_UP: "hung up"}[Quiet(heard)]
        raise Fault(f"The bot {did} where its 'hello' was due.", "T5-HELLO-01")

    async def come_back(self, *open_matches: Match) -> Talk:
        """Return the bot's next connection, welcome again; a bot that has ended is started again.

        Raises:
            NotApplicable: It stays away, and cannot be started from here.
            Fault: It stays away though it runs.
        """
        talk = await self.next_talk(RETURN_S)
        if talk is Nobody.ENDED:
            await self.stage.begin()
            talk = await self.next_talk(self.stage.start_up_s)
        if not isinstance(talk, Talk):
            if not self.stage.sees_the_end:
                raise NotApplicable("The bot does not come back, which is its right if it has ended.")
            raise Fault(f"The bot neither ended nor came back within {RETURN_S:.0f} s.", "T5-BOT-01")
        await self.hear_hello(talk)
        await talk.say(self.welcome(*open_matches))
        return talk

    async def next_talk(self, within: float) -> Talk | Nobody:
        """Return the bot's next connection, or why there is none."""
        found: list[trio.abc.HalfCloseableStream] = []

        async def accept(scope: trio.CancelScope) -> None:
            found.append(await self.stage.accept())
            scope.cancel()

        async def watch(scope: trio.CancelScope) -> None:
            await self.stage.until_ended()
            scope.cancel()

        with trio.move_on_after(within) as patience:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(accept, nursery.cancel_scope)
                nursery.start_soon(watch, nursery.cancel_scope)
        if not found:
            self.log.happened("the bot has ended" if not patience.cancelled_caught else "nobody connects")
            return Nobody.ABSENT if patience.cancelled_caught else Nobody.ENDED
        self.log.happened("the bot connects")
        self._talks.append(Talk(found[0], self.log))
        return self._talks[-1]

    async def ends(self, talk: Talk) -> bool:
        """Say whether the bot ends in time now that its connection is over.

        Where its process cannot be seen it has to hang up; whether it ends then, or was started again by
        somebody, is not to be told apart.

        Raises:
            Fault: It comes back instead.
        """
        if not self.stage.sees_the_end:
            return await talk.hung_up(END_S)
        again = await self.next_talk(END_S)
        if isinstance(again, Talk):
            raise Fault("The bot came back where it should have ended.")
        return again is Nobody.ENDED

    def welcome(self, *open_matches: Match) -> Welcome:
        """Return the welcome for the bot that has introduced itself."""
        games = 1 if self.hello is None else min(self.hello.games, MOST_GAMES)
        return Welcome(
            version=VERSION,
            referee="take5-referee check",
            name=self.name,
            tournament=TournamentInfo(
                format=Format.ROUND_ROBIN, table_size=4, games=1, rounds=1, rules=rules_info(ONE_DEAL)
            ),
            limits=Limits(
                move_ms=self.move_ms,
                grace_ms=0,
                bank_ms=0,
                strikes=STRIKES,
                frame_bytes=LIMIT,
                games=games,
            ),
            commitment="0" * 64,
            open_games=tuple(match.game for match in open_matches),
        )

    async def close(self) -> None:
        """Let the bot go: one that was started elsewhere is asked to come back for the next situation."""
        for talk in self._talks:
            if talk.is_open and not self.stage.sees_the_end:
                await _send_back(talk)
            await talk.close()


async def play(
    talk: Talk, match: Match, start: list[RefereeMessage], *, answers: int = 10_000, manner: Manner = PLAIN
) -> None:
    """Play a game to its end, or until the bot has answered so often.

    Args:
        talk: The connection.
        match: The game.
        start: What the bot has to be told first.
        answers: How many answers to wait for at most.
        manner: How messages are written.
    """
    await talk.say(*start, manner=manner)
    for _ in range(answers):
        if match.asked is None:
            return
        answer = await talk.answer_to(match.asked)
        await talk.say(*match.take(answer), manner=manner)


def check_wait(took_s: float, least_s: float, when: str) -> None:
    """Check that a bot has waited long enough before it came back.

    Raises:
        Fault: It has not.
    """
    if took_s < TOLERANCE * least_s:
        raise Fault(f"The bot came back after {took_s:.3f} s {when}; it has to wait {least_s:.1f} s.")


def fatal(code: str, message: str) -> Error:
    """Return an error that ends a connection."""
    return Error(code=code, message=message, fatal=True)


def closing(reason: ClosingBecause, message: str, retry_ms: int | None = None) -> Closing:
    """Return the last message of a connection."""
    return Closing(reason=reason, message=message, retry_ms=retry_ms)


async def _send_back(talk: Talk) -> None:
    try:
        await talk.say(closing(ClosingBecause.SUSPENDED, "The next situation follows.", retry_ms=0))
    except Fault:
        return
