"""What counts where no valid answer came, and when that is so (promise 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import Row
from protocol.parts import By, ClosedBecause
from protocol.requests import ChooseDraft
from referee.play.clock import Arrival, ClockRules
from referee.play.defaults import default_choice
from referee.play.events import Defaulted
from referee.rules.cards import bullheads
from referee.rules.decisions import DecisionKind, Pending
from referee.rules.events import CardDrafted, CardsRevealed, RowTaken
from referee.rules.variants import Rules, Variant
from tests.play.bench import COW, LOW, MS, STEADY, THREE, Bench, Dealt

ILLEGAL, LATE, GONE = ClosedBecause.ILLEGAL, ClosedBecause.LATE, ClosedBecause.GONE
DRAFTING = Rules(variant=Variant.ADVANCED, target=None, deals=1)
NEVER = ClockRules(move_ns=1000 * MS, strikes=0)


def test_t5_default_01_the_default_card_is_the_lowest_of_the_hand():
    """Seat 0 of STEADY has 11 to 29: 11 is played, and nothing is said of seat 1."""
    bench = Bench()
    bench.answer(1, 30)
    bench.expire()

    assert [(0, DecisionKind.CARD, 11, LATE)] == [
        (e.seat, e.kind, e.choice, e.reason) for e in bench.of(Defaulted)
    ]
    assert (11, 30) == bench.of(CardsRevealed)[0].cards


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        ((55, 66, 81, 82), 2),  # 7 5 1 1: two equals, the lower index
        ((90, 66, 95, 81), 3),  # 3 5 2 1
        ((81, 82, 83, 84), 0),  # 1 1 1 1
        ((90, 95, 66, 75), 1),  # 3 2 5 2
    ],
)
def test_t5_default_01_the_default_row_has_the_fewest_bullheads_and_the_lowest_index(rows, row):
    """Seat 0 plays 1, below all ends, and then says nothing."""
    bench = Bench(Dealt((tuple(range(1, 11)), (*range(41, 50), 100)), rows))
    bench.round_of({0: 1, 1: 100})
    bench.expire()

    assert [(0, DecisionKind.ROW, row)] == [(e.seat, e.kind, e.choice) for e in bench.of(Defaulted)]
    assert [(0, row, (rows[row],))] == [(e.seat, e.row, e.cards) for e in bench.of(RowTaken)]
    assert row == bench.closings(0)[1].choice


def test_t5_default_01_the_default_row_counts_its_own_bullheads_without_the_jumps():
    """Row 0 holds 21 (1 bullhead) and the cow; with the jump it costs 9, row 3 only 2: it is row 0."""
    bench = Bench(COW, rules=Rules(jumping_cow=True, target=None, deals=1))
    bench.round_of({0: 32, 1: 33})
    bench.round_of({0: 34, 1: 35})
    bench.round_of({0: 9, 1: 100})
    bench.expire()

    assert 0 == bench.closings(0)[-1].choice
    assert (9, 0) == bench.asked(0).taken


def test_the_default_row_adds_up_whole_rows():
    """Row 1 with five cards costs 10, though its first card is worth 1; row 3 with 95 costs 2."""
    pending = Pending(seat=0, kind=DecisionKind.ROW, choices=(0, 1, 2, 3))

    assert 3 == default_choice(pending, ((55,), (31, 32, 33, 34, 35), (90,), (95,)))


def test_t5_default_01_the_default_pick_is_the_lowest_card_on_offer():
    """The opener picks 1, the other lets its time run out: 2."""
    bench = Bench(None, rules=DRAFTING)
    bench.answer(0, 1)
    bench.expire()

    assert [(0, 1), (1, 2)] == [(e.seat, e.card) for e in bench.of(CardDrafted)]
    assert [(1, 0, DecisionKind.DRAFT, 2, LATE)] == [
        (e.seat, e.trick, e.kind, e.choice, e.reason) for e in bench.of(Defaulted)
    ]


@given(st.permutations(range(1, 105)), st.lists(st.integers(1, 5), min_size=4, max_size=4))
def test_no_row_is_cheaper_than_the_default_row(cards, lengths):
    """For any rows: none has fewer bullheads, and none before it as few."""
    rows = [tuple(cards[5 * row : 5 * row + length]) for row, length in enumerate(lengths)]
    chosen = default_choice(Pending(seat=0, kind=DecisionKind.ROW, choices=(0, 1, 2, 3)), rows)
    own = [bullheads(row) for row in rows]

    assert min(own) == own[chosen]
    assert min(own) not in own[:chosen]


def test_t5_answer_02_two_wrong_answers_leave_the_request_open():
    """The third, legal one counts; the two are counted as illegal and cost nothing."""
    bench = Bench(THREE)
    bench.answer(0, 99)
    bench.answer(0, 12)
    bench.answer(0, 14)
    bench.round_of({1: 12, 2: 13})

    assert (14, 12, 13) == bench.of(CardsRevealed)[0].cards
    assert {"illegal": 2} == bench.faults(0)
    assert [0, 0, 0] == bench.strikes()


@pytest.mark.parametrize("kinds", ["iii", "iim", "mmi", "mmm", "mim"])
def test_t5_answer_03_the_third_wrong_answer_closes_the_request(kinds):
    """Illegal or malformed in any mixture: the default, reason illegal, one strike, each counted by kind."""
    bench = Bench(listeners=(1,))
    for kind in kinds:
        if kind == "i":
            bench.answer(0, 30)
        else:
            bench.garble(0, bench.asked(0).request)

    assert [1] == bench.open_seats()

    bench.answer(1)

    assert [(ILLEGAL, 11, None, 1)] == [(c.reason, c.choice, c.took_ms, c.strikes) for c in bench.closings(0)]
    assert 3 == len(bench.errors(0))
    assert kinds.count("i") == bench.faults(0).get("illegal", 0)
    assert kinds.count("m") == bench.faults(0).get("malformed", 0)
    assert {"illegal", "malformed"} >= set(bench.faults(0))
    assert [1, 0] == bench.strikes()
    assert (By.DEFAULT, By.BOT) == bench.told[1][-2].by


def test_wrong_answers_are_counted_for_one_request_only():
    """Two in trick 1 and two in trick 2 close nothing."""
    bench = Bench()
    for _ in range(2):
        bench.answer(0, 99)
        bench.answer(0, 99)
        bench.answer(0)
        bench.answer(1)

    assert [ClosedBecause.ANSWERED] * 2 == bench.reasons(0)
    assert {"illegal": 4} == bench.faults(0)


def test_wrong_answers_before_a_return_count_on():
    """Two wrong answers, a drop and a return, and the third closes the same request."""
    bench = Bench()
    bench.answer(0, 99)
    bench.answer(0, 99)
    bench.drop(0)
    bench.come(0)
    bench.answer(0, 99)
    bench.answer(1)

    assert [ILLEGAL] == bench.reasons(0)


def test_late_after_wrong_answers_is_late():
    """Two illegal answers and then silence: the reason is late."""
    bench = Bench()
    bench.answer(1)
    bench.answer(0, 99)
    bench.answer(0, 99)
    bench.expire()

    assert [LATE] == bench.reasons(0)
    assert {"illegal": 2, "late": 1} == bench.faults(0)
    assert [1, 0] == bench.strikes()


def test_a_late_illegal_answer_is_late():
    """An answer after the deadline is not looked at: no error, no illegal fault."""
    bench = Bench()
    bench.answer(1)
    bench.now = 1000 * MS + 1
    bench.answer(0, 99)

    assert [LATE] == bench.reasons(0)
    assert {"late": 1} == bench.faults(0)
    assert [] == bench.errors(0)


def test_a_third_wrong_answer_that_is_late_is_late():
    """Two wrong answers in time and one after the deadline: late."""
    bench = Bench()
    bench.answer(1)
    bench.answer(0, 99)
    bench.answer(0, 99)
    bench.at(1001).answer(0, 99)

    assert [LATE] == bench.reasons(0)


def test_a_late_malformed_answer_is_late():
    """Its fields are counted as malformed, and the decision is defaulted as late."""
    bench = Bench()
    bench.answer(1)
    bench.at(1001).garble(0, bench.asked(0).request)

    assert [LATE] == bench.reasons(0)
    assert {"malformed": 1, "late": 1} == bench.faults(0)


def test_t5_default_02_a_default_is_for_that_decision_only():
    """After a default in trick 1 the seat plays trick 2 itself."""
    bench = Bench()
    bench.answer(1, 12)
    bench.expire()
    bench.round_of({0: 29, 1: 14})

    assert [(11, 12), (29, 14)] == [event.cards for event in bench.of(CardsRevealed)]


def test_a_wrong_row_three_times_takes_the_default_row():
    """A row that is none of the four, three times: row 2, the first of those with one bullhead."""
    bench = Bench(LOW)
    bench.round_of({0: 1, 1: 91})
    for _ in range(3):
        bench.say(0, Row(request=bench.asked(0).request, row=7), Arrival.at(bench.now))

    assert ClosedBecause.ILLEGAL is bench.reasons(0)[-1]
    assert 2 == bench.closings(0)[-1].choice


def test_a_pick_of_a_card_taken_by_another_is_illegal():
    """24 is gone from the pool: refused with the remaining choices; the third time the lowest is picked."""
    bench = Bench(None, rules=DRAFTING)
    bench.answer(0, 24)
    for _ in range(3):
        bench.answer(1, 24)

    assert ["illegal_choice"] * 3 == bench.errors(1)
    assert (1, 1) == (bench.of(CardDrafted)[-1].seat, bench.of(CardDrafted)[-1].card)
    assert isinstance(bench.asked(0), ChooseDraft)


def test_t5_fault_01_a_game_of_defaults_alone_is_played_from_below():
    """STEADY by defaults: 11 12, 13 14 ... as if both played upwards: 20 and 12 bullheads."""
    bench = Bench(clock=NEVER).run_down()

    assert [(11 + 2 * trick, 12 + 2 * trick) for trick in range(10)] == [
        event.cards for event in bench.of(CardsRevealed)
    ]
    assert (20, 12) == bench.end().totals
    assert 20 == len(bench.of(Defaulted))
    assert STEADY.hands[0] == tuple(e.choice for e in bench.of(Defaulted) if e.seat == 0)
