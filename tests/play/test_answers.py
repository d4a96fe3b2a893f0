"""Answers and request ids: which answer counts, and what becomes of the others (promise 3)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import Card, Draft, Row
from protocol.parts import ClosedBecause
from referee.play.clock import Arrival
from referee.rules.events import CardsRevealed
from referee.rules.variants import Rules, Variant
from tests.play.bench import LOW, MS, ONE_DEAL, REQUESTS, THREE, Bench, kinds


def test_t5_answer_01_the_first_valid_answer_wins():
    """A second, also valid, answer changes nothing: 15 is played, not 17."""
    bench = Bench()
    bench.answer(0, 15)
    bench.answer(0, 17)
    bench.answer(1, 30)

    assert (15, 30) == bench.of(CardsRevealed)[0].cards


def test_t5_answer_01_a_second_answer_is_refused_as_closed():
    """While the trick is open the bot is told request_closed with the id; it counts as a duplicate."""
    bench = Bench()
    request = bench.asked(0).request
    bench.answer(0, 15)

    ((seat, error),) = bench.answer(0, 15)

    assert (0, "request_closed", False, request) == (seat, error.code, error.fatal, error.request)
    assert {"duplicate": 1} == bench.faults(0)
    assert [0, 0] == bench.strikes()


def test_a_second_answer_may_be_illegal_all_the_same():
    """What comes after the answer is not looked at: an illegal second answer is a duplicate."""
    bench = Bench()
    bench.answer(0, 15)
    bench.answer(0, 99)

    assert ["request_closed"] == bench.errors(0)
    assert {"duplicate": 1} == bench.faults(0)


def test_t5_answer_04_a_stale_answer_is_dropped_silently_and_counted():
    """The answer to trick 1 that comes again in trick 2 does not decide trick 2, though 13 is in hand."""
    bench = Bench()
    old = bench.asked(0).request
    bench.round_of({0: 11, 1: 12})

    told = bench.answer(0, 13, request=old)

    assert [] == told
    assert {"stale": 1} == bench.faults(0)
    assert [0] == [seat for seat in bench.open_seats() if seat == 0]


def test_the_id_of_another_seat_decides_nothing():
    """Seat 0 answers with seat 1's id: dropped; both are still awaited."""
    bench = Bench()

    told = bench.answer(0, 11, request=bench.asked(1).request)

    assert [] == told
    assert [0, 1] == bench.open_seats()
    assert ({"stale": 1}, {}) == (bench.faults(0), bench.faults(1))


def test_t5_answer_05_an_answer_to_a_request_not_yet_sent_does_not_close_it():
    """An id that the bot can only have guessed is refused as unknown; it is no late answer and no strike."""
    bench = Bench()
    guessed = bench.asked(1).request + 1
    bench.answer(0, 11)
    bench.table.answered(1, Card(request=bench.asked(1).request, card=12), Arrival.at(0), 0)
    bench.table.answered(0, Card(request=guessed, card=13), Arrival.at(0), 0)
    bench.send()

    assert ["unknown_request"] == bench.errors(0)
    assert {"malformed": 1} == bench.faults(0)
    assert [0, 1] == bench.open_seats()
    assert [0, 0] == bench.strikes()


def test_garbled_fields_in_answer_to_a_request_not_yet_sent_do_not_close_it():
    """As above for an answer with a wrong field: the error is told, and the request stays open."""
    bench = Bench()
    guessed = bench.asked(1).request + 1
    bench.answer(0, 11)
    bench.table.answered(1, Card(request=bench.asked(1).request, card=12), Arrival.at(0), 0)
    bench.garble(0, guessed)

    assert ["bad_field"] == bench.errors(0)
    assert [0, 1] == bench.open_seats()
    assert [0, 0] == bench.strikes()


@pytest.mark.parametrize("wrong", [Row, Draft])
def test_t5_answer_02_the_wrong_kind_of_answer_to_choose_card_is_illegal(wrong):
    """A row or a draft for a card: the error names both kinds; the request stays open."""
    bench = Bench(LOW)
    request = bench.asked(0).request
    answer = Row(request=request, row=1) if wrong is Row else Draft(request=request, card=1)

    ((_, error),) = bench.say(0, answer)

    assert ("illegal_choice", request) == (error.code, error.request)
    assert "choose_card" in error.message
    assert wrong.TYPE in error.message
    assert {"illegal": 1} == bench.faults(0)
    assert [0, 1] == bench.open_seats()


def test_a_card_for_a_row_is_illegal():
    """Card 3 answers no choose_row, though 3 is among the choices."""
    bench = Bench(LOW)
    bench.round_of({0: 5, 1: 91})
    request = bench.asked(0).request

    bench.say(0, Card(request=request, card=3))

    assert ["illegal_choice"] == bench.errors(0)
    assert [0] == bench.open_seats()


def test_a_card_for_a_draft_is_illegal():
    """Card 7 answers no choose_draft, though 7 is on offer."""
    bench = Bench(None, rules=Rules(variant=Variant.ADVANCED, target=None, deals=1))

    bench.say(0, Card(request=bench.asked(0).request, card=7))

    assert ["illegal_choice"] == bench.errors(0)
    assert [0] == bench.open_seats()


def test_the_error_for_an_illegal_card_names_the_choices():
    """One sentence with what was sent and what may be."""
    bench = Bench(LOW)

    ((_, error),) = bench.answer(0, 77)

    assert "77 is not among the choices: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10." == error.message
    assert not error.fatal


def test_an_error_about_no_open_request_is_passed_on():
    """A garbled message that answers nothing known is told and counted, and closes nothing."""
    bench = Bench()

    for request in (None, 77, None, None):
        bench.garble(0, request)

    assert ["bad_field"] * 4 == bench.errors(0)
    assert {"malformed": 4} == bench.faults(0)
    assert [0, 1] == bench.open_seats()


def test_an_answer_to_a_request_decided_by_default_is_refused_as_closed():
    """Three wrong answers closed it while the others still think: the bot is told, and it is stale."""
    bench = Bench(THREE)
    for _ in range(3):
        bench.answer(0, 99)

    bench.answer(0, 11)

    assert ["illegal_choice"] * 3 + ["request_closed"] == bench.errors(0)
    assert {"illegal": 3, "stale": 1} == bench.faults(0)


def test_an_answer_after_the_end_of_the_game_is_dropped():
    """The last request's trick is not open any more: no error, and the digest stands."""
    bench = Bench().play_out()
    digest, last = bench.digest(), bench.asked(0)

    told = bench.answer(0, last.choices[0])

    assert [] == told
    assert digest == bench.digest()


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(Variant))
@settings(max_examples=20, deadline=None)
def test_t5_req_03_ids_never_repeat(seed, variant):
    """Through a random game every request has an id of its own, and ids grow."""
    bench = Bench(None, players=4, rules=Rules(variant=variant, target=None, deals=2), seed=str(seed))
    bench.play_out(lambda asked: asked.choices[asked.bot_seed % len(asked.choices)])

    ids = [message.request for _, message in bench.wire if isinstance(message, REQUESTS)]

    assert sorted(set(ids)) == ids


def test_a_request_asked_again_keeps_its_id():
    """After a return the same id is open, and only once."""
    bench = Bench()
    first = bench.asked(0).request
    bench.drop(0)
    bench.come(0)

    assert first == bench.asked(0).request

    bench.round_of({0: 11, 1: 12})

    assert [first] == [closed.request for closed in bench.closings(0)]


def test_asked_last_knows_the_open_and_the_just_closed_request():
    """It holds for a request until the next one is asked, and never for that of another seat."""
    bench = Bench()
    mine, other = bench.asked(0).request, bench.asked(1).request

    assert [True, False] == [bench.table.asked_last(0, mine), bench.table.asked_last(0, other)]

    bench.answer(0)

    assert bench.table.asked_last(0, mine)

    bench.answer(1)

    assert not bench.table.asked_last(0, mine)


def test_each_request_closes_exactly_once():
    """Answers, doublets and wrong answers mixed: one request_closed for each request."""
    bench = Bench(LOW, rules=ONE_DEAL)
    while bench.table.result is None:
        for seat in bench.open_seats():
            bench.answer(seat, 104)
            bench.answer(seat)
            if bench.table.result is None:
                bench.answer(seat)

    for seat in (0, 1):
        asked = [message.request for message in bench.told[seat] if isinstance(message, REQUESTS)]

        assert asked == [closed.request for closed in bench.closings(seat)]
        assert {ClosedBecause.ANSWERED} == set(bench.reasons(seat))
    assert "game_end" == kinds(bench.told[0])[-1]


def test_the_table_says_whether_an_answer_was_the_decision():
    """Only the first valid answer in time is one that somebody needed."""
    bench = Bench()
    asked = [bench.asked(seat).request for seat in (0, 1)]

    def needed(seat, request, card, at=0):
        return bench.table.answered(seat, Card(request=request, card=card), Arrival.at(at), at)

    assert not needed(0, asked[0], 99)
    assert not needed(0, asked[1], 11)
    assert needed(0, asked[0], 11)
    assert not needed(0, asked[0], 11)
    assert not needed(1, asked[1], 12, at=1001 * MS)
