"""The promises of the turn: whom a request is told to, how it ends, how long it lasts."""

from collections.abc import Iterator

from protocol.messages import Closing, Error, Pong
from protocol.parts import ClosedBecause
from protocol.requests import RequestClosed
from referee.play.table import Table
from referee.rules.variants import Variant
from tests.server.network import CLOCK, MS, REQUESTS, answer_to
from tests.simulation.plan import Deed
from tests.simulation.promise import Promise
from tests.simulation.world import PlannedWorld, Sent


class NothingLeaks(Promise):
    """Nothing about the choice of a seat leaves before its trick has resolved, and no hand but one's own."""

    number = 1

    def leaving(self, messages: list[Sent]) -> None:
        """Look for closed requests whose trick is open, and for cards that others still hold."""
        for instance, message in messages:
            if instance is None:
                self.hold(isinstance(message, Error | Closing | Pong), f"a stranger is sent a {message.TYPE}")
            elif (table := self.table(getattr(message, "game", ""))) is not None:
                self._check(table, instance.entrant, message)

    def _check(self, table: Table, name: str, message: object) -> None:
        if isinstance(message, RequestClosed):
            pending = {asked.id for asked in table._desk.requests.values()}
            self.hold(message.request not in pending, f"{name} hears of a request in an open trick")
        is_of_now = getattr(message, "deal", 0) == table.position.deal
        if is_of_now and table.setup.rules.variant is not Variant.ADVANCED:
            hidden = {
                card
                for seat, hand in zip(table.seats, table.position.hands, strict=True)
                if seat.name != name
                for card in hand
            }
            found = hidden & set(_cards_shown(message))
            self.hold(not found, f"{name} is shown {sorted(found)}, which others hold")


def _cards_shown(message: object) -> Iterator[int]:
    for field in ("seen", "hand", "cards"):
        yield from getattr(message, field, None) or ()
    for row in getattr(message, "rows", ()):
        yield from row


class RequestsEndOnce(Promise):
    """Each request goes to one seat, is closed at most once, and for whoever stays connected exactly once."""

    number = 3

    def __init__(self, world: PlannedWorld) -> None:
        super().__init__(world)
        self._asked: dict[int, tuple[str, str]] = {}
        self._closed: set[int] = set()

    def leaving(self, messages: list[Sent]) -> None:
        """Follow the requests."""
        for instance, message in messages:
            if instance is None:
                continue
            if isinstance(message, REQUESTS):
                self._asked[message.request] = (instance.entrant, message.game)
            elif isinstance(message, RequestClosed):
                whose = self._asked.get(message.request)
                own = (instance.entrant, message.game)
                # What was asked while the bot was away may be over when it is back.
                self.hold(whose in (None, own), f"{message.request} was asked of {whose}")
                self.hold(message.request not in self._closed, f"{message.request} is closed twice")
                self._closed.add(message.request)

    def resumed(self) -> None:
        """What was open is asked anew under other ids."""
        self._asked = {}

    def ended(self) -> None:
        """Nobody who stayed is left without a word."""
        stayed = {
            name for name in self.world.plan.names if self.world.plan.deeds_of(name) <= _WITHOUT_PARTING
        }
        left = {
            number
            for number, (name, _) in self._asked.items()
            if name in stayed and number not in self._closed
        }
        self.hold(not left, f"never closed: {sorted(left)}")


_WITHOUT_PARTING = {
    Deed.JOINED,
    Deed.TWICE,
    Deed.OLD,
    Deed.GUESSED,
    Deed.WRONG,
    Deed.THRICE_WRONG,
    Deed.SILENT,
}


class IdsNeverRepeat(Promise):
    """An id stands for one decision of one seat, for ever, over all runs of the referee."""

    number = 3

    def __init__(self, world: PlannedWorld) -> None:
        super().__init__(world)
        self._meaning: dict[int, tuple[object, ...]] = {}

    def leaving(self, messages: list[Sent]) -> None:
        """See that an id that comes again asks the same."""
        for _, message in messages:
            if isinstance(message, REQUESTS):
                turn = getattr(message, "trick", None) or getattr(message, "pick", None)
                meaning = (self.world.restarts, message.TYPE, message.game, message.seat, message.deal, turn)
                known = self._meaning.setdefault(message.request, meaning)
                self.hold(known == meaning, f"{message.request} stood for {known}, now for {meaning}")


class FirstAnswerCounts(Promise):
    """What counts as answered is what the bot answered first: for honest bots their one legal answer."""

    number = 3

    def __init__(self, world: PlannedWorld) -> None:
        super().__init__(world)
        self._expected: dict[int, int] = {}

    def leaving(self, messages: list[Sent]) -> None:
        """Compare each closed request with the answer of the bot, which follows from the request."""
        for _, message in messages:
            if isinstance(message, REQUESTS):
                answer = answer_to(message)
                self._expected[message.request] = answer.row if answer.TYPE == "row" else answer.card
            elif isinstance(message, RequestClosed) and message.reason is ClosedBecause.ANSWERED:
                expected = self._expected.get(message.request)
                self.hold(
                    message.choice == expected, f"{message.choice} counts, but {expected} was the answer"
                )


class ClocksOnlyShrink(Promise):
    """The time of a request runs from when it was first sent, whatever happens; a bank is never refilled."""

    number = 4

    def __init__(self, world: PlannedWorld) -> None:
        super().__init__(world)
        self._times: dict[int, int] = {}
        self._started: dict[int, int] = {}
        self._banks: dict[tuple[object, int], int] = {}
        self._told: dict[tuple[str, str], int] = {}

    def leaving(self, messages: list[Sent]) -> None:
        """Compare the times that bots are told."""
        for instance, message in messages:
            if instance is not None and isinstance(message, (RequestClosed, *REQUESTS)):
                key = (message.game, instance.entrant)
                most = self._told.get(key, message.bank_ms)
                self.hold(
                    message.bank_ms <= most, f"{instance.entrant} has {message.bank_ms} ms after {most}"
                )
                if isinstance(message, RequestClosed):
                    self._told[key] = message.bank_ms
            if isinstance(message, REQUESTS):
                before = self._times.get(message.request, CLOCK.move_ns // MS)
                self.hold(
                    message.time_ms <= before, f"{message.request} has {message.time_ms} ms after {before}"
                )
                self._times[message.request] = message.time_ms
            elif isinstance(message, RequestClosed) and message.took_ms is not None:
                most = CLOCK.move_ns // MS + self.world.plan.bank_ms
                self.hold(message.took_ms <= most, f"{message.took_ms} ms were in time")

    def passed(self) -> None:
        """Compare banks, and the moments since which the open requests run."""
        for table in self.tables:
            for seat in table.seats:
                key = (table.setup.game, seat.index)
                self.hold(seat.bank_ns <= self._banks.get(key, seat.bank_ns), f"the bank of {seat.name} grew")
                self._banks[key] = seat.bank_ns
            for asked in table._desk.requests.values():
                if asked.id is not None and asked.asked_at is not None:
                    since = self._started.setdefault(asked.id, asked.asked_at)
                    self.hold(asked.asked_at <= since, f"the clock of {asked.id} was set back")

    def resumed(self) -> None:
        """What the bank was charged for an open trick is given back."""
        self._banks, self._told = {}, {}
