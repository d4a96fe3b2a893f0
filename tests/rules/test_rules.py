"""One test for each rule, named after it, with positions worked out by hand."""

from collections import Counter

import pytest

from referee.rules.cards import BULLHEADS
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
from referee.rules.game import DecisionKind, Game, Pending, shared_places
from referee.rules.layout import Jump, Layout, Take
from referee.rules.variants import Rules, RulesError, Variant
from tests.rules.playing import begun, decide, lowest_choice, play_out, stacked, ten_from

LOW = ten_from(11)
HIGH = ten_from(61)


def test_r1_bullheads():
    """55 is worth 7, multiples of 11 five, of 10 three, an ending 5 two, the rest one; 52 does not end in 5.

    Counted over the deck: 76 ones, 9 twos, 10 threes, 8 fives, a seven, 171 together.
    """
    cards = (55, 11, 99, 10, 100, 5, 95, 1, 52, 104)
    expected = (7, 5, 5, 3, 3, 2, 2, 1, 1, 1)
    assert expected == tuple(BULLHEADS[card] for card in cards)
    assert Counter({1: 76, 2: 9, 3: 10, 5: 8, 7: 1}) == Counter(BULLHEADS[1:])
    assert sum(BULLHEADS) == 171


@pytest.mark.parametrize("players", [1, 11])
def test_r2_players(players):
    """Classic is for 2 to 10."""
    with pytest.raises(RulesError, match=f"classic variant is for 2 to 10 players, not {players}"):
        Rules().check_players(players)


def test_r2_deal():
    """Ten cards to each player, ascending, and the next four start the rows as they come."""
    game = Game(rules=Rules(), players=2, decks=lambda _: (*LOW[::-1], *HIGH, 50, 2, 104, 3, 7))

    events = game.begin()

    expected = DealStarted(
        deal=1, hands=(LOW, HIGH), rows=((50,), (2,), (104,), (3,)), cow=None, pool=(), opener=None
    )
    assert [expected] == events
    assert Rules().highest_card(2) == 104
    assert Rules().check_players(10) is None


def test_r2_every_deal_has_its_own_deck():
    """For the second deal the second deck is asked for: nothing of the first is left."""
    asked = []

    def decks(deal):
        asked.append(deal)
        return stacked([ten_from(10 * deal), ten_from(10 * deal + 50)], (1, 2, 3, 4))

    game = Game(rules=Rules(target=None, deals=2), players=2, decks=decks)
    game.begin()
    events = play_out(game, lowest_choice)

    hands = [event.hands for event in events if isinstance(event, DealStarted)]
    assert asked == [1, 2]
    assert hands == [(ten_from(20), ten_from(70))]


def test_r3_tricks():
    """All seats owe a card at once; the cards are laid from the lowest, each looking afresh at the rows.

    On `3 | 41 | 58 | 96`, seat 0 plays 17 and seat 1 plays 4: the 4 goes behind the 3, the 17 behind the 4.
    """
    game = begun([(17, *HIGH[:9]), (4, *LOW[:5], 50, 51, 52, 53)], (3, 41, 58, 96))
    owed = game.pending()

    events = game.apply({0: 17, 1: 4})

    expected = [
        CardsRevealed(deal=1, trick=1, cards=(17, 4)),
        CardPlaced(deal=1, trick=1, seat=1, card=4, row=0),
        CardPlaced(deal=1, trick=1, seat=0, card=17, row=0),
    ]
    assert expected == events
    assert (
        Pending(seat=0, kind=DecisionKind.CARD, choices=(17, *HIGH[:9])),
        Pending(seat=1, kind=DecisionKind.CARD, choices=(4, *LOW[:5], 50, 51, 52, 53)),
    ) == owed
    assert game.trick == 2


def test_r3_ten_tricks():
    """A deal is over after exactly ten tricks, with empty hands."""
    game = begun([LOW, HIGH], (1, 2, 3, 4), target=1)

    events = play_out(game, lowest_choice)

    revealed = [event.trick for event in events if isinstance(event, CardsRevealed)]
    assert list(range(1, 11)) == revealed
    assert game.hands == ((), ())


def test_r4_row_that_fits():
    """The highest end below the card: 66 goes behind 62, not behind 18 or 52; 17 fits none."""
    layout = Layout([(4, 18), (52,), (60, 62), (82, 93)], None)

    expected = [2, 0, 1, 3, None]
    assert expected == [layout.fitting_row(card) for card in (66, 19, 59, 94, 17)]


def test_r5_sixth_card_takes():
    """A fifth card is laid, a sixth takes the five and starts the row.

    41 55 60 70 are joined by 73; 74 takes 1 + 7 + 3 + 3 + 1 = 15.
    """
    layout = Layout([(17, 24), (41, 55, 60, 70), (90, 93), (2, 9)], None)

    fifth = layout.place(73).takes
    sixth = layout.place(74).takes

    expected = ((), (Take(row=1, cards=(41, 55, 60, 70, 73), bullheads=15),), (74,))
    assert expected == (fifth, sixth, layout.rows[1])


def test_r6_too_low_card():
    """The seat of the 3 chooses among all rows while the trick lies open; then the rest is laid.

    On `4 | 52 | 60 | 82` seat 1 plays 3 and takes 52 (1); then 53 of seat 0 fits behind the 4.
    """
    game = begun([(53, *HIGH[:9]), (3, *LOW[:9])], (4, 52, 60, 82))

    revealed = game.apply({0: 53, 1: 3})
    seen_by_the_chooser = (game.trick_cards, game.pending(), game.rows, game.trick)
    costs = [cost.bullheads for cost in game.row_costs()]
    laid = game.apply({1: 1})

    owed = (Pending(seat=1, kind=DecisionKind.ROW, choices=(0, 1, 2, 3)),)
    assert [CardsRevealed(deal=1, trick=1, cards=(53, 3))] == revealed
    assert ((53, 3), owed, ((4,), (52,), (60,), (82,)), 1) == seen_by_the_chooser
    assert costs == [1, 1, 3, 1]
    assert [
        RowTaken(deal=1, trick=1, seat=1, row=1, cards=(52,), bullheads=1),
        CardPlaced(deal=1, trick=1, seat=1, card=3, row=1),
        CardPlaced(deal=1, trick=1, seat=0, card=53, row=0),
    ] == laid
    assert game.trick_cards is None


def test_r7_taken_cards_count_and_stay_out():
    """What a seat takes counts in this deal at once, in the totals after it, and returns to no hand.

    Seat 0 lays 11 to 20, seat 1 lays 61 to 70, rows 1 | 2 | 3 | 60. Seat 0 fills the row of 3 up to 14,
    takes 3 11 12 13 14 (1+5+1+1+1 = 9) with 15, and 15 to 19 (2+1+1+1+1 = 6) with 20. Seat 1 fills the row of
    60 up to 64, takes 60 to 64 (3+1+1+1+1 = 7) with 65 and 65 to 69 (2+5+1+1+1 = 10) with 70.
    """
    game = begun([LOW, HIGH], (1, 2, 3, 60), target=1)
    for _ in range(5):
        game.apply(decide(game, lowest_choice))
    after_five = (game.taken, game.totals, game.hands)

    rest = play_out(game, lowest_choice)

    assert ((9, 7), (0, 0), (LOW[5:], HIGH[5:])) == after_five
    assert DealEnded(deal=1, bullheads=(15, 17), totals=(15, 17)) == rest[-2]
    assert game.taken == (0, 0)
    assert game.totals == (15, 17)


@pytest.mark.parametrize(("target", "deals"), [(16, 1), (17, 1), (18, 2), (34, 2), (35, 3)])
def test_r8_target(target, deals):
    """With 15 and 17 bullheads a deal (see R7), 17 is reached exactly after one deal and 34 after two."""
    game = begun([LOW, HIGH], (1, 2, 3, 60), target=target)

    play_out(game, lowest_choice)

    assert deals == game.deal


def test_r8_target_is_not_tested_inside_a_deal():
    """With a target of 7, reached in the fifth trick (see R7), all ten tricks are played."""
    game = begun([LOW, HIGH], (1, 2, 3, 60), target=7)
    for _ in range(5):
        game.apply(decide(game, lowest_choice))
    reached_in_mid_deal = game.taken

    play_out(game, lowest_choice)

    expected = ((9, 7), (15, 17))
    assert expected == (reached_in_mid_deal, game.totals)


def test_r9_fixed_length():
    """Five deals of 15 and 17 bullheads are played, far beyond 66 or not: 75 and 85."""
    deck = stacked([LOW, HIGH], (1, 2, 3, 60))
    game = Game(rules=Rules(target=None, deals=5), players=2, decks=lambda _: deck)
    game.begin()

    events = play_out(game, lowest_choice)

    assert GameEnded(totals=(75, 85), places=(1, 2)) == events[-1]
    assert game.deal == 5


@pytest.mark.parametrize(
    ("totals", "places"),
    [
        ((10, 20, 20, 30), (1, 2, 2, 4)),
        ((30, 20, 10), (3, 2, 1)),
        ((7, 7, 66), (1, 1, 3)),
        ((5, 5), (1, 1)),
    ],
)
def test_r10_places(totals, places):
    """The lowest total is first, equal totals share a place and the next is left out."""
    assert places == shared_places(totals)


def test_r10_places_of_a_game():
    """In the deal of R7 seat 0 has 15 and seat 1 has 17; before the end there are no places."""
    game = begun([LOW, HIGH], (1, 2, 3, 60), target=17)
    before = (game.over, game.places)

    events = play_out(game, lowest_choice)

    assert before == (False, ())
    assert GameEnded(totals=(15, 17), places=(1, 2)) == events[-1]
    assert game.over
    assert game.places == (1, 2)
    assert game.pending() == ()


@pytest.mark.parametrize(("players", "highest"), [(2, 24), (5, 54), (10, 104)])
def test_r11_tactic(players, highest):
    """The deck is 1 to 10n+4, all of it is dealt, and a higher card is refused."""
    rules = Rules(variant=Variant.TACTIC)
    game = Game(rules=rules, players=players, decks=lambda _: range(1, highest + 1))
    wrong = Game(rules=rules, players=players, decks=lambda _: range(2, highest + 2))

    (started,) = game.begin()

    dealt = [card for cards in (*started.hands, *started.rows) for card in cards]
    assert highest == rules.highest_card(players)
    assert list(range(1, highest + 1)) == sorted(dealt)
    with pytest.raises(RulesError, match=f"{highest} different cards from 1 to {highest}"):
        wrong.begin()


@pytest.mark.parametrize("players", [1, 7])
def test_r12_advanced_players(players):
    """Advanced is for 2 to 6, and its deck is 1 to 10n+4."""
    rules = Rules(variant=Variant.ADVANCED)

    with pytest.raises(RulesError, match=f"advanced variant is for 2 to 6 players, not {players}"):
        Game(rules=rules, players=players, decks=None)
    assert rules.check_players(6) is None
    assert rules.highest_card(6) == 64


def test_r12_advanced_draft():
    """Two seats pick the lowest in turn, seat 1 first: it gets the odd cards, seat 0 the even ones.

    21 to 24 are left and start the rows. Until then there are no rows and no tricks.
    """
    rules = Rules(variant=Variant.ADVANCED, target=1)
    game = Game(rules=rules, players=2, game_number=2, decks=None)
    deck = tuple(range(1, 25))

    started = game.begin()
    first = game.pending()
    picks = [event for _ in range(20) for event in game.apply(decide(game, lowest_choice))]

    evens, odds = tuple(range(2, 21, 2)), tuple(range(1, 20, 2))
    hands, rows = (evens, odds), ((21,), (22,), (23,), (24,))
    empty = DealStarted(deal=1, hands=((), ()), rows=((),) * 4, cow=None, pool=deck, opener=1)
    assert [empty] == started
    assert (Pending(seat=1, kind=DecisionKind.DRAFT, choices=deck),) == first
    assert [
        *(CardDrafted(deal=1, pick=pick, seat=pick % 2, card=pick) for pick in range(1, 21)),
        DraftEnded(deal=1, hands=hands, rows=rows, cow=None),
    ] == picks
    assert (hands, rows, (), deck, 1) == (game.hands, game.rows, game.pool, game.seen, game.trick)


def test_r12_advanced_rotation_is_no_snake():
    """With three seats and seat 2 first the order is 2 0 1 2 0 1 ..., ten times."""
    game = Game(rules=Rules(variant=Variant.ADVANCED), players=3, game_number=3, decks=None)
    game.begin()
    order = []
    for _ in range(30):
        order.append(game.pending()[0].seat)
        game.apply(decide(game, lowest_choice))

    expected = [2, 0, 1] * 10
    assert expected == order


def test_r12_advanced_opener_moves_on():
    """The opener of deal d in game g is (g-1 + d-1) mod n: across games and deals every seat opens."""
    openers = []
    for game_number in (1, 2, 3):
        game = Game(
            rules=Rules(variant=Variant.ADVANCED, target=None, deals=4),
            players=3,
            game_number=game_number,
            decks=None,
        )
        events = [*game.begin(), *play_out(game, lowest_choice)]
        openers.append([event.opener for event in events if isinstance(event, DealStarted)])

    expected = [[0, 1, 2, 0], [1, 2, 0, 1], [2, 0, 1, 2]]
    assert expected == openers


def test_r13_cow_is_an_option():
    """Without the option there is no cow; with it the cow is there in every variant."""
    with_cow = {}
    for variant in Variant:
        rules = Rules(variant=variant, jumping_cow=True)
        game = Game(rules=rules, players=2, decks=lambda _: range(1, 25))
        game.begin()
        while game.trick == 0:
            game.apply(decide(game, lowest_choice))
        with_cow[variant] = game.cow

    assert dict.fromkeys(Variant, 0) == with_cow
    assert begun([LOW, HIGH], (1, 2, 3, 60)).cow is None


def test_r13a_cow_starts_at_the_lowest_card():
    """Of rows 50 | 2 | 104 | 3 the cow stands at the second, in each deal anew."""
    game = begun([LOW, HIGH], (50, 2, 104, 3), jumping_cow=True, target=100)
    first = game.cow

    events = play_out(game, lowest_choice)

    later = {event.cow for event in events if isinstance(event, DealStarted)}
    assert first == 1
    assert later == {1}


def test_r13a_cow_stands_only_after_the_draft():
    """In advanced the rows are laid ascending, so the cow stands at row 0, and nowhere before."""
    rules = Rules(variant=Variant.ADVANCED, jumping_cow=True)
    game = Game(rules=rules, players=2, decks=None)
    (started,) = game.begin()
    during = game.cow
    picks = [event for _ in range(20) for event in game.apply(decide(game, lowest_choice))]

    expected = (None, None, 0)
    assert expected == (started.cow, during, picks[-1].cow)


def test_r13b_reference_is_the_last_number():
    """A cow to the right of 18 changes nothing for 19, which fits there, nor for 17, which does not."""
    layout = Layout([(4, 18), (52,), (60,), (82,)], 0)

    expected = [0, None]
    assert expected == [layout.fitting_row(19), layout.fitting_row(17)]


def test_r13c_cow_counts_towards_the_limit():
    """Behind 7 12 20 and the cow a fourth number is laid; behind four and the cow the next takes the four.

    7 12 20 22 are 1 + 1 + 3 + 5 = 10.
    """
    three = Layout([(7, 12, 20), (33,), (61,), (90,)], 0).place(25).takes
    four = Layout([(7, 12, 20, 22), (33,), (61,), (90,)], 0).place(25).takes

    expected = ((), (Take(row=0, cards=(7, 12, 20, 22), bullheads=10),))
    assert expected == (three, four)


@pytest.mark.parametrize(
    ("row_of_cow", "card", "chosen_row"),
    [((20, 24), 25, None), ((20, 21, 22, 24), 25, None), ((20, 24), 9, 0)],
    ids=["fitting", "sixth", "too low"],
)
def test_r13d_cow_jumps_to_the_lowest_of_the_others(row_of_cow, card, chosen_row):
    """Laid in the cow's row in any of the three ways, a card sends the cow to the lowest of the other ends.

    The ends are 50, 40 and 77, so it goes behind the 40; that the row with the 50 begins lower is no matter.
    """
    layout = Layout([row_of_cow, (1, 50), (2, 40), (77,)], 0)

    placement = layout.place(card, chosen_row)

    expected = [(0, 2, None)]
    assert expected == [(jump.from_row, jump.to_row, jump.take) for jump in placement.jumps]
    assert layout.cow == 2


def test_r13e_cow_fills_a_row_and_jumps_on():
    """The cow lands on a full row, the player of the card takes the four lower numbers, and it jumps on.

    Rows 40 | 10 | 70 | 88, the cow at the 10. Seat 0 lays 15 there (the cow jumps to the 40), then 20, 25
    and 30; seat 1 lays 71 to 74 behind the 70. In trick 5 seat 0 lays 45 behind the 40: the cow lands on
    10 15 20 25 30, of which seat 0 takes four (3 + 2 + 3 + 2 = 10), and jumps on to the lowest of 45, 74 and
    88, back to where it was. Seat 1 takes 70 to 74 (3 + 1 + 1 + 1 + 1 = 7) with 75.
    """
    hand = (15, 20, 25, 30, 45, 46, 47, 48, 49, 50)
    game = begun([hand, ten_from(71)], (40, 10, 70, 88), jumping_cow=True)
    opening = game.apply(decide(game, lowest_choice))
    for _ in range(3):
        game.apply(decide(game, lowest_choice))

    events = game.apply({0: 45, 1: 75})

    assert CowJumped(deal=1, trick=1, from_row=1, to_row=0) == opening[2]
    assert [
        CardPlaced(deal=1, trick=5, seat=0, card=45, row=0),
        CowJumped(deal=1, trick=5, from_row=0, to_row=1),
        RowTaken(deal=1, trick=5, seat=0, row=1, cards=(10, 15, 20, 25), bullheads=10),
        CowJumped(deal=1, trick=5, from_row=1, to_row=0),
    ] == events[1:5]
    assert game.rows == ((40, 45), (30,), (75,), (88,))
    assert game.cow == 0
    assert game.taken == (10, 7)


def test_r13f_cow_stays_when_another_row_is_taken():
    """The 9 takes 31 of row 1 and leaves the cow at row 0; a 25 of the same trick then meets it there."""
    layout = Layout([(20, 24), (31,), (50, 52), (77,)], 0)

    too_low = layout.place(9, 1)
    where_it_stayed = layout.cow
    later = layout.place(25)

    assert too_low.jumps == ()
    assert where_it_stayed == 0
    assert (Jump(from_row=0, to_row=1, take=None),) == later.jumps
