"""What events bots are told of a game: the same as the rules say, to every seat, and again after a return."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import DealEnd, DealStart, Drafted, TrickResult
from protocol.parts import By, Placement, Take
from referee.play.board import Board
from referee.rules.events import CardPlaced, CowJumped, RowTaken
from referee.rules.game import Game
from referee.rules.variants import Rules, Variant
from tests.play.bench import CLOCK, COW, LOW, Bench, chance, decks_of, without_hand

ONCE = attrs.evolve(CLOCK, strikes=1)
DRAFTING = Rules(variant=Variant.ADVANCED, target=None, deals=1)


def test_deal_start_shows_the_own_hand_only():
    """Seat 1 is told its ten cards, the rows and zeros."""
    bench = Bench(LOW, listeners=(0, 1))

    assert [
        DealStart(
            game="r3t2g1",
            seq=1,
            deal=1,
            hand=tuple(range(91, 101)),
            rows=((55,), (66,), (81,), (82,)),
            cow=None,
            pool=(),
            opener=None,
            totals=(0, 0),
        )
    ] == bench.reports(1)
    assert tuple(range(1, 11)) == bench.reports(0)[0].hand


def test_a_trick_result_with_a_chosen_row():
    """Card 7 takes row 1, the 66 for 5 bullheads; the 95 goes to the 82."""
    bench = Bench(LOW, listeners=(1,))
    bench.round_of({0: 7, 1: 95})
    bench.answer(0, 1)

    assert (
        TrickResult(
            game="r3t2g1",
            seq=2,
            deal=1,
            trick=1,
            cards=(7, 95),
            by=(By.BOT, By.BOT),
            placements=(
                Placement(seat=0, card=7, row=1, takes=(Take(row=1, cards=(66,), bullheads=5),), jumps=()),
                Placement(seat=1, card=95, row=3, takes=(), jumps=()),
            ),
            row_by=By.BOT,
            rows=((55,), (7,), (81,), (82, 95)),
            cow=None,
            taken=(5, 0),
        )
        == bench.results(1)[0]
    )


def test_a_trick_result_with_the_cow():
    """COW: 9 takes 21 from row 0; the cow jumps to row 1, which costs 31 to 34, and back to row 0."""
    bench = Bench(COW, rules=Rules(jumping_cow=True, target=None, deals=1), listeners=(0,))
    bench.round_of({0: 32, 1: 33})
    bench.round_of({0: 34, 1: 35})
    bench.round_of({0: 9, 1: 100})
    bench.answer(0, 0)
    result = bench.results()[-1]

    assert (
        Placement(
            seat=0,
            card=9,
            row=0,
            takes=(
                Take(row=0, cards=(21,), bullheads=1),
                Take(row=1, cards=(31, 32, 33, 34), bullheads=8),
            ),
            jumps=(1, 0),
        ),
        Placement(seat=1, card=100, row=3, takes=(), jumps=()),
    ) == result.placements
    assert ((9,), (35,), (90,), (95, 100)) == result.rows
    assert (0, (9, 0)) == (result.cow, result.taken)


def test_a_row_that_takes_by_the_sixth_card_was_chosen_by_nobody():
    """STEADY, trick 3: the 15 takes five cards, and row_by is absent."""
    bench = Bench(listeners=(0,)).play_out()

    assert [None] * 10 == [result.row_by for result in bench.results()]
    assert (Take(row=3, cards=(4, 11, 12, 13, 14), bullheads=9),) == bench.results()[2].placements[0].takes


@pytest.mark.parametrize("late", [(), (0,), (1,), (0, 1)])
def test_trick_results_name_cards_played_by_default(late):
    """Exactly the seats that were late are `default`."""
    bench = Bench(listeners=(0,))
    for seat in (0, 1):
        if seat not in late:
            bench.answer(seat)
    if late:
        bench.expire()

    assert [By.DEFAULT if seat in late else By.BOT for seat in (0, 1)] == list(bench.results()[0].by)


@pytest.mark.parametrize(("row", "by"), [(2, By.BOT), (None, By.DEFAULT)])
def test_trick_results_name_a_row_chosen_by_default(row, by):
    """The card was the bot's own; the row is its own, or the default of a bot that is late."""
    bench = Bench(LOW, listeners=(1,))
    bench.round_of({0: 7, 1: 95})
    if row is None:
        bench.expire()
    else:
        bench.answer(0, row)

    assert (by, (By.BOT, By.BOT)) == (bench.results(1)[0].row_by, bench.results(1)[0].by)


def test_drafts_name_cards_picked_by_default():
    """Seat 0 picks, seat 1 is late, seat 0 picks."""
    bench = Bench(None, rules=DRAFTING, listeners=(0,))
    bench.answer(0)
    bench.expire()
    bench.answer(0)

    picks = [message for message in bench.reports(0) if isinstance(message, Drafted)]
    assert [(1, 0, 1, By.BOT), (2, 1, 2, By.DEFAULT), (3, 0, 3, By.BOT)] == [
        (pick.pick, pick.seat, pick.card, pick.by) for pick in picks
    ]


def test_the_forfeit_of_another_seat_is_no_default_of_the_picker():
    """Seat 1 forfeits by a violation while seat 0 picks: seat 0 has picked itself."""
    bench = Bench(None, rules=DRAFTING, clock=ONCE, listeners=(0,))
    bench.violate(1)
    bench.answer(0, 24)

    picks = [message for message in bench.reports(0) if isinstance(message, Drafted)]
    assert [(0, By.BOT), (1, By.DEFAULT)] == [(pick.seat, pick.by) for pick in picks]


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(Variant),
    cow=st.booleans(),
    players=st.integers(2, 6),
)
@settings(max_examples=30, deadline=None)
def test_trick_results_say_what_the_rules_say(seed, variant, cow, players):
    """Random games of all kinds: rows, cow and taken after each trick are those of a game played beside."""
    rules = Rules(variant=variant, jumping_cow=cow, target=None, deals=2)
    bench = Bench(None, players=players, rules=rules, seed=str(seed), listeners=(1,))
    beside = Game(
        rules=rules,
        players=players,
        game_number=1,
        decks=decks_of(None, rules, players, str(seed), bench.table.setup.game),
    )
    beside.begin()
    after_tricks, taken = [], []

    while bench.table.result is None:
        choices = {seat: chance(bench.asked(seat)) for seat in bench.open_seats()}
        for seat, choice in choices.items():
            bench.answer(seat, choice)
        deal, trick = beside.deal, beside.trick
        happened = beside.apply(choices)
        if any(isinstance(event, CardPlaced) for event in happened):
            taken = [0] * players if trick == 1 else taken
            for event in happened:
                if isinstance(event, RowTaken):
                    taken[event.seat] += event.bullheads
            # The game shows the last trick of a deal no more: there the end of the deal has the sums.
            rows = beside.rows if (beside.deal, beside.trick) == (deal, trick + 1) else None
            after_tricks.append((deal, trick, rows, beside.cow if rows else None, tuple(taken)))

    told = bench.results(1)
    assert [(deal, trick, taken) for deal, trick, _, _, taken in after_tricks] == [
        (result.deal, result.trick, result.taken) for result in told
    ]
    assert [(rows, cow) for _, _, rows, cow, _ in after_tricks if rows] == [
        (result.rows, result.cow) for result in told if result.trick < 10
    ]
    ends = [message for message in bench.reports(1) if isinstance(message, DealEnd)]
    assert [result.taken for result in told if result.trick == 10] == [end.bullheads for end in ends]
    assert beside.totals == ends[-1].totals == bench.end().totals


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(Variant))
@settings(max_examples=15, deadline=None)
def test_the_same_number_is_the_same_event_for_every_seat(seed, variant):
    """The seq counts 1, 2, 3 in each deal; but for the hand in deal_start all seats are told the same."""
    bench = Bench(
        None,
        players=3,
        rules=Rules(variant=variant, jumping_cow=True, target=None, deals=2),
        seed=str(seed),
        listeners=range(3),
    ).play_out(chance)
    told = [bench.reports(seat) for seat in range(3)]

    for deal in (1, 2):
        numbers = [message.seq for message in told[0] if message.deal == deal]
        assert list(range(1, len(numbers) + 1)) == numbers
    without_hands = [[without_hand(message) for message in messages] for messages in told]
    assert without_hands[0] == without_hands[1] == without_hands[2]


# --- the board ---------------------------------------------------------------------------------------------


def test_the_board_follows_one_trick():
    """A card, a take and a jump, by hand: the 25 takes five, and the cow moves from row 0 to row 1."""
    board = Board(2)
    board.lay_out(((7, 12, 20, 22), (33,), (61, 64), (90,)), 0)
    when = {"deal": 1, "trick": 4}
    placements = board.follow(
        [
            RowTaken(**when, seat=1, row=0, cards=(7, 12, 20, 22), bullheads=10),
            CardPlaced(**when, seat=1, card=25, row=0),
            CowJumped(**when, from_row=0, to_row=1),
            CardPlaced(**when, seat=0, card=65, row=2),
        ]
    )

    assert [(25,), (33,), (61, 64, 65), (90,)] == board.rows
    assert (1, [0, 10]) == (board.cow, board.taken)
    assert [(1, 25, 0, (1,)), (0, 65, 2, ())] == [
        (laid.seat, laid.card, laid.row, laid.jumps) for laid in placements
    ]


def test_the_board_forgets_at_a_new_deal():
    """Rows, cow and taken start again."""
    board = Board(2)
    board.lay_out(((1,), (2,), (3,), (4,)), None)
    board.follow([RowTaken(deal=1, trick=1, seat=0, row=3, cards=(4,), bullheads=1)])
    board.lay_out(((5,), (6,), (7,), (8,)), 2)

    assert ([(5,), (6,), (7,), (8,)], 2, [0, 0]) == (board.rows, board.cow, board.taken)
