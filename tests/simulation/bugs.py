"""Deliberate bugs of the referee, one a function: the simulator has to find each, by the promise it breaks.

They are put in by monkeypatching and stand for mistakes that are easily made.
"""

from collections.abc import Callable

import attrs
import pytest

from protocol.messages import Answer, answer_value
from protocol.parts import ClosedBecause
from protocol.requests import RequestClosed
from referee.director import Director
from referee.journal.journal import Journal
from referee.play.asking import Asked
from referee.play.briefing import Briefing
from referee.play.clock import Arrival, whole_ms
from referee.play.desk import Desk
from referee.play.faults import Fault
from referee.play.seats import Seat
from referee.play.table import Table
from referee.server.engine import Engine
from referee.server.floor import Floor, RunningTable
from referee.server.organiser import Organiser

Patch = pytest.MonkeyPatch
Bug = Callable[[Patch], None]
Anything = object


def a_choice_is_told_to_the_others(patch: Patch) -> None:
    """Everybody at the table hears of an answer as soon as it is there."""
    answered = Desk.answered

    def leaky(desk: Desk, seat: Seat, answer: Answer, arrival: Arrival) -> bool:
        counts = answered(desk, seat, answer, arrival)
        if counts:
            for other in desk._publisher._seats:
                desk._publisher.tell(other, _closed(desk, desk.requests[seat.index]))
        return counts

    patch.setattr(Desk, "answered", leaky)


def _closed(desk: Desk, asked: Asked) -> RequestClosed:
    return RequestClosed(
        game=desk._publisher._name,
        request=asked.id or 0,
        reason=ClosedBecause.ANSWERED,
        choice=asked.choice or 0,
        took_ms=0,
        bank_ms=whole_ms(asked.seat.bank_ns),
        strikes=0,
    )


def a_request_shows_the_next_hand(patch: Patch) -> None:
    """The seat's own hand is taken from the wrong place."""
    request = Briefing.request

    def leaky(briefing: Briefing, occasion: Anything, seat: Seat, pending: Anything, number: int) -> Anything:
        message = request(briefing, occasion, seat, pending, number)
        hands = occasion.hands
        return attrs.evolve(message, hand=hands[(seat.index + 1) % len(hands)])

    patch.setattr(Briefing, "request", leaky)


def a_second_answer_counts(patch: Patch) -> None:
    """Who answers twice before the trick resolves has changed its mind."""
    answered = Desk.answered

    def lenient(desk: Desk, seat: Seat, answer: Answer, arrival: Arrival) -> bool:
        asked = desk.requests.get(seat.index)
        if asked is None or asked.id != answer.request or asked.closed is not ClosedBecause.ANSWERED:
            return answered(desk, seat, answer, arrival)
        asked.choice = answer_value(answer)
        return True

    patch.setattr(Desk, "answered", lenient)


def a_clock_starts_anew_on_return(patch: Patch) -> None:
    """A bot that drops its connection gets its time again."""
    again = Asked.again

    def generous(asked: Asked, now: int, clock: Anything) -> Anything:
        if asked.asked_at is not None:
            asked.asked_at = now
        return again(asked, now, clock)

    patch.setattr(Asked, "again", generous)


def a_bank_is_refilled(patch: Patch) -> None:
    """Each trick begins with a full bank."""
    ask = Table._ask

    def generous(table: Table) -> None:
        for seat in table.seats:
            seat.bank_ns = table.setup.clock.bank_ns
        ask(table)

    patch.setattr(Table, "_ask", generous)


def a_fault_is_the_neighbours(patch: Patch) -> None:
    """The faults of a seat are counted with the next one."""
    count = Desk.count

    def unjust(desk: Desk, seat: Seat, fault: Fault) -> None:
        seats = desk._publisher._seats
        count(desk, seats[(seat.index + 1) % len(seats)], fault)

    patch.setattr(Desk, "count", unjust)


def a_commit_is_left_out(patch: Patch) -> None:
    """Every third commit is not made."""
    commit, calls = Director.commit, [0]

    def lazy(director: Director) -> None:
        calls[0] += 1
        if calls[0] % 3:
            commit(director)

    patch.setattr(Director, "commit", lazy)


def a_step_is_not_kept(patch: Patch) -> None:
    """What was decided is told, but never reaches the journal."""
    patch.setattr(Director, "keep", lambda director, game, output: None)


def ids_begin_again_on_resume(patch: Patch) -> None:
    """A resumed referee counts its requests from 1."""
    open_ = Organiser.open

    def forgetful(organiser: Organiser, director: Director) -> None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(director.journal, "session", 1)
            open_(organiser, director)

    patch.setattr(Organiser, "open", forgetful)


def an_id_is_given_twice(patch: Patch) -> None:
    """After seven requests the ids begin again."""
    next_id = Organiser._next_request_id

    def forgetful(organiser: Organiser) -> int:
        return (next_id(organiser) - 1) % 7 + 1

    patch.setattr(Organiser, "_next_request_id", forgetful)


def a_result_is_lost_on_resume(patch: Patch) -> None:
    """The last result is not read back, and so its game is counted as never played."""
    results = Director._count_anew

    def forgetful(director: Director) -> None:
        results(director)
        director.games_done = max(0, director.games_done - 1)

    patch.setattr(Director, "_count_anew", forgetful)


def decks_follow_the_run(patch: Patch) -> None:
    """After a resume other cards are dealt."""
    restored = Director.restored.__func__

    def careless(cls: type, setup: Anything, journal: Journal) -> Director:
        return restored(cls, attrs.evolve(setup, seed=setup.seed + "again"), journal)

    patch.setattr(Director, "restored", classmethod(careless))


def lateness_is_judged_by_reading(patch: Patch) -> None:
    """An answer counts as of when it is dealt with, not of when it arrived."""
    answered = Table.answered

    def unjust(table: Table, seat: int, answer: Answer, arrival: Arrival, now: int) -> bool:
        return answered(table, seat, answer, Arrival.at(now), now)

    patch.setattr(Table, "answered", unjust)


def nobody_is_asked_again(patch: Patch) -> None:
    """A bot that comes back does not get its open request."""
    patch.setattr(Asked, "again", lambda asked, now, clock: None)


def a_request_is_never_closed(patch: Patch) -> None:
    """Bots are not told what became of their requests."""
    closed, calls = Table._resolve, [0]

    def silent(table: Table) -> None:
        calls[0] += 1
        if calls[0] % 5 == 0:
            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(table._publisher, "closed", lambda requests: None)
                closed(table)
        else:
            closed(table)

    patch.setattr(Table, "_resolve", silent)


def alarms_pile_up(patch: Patch) -> None:
    """Each deadline leaves an alarm behind."""
    set_alarm = Floor._set_alarm

    def wasteful(floor: Floor, running: RunningTable) -> None:
        set_alarm(floor, running)
        floor._alarms.append((2**62, next(floor._alarm_numbers), running))

    patch.setattr(Floor, "_set_alarm", wasteful)


def bad_fields_break_the_engine(patch: Patch) -> None:
    """An error that nobody has thought of gets through."""

    def careless(engine: Engine, *arguments: Anything) -> None:
        raise KeyError("request")

    patch.setattr(Engine, "_malformed", careless)


def bullheads_are_miscounted(patch: Patch) -> None:
    """A request leaves out what the first row costs."""
    occasion = Briefing.occasion

    def wrong(briefing: Briefing, kind: Anything) -> Anything:
        found = occasion(briefing, kind)
        values = found.shared.values
        if "row_bullheads" in values:
            values["row_bullheads"] = (0, *values["row_bullheads"][1:])
        return found

    patch.setattr(Briefing, "occasion", wrong)


BUGS: dict[Bug, set[str]] = {
    a_choice_is_told_to_the_others: {"NothingLeaks"},
    a_request_shows_the_next_hand: {"NothingLeaks"},
    a_second_answer_counts: {"FirstAnswerCounts", "SameRecord"},
    a_clock_starts_anew_on_return: {"ClocksOnlyShrink"},
    a_bank_is_refilled: {"ClocksOnlyShrink"},
    a_fault_is_the_neighbours: {"FaultsSitRight"},
    a_commit_is_left_out: {"CommittedBeforeTold"},
    a_step_is_not_kept: {"CommittedBeforeTold"},
    ids_begin_again_on_resume: {"IdsNeverRepeat", "RequestsEndOnce"},
    an_id_is_given_twice: {"IdsNeverRepeat", "RequestsEndOnce"},
    a_result_is_lost_on_resume: {"NothingIsLost"},
    decks_follow_the_run: {"SameRecord", "NothingBreaks"},
    lateness_is_judged_by_reading: {"FaultsSitRight"},
    nobody_is_asked_again: {"FaultsSitRight"},
    a_request_is_never_closed: {"RequestsEndOnce"},
    alarms_pile_up: {"EverythingIsBounded"},
    bad_fields_break_the_engine: {"NothingBreaks"},
    bullheads_are_miscounted: {"BullheadsAddUp"},
}
"""The bugs, each with the promises by which it may be found."""
