"""The promises that are checked after every pass of the referee, a small class each."""

from collections.abc import Iterable, Iterator

import attrs

from protocol.framing import HEADER, LIMIT
from protocol.messages import Closing, Drafted, Error, GameEnd, GameStart, Pong, TournamentEnd, TrickResult
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseRow, RequestClosed
from referee.play.faults import Fault
from referee.play.table import Table
from referee.rules.cards import bullheads
from referee.rules.variants import Variant
from tests.server.network import CLOCK, MS, REQUESTS, answer_to
from tests.simulation.plan import Deed
from tests.simulation.undisturbed import undisturbed_digest
from tests.simulation.world import LIMITS, PlannedWorld, Sent

MOST_ALARMS = 40


class Broken(AssertionError):
    """A promise was broken.

    Attributes:
        promise: The name of the promise.
    """

    def __init__(self, promise: str, how: str) -> None:
        super().__init__(f"{promise}: {how}")
        self.promise = promise


class Promise:
    """One promise.

    Attributes:
        number: Of the promise in the design.
    """

    number = 0

    def __init__(self, world: PlannedWorld) -> None:
        self.world = world

    def leaving(self, messages: list[Sent]) -> None:
        """Look at the messages that are about to be sent, after the commit of their pass."""

    def passed(self) -> None:
        """Look at the referee after a pass."""

    def resumed(self) -> None:
        """Take in that the referee was killed and goes on from its journal."""

    def ended(self) -> None:
        """Look at what a finished tournament has left behind."""

    def hold(self, condition: object, how: str) -> None:
        """Say that the promise is broken unless something is so."""
        if not condition:
            raise Broken(type(self).__name__, how)

    @property
    def tables(self) -> Iterator[Table]:
        """The tables that are being played."""
        return (running.table for running in self.world.engine._floor._tables.values())

    def table(self, game: str) -> Table | None:
        """Return the table of a game by its id, if it is still being played."""
        return next((table for table in self.tables if str(table.setup.game) == game), None)


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


class FaultsSitRight(Promise):
    """Nobody has a fault that is not of its own doing, and those who do no wrong lose no decision."""

    number = 6

    def leaving(self, messages: list[Sent]) -> None:
        """Whoever is always in time and legal is never decided for, nor struck."""
        for instance, message in messages:
            if (
                instance is not None
                and isinstance(message, RequestClosed)
                and self.world.plan.is_good(instance.entrant)
            ):
                answered = message.reason is ClosedBecause.ANSWERED and not message.strikes
                self.hold(answered, f"a request of {instance.entrant} is {message.reason.value}")

    def passed(self) -> None:
        """Look at the seats that are being played."""
        for table in self.tables:
            for seat in table.seats:
                self._check(seat.name, {fault for fault, count in seat.faults.items() if count})

    def ended(self) -> None:
        """Look at the standings."""
        for row in self.world.director.rows():
            self._check(row.name, {Fault(kind) for kind in dict(row.faults)})

    def _check(self, name: str, faults: set[Fault]) -> None:
        extra = faults - self.world.plan.may_cost(name)
        self.hold(not extra, f"{name} has {', '.join(sorted(fault.value for fault in extra))}")


class CommittedBeforeTold(Promise):
    """What is told is in the journal: nothing waits to be committed, and each decision told is there."""

    number = 8

    def leaving(self, messages: list[Sent]) -> None:
        """Look each decision up in what was committed."""
        journal = self.world.director.journal
        self.hold(not messages or not journal.has_uncommitted, "something is sent and not yet committed")
        for _, message in messages:
            if isinstance(message, RequestClosed):
                self._check(message.game, {message.choice})
            elif isinstance(message, TrickResult):
                self._check(message.game, set(message.cards))
            elif isinstance(message, Drafted):
                self._check(message.game, {message.card})
            elif isinstance(message, GameEnd):
                known = {str(game): digest for game, digest in self.world.kept.results.items()}
                self.hold(known.get(message.game) == message.digest, f"the end of {message.game} is not kept")

    def _check(self, name: str, choices: set[int]) -> None:
        for game, steps in self.world.kept.steps.items():
            if str(game) == name:
                choices = choices - {decision.choice for step in steps for decision in step.decisions}
        self.hold(not choices, f"{choices} in {name} is told and not kept")


class NothingIsLost(Promise):
    """Each scheduled game has one outcome; a result that was kept once stays, over all runs."""

    number = 8

    def resumed(self) -> None:
        """What was committed before the kill is there after it."""
        self._compare()

    def ended(self) -> None:
        """All that was to be played has been, once."""
        director = self.world.director
        self._compare()
        self.hold(director.complete, "the tournament is not complete")
        found = [game for game, _ in director.journal.reading().digests()]
        games = set(found)
        self.hold(len(games) == len(found), "a game has two results")
        planned = sum(director._games_of(plan) for plan in director.plans)
        self.hold(
            len(games) == planned == director.games_done, f"{len(games)} of {planned} games have a result"
        )

    def _compare(self) -> None:
        stored = dict(self.world.director.journal.reading().digests())
        for game, digest in self.world.kept.results.items():
            self.hold(stored.get(game) == digest, f"the result of {game} is lost")
        self.hold(self.world.director.games_done == len(stored), "the standings count other games")


class BullheadsAddUp(Promise):
    """Cards that lay open are in the rows or were taken; totals are the sums of the deals."""

    number = 9

    def leaving(self, messages: list[Sent]) -> None:
        """Add up what requests, results and ends say."""
        for _, message in messages:
            if isinstance(message, ChooseCard | ChooseRow):
                told = tuple(map(bullheads, message.rows))
                self.hold(told == message.row_bullheads, f"{message.rows} are not {message.row_bullheads}")
            if isinstance(message, ChooseCard) and message.hands is None:
                open_ = sum(message.row_bullheads) + sum(message.taken)
                self.hold(bullheads(message.seen) == open_, f"{open_} bullheads lie open or were taken")

    def ended(self) -> None:
        """No deal has more bullheads than the deck."""
        for result in self.world.director.journal.reading().results():
            deals: Iterable[tuple[int, ...]] = zip(*(seat.bullheads for seat in result.seats), strict=True)
            self.hold(all(sum(deal) <= bullheads(range(1, 105)) for deal in deals), "a deal has too many")


class EverythingIsBounded(Promise):
    """Nothing that a peer does makes the referee keep ever more."""

    number = 10

    def passed(self) -> None:
        """Measure what is kept."""
        engine = self.world.engine
        for peer in engine._peers.values():
            self.hold(peer.connection.waiting <= LIMIT + HEADER, "more than a frame is kept of a peer")
            self.hold(len(peer.outgoing) <= LIMITS.send_queue_bytes, "a send queue is too long")
        self.hold(len(engine._floor._alarms) <= MOST_ALARMS, "alarms pile up")
        self.hold(not engine._floor._unsent, "a table was not told that its requests were sent")
        here = [peer for peer in engine._peers.values() if peer.instance is not None]
        self.hold(len(here) <= LIMITS.connections, "there are too many connections")


class SeatsStayWithTheirBots(Promise):
    """A seat is its bot's on whatever connection, and each connection is at most one bot's."""

    number = 7

    def passed(self) -> None:
        """Compare what connections, bots and tables say of each other."""
        engine = self.world.engine
        for instance in engine.lobby:
            if instance.peer is not None:
                self.hold(engine._peers[instance.peer].instance is instance, "a connection is two bots'")
            for game, seat in instance.games.items():
                self.hold(engine._floor._tables[game].bots[seat] is instance, "a seat is not its bot's")


class AllHearTheEnd(Promise):
    """Whoever kept to the protocol and stayed hears the result, and every game that it began has an end."""

    number = 12

    def ended(self) -> None:
        """Look at what the bots without deeds have heard."""
        for bot in self.world.players:
            if self.world.plan.deeds_of(bot.name) or self.world.restarts:
                continue
            if not bot.all(TournamentEnd):
                raise Broken(type(self).__name__, f"{bot.name} has not heard the end")
            started = {message.game for message in bot.all(GameStart)}
            over = {message.game for message in bot.all(GameEnd)}
            self.hold(started == over, f"{bot.name} has not heard the end of {sorted(started - over)}")


class SameRecord(Promise):
    """Where all answers that count are legal and in time, the record is the undisturbed one."""

    number = 12

    def ended(self) -> None:
        """Compare the digests."""
        if self.world.plan.changes_nothing:
            expected = undisturbed_digest(self.world.plan)
            self.hold(self.world.director.digest == expected, "the record is another one")


PROMISES: tuple[type[Promise], ...] = (
    NothingLeaks,
    RequestsEndOnce,
    IdsNeverRepeat,
    FirstAnswerCounts,
    ClocksOnlyShrink,
    FaultsSitRight,
    SeatsStayWithTheirBots,
    CommittedBeforeTold,
    NothingIsLost,
    BullheadsAddUp,
    EverythingIsBounded,
    AllHearTheEnd,
    SameRecord,
)


@attrs.frozen
class Watch:
    """All promises, about one world."""

    promises: tuple[Promise, ...]

    @classmethod
    def over(cls, world: PlannedWorld) -> "Watch":
        """Watch a world."""
        watch = cls(tuple(promise(world) for promise in PROMISES))
        world.engine.on_leaving = watch.leaving
        world.after_pass.append(watch.passed)
        return watch

    def leaving(self, messages: list[Sent]) -> None:
        """Have all promises looked at for what leaves."""
        for promise in self.promises:
            promise.leaving(messages)

    def passed(self) -> None:
        """Have all promises looked at after a pass."""
        for promise in self.promises:
            promise.passed()

    def resumed(self) -> None:
        """Tell all of a kill and a resume."""
        for promise in self.promises:
            promise.resumed()

    def ended(self) -> None:
        """Have all promises looked at at the end."""
        for promise in self.promises:
            promise.ended()
