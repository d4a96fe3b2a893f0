"""A served tournament on a real port of this machine, with bots as tasks."""

import socket
import time
from collections.abc import Callable

import trio

from protocol.connection import Connection
from protocol.messages import Closing, Error, Hello, Message
from protocol.states import Role
from referee.cli.console import execute
from referee.director import Director
from referee.server.limits import ServerLimits
from referee.server.serving import Ending, ServedTournament, StartRule
from referee.server.sockets import listen
from tests.notes import journal_for
from tests.server.network import REQUESTS, answer_to, tournament

PATIENCE_S = 60
"""A bound that is only reached if something is wrong."""

NEVER = StartRule()


class Guest:
    """A bot as a task: it hears what it is told, and answers while it is told to.

    Attributes:
        heard: All messages, in order.
        answering: Whether it answers requests; those left open are answered once `answer` is called.
        ended: Whether its connection has ended.
    """

    def __init__(self, room: "Room", hello: Hello) -> None:
        self.hello = hello
        self.heard: list[Message] = []
        self.answering = True
        self.ended = False
        self._room = room
        self._connection = Connection(Role.BOT)
        self._stream: trio.SocketStream | None = None
        self._speaking = trio.Lock()

    async def run(self) -> None:
        """Connect, say hello, and listen to the end."""
        self._stream = await trio.open_tcp_stream("127.0.0.1", self._room.port)
        await self.say(self.hello)
        try:
            async for data in self._stream:
                self._connection.receive(data)
                while (message := self._connection.next_message()) is not None:
                    self.heard.append(message)
                    if self.answering and isinstance(message, REQUESTS):
                        await self.say(answer_to(message))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self.ended = True
            await self._stream.aclose()

    async def say(self, message: Message) -> None:
        """Send a message."""
        async with self._speaking:  # the test may answer while the bot itself does
            await self._stream.send_all(self._connection.send(message))

    async def answer(self) -> None:
        """Answer the last request, and all that come."""
        self.answering = True
        await self.say(answer_to(self.last(*REQUESTS)))

    async def drop(self) -> None:
        """End the connection."""
        await self._stream.aclose()

    def all(self, *kinds: type) -> list:
        """Return the messages of some kinds, in order."""
        return [message for message in self.heard if isinstance(message, kinds)]

    def last(self, *kinds: type) -> Message:
        """Return the last message of some kinds."""
        return self.all(*kinds)[-1]

    async def hears(self, *kinds: type, count: int = 1) -> Message:
        """Wait until it has heard so many messages of some kinds; return the last."""
        await until(lambda: len(self.all(*kinds)) >= count)
        return self.last(*kinds)

    async def closed(self) -> Closing | Error:
        """Wait until it is turned out; return the last word it heard."""
        await until(lambda: self.ended)
        return self.heard[-1]


class Room:
    """A served tournament, its organiser and its guests.

    Args:
        nursery: Where the bots live.
        listener: Where they come in.
        secrets: Hashes of secrets by name; None for an open tournament.
        start: When it begins by itself.
        concurrency: Tables at once; None for all of a round.
        setup: What is played, where it is not as `tournament` has it.

    Attributes:
        said: What the organiser was told.
        news: What happened.
        ending: How it ended; None until then.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        listener: socket.socket,
        *,
        secrets: dict[str, set[str]] | None = None,
        start: StartRule = NEVER,
        concurrency: int | None = None,
        **setup: object,
    ) -> None:
        self.said: list[str] = []
        self.news: list = []
        self.ending: Ending | None = None
        self.port: int = listener.getsockname()[1]
        self._nursery = nursery
        self.tournament = ServedTournament(
            listener,
            tournament(**setup),
            concurrency=concurrency,
            secrets=secrets,
            start=start,
            on_news=self.news.extend,
            say=self.said.append,
            render=_points,
            make_journal=journal_for,
            limits=ServerLimits(),
        )
        nursery.start_soon(self._run)

    async def _run(self) -> None:
        self.ending = await self.tournament.run()

    async def knock(self, name: str, secret: str = "s", *, answering: bool = True, **hello: object) -> Guest:
        """Let a bot come; it may be turned away."""
        guest = Guest(self, Hello(name=name, secret=secret, versions=(1,), **hello))
        guest.answering = answering
        self._nursery.start_soon(guest.run)
        await until(lambda: bool(guest.heard))
        return guest

    async def join(self, *names: str, answering: bool = True) -> list[Guest]:
        """Let bots come that are let in."""
        guests = [await self.knock(name, answering=answering) for name in names]
        for guest in guests:
            assert guest.heard[0].TYPE == "welcome"
        return guests

    def do(self, line: str) -> str:
        """Let the organiser say something that can be done; return the reply."""
        done, reply = execute(self.tournament, line)
        assert done, reply
        return reply

    def refuse(self, line: str) -> str:
        """Let the organiser say something that cannot be done; return the reply."""
        done, reply = execute(self.tournament, line)
        assert not done, reply
        return reply

    async def ends(self) -> Ending:
        """Wait for the end."""
        await until(lambda: self.ending is not None)
        return self.ending

    def all(self, kind: type) -> list:
        """Return the news of a kind."""
        return [item for item in self.news if isinstance(item, kind)]

    def points(self) -> dict[str, str]:
        """Return the points of everybody."""
        return dict(line.split() for line in _points(self.tournament.director).splitlines())


def _points(director: Director) -> str:
    return "\n".join(f"{row.name} {row.points}" for row in director.rows()) + "\n"


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so, which other tasks bring about."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it has not come about"
        await trio.sleep(0.001)


def open_listener() -> socket.socket:
    """Open a port."""
    return listen("127.0.0.1", 0)
