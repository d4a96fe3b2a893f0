"""Deals a second of the rules alone, in this process: random cards, events made and thrown away."""

import random
import statistics
import time
from collections.abc import Iterator

from benchmarks.running import Workshop
from referee.rules.game import Game
from referee.rules.variants import Rules

SEATS = 4
DEALS, QUICK_DEALS = 4_000, 500
REPEATS = 5
BEST_KNOWN, GOAL = 4_500, 8_000
"""Deals of a CPU second: of the best program in pure Python found in public, which makes no events; ours."""


def lines(shop: Workshop) -> Iterator[str]:
    """Give a table with a line for each set of rules."""
    deals = QUICK_DEALS if shop.quick else DEALS
    yield "| rules | deals a CPU second | decisions a CPU second | best known | goal |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for repeat in range(REPEATS):
        for with_cow, rates in found.items():
            rates.append(rate(with_cow=with_cow, deals=deals, seed=repeat))
    for with_cow, rates in found.items():
        a_second, decisions = (statistics.median(column) for column in zip(*rates, strict=True))
        name = "with the cow" if with_cow else "base"
        yield f"| {name} | {a_second:,.0f} | {decisions:,.0f} | {BEST_KNOWN:,} | {GOAL:,} |"


def rate(*, with_cow: bool, deals: int, seed: int) -> tuple[float, float]:
    """Play a game of so many deals; return deals and decisions of a CPU second. Shuffling is not counted."""
    chance = random.Random(seed)
    decks = [chance.sample(range(1, 105), 10 * SEATS + 4) for _ in range(deals)]
    game = Game(
        rules=Rules(target=None, deals=deals, jumping_cow=with_cow),
        players=SEATS,
        decks=lambda deal: decks[deal - 1],
    )
    begun = time.process_time()
    decisions = play(game, chance)
    taken = time.process_time() - begun
    return deals / taken, decisions / taken


def play(game: Game, chance: random.Random) -> int:
    """Play a game by chance; return how many decisions it took."""
    decisions, draw = 0, chance.random
    game.begin()
    while not game.over:
        owed = game.pending()
        decisions += len(owed)
        game.apply({one.seat: one.choices[int(draw() * len(one.choices))] for one in owed})
    return decisions
