"""Bots for `check`, in this process: one that does everything right, and one for each way to be wrong."""

import contextlib
import random

import msgpack
import trio
from trio.testing import memory_stream_pair

from referee.check.stages import Stage

ANSWERS = {"choose_card": ("card", "card"), "choose_row": ("row", "row"), "choose_draft": ("draft", "card")}
HOPELESS = {"unsupported_version", "unknown_entrant", "name_taken", "registration_closed"}


class Crash(Exception):
    """The bot ends in the middle of something."""


class Bot:
    """A bot that does everything right; the others change one thing each."""

    versions = (1,)
    games = 4
    events = True

    def __init__(self, connect, name, secret):
        self.connect = connect
        self.name = name
        self.secret = secret
        self.buffer = bytearray()

    async def run(self):
        """Play until told to end, and come back whenever the connection breaks."""
        failures = 0
        while True:
            welcomed, end = await self.visit()
            failures = 0 if welcomed else failures
            wait = self.wait(failures, end)
            if wait is None:
                return
            await trio.sleep(wait)
            failures += 1

    def wait(self, failures, end):
        """Return how long to wait before coming back; None for not at all."""
        if end.get("type") == "closing":
            return None if end.get("retry_ms") is None else end["retry_ms"] / 1000
        if end.get("code") in HOPELESS:
            return None
        return min(0.1 * 2**failures, 5)

    async def visit(self):
        """Play on one connection; return whether it was welcome, and the message that ended it."""
        try:
            self.stream = await self.connect()
        except OSError:
            return False, {}
        self.buffer.clear()
        welcomed = False
        async with self.stream:
            await self.send(self.hello())
            with contextlib.suppress(Crash, trio.BrokenResourceError):
                while message := await self.receive():
                    welcomed = welcomed or message["type"] == "welcome"
                    await self.on(message)
                    if self.is_last(message):
                        return welcomed, message
        return welcomed, {}

    def hello(self):
        """Return the first message."""
        return {
            "type": "hello",
            "name": self.name,
            "secret": self.secret,
            "versions": list(self.versions),
            "games": self.games,
            "events": self.events,
        }

    def is_last(self, message):
        """Say whether the connection is over with this message."""
        return message["type"] == "closing" or (message["type"] == "error" and message["fatal"])

    async def on(self, message):
        """Take a message."""
        if message["type"] in ANSWERS:
            await self.answer(message)

    async def answer(self, request):
        """Answer a request."""
        kind, field = ANSWERS[request["type"]]
        await self.send({"type": kind, "request": request["request"], field: self.choose(request)})

    def choose(self, request):
        """Choose."""
        return request["choices"][request["bot_seed"] % len(request["choices"])]

    async def send(self, message):
        """Send a message."""
        await self.send_payload(msgpack.packb(message))

    async def send_payload(self, payload):
        """Send a frame."""
        with contextlib.suppress(trio.BrokenResourceError):
            await self.stream.send_all(len(payload).to_bytes(4, "big") + payload)

    async def receive(self):
        """Return the next message; None at the end."""
        header = await self.read(4)
        payload = await self.read(int.from_bytes(header, "big")) if header else b""
        return self.unpack(payload) if payload else None

    async def read(self, size):
        """Return so many bytes; none at the end."""
        while len(self.buffer) < size:
            data = await self.read_some()
            if not data:
                return b""
            self.buffer += data
        taken = bytes(self.buffer[:size])
        del self.buffer[:size]
        return taken

    async def read_some(self):
        """Return what comes next."""
        return await self.stream.receive_some()

    def unpack(self, payload):
        """Return the map in a payload."""
        return msgpack.unpackb(payload)


class MemoryStage(Stage):
    """Runs a bot of the zoo as a task."""

    credentials = ("ann", "s3cret")

    def __init__(self, bot, nursery):
        self._bot = bot
        self._nursery = nursery
        self._coming, self._connections = trio.open_memory_channel(100)
        self._listens = True
        self._ended = trio.Event()

    async def begin(self):
        """Start the bot, again if it has ended."""
        self._ended = trio.Event()
        self._nursery.start_soon(self._run, self._ended)

    async def accept(self):
        """Wait for the bot's next connection."""
        return await self._connections.receive()

    async def until_ended(self):
        """Wait until the bot has ended."""
        await self._ended.wait()

    async def stop_listening(self):
        """Refuse connections."""
        self._listens = False

    async def listen_again(self):
        """Take connections again."""
        self._listens = True

    async def _run(self, ended):
        await self._bot(self._connect, "ann", "s3cret").run()
        ended.set()

    async def _connect(self):
        if not self._listens:
            raise ConnectionRefusedError
        ours, theirs = memory_stream_pair()
        await self._coming.send(ours)
        return theirs


class DistantStage(MemoryStage):
    """A bot that is started elsewhere, once: whatever it does cannot be seen but by its connections."""

    credentials = None

    async def begin(self):
        """Nothing can be done from here."""

    async def start(self):
        """Let somebody else start the bot."""
        await super().begin()

    async def until_ended(self):
        """Wait for ever."""
        await trio.sleep_forever()

    @property
    def sees_the_end(self):
        """Never."""
        return False


def crashing(when):
    """Return a bot that hangs up at any message of which `when` is true, and is otherwise right."""

    class Crashing(Bot):
        async def on(self, message):
            if when(message):
                raise Crash
            await super().on(message)

    return Crashing


def deaf(when):
    """Return a bot that ignores messages of which `when` is true."""

    class Deaf(Bot):
        async def on(self, message):
            if not when(message):
                await super().on(message)

    return Deaf


def choosy(when, choice):
    """Return a bot that chooses badly when asked something of which `when` is true."""

    class Choosy(Bot):
        def choose(self, request):
            return choice(request) if when(request) else super().choose(request)

    return Choosy


def returning(when, seconds):
    """Return a bot that waits so long when it should not come back, or waits otherwise, after some ends."""

    class Returning(Bot):
        def wait(self, failures, end):
            return seconds if when(end) else super().wait(failures, end)

    return Returning


def introducing(**changes):
    """Return a bot whose hello is another."""

    class Introducing(Bot):
        def hello(self):
            return {**super().hello(), **changes}

    return Introducing


def blurting(payload, when=lambda request: True):
    """Return a bot that sends a payload instead of its answer."""

    class Blurting(Bot):
        async def answer(self, request):
            if when(request):
                await self.send_payload(payload)
            else:
                await super().answer(request)

    return Blurting


def picky(accepts):
    """Return a bot that hangs up at payloads that it does not like."""

    class Picky(Bot):
        def unpack(self, payload):
            if not accepts(payload):
                raise Crash
            return super().unpack(payload)

    return Picky


class Impatient(Bot):
    """Speaks before it is welcome."""

    async def send(self, message):
        """Send a ping behind hello."""
        await super().send(message)
        if message["type"] == "hello":
            await super().send({"type": "ping"})


class OneMessageARead(Bot):
    """Takes the first message of what arrives, and drops what came with it."""

    async def receive(self):
        """Forget what is left."""
        message = await super().receive()
        self.buffer.clear()
        return message


class OneReadAMessage(Bot):
    """Takes whatever arrives at once for a whole message."""

    async def receive(self):
        """Read once."""
        data = await self.read_some()
        return self.unpack_or_crash(data[4:]) if data else None

    def unpack_or_crash(self, payload):
        """Hang up where it is none."""
        try:
            return msgpack.unpackb(payload)
        except (ValueError, msgpack.UnpackException):
            raise Crash from None


class HeaderInOneRead(Bot):
    """Reads the length with one call, which may bring less than it."""

    async def receive(self):
        """Take what there is of the length for the length."""
        if not self.buffer:
            self.buffer += await self.read_some()
        header = bytes(self.buffer[:4])
        del self.buffer[:4]
        payload = await self.read(int.from_bytes(header, "big")) if header else b""
        return self.unpack(payload) if payload else None


def losing_patience(seconds, *, in_frame):
    """Return a bot that hangs up after so many seconds without a byte, within frames or between them."""

    class LosingPatience(Bot):
        async def read_some(self):
            if bool(self.buffer) is not in_frame:
                return await super().read_some()
            with trio.move_on_after(seconds):
                return await super().read_some()
            raise Crash

    return LosingPatience


class Slow(Bot):
    """Thinks for too long."""

    async def answer(self, request):
        """Answer after 2.5 seconds."""
        await trio.sleep(2.5)
        await super().answer(request)


class Twice(Bot):
    """Answers everything twice."""

    async def answer(self, request):
        """Answer, and again."""
        await super().answer(request)
        await super().answer(request)


class Narrow(Bot):
    """Keeps request ids in 32 bits."""

    async def answer(self, request):
        """Cut the id."""
        await super().answer({**request, "request": request["request"] % 2**32})


class Positional(Bot):
    """Believes that `type` comes first."""

    def unpack(self, payload):
        """Take the first value for the type."""
        message = super().unpack(payload)
        return {**message, "type": str(next(iter(message.values())))}


class OneGame(Bot):
    """Says that it can play many games, and plays the first only."""

    game = None

    async def answer(self, request):
        """Answer in the first game."""
        self.game = self.game or request["game"]
        if request["game"] == self.game:
            await super().answer(request)


class Seen(Bot):
    """Ignores a request that it has had before."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.seen = set()

    async def answer(self, request):
        """Answer the first time."""
        if request["request"] not in self.seen:
            self.seen.add(request["request"])
            await super().answer(request)


class SeenDrafts(Seen):
    """Ignores a draft that it has had before."""

    async def answer(self, request):
        """Answer cards always, drafts the first time."""
        if request["type"] == "choose_draft":
            await super().answer(request)
        else:
            await Bot.answer(self, request)


class OldIds(Bot):
    """Remembers the id of a decision, also when it is asked afresh."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ids = {}

    async def answer(self, request):
        """Answer with the first id that the decision had."""
        decision = (request["game"], request["deal"], request.get("trick"), request["type"])
        first = self.ids.setdefault(decision, request["request"])
        await super().answer({**request, "request": first})


class Random(Bot):
    """Takes chance from elsewhere than bot_seed."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.chance = random.Random(5)

    def choose(self, request):
        """Choose by chance."""
        return self.chance.choice(request["choices"])


class Frozen(Bot):
    """Neither ends nor comes back when its connection breaks."""

    def wait(self, failures, end):
        """Wait for ever, unless it was told to end."""
        return super().wait(failures, end) if end else 10_000


class Endless(Bot):
    """Does not end."""

    def wait(self, failures, end):
        """Wait for ever where it should end."""
        wait = super().wait(failures, end)
        return 10_000 if wait is None else wait


class Lingering(Bot):
    """Keeps what it has read of a message when the connection ends, and goes on from there."""

    async def visit(self):
        """Put the old bytes before the new."""
        self.kept = bytes(self.buffer)
        return await super().visit()

    async def read_some(self):
        """Start with what was kept."""
        kept, self.kept = self.kept, b""
        return kept or await super().read_some()


class DeafToTheEnd(Bot):
    """Does not notice that all is over."""

    def is_last(self, message):
        """Never."""
        return False


class Pinging(Bot):
    """Pings before each answer, ten times."""

    async def answer(self, request):
        """Ping and answer."""
        for _ in range(10):
            await self.send({"type": "ping", "echo": 1})
        await super().answer(request)


class Quitter(Bot):
    """Ends when its connection breaks, which is its right."""

    def wait(self, failures, end):
        """Come back only when told so."""
        return super().wait(failures, end) if end else None
