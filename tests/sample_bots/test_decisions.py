"""The bots' decisions, called as functions: legal, a function of the request, as strong as they claim."""

import ast
import copy
import math
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.variants import Rules, Variant

from .playing import FOLDER, NAMES, decider, game_of, load, play_out, requests_of

every_bot = pytest.mark.parametrize("name", NAMES)

STANDARD = {
    "ssl",
    "contextlib",
    "os",
    "socket",
    "sys",
    "time",
    "bisect",
    "random",
    "collections",
    "typing",
    "msgpack",
}


def a_request(kind, **changes):
    """Return the fields of a request that decisions may look at: four players, nothing special."""
    common = {
        "type": kind,
        "rules": {"variant": "classic", "jumping_cow": False, "deals": 1, "highest_card": 104},
        "rows": [[10], [30], [50], [70]],
        "row_bullheads": [3, 3, 3, 3],
        "totals": [0, 0, 0, 0],
        "taken": [0, 0, 0, 0],
        "seen": [10, 30, 50, 70],
        "seat": 0,
        "bot_seed": 12345,
    }
    return {**common, **changes}


def card_request(hand, rows, **changes):
    """Return a choose_card request with this hand and these rows, which is all that has been seen."""
    seen = sorted(card for row in rows for card in row)
    heads = changes.pop("row_bullheads", [len(row) for row in rows])
    fields = {"hand": hand, "choices": hand, "rows": rows, "row_bullheads": heads, "seen": seen, **changes}
    return a_request("choose_card", **fields)


@every_bot
@settings(max_examples=20, deadline=None)
@given(
    variant=st.sampled_from(Variant),
    cow=st.booleans(),
    players=st.integers(2, 6),
    seed=st.text("abc", max_size=5),
)
def test_every_answer_of_a_deal_is_legal_and_a_function_of_the_request(name, variant, cow, players, seed):
    """In each variant, with and without the cow: a choice, the same twice, the request left alone."""
    decide, again = decider(name), decider(name)
    game = game_of(Rules(variant=variant, jumping_cow=cow, target=None, deals=1), players, seed)
    while not game.over:
        decisions = {}
        for seat, request in requests_of(game, seed).items():
            before = copy.deepcopy(request)

            choice = decide(request)

            assert type(choice) is int
            assert choice in request["choices"]
            assert choice == again(request)
            assert request == before
            decisions[seat] = choice
        game.apply(decisions)


@every_bot
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_id_and_time_left_change_no_answer(name, data):
    """After a reconnect the request comes with less time; the answer is the same, as the record must be."""
    game = game_of(Rules(target=None, deals=1), 4, data.draw(st.text("abc", max_size=5)))
    request = requests_of(game, "s")[0]

    later = {**request, "time_ms": data.draw(st.integers(0, 1000)), "request": 99, "x_ignore_me": [{}]}

    decide = decider(name)
    assert decide(later) == decide(request)


@every_bot
def test_a_bot_can_be_copied_as_it_is(name):
    """Executable, told to run with python3, and without any import that its reader would have to install."""
    path = FOLDER / f"{name}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))

    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    packages = {module.split(".")[0] for module in imported}
    assert packages <= STANDARD | ({"protocol"} if name == "steady" else set())
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env python3\n")
    assert path.stat().st_mode & stat.S_IXUSR


@every_bot
def test_a_bot_states_its_policies(name):
    """The row policy matters most, so it stands in the docstring, and in the README."""
    docstring = load(name).__doc__
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")

    assert {"Card policy:", "Row policy:", "Draft policy:"} <= set(_policies(docstring))
    assert f"**{name}.py**" in readme


def _policies(docstring):
    return [f"{line.split(':')[0]}:" for line in docstring.splitlines() if "policy:" in line]


@every_bot
def test_the_cheapest_row_is_taken(name):
    """All of them take row 2, whose 1 bullhead is less than 4, 2 and 3, whatever the rows look like."""
    rows = [[10], [30], [50, 51, 52], [70]]
    request = a_request("choose_row", rows=rows, row_bullheads=[3, 3, 3, 3], costs=[4, 2, 1, 3])

    assert decider(name)({**WHOLE_ROW_REQUEST, **request}) == 2


WHOLE_ROW_REQUEST = {
    "game": "r1t1g1",
    "deal": 1,
    "trick": 1,
    "cards": [5, 80, 81, 82],
    "card": 5,
    "request": 1,
    "hand": [60],
    "choices": [0, 1, 2, 3],
    "time_ms": 1000,
    "bank_ms": 0,
}


def test_simple_plays_its_highest_card():
    """Of 3, 44 and 99 it plays 99."""
    assert load("simple").choose_card(card_request([3, 44, 99], [[10], [30], [50], [70]])) == 99


def test_simple_drafts_the_middle_card_on_offer():
    """The middle of five is the third."""
    assert load("simple").choose_draft({"choices": [5, 1, 104, 9, 60]}) == 9


def test_chance_follows_bot_seed():
    """Over 200 seeds all ten cards are played, so it is chance, and each seed gives the same card again."""
    chance, hand = load("chance"), list(range(1, 11))
    requests = [card_request(hand, [[11], [30], [50], [70]], bot_seed=seed) for seed in range(200)]

    played = [chance.choose_card(request) for request in requests]

    assert set(played) == set(hand)
    assert played == [chance.choose_card(request) for request in requests]


def test_greedy_plays_the_closest_fit():
    """33 is 3 above a row's end, 55 is 5 above one, 12 is 2 above one: 12."""
    assert load("greedy").choose_card(card_request([12, 33, 55], [[10], [30], [50], [70]])) == 12


def test_greedy_leaves_full_rows_alone():
    """12 would be the sixth in its row; 33 fits with a gap of 3."""
    assert load("greedy").choose_card(card_request([12, 33], [[1, 2, 3, 4, 10], [30], [50], [70]])) == 33


def test_greedy_counts_the_cow_as_a_card():
    """With the cow at its right, a row of four is full."""
    request = card_request([12, 33], [[2, 3, 4, 10], [30], [50], [70]], cow=0)

    assert load("greedy").choose_card(request) == 33


def test_greedy_takes_the_smallest_loss_where_nothing_fits():
    """12 would take 9 bullheads; 5 is too low and takes the cheapest row, 3; so does 7, and is the higher."""
    request = card_request([5, 7, 12], [[1, 2, 3, 4, 10], [30], [50], [70]], row_bullheads=[9, 3, 5, 4])

    assert load("greedy").choose_card(request) == 7


def test_careful_knows_how_many_cards_come_before_its_own():
    """Two opponents with half and a quarter of their cards in the gap: 3/8, 1/2 and 1/8 for 0, 1 and 2."""
    rivals = [[21, 80, 25, 90], [22, 80, 85, 90]]

    chances = load("careful").landing_before(list(map(sorted, rivals)), 20, 30)

    assert chances == pytest.approx([3 / 8, 1 / 2, 1 / 8])


def test_careful_expects_what_the_sixth_card_takes():
    """One place is left and half of the rival's cards come into it: half of 4 bullheads and one mean card."""
    careful = load("careful")
    request = card_request([30], [[1, 2, 3, 20], [40], [50], [70]], row_bullheads=[4, 1, 3, 3])

    cost = careful.expected_cost(request, [[21, 80]], 30)

    assert math.isclose(cost, (4 + 171 / 104) / 2)


def test_careful_expects_nothing_where_too_few_can_come():
    """Three places are left for one rival and ourselves."""
    request = card_request([30], [[1, 20], [40], [50], [70]])

    assert load("careful").expected_cost(request, [[21, 80]], 30) == 0


def test_careful_pays_for_a_low_card_only_if_it_is_the_lowest():
    """With 1 card of 4 the rival is below 9 and has to take a row itself: 3/4 of the cheapest row, 2."""
    request = card_request([9], [[10], [30], [50], [70]], row_bullheads=[3, 2, 4, 5])

    cost = load("careful").expected_cost(request, [[4, 80, 81, 82]], 9)

    assert math.isclose(cost, 1.5)


def test_careful_pays_for_the_jump_of_the_cow():
    """RULES.md's eighth position: 45 fits, but the cow jumps on 10 15 20 25 30, and four of those cost 10."""
    rows = [[40, 41], [10, 15, 20, 25, 30], [70], [88]]
    request = card_request([45], rows, cow=0)

    assert load("careful").expected_cost(request, [[90]], 45) == 10


def test_careful_reads_the_known_hands():
    """After a draft only what the others hold can come before us."""
    hands = [[5], [80, 81], [90]]

    rivals = load("careful").possible_cards(card_request([5], [[10], [30], [50], [70]], hands=hands))

    assert rivals == [[80, 81], [90]]


def test_careful_counts_what_it_has_not_seen():
    """Of ten cards four lie open and two are its own: each of three opponents may hold the other four."""
    rules = {"variant": "tactic", "jumping_cow": False, "deals": 1, "highest_card": 10}
    request = card_request([5, 9], [[1], [3], [7], [10]], rules=rules)

    assert load("careful").possible_cards(request) == [[2, 4, 6, 8]] * 3


@pytest.mark.parametrize("name", sorted({*NAMES} - {"chance"}))
def test_drafts_avoid_both_extremes(name):
    """All but the bot of chance pick a card from the middle half of the pool first."""
    whole = {"game": "r1t1g1", "deal": 1, "pick": 1, "opener": 0, "request": 1, "time_ms": 1, "bank_ms": 0}
    pool = list(range(1, 25))
    rules = {"variant": "advanced", "jumping_cow": False, "deals": 1, "highest_card": 24}
    fields = {"pool": pool, "choices": pool, "hands": [[], []], "hand": [], "totals": [0, 0], "rules": rules}

    assert 7 <= decider(name)({**whole, **a_request("choose_draft", **fields)}) <= 18


def test_careful_beats_greedy_and_greedy_beats_chance():
    """Two of each at a table of six, 40 deals: the sums of bullheads are far apart."""
    order = ("careful", "greedy", "chance") * 2
    deciders = [decider(name) for name in order]
    sums = dict.fromkeys(order, 0)
    for deal in range(40):
        totals = play_out(deciders, Rules(target=None, deals=1), f"strength {deal}")
        for name, total in zip(order, totals, strict=True):
            sums[name] += total

    assert sums["careful"] < 0.9 * sums["greedy"]
    assert sums["greedy"] < 0.8 * sums["chance"]
