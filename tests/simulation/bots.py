"""What the bots of a plan do: honest answers in time, but for the deeds that are theirs."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator

from protocol.codec import encode
from protocol.framing import frame
from protocol.messages import Answer, Card, Draft, Leave, Message, Ping
from protocol.requests import ChooseDraft
from tests.server.network import (
    CLEAR,
    CLOCK,
    MS,
    REQUESTS,
    Bot,
    Later,
    Request,
    Weather,
    Wire,
    World,
    answer_to,
    torn,
)
from tests.simulation.plan import Action, Deed, Entrant

HUGE = b"\xff\xff\xff\xff"
UNHEARD_OF = 2**40
PINGS = 150
REJOIN_NS = 15 * MS


class Player:
    """The policy of one bot: an entrant's way, and its deeds, each once, at its message.

    Attributes:
        done: Counts the deeds that were done; shared by all bots of a world.
    """

    def __init__(
        self, world: World, entrant: Entrant, actions: Iterable[Action], done: Counter[Deed]
    ) -> None:
        self.done = done
        self._world = world
        self._entrant = entrant
        self._to_do = sorted(actions, key=lambda action: action.after)
        self._answered: list[Answer] = []

    def __call__(self, bot: Bot, message: Message) -> Iterable[Message | bytes | Later]:
        """Answer a message, or do what is to be done at it."""
        asked = message if isinstance(message, REQUESTS) else None
        answer = answer_to(asked) if asked is not None else None
        due = self._due(bot, asked)
        sent = self._do(due, bot, asked, answer) if due is not None else [answer] if answer else []
        if answer is not None:
            self._answered.append(answer)
        self._send(bot, sent)
        return ()

    def _due(self, bot: Bot, asked: Request | None) -> Action | None:
        """Take the next deed once its message has come; most wait for a request that they can spoil."""
        if not self._to_do or len(bot.heard) < self._to_do[0].after or not bot.is_open:
            return None
        if asked is None and self._to_do[0].deed not in _AT_ANY_MESSAGE:
            return None
        action = self._to_do.pop(0)
        self.done[action.deed] += 1
        return action

    def _send(self, bot: Bot, sent: Iterable[Message | bytes | Later]) -> None:
        """Send after some thought; a thought about a connection that is lost is forgotten."""
        for item in sent:
            wait = item.wait_ns if isinstance(item, Later) else self._entrant.think_ms * MS
            words = item.item if isinstance(item, Later) else item
            if wait:
                self._world.after(wait, lambda wire=bot.wire, words=words: _say(bot, wire, words))
            elif bot.wire is not None and bot.is_open:
                bot.say(words)

    def _do(
        self, action: Action, bot: Bot, asked: Request | None, answer: Answer | None
    ) -> list[Message | bytes | Later]:
        own = [answer] if answer is not None else []
        match action.deed:
            case Deed.JOINED:
                return [bot.frames(Ping(echo=1), *own)]
            case Deed.DROPPED | Deed.DROPPED_AFTER | Deed.TORN_OFF:
                return self._drop(action.deed, bot, own)
            case Deed.TAKEN_OVER:
                bot.connect(bot.wire.weather if bot.wire else CLEAR)
                return []
            case Deed.OLD:
                return [*self._answered[-1:], *own]
            case Deed.GUESSED:
                return [Card(request=UNHEARD_OF, card=1), *own]
            case Deed.GARBAGE:
                rng = random.Random(action.amount)
                return [rng.randbytes(rng.randint(5, 60))]
            case Deed.HUGE:
                return [HUGE]
            case Deed.HELLO_AGAIN:
                return [frame(encode(bot.hello))]
            case Deed.FLOODING:
                return [bot.frames(*[Ping(echo=n) for n in range(PINGS)])]
            case Deed.SLOW_READER:
                self._read_no_more(bot)
                return []
            case Deed.LEFT:
                return [Leave()]
        assert asked is not None, "the rest spoils an answer"
        return list(spoilt(action.deed, asked, action.amount))

    def _drop(self, deed: Deed, bot: Bot, own: list[Answer]) -> list[Message | bytes | Later]:
        if deed is Deed.DROPPED_AFTER:
            bot.say(*own)
        elif deed is Deed.TORN_OFF:
            bot.say(bot.frames(*own)[:-2])
        self._world.drop(bot, delivered=deed is not Deed.DROPPED)
        return []

    def _read_no_more(self, bot: Bot) -> None:
        wire = bot.wire
        if wire is not None and wire.number in self._world.engine._peers:
            self._world.engine.slow_reader(wire.number, self._world.now)


def _say(bot: Bot, wire: Wire | None, words: Message | bytes) -> None:
    if bot.wire is wire is not None and bot.is_open:
        bot.say(words)


_AT_ANY_MESSAGE = {
    Deed.JOINED,
    Deed.DROPPED,
    Deed.TAKEN_OVER,
    Deed.GUESSED,
    Deed.GARBAGE,
    Deed.HUGE,
    Deed.HELLO_AGAIN,
    Deed.FLOODING,
    Deed.SLOW_READER,
    Deed.LEFT,
}


def spoilt(deed: Deed, asked: Request, over_ms: int) -> Iterator[Message | bytes | Later]:
    """Give what a bot sends that spoils its answer to a request."""
    answer, wrong = answer_to(asked), _illegal(asked)
    match deed:
        case Deed.TWICE:
            other = next((choice for choice in asked.choices if answer_to(asked, choice) != answer), None)
            yield from (answer, answer if other is None else answer_to(asked, other))
        case Deed.WRONG:
            yield from (wrong, answer)
        case Deed.THRICE_WRONG:
            yield from (wrong, wrong, wrong)
        case Deed.UNREADABLE:
            yield _unreadable(asked)
            yield answer
        case Deed.LATE:
            yield Later(CLOCK.move_ns + over_ms * MS, answer)


def _illegal(asked: Request) -> Answer:
    """Return a card that is not among the choices; to a question for a row, that is of the wrong type too."""
    number = next(card for card in range(5, 105) if card not in asked.choices)
    if isinstance(asked, ChooseDraft):
        return Draft(request=asked.request, card=number)
    return Card(request=asked.request, card=number)


def _unreadable(asked: Request) -> bytes:
    """Return a frame with a word for a card, under the id of the request."""
    payload = b"\x83\xa4type\xa4card\xa7request\xcf" + asked.request.to_bytes(8, "big") + b"\xa4card\xa3two"
    return len(payload).to_bytes(4, "big") + payload


def weather_of(entrant: Entrant, seed: int) -> Weather:
    """Return what the wire of an entrant does."""
    if not entrant.tears:
        return CLEAR
    return torn(random.Random(f"{seed} {entrant.name}"), entrant.tears)
