"""Runs a tournament: asks the format what to play, has it played, adds up the results.

Synchronous and without I/O: the server asks which game can start, tells which one ended, and shows what the
director publishes.
"""

from collections.abc import Callable, Iterable, Sequence

import attrs

from referee.journal.certainty import certainty
from referee.journal.journal import Journal
from referee.journal.schema import CONTINUE, PAUSE
from referee.journal.scores import score_of
from referee.play.clock import NS_PER_MS
from referee.play.events import FaultFound
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.publishing import Output
from referee.play.record import tournament_digest
from referee.play.results import GameResult
from referee.play.steps import Step
from referee.play.table import Table, TableSetup
from referee.setup import TournamentSetup, table_setup
from referee.tournament.bootstrap import Certainty
from referee.tournament.formats import Order, make_format
from referee.tournament.history import History
from referee.tournament.model import Kind, RoundPlan, TournamentError
from referee.tournament.report import TournamentFacts
from referee.tournament.standings import Standings, StandingsRow
from referee.tournament.waiting import WaitingGames

ROUNDS_AHEAD = 2
"""Where rounds need not wait for each other, games may start this many rounds before the oldest unfinished
round is done. It bounds how far apart the numbers of games of two entrants can be at any moment."""

NO_SHOW_ROUNDS = 2
"""An entrant that misses so many rounds wholly is withdrawn."""


@attrs.frozen(kw_only=True)
class ScheduledGame:
    """A game that waits for its turn."""

    id: GameId
    names: tuple[str, ...]


class Director:
    """One tournament: what is still to be played, what is being played, and what came of the rest.

    Attributes:
        setup: What it was made from.
        rounds: How many rounds there are.
        plans: The rounds planned so far.
        tables_per_round: How many tables a round has at most.
        games_done: Games that have ended.
        standings: The results so far.
        journal: Takes down all that happens.
        no_shows: Those withdrawn for missing rounds, in that order.
        paused: Whether the organiser wants no further games to start for now.
        last_round_for_now: No game of a later round starts, nor is one planned; None for no such bound.
    """

    def __init__(self, setup: TournamentSetup, entrants: Iterable[str], journal: Journal) -> None:
        """Begin a tournament.

        Args:
            setup: What it is made from.
            entrants: Who takes part.
            journal: Takes down all that happens; nothing of it is in there yet.

        Raises:
            TournamentError, RulesError: So many cannot play that.
        """
        self._prepare(setup, entrants, journal)
        for name in self._entrants:
            journal.entered(name, 1)
        self._plan_ahead()
        journal.commit()

    @classmethod
    def restored(cls, setup: TournamentSetup, journal: Journal) -> "Director":
        """Go on with the tournament that a journal holds.

        Raises:
            JournalUnusable: The journal contradicts itself.
        """
        director = cls.__new__(cls)
        with journal.reading().believing():
            director._restore(setup, journal)
        return director

    def _prepare(self, setup: TournamentSetup, entrants: Iterable[str], journal: Journal) -> None:
        self.setup = setup
        self.journal = journal
        self._entrants = tuple(sorted(entrants))
        self._format = make_format(
            setup.kind,
            self._entrants,
            table_size=setup.table_size,
            rounds=setup.rounds,
            seed=setup.seed,
            repeat_weight=setup.repeat_weight,
            rivals=setup.rivals,
        )
        setup.rules.check_players(min(setup.table_size, len(self._entrants)))
        self.rounds = self._format.rounds
        self.plans: list[RoundPlan] = []
        self.tables_per_round = 0
        self.games_done = 0
        self.standings = Standings(self._entrants, games=setup.games)
        self.no_shows: list[str] = []
        self.paused = False
        self.last_round_for_now: int | None = None
        self._games_in_all = self._counted() if setup.kind is Kind.ALL_COMBINATIONS else None
        self._active = set(self._entrants)
        self._waiting = WaitingGames()
        self._unfinished: dict[int, int] = {}
        self._present: dict[int, set[str]] = {}
        self._missed: dict[str, set[int]] = {}
        self._times_voided: dict[int, int] = {}
        self._cut_short = False
        self._interrupted: list[tuple[ScheduledGame, list[Step]]] = []

    def _restore(self, setup: TournamentSetup, journal: Journal) -> None:
        stored = journal.reading()
        everybody = stored.entrants()
        self._prepare(setup, (entrant.name for entrant in everybody if entrant.entered == 1), journal)
        for entrant in everybody:
            self._admit(entrant.name)
            if entrant.out_after is not None:
                self._active.discard(entrant.name)
        for plan in stored.plans():
            strangers = {name for table in plan.tables for name in table.entrants}.difference(self._entrants)
            if strangers:
                raise TournamentError(
                    f"round {plan.number} seats {', '.join(sorted(strangers))}, who never entered"
                )
            self._take_up(plan)
        self._count_anew()
        begun = [game for game in stored.games() if not game.void]
        self._interrupted = [
            (ScheduledGame(id=game.id, names=game.names), list(stored.steps(game)))
            for game in begun
            if game.digest is None
        ]
        self._cut_short = stored.ending is not None and not self.complete
        if self._cut_short:
            self._waiting.clear()
        self.paused = stored.is_paused()

    @property
    def entrants(self) -> tuple[str, ...]:
        """Everybody who takes part or did, in alphabetical order."""
        return self._entrants

    @property
    def complete(self) -> bool:
        """Whether everything has been played."""
        return len(self.plans) == self.rounds and not self._unfinished

    @property
    def over(self) -> bool:
        """Whether nothing more is played: all is complete, or the organiser ended it before."""
        return self._cut_short or self.complete

    def finish_now(self) -> None:
        """Play nothing more."""
        self._cut_short = True
        self._waiting.clear()
        self.journal.told("finish", {})

    def pause(self) -> None:
        """Have kept that no further games are to start, whatever becomes of the referee."""
        self.paused = True
        self.journal.told(PAUSE, {})

    def go_on(self) -> None:
        """Have kept that games start again."""
        if self.paused:
            self.paused = False
            self.journal.told(CONTINUE, {})

    def restore(self, table: Table, steps: Sequence[Step]) -> None:
        """Bring the table of an interrupted game to where it was.

        Raises:
            JournalUnusable: Its steps are not those of this game.
        """
        with self.journal.reading().believing():
            table.restore(steps)

    def close(self) -> None:
        """Have the journal say that the tournament is over."""
        ending = "complete" if self.complete else "cut short"
        self.journal.ended(ending, self.digest, self.rows())

    def keep(self, game: GameId, output: Output) -> None:
        """Have kept what was decided at a table, and the faults that were found."""
        self.journal.stepped(game, output.steps)
        for event in output.events:
            if isinstance(event, FaultFound):
                self.journal.found(game, event.seat, event.fault)

    def take_interrupted(self) -> list[tuple[ScheduledGame, list[Step]]]:
        """Return the games that were being played when the referee was stopped, each with its steps."""
        interrupted, self._interrupted = self._interrupted, []
        return interrupted

    def commit(self) -> None:
        """Make durable what has happened; before that, nobody may be told.

        Raises:
            JournalFailed: It could not be done.
        """
        self.journal.commit()

    def bound(self, entrant: str, proof: str) -> None:
        """Have kept that a secret, given by its hash, proves a name."""
        self.journal.bound(entrant, proof)

    @property
    def session(self) -> int:
        """Which run of the referee on this tournament this is, from 1."""
        return self.journal.session

    def enter(self, entrant: str) -> None:
        """Add a late entrant, who takes part from the next round on and has 0 points for those missed.

        Raises:
            TournamentError: The schedule is fixed, or no round is left.
        """
        self.check_late_entry()
        self._admit(entrant)
        self.journal.entered(entrant, len(self.plans) + 1)

    def _admit(self, entrant: str) -> None:
        self.standings.enrol(entrant)
        self._entrants = tuple(sorted({*self._entrants, entrant}))
        self._active.add(entrant)

    def check_late_entry(self) -> None:
        """See that somebody can still enter.

        Raises:
            TournamentError: The schedule is fixed, or no round is left.
        """
        if self._format.order is Order.FREE:
            raise TournamentError("a round-robin that has begun takes no late entrants")
        if self._cut_short or len(self.plans) == self.rounds:
            raise TournamentError("the last round has begun")

    def void_round(self, number: int, reason: str) -> None:
        """Have a round played again, with other cards; what was played of it counts no longer.

        Raises:
            TournamentError: The round was not begun, or later rounds were paired by its results.
        """
        if self._cut_short:
            raise TournamentError("the tournament is over")
        if number not in range(1, len(self.plans) + 1):
            raise TournamentError(f"round {number} has not begun; there are rounds 1 to {len(self.plans)}")
        if self._format.order is Order.BARRIER and number < len(self.plans):
            raise TournamentError(
                f"round {number} cannot be voided, since round {number + 1} was paired by its results;"
                f" only round {len(self.plans)} can"
            )
        self.journal.voided(number, reason)
        self._count_anew()

    def _count_anew(self) -> None:
        """Have everything that follows from what was played be as the journal has it."""
        stored = self.journal.reading()
        self._times_voided = stored.voided()
        self.games_done = 0
        self.standings = Standings(self._entrants, games=self.setup.games)
        self._waiting = WaitingGames()
        self._missed = {}
        for plan in self.plans:
            self._schedule(plan)
        for game in stored.games():
            if not game.void:
                self._waiting.begun(game.id.round, game.id.table, game.id.game)
        for result in stored.results():
            self._enter_result(result)
            self._count_down(result.game.round)
        for result in stored.void_results():
            self._enter_conduct(result)
        for entrant, fault, count in stored.stray_faults():
            self.standings.add_faults(entrant, {fault.value: count})

    @property
    def round(self) -> int:
        """The oldest round that is not finished; the last one when all are."""
        return min(self._unfinished, default=len(self.plans))

    @property
    def rounds_done(self) -> int:
        """How many rounds are finished of which no earlier one is not."""
        return self.round - 1 if self._unfinished else len(self.plans)

    @property
    def games_planned(self) -> int:
        """How many games there will be in all, as far as can be known: as if nobody withdrew."""
        if self._games_in_all is not None:
            return self._games_in_all
        known = sum(self._games_of(plan) for plan in self.plans)
        return known + (self.rounds - len(self.plans)) * self._games_of(self.plans[-1])

    @property
    def rounds_at_once(self) -> int:
        """How many rounds may be under way at once: one where each waits for the one before."""
        return 1 if self._format.order is Order.BARRIER else self.rounds

    @property
    def waits_for_round(self) -> bool:
        """Whether the games that are being played have to end before others are known."""
        return self._format.order is Order.BARRIER and not self._waiting

    @property
    def voided(self) -> tuple[int, ...]:
        """The rounds that were voided and played again, ascending."""
        return tuple(sorted(self._times_voided))

    @property
    def digest(self) -> str:
        """SHA-256 over the records of all games that have ended, in the order of the schedule."""
        return tournament_digest(self.journal.reading().digests())

    def rows(self) -> tuple[StandingsRow, ...]:
        """Return the standings so far."""
        return self.standings.rows()

    def certainty(self, anchor: str | None = None) -> Certainty:
        """Say how sure the standings are, by the games that have ended: ratings with bars, and neighbours.

        It is worked out anew each time, which takes a while: for the end, and where somebody asks.

        Args:
            anchor: Whose rating is 0; None for a mean of 0.

        Raises:
            TournamentError: The anchor is not among the entrants.
        """
        order = [row.name for row in self.rows()]
        return certainty(self.journal.reading(), order, anchor=anchor)

    def facts(self) -> TournamentFacts:
        """Return what a report says of the tournament as a whole."""
        setup = self.setup
        return TournamentFacts(
            kind=setup.kind,
            variant=setup.rules.variant.value,
            jumping_cow=setup.rules.jumping_cow,
            seed=setup.seed,
            rounds=self.rounds,
            table_size=setup.table_size,
            games=setup.games,
            complete=self.complete,
            voided=self.voided,
        )

    def run_fewer_tables(self, concurrency: int) -> None:
        """Run so many tables at once and no more; what is played does not change."""
        self.setup = attrs.evolve(self.setup, concurrency=concurrency)

    def is_withdrawn(self, entrant: str) -> bool:
        """Say whether an entrant is no longer in the tournament."""
        return entrant not in self._active

    def withdraw(self, entrant: str, reason: str) -> None:
        """Take an entrant out: it is not paired again, and in games of a fixed schedule it is a no-show."""
        self._active.discard(entrant)
        self.journal.withdrew(entrant, len(self.plans), reason)

    def next_game(self, can_play: Callable[[Sequence[str]], bool]) -> ScheduledGame | None:
        """Take the first waiting game out of the schedule that can start now.

        A round that is paired by results is planned no sooner than its first game is asked for, so that until
        then the round before can be voided, and who comes late has a place.

        Args:
            can_play: Says whether these entrants can all be seated now.

        Returns:
            The game, which now counts as being played; None if none can start.
        """
        self._plan_ahead()
        newest = self.round + max(ROUNDS_AHEAD, -(-self.setup.concurrency // self.tables_per_round))
        if self.last_round_for_now is not None:
            newest = min(newest, self.last_round_for_now)
        taken = self._waiting.take(can_play, newest_round=newest)
        if taken is None:
            return None
        plan, number = taken
        series = self.setup.series
        deal_set = series.deal_set(len(plan.entrants), number)
        game = GameId(round=plan.round, table=plan.table, deal_set=deal_set, game=number)
        names = series.seated(plan.entrants, number)
        self.journal.game_began(game, names)
        self._plan_ahead()
        return ScheduledGame(id=game, names=names)

    def table_setup(self, game: ScheduledGame) -> TableSetup:
        """Return what the table of a game is made from."""
        return table_setup(self.setup, game.id, game.names)

    def game_ended(self, result: GameResult) -> bool:
        """Enter a result; return whether it completed its round."""
        self.journal.game_ended(result)
        self._enter_result(result)
        return self._count_down(result.game.round)

    def _enter_result(self, result: GameResult) -> None:
        self.games_done += 1
        self.standings.add(score_of(result))
        self._enter_conduct(result)
        present = {seat.name for seat in result.seats if not seat.no_show}
        self._present[result.game.round] |= present

    def _enter_conduct(self, result: GameResult) -> None:
        """Enter faults and answer times, which stay even if a round is voided."""
        for seat in result.seats:
            self.standings.add_faults(seat.name, {fault.value: n for fault, n in seat.faults.items()})
            self.standings.add_latencies(seat.name, (took / NS_PER_MS for took in seat.took_ns))

    def add_fault(self, entrant: str, fault: Fault) -> None:
        """Count a fault that belongs to no game."""
        self.standings.add_faults(entrant, {fault.value: 1})
        self.journal.strayed(entrant, fault)

    def _count_down(self, number: int) -> bool:
        self._unfinished[number] -= 1
        if self._unfinished[number]:
            return False
        del self._unfinished[number]
        # Not before: a round is planned long before it is played, and a bye is worth points.
        for bye in self.plans[number - 1].byes:
            self.standings.add_bye(number, bye)
        self._withdraw_no_shows(number)
        return True

    def _withdraw_no_shows(self, number: int) -> None:
        present = self._present.pop(number)
        seated = {name for table in self.plans[number - 1].tables for name in table.entrants}
        for name in sorted(seated - present):
            missed = self._missed.setdefault(name, set())
            missed.add(number)
            if len(missed) >= NO_SHOW_ROUNDS and name in self._active:
                self.withdraw(name, "missed two rounds")
                self.no_shows.append(name)

    def _plan_ahead(self) -> None:
        """Plan the rounds that can be planned and may be needed soon."""
        while len(self.plans) < self.rounds and self._may_plan():
            number = len(self.plans) + 1
            plan = self._format.plan(number, active=self._still_in(), history=self._history())
            self.journal.planned(plan)
            self._take_up(plan)
            self._schedule(plan)

    def _may_plan(self) -> bool:
        last = self.last_round_for_now
        if self._cut_short or (last is not None and len(self.plans) >= last):
            return False
        if self._format.order is Order.BARRIER:
            return not self._unfinished
        return len(self._waiting) <= self.setup.concurrency

    def _still_in(self) -> Sequence[str]:
        """The entrants to pair: those not withdrawn, unless that leaves no game to play."""
        active = sorted(self._active)
        return active if len(active) >= 2 else self._entrants

    def _history(self) -> History:
        if self._format.order is Order.FREE:
            return History()
        scores = [score_of(result) for result in self.journal.reading().results()]
        return History.of(self.plans, scores)

    def _take_up(self, plan: RoundPlan) -> None:
        self.plans.append(plan)
        self.tables_per_round = max(self.tables_per_round, len(plan.tables))

    def _schedule(self, plan: RoundPlan) -> None:
        """Have the games of a round wait; if it was voided before, under new numbers and so new cards."""
        self._present[plan.number] = set()
        self._unfinished[plan.number] = self._games_of(plan)
        times = self._times_voided.get(plan.number, 0)
        self._waiting.add(plan.tables, self.setup.series, times_voided=times)

    def _counted(self) -> int:
        """Count the games of a fixed schedule whose rounds have different numbers of tables."""
        rounds = range(1, self.rounds + 1)
        return sum(
            self._games_of(self._format.plan(number, active=(), history=History())) for number in rounds
        )

    def _games_of(self, plan: RoundPlan) -> int:
        return sum(self.setup.series.games(len(table.entrants)) for table in plan.tables)
