"""The rules and deals of SPEC.md, followed by hand from its words: one test for each id of the two areas."""

import hashlib
import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.decks import DealId, dealt_hands, dealt_rows, deck
from referee.rules.events import CardDrafted, DealEnded, DealStarted, DraftEnded, RowTaken
from referee.rules.game import Game, shared_places
from referee.rules.layout import Layout
from referee.rules.variants import Rules, Variant, cards_in_play
from referee.tournament.dealsets import Series, Sets, Turning

SEED = "five-minutes-35"
PLACE = DealId(round=1, table=1, deal_set=1, deal=1)


def words(seed, *place):
    """Give the words of section 12: eight of each block, most significant byte first."""
    hashed = hashlib.sha256(seed.encode()).digest()
    for i in itertools.count():
        block = hashlib.sha256(b"take5-deal-1" + hashed + struct.pack(">5I", *place, i)).digest()
        yield from struct.unpack(">8I", block)


def shuffled(source, highest, count):
    """Follow the shuffle of section 12 line by line."""
    cards = list(range(1, highest + 1))
    for k in range(count):
        below = highest - k
        word = next(word for word in source if word < 2**32 - 2**32 % below)
        j = k + word % below
        cards[k], cards[j] = cards[j], cards[k]
    return tuple(cards[:count])


def play(rules, players, *, number=1):
    """Play a game in which everybody chooses the lowest of what there is; return all events."""

    def decks(deal):
        place = DealId(round=1, table=1, deal_set=1, deal=deal)
        return deck(SEED, place, highest=rules.highest_card(players), count=cards_in_play(players))

    game = Game(rules=rules, players=players, game_number=number, decks=decks)
    events = game.begin()
    while not game.over:
        events += game.apply({owed.seat: owed.choices[0] for owed in game.pending()})
    return events


def of_kind(events, kind):
    """Return the events of one kind, in order."""
    return [event for event in events if isinstance(event, kind)]


@given(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.tuples(*[st.integers(1, 2**32 - 1)] * 4),
    st.integers(2, 10),
)
def test_t5_deal_01_the_deck_is_the_shuffle_of_the_text(seed, numbers, players):
    """Whatever seed and place, the formula and the loop as printed give the deck that is dealt."""
    where = DealId(**dict(zip(("round", "table", "deal_set", "deal"), numbers, strict=True)))
    expected = shuffled(words(seed, *numbers), 104, 10 * players + 4)

    assert expected == deck(seed, where, highest=104, count=10 * players + 4)


@pytest.mark.parametrize("players", [2, 10])
def test_t5_deal_02_each_seat_holds_its_ten_places_of_the_deck(players):
    """Seat s has the places 10s to 10s+9, and the next four start the rows as they come."""
    cards = shuffled(words(SEED, 1, 1, 1, 1), 104, 10 * players + 4)
    hands = tuple(tuple(sorted(cards[10 * seat : 10 * seat + 10])) for seat in range(players))

    assert hands == dealt_hands(cards, players)
    assert tuple((card,) for card in cards[10 * players :]) == dealt_rows(cards, players)


@given(st.integers(2, 10), st.integers(1, 99))
def test_t5_deal_06_everybody_sits_one_seat_further_on_in_the_next_game_of_a_set(seats, game):
    """Whoever sits last is next in seat 0; set 1 are games 1 to n. Where all is drafted, everybody stays."""
    names = [f"bot-{number}" for number in range(seats)]
    hands = Series(sets=Sets.ROTATED, count=99, turning=Turning.SEATS)
    before, after = hands.seated(names, game), hands.seated(names, game + 1)
    drafted = Series(sets=Sets.ROTATED, count=99, turning=Turning.OPENER)

    assert after == (before[-1], *before[:-1])
    assert [1] * seats + [2] == [hands.deal_set(seats, number) for number in range(1, seats + 2)]
    assert drafted.seated(names, game) == drafted.seated(names, game + 1)


def test_t5_deal_07_the_two_who_are_compared_take_turns_in_one_seat():
    """Games 1 and 2 are set 1, begin alike, and differ in who has the seat of the two."""
    pair = Series(sets=Sets.PAIRED, count=1, turning=Turning.SEATS, rivals=("old", "new"))

    assert [("x", "old", "y"), ("x", "new", "y")] == [
        pair.seated(["x", "old", "new", "y"], n) for n in (1, 2)
    ]
    assert [1, 1] == [pair.deal_set(4, game) for game in (1, 2)] == [pair.opening(1, game) for game in (1, 2)]


def test_t5_rules_01_the_example_of_the_text():
    """29 fits, 52 is a sixth card, 66 fits; then the 3 is too low and takes row 1 for 1 bullhead."""
    layout = Layout([(4, 18), (31, 36, 42, 47, 50), (60, 62), (82, 93)], None)
    costs = [sum(take.bullheads for take in layout.place(card).takes) for card in (29, 52, 66)]

    assert costs == [0, 7, 0]
    assert layout.rows == [(4, 18, 29), (52,), (60, 62, 66), (82, 93)]
    assert [take.bullheads for take in layout.place(3, 1).takes] == [1]
    assert layout.rows[1] == (3,)


def test_t5_rules_01_what_is_taken_in_a_deal_is_what_it_counts():
    """Ten tricks are played, and each seat's bullheads are those of the cards that it took."""
    events = play(Rules(variant=Variant.CLASSIC, target=None, deals=1), 4)
    (ended,) = of_kind(events, DealEnded)
    taken = [0] * 4
    for take in of_kind(events, RowTaken):
        taken[take.seat] += take.bullheads

    assert tuple(taken) == ended.bullheads == ended.totals


def test_t5_rules_02_a_target_ends_the_game_after_the_deal_that_reaches_it():
    """All deals but the last leave every total below 66, and the last does not."""
    events = play(Rules(variant=Variant.CLASSIC, target=66), 3)
    *earlier, last = [max(event.totals) for event in of_kind(events, DealEnded)]

    assert earlier
    assert all(total < 66 for total in earlier)
    assert last >= 66


def test_t5_rules_02_a_fixed_length_ends_the_game_after_so_many_deals():
    """Three deals are three, whatever the totals."""
    assert len(of_kind(play(Rules(variant=Variant.CLASSIC, target=None, deals=3), 10), DealEnded)) == 3


def test_t5_rules_02_equal_totals_share_a_place_and_the_next_is_skipped():
    """The lowest total wins: 1-2-2-4."""
    assert shared_places((9, 3, 12, 9)) == (2, 1, 4, 2)


@pytest.mark.parametrize("players", [2, 5, 10])
def test_t5_rules_03_tactic_deals_every_card_of_its_deck(players):
    """Hands and rows together are the cards from 1 to 10n+4."""
    start = of_kind(play(Rules(variant=Variant.TACTIC, target=None, deals=1), players), DealStarted)[0]
    cards = sorted(card for cards in (*start.hands, *start.rows) for card in cards)

    assert cards == list(range(1, 10 * players + 5))


def test_t5_rules_04_the_seats_pick_in_turn_and_four_cards_start_the_rows():
    """In game 2 of a table of three, seat 1 opens the first deal and seat 2 the second; all is open."""
    events = play(Rules(variant=Variant.ADVANCED, target=None, deals=2), 3, number=2)
    starts, picks = of_kind(events, DealStarted), of_kind(events, CardDrafted)

    assert [start.opener for start in starts] == [1, 2]
    assert [start.pool for start in starts] == [tuple(range(1, 35))] * 2
    assert [pick.seat for pick in picks] == [1, 2, 0] * 10 + [2, 0, 1] * 10
    # The lowest card on offer is always picked, so the four highest are left.
    assert of_kind(events, DraftEnded)[0].rows == ((31,), (32,), (33,), (34,))
