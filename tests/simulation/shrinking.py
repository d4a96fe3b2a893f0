"""Makes a failing plan smaller for as long as the same promise is broken."""

from collections.abc import Callable, Iterator

import attrs

from referee.tournament.model import Kind
from tests.simulation.course import play
from tests.simulation.plan import Action, Entrant, Plan

MOST_TRIES = 400

Fails = Callable[[Plan], bool]


def shrunk(plan: Plan, fails: Fails) -> Plan:
    """Return a plan that still fails and from which nothing can be left out: a local minimum.

    Args:
        plan: A plan that fails.
        fails: Says whether a plan does; asked a bounded number of times.
    """
    tries = 0
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(plan):
            tries += 1
            if tries > MOST_TRIES:
                return plan
            if fails(smaller):
                plan, progress = smaller, True
                break
    return plan


def breaks(promise: str) -> Fails:
    """Return what says whether a plan breaks a certain promise."""
    return lambda plan: play(plan).broken == promise


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Give plans that have a little less, those with much less first."""
    half = len(plan.actions) // 2
    if half > 1:
        yield attrs.evolve(plan, actions=plan.actions[:half])
        yield attrs.evolve(plan, actions=plan.actions[half:])
    for action in plan.actions:
        yield _without_action(plan, action)
    if len(plan.entrants) > 2:
        for entrant in plan.entrants:
            yield _without_entrant(plan, entrant)
    yield from _plainer(plan)


def _plainer(plan: Plan) -> Iterator[Plan]:
    plain = Plan(seed=plan.seed, entrants=plan.entrants, actions=plan.actions, kind=Kind.ROUND_ROBIN)
    names = ("kind", "rounds", "games", "deal_sets", "deals", "variant", "cow", "concurrency", "instances")
    for name in (*names, "strikes", "bank_ms", "stamped"):
        if getattr(plan, name) != getattr(plain, name):
            yield attrs.evolve(plan, **{name: getattr(plain, name)})
    if plan.table_size > 2:
        yield attrs.evolve(plan, table_size=plan.table_size - 1)
    for entrant in plan.entrants:
        simple = Entrant(name=entrant.name)
        if entrant != simple:
            yield attrs.evolve(
                plan, entrants=tuple(simple if other is entrant else other for other in plan.entrants)
            )


def _without_action(plan: Plan, action: Action) -> Plan:
    return attrs.evolve(plan, actions=tuple(other for other in plan.actions if other is not action))


def _without_entrant(plan: Plan, entrant: Entrant) -> Plan:
    entrants = tuple(other for other in plan.entrants if other is not entrant)
    return attrs.evolve(
        plan,
        entrants=entrants,
        actions=tuple(action for action in plan.actions if action.who != entrant.name),
        table_size=min(plan.table_size, len(entrants)),
    )
