"""A request carries all that the seat may know to decide (promise 2)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import DraftEnd
from protocol.parts import Rules as RulesInfo
from protocol.parts import Variant as VariantInfo
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from referee.play.names import GameId
from referee.rules.cards import bullheads
from referee.rules.decks import bot_seed
from referee.rules.variants import Rules, Variant
from tests.play.bench import BANKED, COW, LOW, MS, REQUESTS, STEADY, Bench

DRAFTING = Rules(variant=Variant.ADVANCED, target=None, deals=2)
PLAIN = RulesInfo(variant=VariantInfo.CLASSIC, jumping_cow=False, deals=1, highest_card=104)


def seed_of(entrant, decision, game="r3t2g1"):
    """Compute the number of a decision from the contract."""
    return bot_seed("bench", game=game, entrant=entrant, decision=decision)


def test_t5_req_01_choose_card_of_the_first_trick():
    """All fields of a first request, worked out from the deal."""
    bench = Bench(LOW, clock=BANKED)

    assert bench.asked(1) == ChooseCard(
        game="r3t2g1",
        rules=PLAIN,
        deal=1,
        trick=1,
        rows=((55,), (66,), (81,), (82,)),
        row_bullheads=(7, 5, 1, 1),
        cow=None,
        totals=(0, 0),
        taken=(0, 0),
        seen=(55, 66, 81, 82),
        hands=None,
        request=2,
        seat=1,
        hand=tuple(range(91, 101)),
        choices=tuple(range(91, 101)),
        time_ms=1000,
        bank_ms=500,
        bot_seed=seed_of("bob", "d1t1card"),
    )


def test_t5_req_02_choose_row_shows_open_cards_rows_and_costs():
    """Seat 0 played 7, below all ends: it sees both cards, its hand without the 7, and 7, 5, 1, 1 to pay."""
    bench = Bench(LOW, clock=BANKED)
    bench.round_of({0: 7, 1: 95})

    assert bench.asked(0) == ChooseRow(
        game="r3t2g1",
        rules=PLAIN,
        deal=1,
        trick=1,
        rows=((55,), (66,), (81,), (82,)),
        row_bullheads=(7, 5, 1, 1),
        costs=(7, 5, 1, 1),
        cow=None,
        totals=(0, 0),
        taken=(0, 0),
        seen=(7, 55, 66, 81, 82, 95),
        hands=None,
        cards=(7, 95),
        card=7,
        request=3,
        seat=0,
        hand=(1, 2, 3, 4, 5, 6, 8, 9, 10),
        choices=(0, 1, 2, 3),
        time_ms=1000,
        bank_ms=500,
        bot_seed=seed_of("ada", "d1t1row"),
    )


def test_t5_req_01_choose_card_after_a_trick():
    """Seat 0 took the 82 with its 7 and the 95 lies beside 81: rows, seen, taken and hands have moved on."""
    bench = Bench(LOW)
    bench.round_of({0: 7, 1: 95})
    bench.answer(0, 3)
    asked = bench.asked(0)

    assert (1, 2) == (asked.deal, asked.trick)
    assert ((55,), (66,), (81, 95), (7,)) == asked.rows
    assert (7, 5, 3, 1) == asked.row_bullheads
    assert (1, 0) == asked.taken
    assert (7, 55, 66, 81, 82, 95) == asked.seen
    assert (1, 2, 3, 4, 5, 6, 8, 9, 10) == asked.hand == asked.choices


def test_t5_req_02_row_costs_include_the_jumps_of_the_cow():
    """Row 0 holds 21 and the cow, which would jump to 31-35: 21 costs 1 and 31 32 33 34 cost 8 more.

    Row 1 costs 31 to 35, 10 in all; 90 costs 3 and 95 costs 2.
    """
    bench = Bench(COW, rules=Rules(jumping_cow=True, target=None, deals=1))
    bench.round_of({0: 32, 1: 33})
    bench.round_of({0: 34, 1: 35})
    bench.round_of({0: 9, 1: 100})
    asked = bench.asked(0)

    assert 0 == asked.cow
    assert ((21,), (31, 32, 33, 34, 35), (90,), (95,)) == asked.rows
    assert (1, 10, 3, 2) == asked.row_bullheads
    assert (9, 10, 3, 2) == asked.costs

    bench.answer(0, 0)

    assert (9, 0) == bench.asked(0).taken
    assert ((9,), (35,), (90,), (95, 100)) == bench.asked(0).rows


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(Variant), cow=st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_row_costs_what_the_request_said(seed, variant, cow):
    """In random games the bullheads taken by the choice are those the request named for that row."""
    bench = Bench(None, players=3, rules=Rules(variant=variant, jumping_cow=cow, target=None, deals=2))
    chosen = []

    while bench.table.result is None:
        for seat in bench.open_seats():
            asked = bench.asked(seat)
            choice = asked.choices[(asked.bot_seed ^ seed) % len(asked.choices)]
            before = len(bench.events)
            bench.answer(seat, choice)
            if isinstance(asked, ChooseRow):
                # The lowest card is laid first: what its seat takes until the next card is the cost.
                placed = [e for e in bench.events[before:] if getattr(e, "trick", None) == asked.trick]
                cost = 0
                for event in placed:
                    if type(event).__name__ == "CardPlaced" and event.seat != seat:
                        break
                    if type(event).__name__ == "RowTaken" and event.seat == seat:
                        cost += event.bullheads
                chosen.append((asked.costs[choice], cost))

    assert [said for said, _ in chosen] == [paid for _, paid in chosen]


def test_choose_draft_of_the_first_pick():
    """Two seats draft from 1 to 24; in game 1 seat 0 opens deal 1, with everything on offer."""
    bench = Bench(None, rules=DRAFTING)

    assert bench.asked(0) == ChooseDraft(
        game="r3t2g1",
        rules=RulesInfo(variant=VariantInfo.ADVANCED, jumping_cow=False, deals=2, highest_card=24),
        deal=1,
        pick=1,
        opener=0,
        pool=tuple(range(1, 25)),
        hands=((), ()),
        totals=(0, 0),
        request=1,
        seat=0,
        hand=(),
        choices=tuple(range(1, 25)),
        time_ms=1000,
        bank_ms=0,
        bot_seed=seed_of("ada", "d1p1draft"),
    )
    assert ["game_start"] == [message.TYPE for message in bench.told[1]]


def test_t5_req_02_a_draft_shows_the_pool_and_all_hands():
    """After the picks 24, 3 and 20 the fourth request shows both hands ascending and what is left."""
    bench = Bench(None, rules=DRAFTING)
    bench.answer(0, 24)
    bench.answer(1, 3)
    bench.answer(0, 20)
    asked = bench.asked(1)

    assert (4, 0) == (asked.pick, asked.opener)
    assert ((20, 24), (3,)) == asked.hands
    assert (3,) == asked.hand
    assert tuple(card for card in range(1, 25) if card not in {3, 20, 24}) == asked.pool == asked.choices
    assert seed_of("bob", "d1p4draft") == asked.bot_seed


def test_t5_req_02_after_a_draft_every_request_shows_all_hands():
    """Seats pick the lowest in turn: odd cards and even cards to 20; each sees both hands, also for a row."""
    bench = Bench(None, rules=DRAFTING)
    for pick in range(20):
        bench.answer(pick % 2)
    odd, even = tuple(range(1, 20, 2)), tuple(range(2, 21, 2))

    assert (odd, even) == bench.asked(0).hands == bench.asked(1).hands
    assert ((21,), (22,), (23,), (24,)) == bench.asked(1).rows
    assert tuple(range(1, 25)) == bench.asked(0).seen

    bench.round_of({0: 1, 1: 2})

    assert isinstance(bench.asked(0), ChooseRow)
    assert (odd[1:], even[1:]) == bench.asked(0).hands
    assert (1, 2) == bench.asked(0).cards


def test_the_opener_moves_on_with_game_and_deal():
    """Game 2 of two seats: seat 1 opens deal 1 and seat 0 deal 2."""
    bench = Bench(None, rules=DRAFTING, game=GameId(round=1, table=1, deal_set=2, game=2))

    assert 1 == bench.asked(1).opener
    while bench.asked(bench.open_seats()[0]).deal == 1:
        bench.answer(bench.open_seats()[0])

    assert (2, 0, 0) == (bench.asked(0).deal, bench.asked(0).opener, bench.open_seats()[0])


@pytest.mark.parametrize("other", ["cyd", "zoe"])
def test_t5_req_04_bot_seed_does_not_depend_on_the_other_seats(other):
    """The numbers of ada are those of the formula, whoever sits opposite."""
    bench = Bench(names=("ada", other)).play_out()

    numbers = [message.bot_seed for message in bench.told[0] if isinstance(message, ChooseCard)]

    assert [seed_of("ada", f"d1t{trick}card") for trick in range(1, 11)] == numbers


def test_t5_req_04_bot_seed_is_the_same_when_asked_again():
    """A return, twice, repeats the number; nothing is drawn from a common stream."""
    bench = Bench()
    first = bench.asked(0).bot_seed

    bench.later(10).drop(0)
    again = [bench.come(0)[-1][1].bot_seed, bench.come(0)[-1][1].bot_seed]

    assert [first, first] == again


def test_t5_req_04_bot_seed_differs_by_decision_entrant_and_game():
    """Two deals of two entrants in two games: no number comes twice."""
    numbers = []
    for game in (GAME_1, GAME_2):
        bench = Bench(None, rules=DRAFTING, game=game).play_out()
        numbers += [m.bot_seed for _, m in bench.wire if isinstance(m, REQUESTS)]

    assert len(numbers) == len(set(numbers))


GAME_1 = GameId(round=1, table=1, deal_set=1, game=1)
GAME_2 = GameId(round=1, table=1, deal_set=1, game=2)


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(Variant), cow=st.booleans())
@settings(max_examples=20, deadline=None)
def test_t5_req_03_requests_hold_together(seed, variant, cow):
    """Row bullheads are those of the rows, the hand is not seen unless drafted, the choices are the hand."""
    bench = Bench(
        None, players=4, rules=Rules(variant=variant, jumping_cow=cow, target=None, deals=1), seed=str(seed)
    )
    bench.play_out(lambda asked: asked.choices[asked.bot_seed % len(asked.choices)])

    for seat, asked in bench.wire:
        if isinstance(asked, ChooseCard | ChooseRow):
            assert tuple(map(bullheads, asked.rows)) == asked.row_bullheads
            assert set().union(*asked.rows) <= set(asked.seen)
            assert (asked.hands is not None) == (variant is Variant.ADVANCED)
            assert asked.hands is None or asked.hands[seat] == asked.hand
            assert variant is Variant.ADVANCED or not set(asked.hand) & set(asked.seen)
        if isinstance(asked, ChooseCard):
            assert asked.choices == asked.hand
            assert 11 - asked.trick == len(asked.hand)


def test_t5_clock_01_time_and_bank_are_told_in_whole_ms():
    """What is left of the bank after an answer that took 1,300.9 ms: 500 - 100.9 = 399.1, told as 399."""
    bench = Bench(STEADY, clock=BANKED)

    bench.at(1300.9).answer(0)
    bench.answer(1)

    assert (1300, 399) == (bench.closings(0)[0].took_ms, bench.closings(0)[0].bank_ms)
    assert (1000, 399) == (bench.asked(0).time_ms, bench.asked(0).bank_ms)
    assert 399_100_000 == bench.table.seats[0].bank_ns
    assert round(399.1 * MS) == bench.table.seats[0].bank_ns


def test_draft_end_shows_hands_rows_and_cow():
    """The word to events bots after a draft holds all hands and the cow at the lowest row."""
    bench = Bench(
        None, rules=Rules(variant=Variant.ADVANCED, jumping_cow=True, target=None, deals=1), listeners=(1,)
    )
    for pick in range(20):
        bench.answer(pick % 2)
    (end,) = (message for message in bench.told[1] if isinstance(message, DraftEnd))

    assert (tuple(range(1, 20, 2)), tuple(range(2, 21, 2))) == end.hands
    assert ((21,), (22,), (23,), (24,)) == end.rows
    assert 0 == end.cow == bench.asked(0).cow
