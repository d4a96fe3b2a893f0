"""Each bot as a real process on a real socket, through everything that a referee may send it."""

import pytest

from protocol.framing import frame
from protocol.messages import (
    Card,
    Closing,
    DealEnd,
    Draft,
    Error,
    GameEnd,
    GameStart,
    RequestClosed,
    Row,
    TournamentEnd,
    Waiting,
    Welcome,
)
from protocol.packing import pack
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from tests.protocol.samples import smallest, smallest_map

from .fake_referee import FakeReferee
from .playing import FOLDER, NAMES

every_bot = pytest.mark.parametrize("name", NAMES)

RULES = {"variant": "classic", "jumping_cow": False, "deals": 1, "highest_card": 104}
ROWS = {"rows": [[10], [30, 31], [50], [70, 71, 72, 73, 74]], "row_bullheads": [3, 6, 3, 6]}

ASK_CARD = smallest(
    ChooseCard,
    request=11,
    rules=RULES,
    **ROWS,
    totals=[0, 0, 0],
    taken=[0, 0, 0],
    seen=[10, 30, 31, 50, 70, 71, 72, 73, 74],
    hand=[5, 33, 99],
    choices=[5, 33, 99],
    bot_seed=2**53 - 1,
)
ASK_CARD_WITH_COW = smallest(
    ChooseCard,
    request=12,
    rules={**RULES, "variant": "advanced", "jumping_cow": True, "highest_card": 34},
    rows=[[1, 2, 3, 4], [10], [20], [30]],
    row_bullheads=[4, 3, 3, 3],
    cow=0,
    totals=[0, 0, 0],
    taken=[0, 0, 0],
    seen=list(range(1, 35)),
    hands=[[5, 33], [6, 7], [8, 9]],
    hand=[5, 33],
    choices=[5, 33],
)
ASK_ROW = smallest(
    ChooseRow,
    request=13,
    rules=RULES,
    **ROWS,
    costs=[3, 6, 2, 6],
    totals=[0, 0, 0],
    taken=[0, 0, 0],
    seen=[5],
    cards=[5, 80, 90],
    card=5,
    hand=[33, 99],
    choices=[0, 1, 2, 3],
)
ASK_DRAFT = smallest(
    ChooseDraft,
    request=14,
    rules={**RULES, "variant": "advanced", "highest_card": 24},
    pool=[1, 2, 11, 12, 24],
    hands=[[3], []],
    totals=[0, 0],
    choices=[1, 2, 11, 12, 24],
)
START = smallest(GameStart, game="g", names=["ann", "bob", "cid"], rules=RULES)
FINISHED = smallest(Closing, reason="finished", message="The tournament is over.")
UNKNOWN = frame(pack({"type": "applause", "request": 1, "choices": [1], "x": [None, {"y": 1.5}]}))


@pytest.fixture
def referee():
    """A referee without a bot yet; whatever is left of it afterwards is cleared away."""
    fake = FakeReferee()
    yield fake
    fake.close()


def seat_of(referee, name, **changes):
    """Start a bot and return its seat, with the hello heard and welcomed."""
    referee.start(FOLDER / f"{name}.py", **changes)
    seat = referee.accept()
    seat.hello = seat.hear()
    seat.say(smallest(Welcome, name="ann"))
    return seat


def is_legal(answer, request):
    """Say whether an answer is of the right type, for this request, and one of its choices."""
    expected = {ChooseCard: Card, ChooseRow: Row, ChooseDraft: Draft}[type(request)]
    choice = answer.row if isinstance(answer, Row) else answer.card
    return (type(answer), answer.request) == (expected, request.request) and choice in request.choices


@every_bot
def test_a_whole_tournament(referee, name):
    """Requests of all kinds get a legal answer, all else is taken in silence, `closing` ends the process."""
    seat = seat_of(referee, name)
    assert (seat.hello.name, seat.hello.secret, seat.hello.versions) == ("ann", "s3cret", (1,))
    assert name in seat.hello.client or name == "steady"

    seat.say(smallest(Waiting), START)
    for request in (ASK_CARD, ASK_CARD_WITH_COW, ASK_ROW, ASK_DRAFT):
        seat.send(UNKNOWN)
        seat.say(request)
        assert is_legal(seat.hear(), request)
        seat.say(smallest(RequestClosed))
    deal_end = smallest(DealEnd, game="g", bullheads=[1, 2, 3], totals=[1, 2, 3])
    seat.say(deal_end, smallest(GameEnd, game="g", totals=[1, 2, 3], places=[1, 2, 3]))
    seat.say(smallest(TournamentEnd), FINISHED)

    assert seat.hear() is None
    code, stdout, stderr = referee.ended()
    assert (code, stdout) == (0, "")
    assert "Traceback" not in stderr
    assert name == "steady" or stderr == ""


@every_bot
def test_frames_torn_at_every_byte(referee, name):
    """A request that trickles in byte by byte is one request."""
    seat = seat_of(referee, name)

    for byte in seat.frames(ASK_CARD):
        seat.send(bytes([byte]))

    assert is_legal(seat.hear(), ASK_CARD)


@every_bot
def test_frames_joined_in_one_packet(referee, name):
    """Three requests in one piece get three answers in order."""
    seat = seat_of(referee, name)

    seat.say(ASK_CARD, ASK_ROW, ASK_DRAFT)

    answers = [seat.hear() for _ in range(3)]
    assert all(map(is_legal, answers, (ASK_CARD, ASK_ROW, ASK_DRAFT)))


@every_bot
def test_the_same_question_gets_the_same_answer(referee, name):
    """As after a reconnect, though many other questions came in between."""
    seat = seat_of(referee, name)

    seat.say(ASK_CARD, ASK_ROW, ASK_DRAFT, ASK_CARD_WITH_COW, ASK_CARD, ASK_ROW, ASK_DRAFT)

    first = [seat.hear() for _ in range(3)]
    seat.hear()
    assert first == [seat.hear() for _ in range(3)]


@every_bot
def test_fields_that_mean_nothing_change_no_answer(referee, name):
    """The noisy twin of a request gets the answer of the plain one."""
    seat = seat_of(referee, name)
    fields = {**smallest_map(ChooseCard), "rules": RULES, **ROWS, "totals": [0, 0], "taken": [0, 0]}
    fields |= {"type": "choose_card", "request": 5, "hand": [5, 33], "choices": [5, 33], "seen": [10]}
    noise = {"x_ignore_me": [{"a": None}, True, 1.5, b"x"], "hands": None, "cow": None}

    seat.send(frame(pack(fields)) + frame(pack({**noise, **fields})))

    assert seat.hear() == seat.hear()


@every_bot
def test_what_the_referee_complains_about_is_printed(referee, name):
    """Its author reads it in the kept stderr; the bot plays on."""
    seat = seat_of(referee, name)

    seat.say(smallest(Error, code="illegal_choice", message="You do not hold 3."), ASK_CARD)

    assert is_legal(seat.hear(), ASK_CARD)
    seat.say(FINISHED)
    assert "You do not hold 3." in referee.ended()[2]


@every_bot
def test_a_refusal_ends_the_bot_and_is_printed(referee, name):
    """After an error that will not change nobody tries again, and the process says so by its exit code."""
    referee.start(FOLDER / f"{name}.py")
    seat = referee.accept()
    seat.hear()

    seat.say(smallest(Error, code="unknown_entrant", message="Nobody is called that.", fatal=True))
    seat.hang_up()

    code, _, stderr = referee.ended()
    assert code == 1
    assert "Nobody is called that." in stderr
    assert "Traceback" not in stderr
    assert referee.nobody_waits()


@every_bot
@pytest.mark.parametrize(
    "torn", [b"", b"\x00\x00", b"\x00\x00\x00\x05\x81"], ids=["between", "length", "payload"]
)
def test_a_bot_comes_back_after_a_drop(referee, name, torn):
    """Wherever the stream broke off: it introduces itself alike and answers the open request as before."""
    seat = seat_of(referee, name)
    seat.say(START, ASK_CARD)
    answer = seat.hear()
    seat.send(torn)
    seat.hang_up()

    again = referee.accept()
    assert again.hear() == seat.hello
    resumed = smallest(GameStart, game="g", resumed=True, names=["ann", "bob", "cid"], rules=RULES)
    again.say(smallest(Welcome, open_games=["g"]), resumed, ASK_CARD)

    assert again.hear() == answer
    again.say(FINISHED)
    code, _, stderr = referee.ended()
    assert code == 0
    assert "Traceback" not in stderr


@every_bot
def test_a_reset_is_a_drop_like_any_other(referee, name):
    """The bot reads an error instead of an end, and comes back all the same."""
    seat = seat_of(referee, name)
    seat.say(ASK_CARD)
    seat.hear()
    seat.reset()

    again = referee.accept()
    assert again.hear() == seat.hello
    again.say(smallest(Welcome), FINISHED)
    code, _, stderr = referee.ended()
    assert code == 0
    assert "Traceback" not in stderr


@every_bot
def test_a_bot_started_by_hand_says_what_is_missing(referee, name):
    """One sentence that names the variable, and an exit code that is not 0."""
    referee.start(FOLDER / f"{name}.py", TAKE5_SECRET=None)

    code, stdout, stderr = referee.ended()

    assert code == (2 if name == "steady" else 1)
    assert stdout == ""
    assert "TAKE5_SECRET is not set" in stderr
    assert stderr.count("\n") == 1


@every_bot
@pytest.mark.parametrize("reason", ["finished", "superseded", "suspended", "removed", "left"])
def test_a_bot_stays_away_once_told_goodbye(referee, name, reason):
    """After `closing` that names no time to come back it does not connect again."""
    seat = seat_of(referee, name)

    seat.say(smallest(Closing, reason=reason))

    assert seat.hear() is None
    assert referee.ended()[0] == 0
    assert referee.nobody_waits()


@every_bot
def test_a_bot_comes_back_when_told_to(referee, name):
    """A suspended tournament says after how many milliseconds."""
    seat = seat_of(referee, name)

    seat.say(smallest(Closing, reason="suspended", retry_ms=1))

    again = referee.accept()
    assert again.hear() == seat.hello
    again.say(FINISHED)
    assert referee.ended()[0] == 0


def test_steady_asks_for_events_and_logs_them(referee):
    """Its log names the game, its own bullheads and its place: seat 1 took 2 and came second."""
    seat = seat_of(referee, "steady")
    assert seat.hello.events is True

    seat.say(smallest(GameStart, game="r1t1g1", seat=1, names=["ann", "bob"]))
    seat.say(smallest(DealEnd, game="r1t1g1", bullheads=[1, 2], totals=[1, 2]))
    seat.say(smallest(GameEnd, game="r1t1g1", totals=[1, 2], places=[1, 2]), FINISHED)

    assert referee.ended()[2].splitlines() == [
        "r1t1g1: sitting down with ('ann', 'bob')",
        "r1t1g1: deal 1 cost 2 bullheads",
        "r1t1g1: finished in place 2",
    ]
