"""The record: the same bytes whenever the same was played, as SPEC.md describes them (promise 12)."""

import hashlib

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.play.clock import ClockRules
from referee.play.events import Defaulted, SeatForfeited
from referee.play.names import GameId
from referee.play.record import event_line, tournament_digest
from referee.rules.variants import Rules, Variant
from tests.play.bench import CLOCK, COW, LOW, MS, ONE_DEAL, STEADY, Bench, chance
from tests.play.lines import digest_of, lines_from_messages, lines_of

HEADER = {
    "event": "game",
    "game": "r3t2g1",
    "round": 3,
    "table": 2,
    "set": 1,
    "number": 1,
    "names": ["ada", "bob"],
    "variant": "classic",
    "jumping_cow": False,
    "target": None,
    "deals": 1,
}


def test_t5_deal_04_the_lines_of_a_game_worked_out_by_hand():
    """STEADY played upwards, all ten tricks: who lays where and takes what, 20 against 12 bullheads."""
    lines = [HEADER]
    lines.append(
        {
            "event": "deal_started",
            "deal": 1,
            "hands": [list(range(11, 31, 2)), list(range(12, 32, 2))],
            "rows": [[1], [2], [3], [4]],
            "cow": None,
            "pool": [],
            "opener": None,
        }
    )
    takes = {
        (3, 0): ([4, 11, 12, 13, 14], 9),
        (5, 1): ([15, 16, 17, 18, 19], 6),
        (8, 0): ([20, 21, 22, 23, 24], 11),
        (10, 1): ([25, 26, 27, 28, 29], 6),
    }
    for trick in range(1, 11):
        cards = [9 + 2 * trick, 10 + 2 * trick]
        when = {"deal": 1, "trick": trick}
        lines.append({"event": "cards_revealed", **when, "cards": cards})
        for seat in (0, 1):
            if (trick, seat) in takes:
                taken, cost = takes[trick, seat]
                lines.append(
                    {"event": "row_taken", **when, "seat": seat, "row": 3, "cards": taken, "bullheads": cost}
                )
            lines.append({"event": "card_placed", **when, "seat": seat, "card": cards[seat], "row": 3})
    lines.append({"event": "deal_ended", "deal": 1, "bullheads": [20, 12], "totals": [20, 12]})
    lines.append({"event": "game_ended", "totals": [20, 12], "places": [2, 1], "forfeited": [False, False]})

    assert digest_of(lines) == Bench(STEADY).play_out().digest()


def test_the_lines_of_a_default_and_a_forfeit():
    """Seat 0 is late once and forfeits: seat_forfeited, then its default, then the cards, byte for byte."""
    bench = Bench(LOW, clock=ClockRules(move_ns=1000 * MS, strikes=1))
    bench.answer(1, 91)
    bench.expire()
    lines = [event_line(event) for event in bench.events]

    assert [
        b'{"event":"seat_forfeited","seat":0}\n',
        b'{"choice":1,"deal":1,"event":"defaulted","kind":"card","reason":"late","seat":0,"trick":1}\n',
        b'{"cards":[1,91],"deal":1,"event":"cards_revealed","trick":1}\n',
        b'{"choice":2,"deal":1,"event":"defaulted","kind":"row","reason":"forfeited","seat":0,"trick":1}\n',
        b'{"bullheads":1,"cards":[81],"deal":1,"event":"row_taken","row":2,"seat":0,"trick":1}\n',
        b'{"card":1,"deal":1,"event":"card_placed","row":2,"seat":0,"trick":1}\n',
        b'{"card":91,"deal":1,"event":"card_placed","row":3,"seat":1,"trick":1}\n',
    ] == [line for line in lines if line][1:]


def test_the_lines_of_the_cow():
    """COW, third trick, row 0: the take, the card, the jump, the take by the jump, the next jump."""
    bench = Bench(COW, rules=Rules(jumping_cow=True, target=None, deals=1))
    bench.round_of({0: 32, 1: 33})
    bench.round_of({0: 34, 1: 35})
    bench.round_of({0: 9, 1: 100})
    before = len(bench.events)
    bench.answer(0, 0)

    assert [
        b'{"bullheads":1,"cards":[21],"deal":1,"event":"row_taken","row":0,"seat":0,"trick":3}\n',
        b'{"card":9,"deal":1,"event":"card_placed","row":0,"seat":0,"trick":3}\n',
        b'{"deal":1,"event":"cow_jumped","from_row":0,"to_row":1,"trick":3}\n',
        b'{"bullheads":8,"cards":[31,32,33,34],"deal":1,"event":"row_taken","row":1,"seat":0,"trick":3}\n',
        b'{"deal":1,"event":"cow_jumped","from_row":1,"to_row":0,"trick":3}\n',
        b'{"card":100,"deal":1,"event":"card_placed","row":3,"seat":1,"trick":3}\n',
    ] == [event_line(event) for event in bench.events[before:]]


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(Variant),
    cow=st.booleans(),
    players=st.integers(2, 6),
)
@settings(max_examples=25, deadline=None)
def test_t5_deal_04_the_digest_can_be_computed_from_what_bots_are_told(seed, variant, cow, players):
    """Random games of all kinds: events bots at all seats together can prove the digest of game_end."""
    rules = Rules(variant=variant, jumping_cow=cow, target=None, deals=2)
    bench = Bench(None, players=players, rules=rules, seed=str(seed), listeners=range(players))
    shifted = {
        seat: [m for m in told if not hasattr(m, "request")]
        for seat, told in bench.play_out(chance).told.items()
    }
    bench.told = shifted

    assert digest_of(lines_from_messages(bench)) == bench.end().digest
    assert digest_of(lines_of(bench)) == bench.end().digest


@given(seed=st.integers(0, 2**32), data=st.data())
@settings(max_examples=25, deadline=None)
def test_the_digest_of_a_game_with_defaults(seed, data):
    """Seats that sometimes are late, wrong or violate: the events still give the lines of the record."""
    rules = Rules(variant=data.draw(st.sampled_from(Variant)), target=None, deals=1)
    bench = Bench(None, players=3, rules=rules, seed=str(seed))
    while bench.table.result is None:
        for seat in bench.open_seats():
            match data.draw(st.sampled_from(["right", "right", "right", "wrong", "silent", "violation"])):
                case "right":
                    bench.answer(seat, chance(bench.asked(seat)))
                case "wrong":
                    for _ in range(3):
                        bench.answer(seat, 0)
                case "violation":
                    bench.violate(seat)
                    bench.come(seat)
        if bench.table.wake_at() is not None:
            bench.expire()

    assert digest_of(lines_of(bench)) == bench.digest()


def test_timing_returns_and_stale_traffic_do_not_show():
    """The same cards, once quietly and once with drops, duplicates, wrong answers and long thought."""
    quiet = Bench(LOW).play_out()
    noisy = Bench(LOW, listeners=(0,))
    while noisy.table.result is None:
        for seat in noisy.open_seats()[::-1]:
            noisy.later(100).answer(seat, 104)
            noisy.answer(seat, 1, request=0)
            noisy.drop(seat)
            noisy.garble(seat, None)
            noisy.come(seat, events=bool(seat))
            noisy.later(300).answer(seat)
            noisy.answer(seat)
            noisy.come(seat, events=not seat)

    assert quiet.digest() == noisy.digest()


def test_one_default_shows_even_if_the_card_is_the_same():
    """The lowest card, once chosen and once by default."""
    chosen, defaulted = Bench(), Bench()
    defaulted.answer(1)
    defaulted.expire()

    assert chosen.play_out().digest() != defaulted.play_out().digest()


def test_the_reason_of_a_default_shows():
    """Late, illegal and gone are different records of the same cards."""
    late, illegal, gone = Bench(), Bench(), Bench()
    late.answer(1)
    late.expire()
    illegal.answer(1)
    for _ in range(3):
        illegal.answer(0, 99)
    gone.answer(1)
    gone.drop(0)
    gone.expire()
    gone.come(0)

    assert 3 == len({bench.play_out().digest() for bench in (late, illegal, gone)})


def test_one_other_card_shows():
    """Seat 1 swaps its last two cards."""
    plain, swapped = Bench(), Bench()
    for _ in range(8):
        swapped.answer(0)
        swapped.answer(1)
    swapped.answer(0)
    swapped.answer(1, 30)

    assert plain.play_out().digest() != swapped.play_out().digest()


@pytest.mark.parametrize(
    "game",
    [
        GameId(round=1, table=2, deal_set=1, game=1),
        GameId(round=3, table=1, deal_set=1, game=1),
        GameId(round=3, table=2, deal_set=2, game=1),
        GameId(round=3, table=2, deal_set=1, game=2),
    ],
)
def test_the_place_of_the_game_shows(game):
    """Round, table, set and number are each part of the record."""
    assert Bench().play_out().digest() != Bench(game=game).play_out().digest()
    assert Bench().play_out().table.result.course == Bench(game=game).play_out().table.result.course


def test_names_and_rules_show():
    """Who plays, the cow and what ends the game are part of it, though the cards were the same."""
    games = [
        Bench(),
        Bench(names=("ada", "bub")),
        Bench(rules=Rules(target=20, deals=None)),
        Bench(rules=Rules(target=19, deals=None)),
        Bench(rules=attrs.evolve(ONE_DEAL, jumping_cow=True)),
    ]

    assert 5 == len({bench.play_out().digest() for bench in games})


def test_the_limits_do_not_show():
    """Clock and strikes are no part of the record, as long as nobody needs them."""
    slow = ClockRules(move_ns=9000 * MS, grace_ns=5, bank_ns=7, strikes=0)

    assert Bench(clock=CLOCK).play_out().digest() == Bench(clock=slow).play_out().digest()


def test_events_that_are_not_in_the_record_have_no_line():
    """Faults, strikes, drops, returns and the closing of the game itself are left out."""
    bench = Bench(clock=ClockRules(move_ns=1000 * MS, strikes=1))
    bench.drop(0)
    bench.come(0)
    bench.violate(1)
    bench.play_out()
    left_out = {type(event).__name__ for event in bench.events if not event_line(event)}

    assert {"BotLeft", "BotReturned", "FaultFound", "Struck", "GameClosed"} == left_out
    assert [SeatForfeited(seat=1)] == bench.of(SeatForfeited)
    assert bench.of(Defaulted)


def test_t5_deal_05_the_digest_over_all_games_goes_by_the_schedule():
    """SHA-256 of the hex digests, one a line, by round, table, set and game, however they come."""
    games = [
        (GameId(round=1, table=1, deal_set=1, game=1), "aa"),
        (GameId(round=1, table=1, deal_set=1, game=10), "bb"),
        (GameId(round=1, table=1, deal_set=2, game=2), "cc"),
        (GameId(round=1, table=10, deal_set=1, game=1), "dd"),
        (GameId(round=2, table=1, deal_set=1, game=1), "ee"),
    ]

    assert hashlib.sha256(b"aa\nbb\ncc\ndd\nee\n").hexdigest() == tournament_digest(games[::-1])
