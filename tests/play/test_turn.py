"""The turn: everybody is asked at once, and nothing leaves before the last answer (promise 1)."""

import itertools

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.requests import ChooseCard, ChooseRow, RequestClosed
from referee.rules.events import CardsRevealed
from referee.rules.variants import Rules, Variant
from tests.play.bench import LOW, ONE_DEAL, STEADY, THREE, Bench, kinds


def test_t5_turn_01_all_seats_of_a_trick_are_asked_at_once():
    """One step of the table gives each of three seats its own request."""
    bench = Bench(THREE)

    asked = [(seat, message) for seat, message in bench.wire if isinstance(message, ChooseCard)]

    assert [0, 1, 2] == [seat for seat, _ in asked]
    assert [THREE.hands[0], THREE.hands[1], THREE.hands[2]] == [message.hand for _, message in asked]


@given(answered=st.sets(st.integers(0, 5), max_size=5), data=st.data())
@settings(max_examples=60, deadline=None)
def test_t5_turn_02_nothing_leaves_before_the_last_answer(answered, data):
    """While any seat of six has not answered, no message at all goes out and no choice is in the events."""
    bench = Bench(None, players=6, rules=ONE_DEAL, listeners=range(6))
    before = len(bench.events)

    told = [
        message
        for seat in data.draw(st.permutations(sorted(answered)))
        for message in bench.later(1).answer(seat, data.draw(st.sampled_from(bench.asked(seat).choices)))
    ]

    assert [] == told
    assert [] == bench.events[before:]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_t5_turn_01_seats_may_answer_in_every_order(order):
    """Whoever is last, his answer and no other resolves the trick, with the same cards."""
    bench = Bench(THREE)

    silent = [bench.answer(seat, THREE.hands[seat][seat]) for seat in order[:-1]]
    last = order[-1]
    told = bench.answer(last, THREE.hands[last][last])

    assert [[], []] == silent
    assert ["request_closed"] * 3 + ["choose_card"] * 3 == kinds(told)
    assert (11, 15, 19) == bench.of(CardsRevealed)[0].cards


def test_all_answers_in_one_packet_resolve_the_trick():
    """The table need not be asked for its messages between answers that arrived together."""
    bench = Bench()
    requests = [bench.asked(seat) for seat in (0, 1)]

    for seat, asked in enumerate(requests):
        bench.answer(seat, request=asked.request)

    assert 1 == len(bench.of(CardsRevealed))


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(Variant), cow=st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_record_does_not_depend_on_the_order_of_answers(seed, variant, cow):
    """Seats that answer upwards, downwards, or at different times leave the same digest."""
    rules = Rules(variant=variant, jumping_cow=cow, target=None, deals=1)
    digests = set()
    for step, pause in ((1, 0), (-1, 3), (1, 90)):
        bench = Bench(None, players=3, rules=rules, seed=str(seed))
        while bench.table.result is None:
            for seat in bench.open_seats()[::step]:
                asked = bench.asked(seat)
                bench.later(pause).answer(seat, asked.choices[asked.bot_seed % len(asked.choices)])
        digests.add(bench.digest())

    assert 1 == len(digests)


def test_t5_turn_03_the_order_of_messages_in_a_trick_with_a_row():
    """Everybody's request_closed, then choose_row to one, its request_closed, the result, the next cards."""
    bench = Bench(LOW, listeners=(0, 1))

    bench.answer(1, 91)
    cards = bench.answer(0, 1)
    row = bench.answer(0, 3)

    assert [(0, "request_closed"), (1, "request_closed"), (0, "choose_row")] == [
        (seat, message.TYPE) for seat, message in cards
    ]
    assert [
        (0, "request_closed"),
        (0, "trick_result"),
        (1, "trick_result"),
        (0, "choose_card"),
        (1, "choose_card"),
    ] == [(seat, message.TYPE) for seat, message in row]


def test_each_seat_is_told_of_its_own_request_only():
    """A seat's request_closed carries its own request and its own card."""
    bench = Bench()
    asked = [bench.asked(seat).request for seat in (0, 1)]

    bench.round_of({0: 29, 1: 12})

    assert [(asked[0], 29)] == [(told.request, told.choice) for told in bench.closings(0)]
    assert [(asked[1], 12)] == [(told.request, told.choice) for told in bench.closings(1)]


def test_t5_turn_01_the_trick_resolves_when_the_last_deadline_has_passed():
    """One seat has answered; when the other's second is over, its lowest card is played."""
    bench = Bench()
    bench.answer(0, 29)

    early = bench.at(1000).tick()
    told = bench.expire()

    assert [] == early
    assert "request_closed" in kinds(told)
    assert (29, 12) == bench.of(CardsRevealed)[0].cards


def test_t5_turn_03_a_deal_ends_and_the_next_begins_in_one_step():
    """Events bots get the last result, the end of the deal, the next deal and then their request."""
    bench = Bench(rules=Rules(target=None, deals=2), listeners=(1,))
    while len(bench.of(CardsRevealed)) < 9:
        bench.answer(0)
        bench.answer(1)

    bench.answer(0)
    told = [message for seat, message in bench.answer(1) if seat == 1]

    assert ["request_closed", "trick_result", "deal_end", "deal_start", "choose_card"] == kinds(told)
    assert (2, 1) == (told[-1].deal, told[-1].trick)
    assert STEADY.hands[1] == told[-1].hand


def test_t5_end_01_the_end_of_the_game_is_told_to_everybody():
    """STEADY played upwards: seat 0 takes 9 and 11 bullheads, seat 1 twice 6; nothing is awaited then."""
    bench = Bench(listeners=(0,)).play_out()

    ends = [bench.end(seat) for seat in (0, 1)]

    assert (20, 12) == ends[0].totals
    assert (2, 1) == ends[0].places
    assert ends[0] == ends[1]
    assert ["request_closed", "trick_result", "deal_end", "game_end"] == kinds(bench.told[0])[-4:]
    assert None is bench.table.wake_at()


def test_t5_turn_04_only_events_bots_get_events():
    """The bot that asked for no events gets game_start, requests, request_closed and game_end alone."""
    bench = Bench(LOW, listeners=(1,)).play_out()

    assert {"game_start", "choose_card", "choose_row", "request_closed", "game_end"} == set(
        kinds(bench.told[0])
    )
    assert {"deal_start", "trick_result", "deal_end"} <= set(kinds(bench.told[1]))


def numbers_in(value):
    """Collect the integers inside the tuples and maps of a message."""
    if isinstance(value, dict):
        value = tuple(value.values())
    return set().union(*map(numbers_in, value)) if isinstance(value, tuple) else {value}


def test_no_message_shows_the_hand_of_another_seat():
    """Before trick one nothing that seat 0 is told holds a card of seat 1, an even one from 12 to 30."""
    bench = Bench(listeners=(0, 1))

    shown = [numbers_in(attrs.asdict(message)) for message in bench.told[0]]

    assert 3 == len(shown)
    assert not set(STEADY.hands[1]) & set().union(*shown)
    assert not any(isinstance(message, RequestClosed | ChooseRow) for message in bench.told[0])
