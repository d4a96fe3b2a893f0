"""Draws the plan of a seed: mostly small tournaments, a few deeds each, every kind of both now and then."""

import random

from referee.rules.variants import Variant
from referee.tournament.model import TOURNAMENTS, Kind
from tests.server.network import CLOCK, MS, NAMES
from tests.simulation.plan import DEEDS_AROUND, DEEDS_OF_BOTS, KILLS, Action, Deed, Entrant, Plan

SMALL = 0.97
"""So many tournaments are one game of two."""
MOST_DEEDS = 7
MOST_KILLS = 2
LAST_MESSAGE = 30
"""A bot hears some thirty messages in a deal."""
LAST_PASS = 60
LONGEST_THOUGHT_MS = 400
LONGEST_STALL_MS = 300
"""Together they are below the limit of a move, with room for a connection that is lost a few times."""

LONGEST_LONG_STALL_MS = 1500
MOST_OVER_MS = 900
"""So that some are in the time of a bank, and most are too late."""


def draw(seed: int) -> Plan:
    """Return the plan of a seed."""
    rng = random.Random(seed)
    # Many small ones find more in the same time than a few large ones.
    small = rng.random() < SMALL
    size = 2 if small else rng.choice((2, 3, 4, 5))
    kind = rng.choice((Kind.ROUND_ROBIN, *TOURNAMENTS))
    players = size if small else size + rng.choice((0, 0, 1, 2) if kind is Kind.SWISS else (0, 0, 1))
    entrants = tuple(_entrant(rng, name) for name in NAMES[: max(players, 2)])
    return Plan(
        seed=seed,
        entrants=entrants,
        actions=tuple(_actions(rng, entrants, kind)),
        kind=kind,
        table_size=size,
        rounds=None if kind is Kind.ALL_COMBINATIONS else 1 if small else rng.choice((1, 2)),
        games=1 if small else rng.choice((1, 2)),
        deal_sets=1 if size == 2 and rng.random() < 0.1 else None,
        deals=1 if small or size > 2 else rng.choice((1, 2)),
        variant=rng.choice((Variant.CLASSIC, Variant.CLASSIC, Variant.TACTIC, Variant.ADVANCED)),
        cow=rng.random() < 0.4,
        concurrency=rng.randint(1, 3),
        instances=rng.choice((1, 1, 1, 2)),
        strikes=rng.choice((3, 3, 0, 1)),
        bank_ms=rng.choice((0, 0, 500)),
        stamped=rng.random() < 0.5,
    )


def _entrant(rng: random.Random, name: str) -> Entrant:
    return Entrant(
        name=name,
        think_ms=rng.choice((0, 0, 1, 7, rng.randrange(LONGEST_THOUGHT_MS))),
        arrives_ms=rng.choice((0, 0, 0, 3000)),
        events=rng.random() < 0.3,
        tears=rng.choice((0,) * 12 + (40, 300)),
    )


def _actions(rng: random.Random, entrants: tuple[Entrant, ...], kind: Kind) -> list[Action]:
    # Half of all tournaments have deeds that change nothing, so that their record can be compared.
    harmless = rng.random() < 0.5
    able = [deed for deed in DEEDS_OF_BOTS if not (harmless and deed.changes)]
    around = [deed for deed in DEEDS_AROUND if not deed.changes or (not harmless and kind is Kind.SWISS)]
    # The first one never does anything, and so may have no fault.
    villains = [entrant.name for entrant in entrants[1:]]
    found, kills = [], 0
    for _ in range(rng.randint(0, MOST_DEEDS)):
        if rng.random() < 0.6:
            after = rng.randint(2, LAST_MESSAGE)
            found.append(_by_bot(rng, rng.choice(able), rng.choice(villains), after))
            continue
        deed = rng.choice(around)
        kills += deed in KILLS
        if deed not in KILLS or kills <= MOST_KILLS:
            found.append(Action(deed=deed, after=rng.randint(1, LAST_PASS), amount=_amount(rng, deed)))
    return sorted(found, key=lambda action: (action.after, action.who))


def _by_bot(rng: random.Random, deed: Deed, who: str, after: int) -> Action:
    return Action(deed=deed, after=after, who=who, amount=_amount(rng, deed))


def _amount(rng: random.Random, deed: Deed) -> int:
    if deed is Deed.STALLED:
        return rng.randint(1, LONGEST_STALL_MS)
    if deed is Deed.STALLED_LONG:
        return rng.randint(CLOCK.move_ns // MS, LONGEST_LONG_STALL_MS)
    if deed is Deed.LATE:
        return rng.randint(1, MOST_OVER_MS)
    if deed in (Deed.GARBAGE, Deed.STRANGER):
        return rng.randint(1, 10**6)
    return 0
