"""Help for the tests of the rules: stacked decks, and players who decide in a given way."""

import random
from collections.abc import Callable, Sequence

from referee.rules.cards import bullheads
from referee.rules.events import Event
from referee.rules.game import DecisionKind, Game, Pending
from referee.rules.variants import Rules, Variant

Choose = Callable[[Game, Pending], int]


def stacked(hands: Sequence[Sequence[int]], rows: Sequence[int]) -> tuple[int, ...]:
    """Build the deck that deals these hands and row starts."""
    return (*(card for hand in hands for card in hand), *rows)


def ten_from(first: int, *, step: int = 1) -> tuple[int, ...]:
    """Give a hand of ten cards, evenly spaced."""
    return tuple(range(first, first + 10 * step, step))


def begun(
    hands: Sequence[Sequence[int]], rows: Sequence[int], *, jumping_cow: bool = False, target: int = 66
) -> Game:
    """Begin a classic game in which each deal gives these hands and rows."""
    game = Game(
        rules=Rules(target=target, jumping_cow=jumping_cow),
        players=len(hands),
        decks=lambda _: stacked(hands, rows),
    )
    game.begin()
    return game


def shuffled_game(rules: Rules, players: int, rng: random.Random) -> Game:
    """Make a game, not yet begun, whose decks come from `rng`."""
    deck = range(1, rules.highest_card(players) + 1)
    if rules.variant is Variant.ADVANCED:
        return Game(rules=rules, players=players, decks=None)
    return Game(rules=rules, players=players, decks=lambda _: rng.sample(deck, 10 * players + 4))


def random_choice(rng: random.Random) -> Choose:
    """Decide everything by chance."""
    return lambda _, owed: rng.choice(owed.choices)


def random_card_cheapest_row(rng: random.Random) -> Choose:
    """Decide cards by chance, and take the row with the fewest bullheads of its own, the first on ties."""

    def choose(game: Game, owed: Pending) -> int:
        if owed.kind is DecisionKind.ROW:
            return min(owed.choices, key=lambda row: bullheads(game.rows[row]))
        return rng.choice(owed.choices)

    return choose


def lowest_choice(_: Game, owed: Pending) -> int:
    """Decide for the lowest card or row."""
    return owed.choices[0]


def decide(game: Game, choose: Choose) -> dict[int, int]:
    """Let every pending seat decide."""
    return {owed.seat: choose(game, owed) for owed in game.pending()}


def play_out(game: Game, choose: Choose) -> list[Event]:
    """Play a game that has begun to its end and give what happened."""
    events: list[Event] = []
    while not game.over:
        events += game.apply(decide(game, choose))
    return events
