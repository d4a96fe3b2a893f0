"""The whole referee without a socket: connections and bytes in, bytes and news out.

A shell moves bytes in passes: it reads what is ready and calls `received` for each piece; it reads the
connections that `to_drain` names once more; it calls `tick` and `commit`; it sends what `take_outgoing`
gives, and tells `sent` when. So sockets are read before deadlines are judged, what was decided is durable
before anybody is told, and clocks run from the moment of sending.
"""

import itertools
from collections.abc import Iterable, Mapping

from protocol.errors import ErrorCode, PeerError, Severity
from protocol.messages import (
    Answer,
    Card,
    Closing,
    Draft,
    Error,
    Hello,
    Leave,
    Message,
    Ping,
    Pong,
    RefereeMessage,
    Row,
)
from protocol.parts import ClosingBecause
from referee.director import Director
from referee.play.clock import Arrival
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.publishing import Output
from referee.play.seats import Presence
from referee.rules.data import frozen
from referee.server.admission import Admission, unknown_entrant
from referee.server.floor import Floor
from referee.server.limits import ServerLimits
from referee.server.lobby import Instance, Lobby
from referee.server.news import Joined, Lost, News, Refused, Withdrawn
from referee.server.organiser import Organiser
from referee.server.peers import Peer
from referee.server.reception import Reception
from referee.setup import TournamentSetup
from referee.tournament.model import TournamentError


@frozen
class Outgoing:
    """What is to be done to one connection: send the bytes; then end it, if they were the last."""

    peer: int
    data: bytes
    then_close: bool


class Engine:
    """Connections, bots and tables of one tournament: registration -> play -> finished.

    Args:
        setup: What the tournament is made from.
        lobby: Who is there.
        admission: Who is let in.
        limits: The bounds.

    Attributes:
        director: The tournament; None during registration.
        lobby: Who is there.
        limits: The bounds.
        news: What happened since the reader of the news last emptied this list.
    """

    def __init__(
        self, setup: TournamentSetup, lobby: Lobby, admission: Admission, limits: ServerLimits
    ) -> None:
        self.director: Director | None = None
        self.lobby = lobby
        self.limits = limits
        self.news: list[News] = []
        self._peers: dict[int, Peer] = {}
        self._outbox: dict[int, Peer] = {}
        self._floor = Floor(self._keep)
        self._reception = Reception(setup, admission, limits)
        self._organiser = Organiser(lobby, self._floor, self.news)
        self._peer_numbers = itertools.count(1)

    @property
    def finished(self) -> bool:
        """Whether the tournament is over and everybody has been told."""
        return self._organiser.over

    @property
    def paused(self) -> bool:
        """Whether no further games start for now."""
        return self._organiser.paused

    @property
    def is_full(self) -> bool:
        """Whether a further connection is to be closed at once, without asking `connected` for a number."""
        return self._reception.is_full

    @property
    def running(self) -> int:
        """How many tables are being played."""
        return len(self._floor)

    @property
    def connections(self) -> int:
        """How many connections there are, greeted or not."""
        return len(self._peers)

    # --- what the shell tells ------------------------------------------------------------------------------

    def begin(self, director: Director) -> None:
        """End the registration: from the next `tick` on, games start."""
        self.director = director
        for name in filter(self.lobby.is_out, self.lobby.entrants):
            director.withdraw(name, "left before the start")
        for instance in self.lobby:
            for fault in instance.early_faults.elements():
                director.add_fault(instance.entrant, fault)
        for instance in self.lobby:
            director.bound(instance.entrant, instance.proof)
        if director.paused:
            self._organiser.pause()
        elif self._organiser.paused:
            director.pause()
        self._organiser.open(director)

    def pause(self) -> None:
        """Start no further games, nor end the tournament; those that are being played go on."""
        self._organiser.pause()
        if self.director is not None:
            self.director.pause()

    def drain(self) -> None:
        """Start no further games, since the referee is about to stop; unlike a pause this is not kept."""
        self._organiser.drain()

    def go_on(self) -> None:
        """Start games again after a pause."""
        self._organiser.go_on()
        if self.director is not None:
            self.director.go_on()

    def finish_now(self) -> None:
        """End the tournament: games that are being played are abandoned, what was played counts."""
        self._floor.abandon(lambda game: True)
        self._organiser.go_on()
        if self.director is not None:
            self.director.finish_now()
        self._organiser.bots_changed()

    def look_again(self) -> None:
        """See whether games can start that could not before."""
        self._organiser.bots_changed()

    def void_round(self, number: int, reason: str) -> None:
        """Have a round played again: none of its games count, and those being played are abandoned.

        Raises:
            TournamentError: the round cannot be voided.
        """
        if self.director is None:
            raise TournamentError("nothing has been played yet")
        self.director.void_round(number, reason)
        self._floor.abandon(lambda game: game.round == number)
        self._organiser.bots_changed()

    def remove(self, entrant: str, reason: str, now: int) -> None:
        """Take an entrant out for good and close its connections."""
        closing = Closing(
            reason=ClosingBecause.REMOVED, message=f"The organiser removed '{entrant}': {reason}"
        )
        for instance in self.lobby.instances(entrant):
            peer = None if instance.peer is None else self._peers[instance.peer]
            if not instance.retired:
                self.retire(instance, f"removed by the organiser: {reason}", now)
            if peer is not None:
                self._send(peer, closing)
                self._part(peer, "removed by the organiser", now)
        if self.director is None:
            self.lobby.forget(entrant)

    def connected(self, address: str, now: int) -> int:
        """Take in a new connection; return its number."""
        peer = Peer.new(next(self._peer_numbers), address, now, self.limits)
        self._peers[peer.id] = peer
        try:
            self._reception.expect(peer)
        except PeerError as error:
            self._refuse(peer, error)
        return peer.id

    def received(self, number: int, data: bytes, arrival: Arrival, now: int) -> None:
        """Take in bytes of a connection.

        Args:
            number: The connection.
            data: What was read, in one piece.
            arrival: When its last byte arrived, and since when at the earliest the first byte can be here.
            now: When it is dealt with.
        """
        peer = self._peers.get(number)
        if peer is None or peer.told_to_close:
            return
        connection = peer.connection
        connection.receive(data)
        # One by one: a read may hold thousands of messages from somebody who is turned out after a hundred.
        is_more_there = True
        while is_more_there and not peer.told_to_close:
            try:
                message = connection.next_message()
            except PeerError as error:
                self._deal_with_error(peer, error, arrival if connection.waiting else arrival.exactly, now)
                continue
            if message is None:
                return
            is_more_there = connection.waiting > 0
            # Only the message that ends with the last byte has an exact time.
            self._deal_with(peer, message, arrival if is_more_there else arrival.exactly, now)

    def disconnected(self, number: int, reason: str, now: int) -> None:
        """Take in that a connection has ended, from whichever side."""
        peer = self._peers.pop(number, None)
        if peer is not None:
            self._outbox.pop(number, None)
            self._reception.forget(peer)
            self._part(peer, reason, now)

    def turn_away(self, number: int, error: PeerError) -> None:
        """Take in that the shell can make no sense of a connection that nobody has introduced himself on."""
        peer = self._peers.get(number)
        if peer is not None and not peer.told_to_close:
            self._refuse(peer, error)

    def slow_reader(self, number: int, now: int) -> None:
        """Take in that a connection does not read what it is sent; the shell ends it."""
        peer = self._peers[number]
        sentence = "The connection was ended since it did not read what it was sent."
        self._violation(peer, PeerError.fatal(ErrorCode.SLOW_READER, sentence), Fault.VIOLATION, now)

    def give_up_games(self, instance: Instance, now: int) -> None:
        """Take in that a bot is gone for good from the games it is in, though not from later ones."""
        self._organiser.bots_changed()
        for game, seat in instance.games.items():
            self._floor.touch(game).left(seat, Presence.GONE, now)
        self._floor.free(instance)

    def retire(self, instance: Instance, reason: str, now: int) -> None:
        """Take in that a bot will not come (back): its seats are played by default at once."""
        instance.retired = True
        self.give_up_games(instance, now)
        if all(other.retired for other in self.lobby.instances(instance.entrant)):
            if self.director is not None:
                self.director.withdraw(instance.entrant, reason)
            self.news.append(Withdrawn(entrant=instance.entrant, reason=reason))

    def suspend(self, message: str, retry_ms: int | None = None) -> None:
        """Tell everybody that nothing more comes for now; with a time to come back if it may go on."""
        closing = Closing(reason=ClosingBecause.SUSPENDED, message=message, retry_ms=retry_ms)
        for peer in self._peers.values():
            self._send(peer, closing)

    def tick(self, now: int) -> None:
        """Let everything happen that is due at `now`; call once a pass, after reading.

        What `to_drain` gave for the same `now` must have been read: whatever had arrived by then counts.
        """
        is_anybody_new = self._reception.is_due(now)  # mostly not, and then there is little to do in a pass
        if is_anybody_new:
            self._receive_the_new(now)
        self._floor.tick(now)
        self._collect()
        if self._organiser.is_due(now):
            self._send_all(self._organiser.arrange(now))
            self._collect()
        if is_anybody_new:
            for peer, outcome in self._reception.hear_waiting(now):
                self._heard(peer, outcome)

    def commit(self) -> None:
        """Make durable what has happened; call it before anything of `take_outgoing` is sent.

        Raises:
            JournalFailed: It could not be done, and so nothing may be sent.
        """
        if self.director is not None:
            self.director.commit()

    def sent(self, now: int, at: Mapping[int, int]) -> None:
        """Start the clocks of the requests that were in `take_outgoing`; call it before anything is read.

        Args:
            now: When all of them had been sent.
            at: By connection, when it was handed its own: who is sent to first does not pay for the sending
                to all others, nor the others for a pause in between.
        """
        self._floor.sent(now, at)

    # --- what the shell asks -------------------------------------------------------------------------------

    def to_drain(self, now: int) -> set[int]:
        """Return the connections to read once more before `tick(now)`, since it may judge them."""
        due = {bot.peer for bot in self._floor.due_bots(now) if bot.peer is not None}
        if not self._reception.is_due(now):
            return due
        unheard = {peer.id for peer in self._reception.overdue(now)}
        return due | unheard | self._reception.to_be_superseded()

    def take_outgoing(self) -> list[Outgoing]:
        """Return what is to be sent."""
        peers, self._outbox = self._outbox, {}
        found = []
        for peer in peers.values():
            found.append(Outgoing(peer.id, b"".join(peer.outgoing), peer.told_to_close))
            peer.outgoing.clear()
        return found

    def entrants_here(self) -> list[str]:
        """Return the entrants of whom a bot is connected, or is about to be let in."""
        return [name for name in self.lobby.entrants if any(map(self._is_here, self.lobby.instances(name)))]

    def _is_here(self, instance: Instance) -> bool:
        return instance.peer is not None or (not instance.retired and self._reception.has_heard(instance))

    def address(self, number: int) -> str:
        """Return where a connection comes from, for people."""
        return self._peers[number].address

    def wake_at(self) -> int | None:
        """Return when `tick` is due if nothing else happens before, in ns."""
        times = (self._floor.next_due(), self._reception.next_due(), self._organiser.next_due())
        return min((time for time in times if time is not None), default=None)

    # --- messages ------------------------------------------------------------------------------------------

    def _deal_with(self, peer: Peer, message: Message, arrival: Arrival, now: int) -> None:
        match message:
            case Card() | Row() | Draft():
                self._answer(peer, message, arrival, now)
            case Hello():
                self._hello(peer, message, now)
            case Ping():
                self._send(peer, Pong(echo=message.echo))
                self._spend(peer, now)
            case Leave():
                self._leave(peer, now)

    def _answer(self, peer: Peer, answer: Answer, arrival: Arrival, now: int) -> None:
        instance = peer.instance
        if instance is None:
            return
        place = self._floor.find(instance, answer.request)
        if place is None:
            self._answer_to_nothing(peer, instance, answer.request)
            self._spend(peer, now)
        elif not place.table.answered(place.seat, answer, arrival, now):
            self._spend(peer, now)

    def _answer_to_nothing(self, peer: Peer, instance: Instance, request: int) -> None:
        """An old id is dropped and counted; one that was never given out is an error."""
        if self._organiser.was_issued(request):
            self._count(instance, Fault.STALE)
            return
        sentence = f"There is no request {request}."
        self._complain(peer, PeerError(ErrorCode.UNKNOWN_REQUEST, sentence, request=request))
        self._count(instance, Fault.MALFORMED)

    def _count(self, instance: Instance, fault: Fault) -> None:
        """Count a fault with the game it can only belong to, or else with the entrant."""
        if len(instance.games) == 1:
            ((game, seat),) = instance.games.items()
            self._floor.touch(game).count(seat, fault)
        else:
            self._count_apart(instance, fault)

    def _count_apart(self, instance: Instance, fault: Fault) -> None:
        """Count a fault that belongs to no game."""
        if self.director is None:
            instance.early_faults[fault] += 1
        else:
            self.director.add_fault(instance.entrant, fault)

    def _deal_with_error(self, peer: Peer, error: PeerError, arrival: Arrival, now: int) -> None:
        instance = peer.instance
        if instance is None:
            self._refuse(peer, error)
        elif error.severity is Severity.FATAL:
            self._violation(peer, error, Fault.VIOLATION, now)
        else:
            self._malformed(peer, instance, error, arrival)
            self._spend(peer, now)

    def _malformed(self, peer: Peer, instance: Instance, error: PeerError, arrival: Arrival) -> None:
        place = None if error.request is None else self._floor.find(instance, error.request)
        if place is not None:
            place.table.malformed(place.seat, error, arrival)
            return
        self._count(instance, Fault.MALFORMED)
        self._complain(peer, error)

    def _spend(self, peer: Peer, now: int) -> None:
        """Charge a message that nobody needed; who sends too many of them is turned out."""
        if not peer.told_to_close and not peer.needless.spend(now):
            sentence = "Too many messages that answer no open request; slow down."
            self._violation(peer, PeerError.fatal(ErrorCode.FLOODING, sentence), Fault.FLOODING, now)

    # --- coming and going ----------------------------------------------------------------------------------

    def _hello(self, peer: Peer, hello: Hello, now: int) -> None:
        try:
            instance = self._reception.hear(peer, hello, now)
        except PeerError as error:
            self._refuse(peer, error)
        else:
            if instance is not None:
                self._heard(peer, instance)

    def _heard(self, peer: Peer, outcome: Instance | PeerError) -> None:
        """Take in whom a hello came from, or why it is refused."""
        if isinstance(outcome, PeerError):
            self._refuse(peer, outcome)
        elif self.director is not None:  # with the entrant itself, if it is new
            self.director.bound(outcome.entrant, outcome.proof)

    def _receive_the_new(self, now: int) -> None:
        """Turn away those whose time is over, and greet those who have said who they are."""
        for peer in self._reception.overdue(now):
            self._refuse(peer, self._reception.too_late)
        for peer, refusal in self._reception.take_refusals(now):
            self._refuse(peer, refusal)
        # A game that has just ended is none of the open games of who comes now.
        self._collect()
        for peer, instance, hello in self._reception.take_greetings():
            self._greet(peer, instance, hello, now)

    def _greet(self, peer: Peer, instance: Instance, hello: Hello, now: int) -> None:
        """Let a bot in, in place of the connection it had before, and tell it where its games stand."""
        if instance.retired:
            self._refuse(peer, unknown_entrant(hello.name))
            return
        old = None if instance.peer is None else self._peers[instance.peer]
        if old is not None:
            old.instance = None
            message = "Another connection with the same name and secret has taken over."
            self._send(old, Closing(reason=ClosingBecause.SUPERSEDED, message=message))
        rounds = None if self.director is None else self.director.rounds
        self._send(peer, self._reception.let_in(peer, instance, hello, rounds))
        self._organiser.bots_changed()
        self.news.append(Joined(entrant=instance.entrant, address=peer.address, client=instance.client))
        for game, seat in instance.games.items():
            self._floor.touch(game).returned(seat, now, wants_events=instance.wants_events)

    def _leave(self, peer: Peer, now: int) -> None:
        instance = peer.instance
        self._send(peer, Closing(reason=ClosingBecause.LEFT, message="Goodbye."))
        if instance is not None:
            self.retire(instance, "left the tournament", now)
            self._part(peer, "said goodbye", now)

    def _part(self, peer: Peer, reason: str, now: int) -> None:
        """Separate a connection from its bot; the bot may come back on another one."""
        instance, peer.instance = peer.instance, None
        if instance is None:
            return
        instance.peer = None
        instance.expected_until = max(instance.expected_until, now + self.limits.absence_ns)
        self._organiser.bots_changed()
        self.news.append(Lost(entrant=instance.entrant, reason=reason))
        for game, seat in instance.games.items():
            self._floor.touch(game).left(seat, Presence.AWAY, now)

    def _violation(self, peer: Peer, error: PeerError, fault: Fault, now: int) -> None:
        """End a connection for what it sent."""
        instance = peer.instance
        self._complain(peer, error)
        if instance is None:
            return
        if not instance.games:
            self._count_apart(instance, fault)
        for game, seat in instance.games.items():
            self._floor.touch(game).violated(seat, fault, now)
        self._part(peer, error.sentence, now)

    def _refuse(self, peer: Peer, error: PeerError) -> None:
        """Turn away a connection that is nobody's."""
        self._reception.turn_away(peer)
        self._complain(peer, PeerError.fatal(error.code, error.sentence))
        self.news.append(Refused(address=peer.address, reason=error.sentence))

    # --- sending -------------------------------------------------------------------------------------------

    def _complain(self, peer: Peer, error: PeerError) -> None:
        fatal = error.severity is Severity.FATAL
        message = Error(code=error.code.value, message=error.sentence, fatal=fatal, request=error.request)
        self._send(peer, message)

    def _collect(self) -> None:
        """Hand out what the tables have to say; a game that is over makes room for the next."""
        self._send_all(self._floor.collect())
        if self.director is not None:
            for result in self._floor.take_results():
                self._organiser.game_over(self.director, result)

    def _keep(self, game: GameId, output: Output) -> None:
        if self.director is not None:
            self.director.keep(game, output)

    def _send_all(self, messages: Iterable[tuple[Instance, RefereeMessage]]) -> None:
        """Send messages to the bots that are here."""
        for instance, message in messages:
            if instance.peer is not None:
                self._send(self._peers[instance.peer], message)

    def _send(self, peer: Peer, message: RefereeMessage) -> None:
        if not peer.told_to_close:
            peer.send(message)
            self._outbox[peer.id] = peer
