"""What holds in every game: whole random games of all kinds, followed event by event."""

import random

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.cards import bullheads
from referee.rules.events import (
    CardDrafted,
    CardPlaced,
    CardsRevealed,
    CowJumped,
    DealEnded,
    DealStarted,
    DraftEnded,
    GameEnded,
    RowTaken,
)
from referee.rules.game import DecisionKind, Game
from referee.rules.variants import MOST_PLAYERS, Rules, Variant
from tests.rules.playing import decide, play_out, random_card_cheapest_row, random_choice, shuffled_game


@attrs.define
class Follower:
    """A table rebuilt from the events alone, which checks each of them against what lies there.

    Attributes:
        deck: The cards of a deal.
    """

    deck: frozenset[int]
    hands: list[set[int]] = attrs.field(factory=list)
    rows: list[list[int]] = attrs.field(factory=list)
    cow: int | None = None
    pool: set[int] = attrs.field(factory=set)
    unseen: set[int] = attrs.field(factory=set)
    open_cards: dict[int, int] = attrs.field(factory=dict)
    taken: list[int] = attrs.field(factory=list)
    totals: list[int] = attrs.field(factory=list)
    touched: int | None = None
    """The row of the last card or jump: the only one that the cow may leave."""
    laying: int | None = None
    """Who laid the card whose effects are being told."""

    def follow(self, events):
        """Take up some events, and check the table after each of them."""
        for event in events:
            if isinstance(event, CardPlaced | RowTaken | CowJumped):
                self.on_table(event)
            else:
                self.check_rows()
                self.around_table(event)
            self.check_bullheads()
        self.check_rows()

    def on_table(self, event):
        """Follow what happens in the rows. A new seat means that the last card has had its full effect."""
        if not isinstance(event, CowJumped) and event.seat != self.laying:
            self.check_rows()
            self.laying = event.seat
        if isinstance(event, CowJumped):
            assert event.from_row == self.cow == self.touched != event.to_row
            self.cow = self.touched = event.to_row
        elif isinstance(event, RowTaken):
            kept = 1 if len(event.cards) < len(self.rows[event.row]) else 0
            assert list(event.cards) == self.rows[event.row][: len(event.cards)]
            assert bullheads(event.cards) == event.bullheads
            assert (event.row == self.cow and len(event.cards) == 4) or not kept
            self.rows[event.row] = self.rows[event.row][len(event.cards) :]
            assert kept == len(self.rows[event.row])
            self.taken[event.seat] += event.bullheads
        else:
            lowest_first = min(self.open_cards.values())
            assert event.card == lowest_first == self.open_cards.pop(event.seat)
            self.rows[event.row].append(event.card)
            self.touched = event.row

    def around_table(self, event):
        """Follow what happens to hands, pool and totals."""
        if isinstance(event, DealStarted):
            self.taken = [0] * len(event.hands)
            self.totals = self.totals or [0] * len(event.hands)
            self.pool = set(event.pool)
            self.set_up(event)
            self.unseen = set(self.deck) - self.pool - set().union(*self.hands, *self.rows)
        elif isinstance(event, CardDrafted):
            self.pool.remove(event.card)
            self.hands[event.seat].add(event.card)
        elif isinstance(event, DraftEnded):
            assert [set(hand) for hand in event.hands] == self.hands
            assert sorted(self.pool) == [row[0] for row in event.rows]
            self.pool = set()
            self.set_up(event)
        elif isinstance(event, CardsRevealed):
            assert not self.open_cards
            self.open_cards = dict(enumerate(event.cards))
            for hand, card in zip(self.hands, event.cards, strict=True):
                hand.remove(card)
        elif isinstance(event, DealEnded):
            assert not any(self.hands)
            assert list(event.bullheads) == self.taken
            self.totals = [total + taken for total, taken in zip(self.totals, self.taken, strict=True)]
            assert list(event.totals) == self.totals
        else:
            assert isinstance(event, GameEnded)
            assert list(event.totals) == self.totals

    def set_up(self, event):
        """Deal what an event deals."""
        assert [tuple(sorted(hand)) for hand in event.hands] == list(event.hands)
        self.hands = [set(hand) for hand in event.hands]
        self.rows = [list(row) for row in event.rows]
        self.cow = event.cow

    def check_rows(self):
        """Each row holds one to five, the cow counted, and ascends, once a card has had its full effect."""
        for row, cards in enumerate(self.rows):
            assert len(cards) + (row == self.cow) <= 5
            assert cards or not any(self.rows)
            assert cards == sorted(cards)

    def check_bullheads(self):
        """What lies in rows, hands, pool, open, unseen and taken is the deck, no more and no less."""
        lying = [*self.open_cards.values(), *self.pool, *self.unseen]
        lying += [card for cards in (*self.rows, *self.hands) for card in cards]
        assert bullheads(self.deck) == bullheads(lying) + sum(self.taken)


@st.composite
def games(draw):
    """Draw the rules and the number of players of a game, and the chance that decks and players use."""
    variant = draw(st.sampled_from(Variant))
    ends = draw(st.sampled_from([{"target": 20}, {"target": 66}, {"target": None, "deals": 2}]))
    rules = Rules(variant=variant, jumping_cow=draw(st.booleans()), **ends)
    players = draw(st.integers(2, MOST_PLAYERS[variant]))
    return rules, players, random.Random(draw(st.integers(0, 2**32)))


@settings(max_examples=60, deadline=None)
@given(games())
def test_every_game_keeps_its_cards_together(drawn):
    """After every event the deck is complete, and after every card rows are short, ascending and never empty.

    The cow moves only if a card or a take went to its row just before, and not to where it stands.
    """
    rules, players, rng = drawn
    game = shuffled_game(rules, players, rng)
    follower = Follower(deck=frozenset(range(1, rules.highest_card(players) + 1)))
    follower.follow(game.begin())
    choose = random_choice(rng)
    while not game.over:
        follower.follow(game.apply(decide(game, choose)))
        assert [tuple(row) for row in follower.rows] == list(game.rows)
        assert follower.cow == game.cow


@settings(max_examples=40, deadline=None)
@given(games())
def test_the_bullheads_of_the_rows_keep_up(drawn):
    """Whatever is laid, taken and jumped on, the bullheads told of each row are those of its cards."""
    rules, players, rng = drawn
    game = shuffled_game(rules, players, rng)
    game.begin()
    choose = random_choice(rng)
    while not game.over:
        game.apply(decide(game, choose))

        assert tuple(bullheads(row) for row in game.rows) == game.row_bullheads


@settings(max_examples=40, deadline=None)
@given(games())
def test_every_game_asks_as_the_rules_say(drawn):
    """All seats owe a card of their hand; a trick asks for a row at most once, and only its lowest card."""
    rules, players, rng = drawn
    game = shuffled_game(rules, players, rng)
    game.begin()
    asked_rows = []
    while not game.over:
        owed = game.pending()
        kinds = {decision.kind for decision in owed}
        assert len(kinds) == 1
        if kinds == {DecisionKind.CARD}:
            assert list(range(players)) == [decision.seat for decision in owed]
            assert list(game.hands) == [decision.choices for decision in owed]
        elif kinds == {DecisionKind.ROW}:
            asked_rows.append((game.deal, game.trick))
            assert [game.trick_cards.index(min(game.trick_cards))] == [decision.seat for decision in owed]
            assert min(game.trick_cards) < min(row[-1] for row in game.rows)
        game.apply({decision.seat: rng.choice(decision.choices) for decision in owed})

    assert sorted(set(asked_rows)) == asked_rows


@settings(max_examples=40, deadline=None)
@given(games())
def test_every_game_ends_as_its_rules_say(drawn):
    """A target is reached in the last deal and in none before; a fixed game has its number of deals."""
    rules, players, rng = drawn
    game = shuffled_game(rules, players, rng)
    game.begin()

    events = play_out(game, random_card_cheapest_row(rng))

    ends = [event for event in events if isinstance(event, DealEnded)]
    assert list(range(1, len(ends) + 1)) == [event.deal for event in ends]
    if rules.target is None:
        assert rules.deals == len(ends)
    else:
        assert [max(event.totals) >= rules.target for event in ends] == [False] * (len(ends) - 1) + [True]
    assert GameEnded(totals=ends[-1].totals, places=game.places) == events[-1]


@settings(max_examples=30, deadline=None)
@given(games(), st.integers(0, 60))
def test_every_copy_goes_its_own_way(drawn, steps):
    """A copy made after some steps does what the original does, given the same choices."""
    rules, players, rng = drawn
    deck = rng.sample(range(1, rules.highest_card(players) + 1), 10 * players + 4)
    game = Game(rules=rules, players=players, decks=lambda _: deck)
    game.begin()
    for _ in range(steps):
        if not game.over:
            game.apply(decide(game, random_choice(rng)))
    twin = game.copy()

    first = play_out(game, random_choice(random.Random(2)))
    second = play_out(twin, random_choice(random.Random(2)))

    assert first == second


@settings(max_examples=20, deadline=None)
@given(games())
def test_what_was_told_stays_as_it_was(drawn):
    """Events, decisions and row costs never change once they are given out, and can be hashed.

    The classes of the rules do not stand in the way of a change when the program runs (rules/data.py).
    """
    rules, players, rng = drawn
    game = shuffled_game(rules, players, rng)
    told = [(event, hash(event), repr(event)) for event in game.begin()]
    while not game.over:
        owed = game.pending()
        costs = game.row_costs() if owed[0].kind is DecisionKind.ROW else ()
        events = game.apply({decision.seat: rng.choice(decision.choices) for decision in owed})
        told += [(thing, hash(thing), repr(thing)) for thing in (*owed, *costs, *events)]

    assert told == [(thing, hash(thing), repr(thing)) for thing, _, _ in told]
