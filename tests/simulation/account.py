"""The promises of the account: faults, seats, results, bullheads, bounds and the record."""

from protocol.framing import HEADER, LIMIT
from protocol.messages import Drafted, GameEnd, GameStart, TournamentEnd, TrickResult
from protocol.parts import ClosedBecause
from protocol.requests import ChooseCard, ChooseRow, RequestClosed
from referee.play.faults import Fault
from referee.rules.cards import bullheads
from tests.simulation.promise import Broken, Promise
from tests.simulation.undisturbed import undisturbed_digest
from tests.simulation.world import LIMITS, Sent

MOST_ALARMS = 40


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
            deals = zip(*(seat.bullheads for seat in result.seats), strict=True)
            self.hold(all(sum(deal) <= bullheads(range(1, 105)) for deal in deals), "a deal has too many")


class EverythingIsBounded(Promise):
    """Nothing that a peer does makes the referee keep ever more."""

    number = 10

    def passed(self) -> None:
        """Measure what is kept."""
        engine = self.world.engine
        for peer in engine._peers.values():
            self.hold(peer.connection.waiting <= LIMIT + HEADER, "more than a frame is kept of a peer")
            self.hold(sum(map(len, peer.outgoing)) <= LIMITS.send_queue_bytes, "a send queue is too long")
        self.hold(len(engine._floor._alarms) <= MOST_ALARMS, "alarms pile up")
        self.hold(not engine._floor._unsent, "a table was not told that its requests were sent")
        here = [peer for peer in engine._peers.values() if peer.instance is not None]
        self.hold(len(here) <= LIMITS.connections, "there are too many connections")


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
