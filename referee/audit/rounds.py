"""The rounds: legal whatever drew them, and drawn again where the method is known."""

from collections import Counter
from collections.abc import Sequence

from referee.audit.findings import expect, fail
from referee.journal.reading import StoredEntrant, StoredGame
from referee.setup import TournamentSetup
from referee.tournament.formats import Format, Order, make_format
from referee.tournament.history import History
from referee.tournament.model import GameScore, Kind, RoundPlan, TournamentError
from referee.tournament.sizes import SMALLEST_TABLE


def format_of(setup: TournamentSetup, entrants: Sequence[StoredEntrant]) -> Format:
    """Return the format of the tournament, made from those who were there at its start.

    Raises:
        AuditFailed: Such a tournament cannot be held.
    """
    names = sorted(entrant.name for entrant in entrants if entrant.entered == 1)
    try:
        return make_format(
            setup.kind,
            names,
            table_size=setup.table_size,
            rounds=setup.rounds,
            seed=setup.seed,
            repeat_weight=setup.repeat_weight,
            rivals=setup.rivals,
        )
    except TournamentError as error:
        fail("the tournament", "its setup", found=f"impossible ({error})", expected="possible")


def in_round(number: int, entrants: Sequence[StoredEntrant], kind: Kind) -> list[str]:
    """Return who is to be seated in a round, or to rest: see `Director`."""
    known = sorted(entrant.name for entrant in entrants if entrant.entered <= number)
    if kind is not Kind.SWISS:
        return known
    left = {one.name for one in entrants if one.out_after is not None and one.out_after < number}
    active = [name for name in known if name not in left]
    return active if len(active) >= SMALLEST_TABLE else known


def check_legal(
    plans: Sequence[RoundPlan], entrants: Sequence[StoredEntrant], setup: TournamentSetup
) -> None:
    """Check that every round has a place for each entrant exactly once, at tables of sizes that are allowed.

    Raises:
        AuditFailed: One has not.
    """
    most = setup.series.entrants(setup.table_size)
    expect("the rounds", "their numbers", found=[plan.number for plan in plans], expected=_upto(len(plans)))
    for plan in plans:
        where = f"round {plan.number}"
        tables = [table.table for table in plan.tables]
        expect(where, "the numbers of its tables", found=tables, expected=_upto(len(plan.tables)))
        placed = Counter(plan.byes)
        for table in plan.tables:
            placed.update(table.entrants)
            if not SMALLEST_TABLE <= len(table.entrants) <= most:
                found, allowed = str(len(table.entrants)), f"{SMALLEST_TABLE} to {most}"
                fail(where, f"the size of table {table.table}", found=found, expected=allowed)
        expected = in_round(plan.number, entrants, setup.kind)
        expect(where, "who sits or rests", found=sorted(placed.elements()), expected=expected)


def check_drawn(
    plans: Sequence[RoundPlan],
    scores: Sequence[GameScore],
    entrants: Sequence[StoredEntrant],
    setup: TournamentSetup,
) -> None:
    """Draw every round again, each from the results of those before it, and compare.

    Args:
        plans: The rounds.
        scores: The games that count; those of a round-robin are not needed.
        entrants: Who took part.
        setup: What the tournament is made from.

    Raises:
        AuditFailed: One differs.
    """
    drawing = format_of(setup, entrants)
    if len(plans) > drawing.rounds:
        fail("the rounds", "their number", found=str(len(plans)), expected=f"at most {drawing.rounds}")
    for plan in plans:
        history = History()
        if drawing.order is Order.BARRIER:
            before = plans[: plan.number - 1]
            history = History.of(before, [score for score in scores if score.round < plan.number])
        active = in_round(plan.number, entrants, setup.kind)
        drawn = drawing.plan(plan.number, active=active, history=history)
        where = f"round {plan.number}"
        for found, expected in zip(plan.tables, drawn.tables, strict=False):
            what = f"who sits at table {expected.table}"
            expect(where, what, found=found.entrants, expected=expected.entrants)
        expect(where, "the number of its tables", found=len(plan.tables), expected=len(drawn.tables))
        expect(where, "who has a bye", found=plan.byes, expected=drawn.byes)
        expect(where, "what was noted of it", found=plan.notes, expected=drawn.notes)


def check_places(games: Sequence[StoredGame], voided: dict[int, int], setup: TournamentSetup) -> None:
    """Check that the games have places in the schedule, and that those of voided rounds are marked.

    Raises:
        AuditFailed: One has none, or counts though its round was voided.
    """
    for game in games:
        where, place = f"game {game.id}", game.id
        times, seats = voided.get(place.round, 0), len(game.names)
        most = setup.series.games(seats)
        if not 1 <= place.game <= most * (times + 1):
            fail(where, "its number", found=str(place.game), expected=f"1 to {most * (times + 1)}")
        deal_set = setup.series.deal_set(seats, place.game)
        expect(where, "its deal set", found=place.deal_set, expected=deal_set)
        expect(where, "whether it is void", found=game.void, expected=place.game <= most * times)


def _upto(count: int) -> list[int]:
    return list(range(1, count + 1))
