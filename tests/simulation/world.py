"""The world of a plan: the one of the server's tests, watched where bytes leave; it survives kills."""

from collections import Counter
from collections.abc import Callable

from protocol.messages import Hello, RefereeMessage
from referee.director import Director
from referee.journal.journal import Journal
from referee.play.clock import Arrival
from referee.play.names import GameId
from referee.play.results import GameResult
from referee.play.steps import Step
from referee.server.admission import Expected
from referee.server.engine import Engine, Outgoing
from referee.server.limits import ServerLimits
from referee.server.lobby import Instance, Lobby
from referee.server.peers import Peer
from referee.setup import TournamentSetup
from referee.tournament.model import TournamentError
from tests.notes import Killed, begun, reborn
from tests.server.network import MS, START, Bot, S, Wire, World, secret
from tests.simulation.bots import REJOIN_NS, Player, weather_of
from tests.simulation.plan import Action, Deed, Entrant, Plan

LIMITS = ServerLimits(connections=40)
PATIENCE_NS = 5 * S
"""So long games wait for bots at the start and after a kill."""
LATE_ENTRANT = Entrant(name="zoe")


Sent = tuple[Instance | None, RefereeMessage]
"""For whom a message is; None for a connection that is nobody's."""


class WatchedEngine(Engine):
    """An engine that shows what leaves it, when it leaves.

    Attributes:
        on_leaving: Called with all messages of a pass, in order, once they are about to be sent.
    """

    on_leaving: Callable[[list[Sent]], None] = staticmethod(lambda messages: None)

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self._leaving: list[Sent] = []

    def _send(self, peer: Peer, message: RefereeMessage) -> None:
        if not peer.told_to_close:
            self._leaving.append((peer.instance, message))
        super()._send(peer, message)

    def take_outgoing(self) -> list[Outgoing]:
        """Show what leaves, then let it go."""
        leaving, self._leaving = self._leaving, []
        self.on_leaving(leaving)
        return super().take_outgoing()


class Watched:
    """What a journal was given and has committed; kills the referee at a commit when it is told to.

    Attributes:
        steps: By game, the steps that were committed.
        results: By game, the digests of results that were committed.
    """

    def __init__(self) -> None:
        self.steps: dict[GameId, list[Step]] = {}
        self.results: dict[GameId, str] = {}
        self.kill: Deed | None = None
        self._new_steps: list[tuple[GameId, Step]] = []
        self._new_results: list[GameResult] = []

    def watch(self, journal: Journal) -> None:
        """See what a journal is given from now on; what another had not committed is lost."""
        self._new_steps, self._new_results = [], []
        stepped, ended, commit = journal.stepped, journal.game_ended, journal.commit

        def on_stepped(game: GameId, steps: tuple[Step, ...]) -> None:
            stepped(game, steps)
            self._new_steps += [(game, step) for step in steps]

        def on_ended(result: GameResult) -> None:
            ended(result)
            self._new_results.append(result)

        def on_commit() -> None:
            if self.kill is not None and journal.has_uncommitted:
                deed, self.kill = self.kill, None
                if deed is Deed.KILLED_AFTER:
                    self._commit(commit)
                raise Killed
            self._commit(commit)

        journal.stepped, journal.game_ended, journal.commit = on_stepped, on_ended, on_commit

    def _commit(self, commit: Callable[[], None]) -> None:
        commit()
        for game, step in self._new_steps:
            self.steps.setdefault(game, []).append(step)
        self.results.update((result.game, result.digest) for result in self._new_results)
        self._new_steps, self._new_results = [], []


class PlannedWorld(World):
    """A world in which a plan comes true.

    Attributes:
        plan: The plan.
        done: How often each deed was done.
        kept: What the journal has.
        restarts: How often the referee was killed and resumed.
    """

    def __init__(self, plan: Plan) -> None:
        setup = plan.setup
        director = begun(setup, plan.names)
        super().__init__(plan.names, director=director, engine=_engine(setup, _lobby(director, plan, START)))
        self.plan = plan
        self.done: Counter[Deed] = Counter()
        self.kept = Watched()
        self.restarts = 0
        self.kept.watch(director.journal)
        self._around = [action for action in plan.actions if not action.who]
        self.after_pass.append(self._do_around)
        for entrant in plan.entrants:
            actions = [action for action in plan.actions if action.who == entrant.name]
            for number in range(1, plan.instances + 1):
                deeds = actions if number == 1 else []
                self.after(entrant.arrives_ms * MS, self._arrival_of(entrant, number, deeds))

    def restart(self, on_leaving: Callable[[list[Sent]], None]) -> None:
        """Go on with what the journal has, as a new process: all connections are lost."""
        journal = reborn(self.director.journal)
        self.kept.watch(journal)
        setup = TournamentSetup.of(journal.reading().head)
        self.director = Director.restored(setup, journal)
        self.engine = _engine(setup, _lobby(self.director, self.plan, self.now))
        self.engine.on_leaving = on_leaving
        self.restarts += 1
        wires, self._wires = self._wires, {}
        for wire in wires.values():
            wire.up = False
            wire.bot.lost(wire)
        self.engine.begin(self.director)
        self._stirred = True

    def _arrival_of(self, entrant: Entrant, number: int, actions: list[Action]) -> Callable[[], None]:
        player = Player(self, entrant, actions, self.done)
        weather = weather_of(entrant, self.plan.seed + number)

        def arrive() -> None:
            self.join(
                entrant.name,
                player,
                number=number,
                weather=weather,
                rejoin_ns=REJOIN_NS,
                events=entrant.events,
                games=1 + self.plan.seed % 2,
            )

        return arrive

    def _arrival(self, last: int) -> Arrival:
        return Arrival.at(last) if self.plan.stamped else super()._arrival(last)

    def _arrive(self, wire: Wire, piece: bytes | None) -> None:
        # A process that was killed hears nothing any more of the connections it had.
        if wire.number in self._wires and self._wires[wire.number] is wire:
            super()._arrive(wire, piece)

    # --- what happens to the referee -----------------------------------------------------------------------

    def _do_around(self) -> None:
        if self.engine.director is None or self.engine.finished:
            return
        while self._around and self._around[0].after <= self.passes:
            action = self._around.pop(0)
            self.done[action.deed] += 1
            self._befall(action)

    def _befall(self, action: Action) -> None:
        match action.deed:
            case Deed.STALLED | Deed.STALLED_LONG:
                self.stall(action.amount * MS)
            case Deed.LAGGING:
                self.lagging = not self.lagging
            case Deed.STRANGER:
                self.stranger(_noise(action.amount))
            case Deed.HELLOS:
                for number in range(10):
                    self._impostor(number)
            case Deed.ENTERED:
                self._enter()
            case Deed.KILLED_BEFORE | Deed.KILLED_AFTER:
                self.kept.kill = action.deed

    def _impostor(self, number: int) -> None:
        """Let somebody say hello in the name of somebody else, or of nobody."""
        name = self.plan.names[number % len(self.plan.names)] if number % 2 else "nobody"
        bot = self.stranger()
        bot.say(Hello(name=name, secret="a guess", versions=(1,)))

    def _enter(self) -> None:
        name = LATE_ENTRANT.name
        if name in self.engine.lobby.entrants:
            return
        try:
            self.director.enter(name)
        except TournamentError:
            return
        self.engine.lobby.add_instance(name, secret(name))
        self._arrival_of(LATE_ENTRANT, 1, [])()

    @property
    def players(self) -> list[Bot]:
        """The bots of the entrants, without strangers."""
        return [bot for bot in self.bots if isinstance(bot.policy, Player)]


def _noise(seed: int) -> bytes:
    return seed.to_bytes(4, "little") * (1 + seed % 9)


def _engine(setup: TournamentSetup, lobby: Lobby) -> WatchedEngine:
    return WatchedEngine(setup, lobby, Expected(lobby), LIMITS)


def _lobby(director: Director, plan: Plan, now: int) -> Lobby:
    """Return a lobby that expects the bots of all entrants, late ones included, for a while."""
    lobby = Lobby(director.entrants)
    for name in director.entrants:
        for number in range(1, 1 + (plan.instances if name in plan.names else 1)):
            instance = lobby.add_instance(name, secret(name, number), expected_until=now + PATIENCE_NS)
            instance.retired = director.is_withdrawn(name)
    return lobby
