"""What a bot that comes back is told again: what was told before, and no more (promise 7)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.variants import Rules, Variant
from tests.play.bench import LOW, MS, REPORTS, STEADY, Bench, chance, kinds, without_hand


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(Variant),
    listening=st.lists(st.booleans(), min_size=9, max_size=100),
)
@settings(max_examples=30, deadline=None)
def test_t5_rejoin_02_what_is_told_again_was_told_before(seed, variant, listening):
    """Seat 0 follows throughout; seat 1 comes and goes after each answer, as chance has it.

    Whenever it comes, it is told this deal so far: just what seat 0 was told, number for number.
    """
    rules = Rules(variant=variant, jumping_cow=True, target=None, deals=2)
    bench = Bench(None, players=3, rules=rules, seed=str(seed), listeners=(0,))
    step = 0
    while bench.table.result is None:
        for seat in bench.open_seats():
            bench.answer(seat, chance(bench.asked(seat)))
        if bench.table.result is None and listening[step % len(listening)]:
            told = [message for _, message in bench.come(1, events=True) if isinstance(message, REPORTS)]
            followed = bench.reports(0)
            deal = followed[-1].deal

            assert [m for m in followed if m.deal == deal and m.seq > 1] == told[1:]
            assert without_hand(told[0]) in map(without_hand, followed)
        elif bench.table.result is None:
            bench.come(1, events=False)
        step += 1


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(Variant),
    listening=st.lists(st.sampled_from(["stays", "listens", "is deaf"]), min_size=9, max_size=100),
)
@settings(max_examples=40, deadline=None)
def test_what_is_told_does_not_depend_on_who_listened_before(seed, variant, listening):
    """A lone listener that comes and goes is told in each deal what one that stayed was told."""
    rules = Rules(variant=variant, jumping_cow=True, target=None, deals=3)
    steady = Bench(None, players=2, rules=rules, seed=str(seed), listeners=(0, 1)).play_out(chance)
    everything = {(m.deal, m.seq): m for m in steady.reports(0)}
    bench = Bench(None, players=2, rules=rules, seed=str(seed))
    step = 0
    while bench.table.result is None:
        for seat in bench.open_seats():
            bench.answer(seat, chance(bench.asked(seat)))
        match listening[step % len(listening)]:
            case "listens":
                bench.come(0, events=True)
            case "is deaf":
                bench.come(0, events=False)
        step += 1

    for message in bench.reports(0):
        assert everything[message.deal, message.seq] == message


def test_a_listener_lost_during_a_row_can_listen_again_in_the_next_deal():
    """The open cards of the trick it left in are not taken for those of the trick it comes back to."""
    bench = Bench(LOW, rules=Rules(target=None, deals=2), listeners=(1,))
    bench.round_of({0: 1, 1: 91})
    bench.come(1, events=False)
    while bench.asked(1).deal == 1:
        for seat in bench.open_seats():
            bench.answer(seat)
    told = bench.come(1, events=True)
    bench.answer(1)
    bench.answer(0)
    bench.answer(0)

    assert ["game_start", "deal_start", "choose_card"] == kinds(told)
    assert [(2, 1, (1, 91))] == [
        (result.deal, result.trick, result.cards) for result in bench.results(1) if result.deal == 2
    ]


def test_a_return_in_mid_trick_repeats_what_was_told():
    """After two tricks seat 0 comes back: deal_start with its hand as dealt, and both results."""
    bench = Bench(listeners=(0,))
    for _ in range(2):
        bench.answer(0)
        bench.answer(1)
    before = bench.reports(0)
    bench.later(3).drop(0)
    told = bench.later(3).come(0, events=True)

    assert ["game_start", "deal_start", "trick_result", "trick_result", "choose_card"] == kinds(told)
    assert before == [message for _, message in told if isinstance(message, REPORTS)]
    assert STEADY.hands[0] == before[0].hand


def test_a_return_while_a_row_is_chosen_tells_no_open_cards():
    """The trick is told once it is decided; until then only deal_start is."""
    bench = Bench(LOW, listeners=(1,))
    bench.round_of({0: 1, 1: 91})

    assert ["game_start", "deal_start"] == kinds(bench.come(1, events=True))

    told = bench.answer(0, 3)

    assert ["trick_result", "choose_card"] == kinds(message for seat, message in told if seat == 1)


def test_the_last_deal_is_not_told_again():
    """A bot that comes back in deal 2 is told of deal 2, with the totals 20 and 12 of deal 1."""
    bench = Bench(rules=Rules(target=None, deals=2), listeners=(0,))
    while bench.asked(0).deal == 1:
        bench.answer(0)
        bench.answer(1)
    bench.answer(0)
    bench.answer(1)
    told = [message for _, message in bench.come(0, events=True)]

    assert ["game_start", "deal_start", "trick_result", "choose_card"] == kinds(told)
    assert [2, 2] == [told[1].deal, told[2].deal]
    assert (20, 12) == told[1].totals


def test_totals_are_right_for_the_first_listener_of_a_later_deal():
    """Nobody listened in deal 1; who comes in deal 2 is told the totals all the same."""
    bench = Bench(rules=Rules(target=None, deals=2))
    while bench.asked(0).deal == 1:
        bench.answer(0)
        bench.answer(1)
    told = bench.come(0, events=True)

    assert (2, (20, 12)) == (told[1][1].deal, told[1][1].totals)


def test_an_absent_listener_is_told_nothing_in_between():
    """The first events after its drop reach it with its return."""
    bench = Bench(listeners=(0,))
    bench.drop(0)
    bench.answer(1)
    bench.later(1001)
    bench.tick()

    assert ["game_start", "deal_start", "choose_card"] == kinds(bench.told[0])
    assert 1001 * MS == bench.now
