"""The machine around the rules: what it refuses, what it shows, and copies."""

import random

import pytest

from referee.rules.events import CardsRevealed, DealStarted
from referee.rules.game import Game, IllegalDecision
from referee.rules.layout import RowCost, Take
from referee.rules.variants import Rules, RulesError, Variant
from tests.rules.playing import begun, decide, lowest_choice, play_out, random_choice, shuffled_game, ten_from

HANDS = [(3, *ten_from(61)[:9]), ten_from(11), ten_from(71)]
ROWS = (4, 52, 60, 90)


def view(game):
    """Collect everything that can be seen of a game."""
    return (
        game.deal,
        game.trick,
        game.hands,
        game.rows,
        game.cow,
        game.totals,
        game.taken,
        game.seen,
        game.pool,
        game.opener,
        game.trick_cards,
        game.over,
        game.places,
        game.pending(),
    )


def waiting_for_a_row():
    """Bring a game to where seat 0 has to choose a row for its 3."""
    game = begun(HANDS, ROWS)
    game.apply({0: 3, 1: 11, 2: 71})
    return game


def waiting_for_a_pick():
    """Bring a game to the first pick of a draft, which is seat 0's."""
    game = Game(rules=Rules(variant=Variant.ADVANCED), players=3, decks=None)
    game.begin()
    return game


CARDS = {0: 3, 1: 11, 2: 71}


@pytest.mark.parametrize(
    ("decisions", "sentence"),
    [
        ({0: 3, 1: 11}, "Seat 2 has not decided"),
        ({}, "Seat 0 has not decided"),
        (CARDS | {1: 3}, "Seat 1 cannot choose 3; its choices .card. are 11, 12, 13"),
        (CARDS | {1: 104}, "Seat 1 cannot choose 104"),
        (CARDS | {0: 3.0}, "Seat 0 cannot choose 3.0"),
        (CARDS | {0: "3"}, "Seat 0 cannot choose '3'"),
        (CARDS | {3: 20}, r"owe no decision have sent one: \[3\]"),
        (CARDS | {-1: 20}, r"owe no decision have sent one: \[-1\]"),
    ],
)
def test_illegal_cards(decisions, sentence):
    """Cards that are missing, not in the hand, no integers or too many are refused, and nothing changes."""
    game = begun(HANDS, ROWS)
    before = view(game)

    with pytest.raises(IllegalDecision, match=sentence):
        game.apply(decisions)

    assert before == view(game)


@pytest.mark.parametrize("decisions", [{0: 4}, {0: -1}, {0: True}, {1: 0}, {0: 0, 1: 0}, {}])
def test_illegal_rows(decisions):
    """A row is 0 to 3, and only the one seat chooses; `True` is no row 1."""
    game = waiting_for_a_row()
    before = view(game)

    with pytest.raises(IllegalDecision):
        game.apply(decisions)

    assert before == view(game)


@pytest.mark.parametrize("decisions", [{0: 35}, {0: 0}, {1: 5}, {0: 5, 1: 6}, {}])
def test_illegal_picks(decisions):
    """A pick is of the pool of 1 to 34, and only the seat whose turn it is picks."""
    game = waiting_for_a_pick()
    before = view(game)

    with pytest.raises(IllegalDecision):
        game.apply(decisions)

    assert before == view(game)


def test_a_card_cannot_be_picked_or_played_twice():
    """What is gone from the pool or the hand is no choice any more."""
    draft, trick = waiting_for_a_pick(), begun(HANDS, ROWS)
    draft.apply({0: 5})
    trick.apply({0: 61, 1: 11, 2: 71})

    with pytest.raises(IllegalDecision, match="Seat 1 cannot choose 5"):
        draft.apply({1: 5})
    with pytest.raises(IllegalDecision, match="Seat 0 cannot choose 61"):
        trick.apply({0: 61, 1: 12, 2: 72})


def test_before_the_game():
    """A game that has not begun shows an empty table, and awaits nothing."""
    game = Game(rules=Rules(jumping_cow=True), players=3, decks=lambda _: range(1, 35))

    expected = (0, 0, ((),) * 3, ((),) * 4, None, (0,) * 3, (0,) * 3, (), (), None, None, False, (), ())
    assert expected == view(game)
    with pytest.raises(IllegalDecision, match="No decision is pending"):
        game.apply({})


def test_after_the_game():
    """A game that is over awaits nothing and takes nothing."""
    game = begun(HANDS, ROWS, target=1)
    play_out(game, lowest_choice)

    assert game.over
    assert game.pending() == ()
    with pytest.raises(IllegalDecision, match="No decision is pending"):
        game.apply({})


def test_a_game_begins_once():
    """A second `begin` is a mistake of the caller."""
    game = begun(HANDS, ROWS)

    with pytest.raises(RuntimeError, match="only once"):
        game.begin()


def test_what_the_chooser_of_a_row_sees():
    """While seat 0 chooses a row for its 3: the open cards, hands without them, costs, cards seen."""
    game = waiting_for_a_row()

    costs = game.row_costs()

    assert game.trick_cards == (3, 11, 71)
    assert (HANDS[0][1:], HANDS[1][1:], HANDS[2][1:]) == game.hands
    assert game.seen == (3, 4, 11, 52, 60, 71, 90)
    assert RowCost(row=2, bullheads=3, takes=(Take(row=2, cards=(60,), bullheads=3),)) == costs[2]
    expected = [1, 1, 3, 3]
    assert expected == [cost.bullheads for cost in costs]


def test_row_costs_need_a_pending_row():
    """Before the cards of a trick lie open there is no row to choose, so there are no costs."""
    game = begun(HANDS, ROWS)

    with pytest.raises(IllegalDecision, match="No row"):
        game.row_costs()


def test_seen_begins_anew_with_each_deal():
    """After the last trick of a deal only the row starts of the next have been seen."""
    game = begun(HANDS, ROWS, target=100_000)
    while game.deal == 1:
        events = game.apply(decide(game, lowest_choice))

    assert isinstance(events[-1], DealStarted)
    assert game.seen == (4, 52, 60, 90)
    assert game.trick == 1


def test_in_advanced_the_whole_deck_has_been_seen():
    """Each card counts once, before the draft, after it, and when tricks have been played."""
    game = waiting_for_a_pick()
    seen = [game.seen]
    for _ in range(30):
        game.apply(decide(game, lowest_choice))
    seen.append(game.seen)
    while game.trick < 3:
        game.apply(decide(game, lowest_choice))
    seen.append(game.seen)

    expected = [tuple(range(1, 35))] * 3
    assert expected == seen


@pytest.mark.parametrize(
    "deck",
    [range(1, 34), (*range(1, 34), 33), range(34), (*range(1, 34), 105)],
    ids=["too few", "one twice", "a zero", "a 105"],
)
def test_wrong_deck(deck):
    """Three seats need 34 different cards from 1 to 104."""
    game = Game(rules=Rules(), players=3, decks=lambda _: deck)

    with pytest.raises(RulesError, match="34 different cards from 1 to 104"):
        game.begin()


def test_a_longer_deck_will_do():
    """Of a whole shuffled deck the first 10n+4 cards are dealt."""
    game = Game(rules=Rules(), players=3, decks=lambda _: tuple(range(104, 0, -1)))

    (started,) = game.begin()

    assert started.rows == ((74,), (73,), (72,), (71,))


def test_decks_may_be_missing_only_where_nothing_is_dealt():
    """Classic and tactic need decks; advanced asks for none even if there are some."""
    for variant in (Variant.CLASSIC, Variant.TACTIC):
        with pytest.raises(RulesError, match=f"{variant.value} variant needs decks"):
            Game(rules=Rules(variant=variant), players=3, decks=None)

    game = Game(rules=Rules(variant=Variant.ADVANCED), players=2, decks=lambda _: ())
    (started,) = game.begin()

    assert started.hands == ((), ())


def test_rules_and_players_can_be_read():
    """A game tells what is played, and by how many."""
    rules = Rules(target=None, deals=3)
    game = Game(rules=rules, players=3, decks=lambda _: range(1, 35))

    assert rules == game.rules
    assert game.players == 3


@pytest.mark.parametrize("reach", [waiting_for_a_row, waiting_for_a_pick, lambda: begun(HANDS, ROWS)])
def test_copy_is_independent(reach):
    """Playing a copy to its end leaves the original as it was; then it plays the same way itself."""
    game = reach()
    before = view(game)
    twin = game.copy()

    by_twin = play_out(twin, random_choice(random.Random(7)))
    unmoved = view(game)
    by_game = play_out(game, random_choice(random.Random(7)))

    assert before == unmoved
    assert by_twin == by_game


def test_pending_is_the_same_until_something_is_applied():
    """Asking twice gives the same; a refused decision changes nothing in it."""
    game = shuffled_game(Rules(), 4, random.Random(1))
    game.begin()
    first = game.pending()
    with pytest.raises(IllegalDecision):
        game.apply({})

    assert first == game.pending()
    assert isinstance(game.apply(decide(game, lowest_choice))[0], CardsRevealed)
    assert first != game.pending()
