"""Each bot in another language, built and run for real, through everything that a referee may send it.

The decisions are judged by the tests that each bot has in its own language, which run here too.
"""

import os
import subprocess
import sys

import pytest

from protocol.framing import frame
from protocol.messages import (
    Closing,
    DealEnd,
    Error,
    GameEnd,
    GameStart,
    RequestClosed,
    TournamentEnd,
    TrickResult,
    Waiting,
    Welcome,
)
from protocol.packing import pack
from protocol.requests import ChooseCard
from referee.local.environment import build_environment
from tests.protocol.samples import smallest, smallest_map

from .building import LANGUAGES, Built, build
from .fake_referee import FakeReferee
from .playing import FOLDER
from .test_processes import (
    ASK_CARD,
    ASK_CARD_WITH_COW,
    ASK_DRAFT,
    ASK_ROW,
    FINISHED,
    ROWS,
    RULES,
    START,
    UNKNOWN,
    is_legal,
)

pytestmark = pytest.mark.timeout(900)
"""Cold builds fetch packages and compile a standard library."""

OWN_TESTS = {
    "c": ("make", "test"),
    "go": ("go", "test", "./..."),
    "javascript": ("node", "--test"),
}
"""How a bot is tested in its own language; that is done in the copy."""

PLAY = "from referee.cli.main import main; main()"

COLD = {
    "GOCACHE": "go-build",
    "GOMODCACHE": "go-mod",
    "npm_config_cache": "npm",
    "CARGO_HOME": "cargo",
    "XDG_CACHE_HOME": "cache",
}
"""Where the tools keep what they fetched and built, and in which directory a cold build has it instead."""

every_language = pytest.mark.parametrize("name", LANGUAGES)


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """Where bots are built when a test first asks for them, and not again in this session."""
    place = tmp_path_factory.mktemp("languages")
    built = {}

    def provide(name):
        if name not in built:
            built[name] = build(name, place)
        return built[name]

    return provide


@pytest.fixture
def bot(workshop, name) -> Built:
    """The bot of the test's language; without its tools or packages the test is skipped."""
    built = workshop(name)
    if built.lacking:
        pytest.skip(built.lacking)
    return built


@pytest.fixture
def referee():
    """A referee without a bot yet; whatever is left of it afterwards is cleared away."""
    fake = FakeReferee()
    yield fake
    fake.close()


def seat_of(referee, bot, **changes):
    """Start a bot and return its seat, with the hello heard and welcomed."""
    referee.start(*bot.command, cwd=bot.directory, **changes)
    seat = referee.accept()
    seat.hello = seat.hear()
    seat.say(smallest(Welcome, name="ann"))
    return seat


@every_language
def test_a_whole_tournament(referee, bot):
    """Requests of all kinds get a legal answer, all else is taken in silence, `closing` ends the process."""
    seat = seat_of(referee, bot)
    assert (seat.hello.name, seat.hello.secret, seat.hello.versions) == ("ann", "s3cret", (1,))

    seat.say(smallest(Waiting), START)
    for request in (ASK_CARD, ASK_CARD_WITH_COW, ASK_ROW, ASK_DRAFT):
        seat.send(UNKNOWN)
        seat.say(request)
        assert is_legal(seat.hear(), request)
        seat.say(smallest(RequestClosed))
    seat.say(smallest(DealEnd, game="g"), smallest(GameEnd, game="g"), smallest(TournamentEnd), FINISHED)

    assert seat.hear() is None
    assert referee.ended() == (0, "", "")


@every_language
def test_frames_torn_at_every_byte(referee, bot):
    """A request that trickles in byte by byte is one request."""
    seat = seat_of(referee, bot)

    for byte in seat.frames(ASK_CARD):
        seat.send(bytes([byte]))

    assert is_legal(seat.hear(), ASK_CARD)


@every_language
def test_frames_joined_in_one_packet(referee, bot):
    """Each of the requests of one game in one piece gets its answer, in order, and the same one again."""
    seat = seat_of(referee, bot)
    asked = (ASK_CARD, ASK_ROW, ASK_DRAFT, ASK_CARD_WITH_COW)

    seat.say(*asked, *asked)

    first = [seat.hear() for _ in asked]
    assert all(map(is_legal, first, asked))
    assert first == [seat.hear() for _ in asked]


@every_language
def test_fields_that_mean_nothing_change_no_answer(referee, bot):
    """The noisy twin of a request gets the answer of the plain one; nil is absent."""
    seat = seat_of(referee, bot)
    fields = {**smallest_map(ChooseCard), "rules": RULES, **ROWS, "totals": [0, 0], "taken": [0, 0]}
    fields |= {"type": "choose_card", "request": 5, "hand": [5, 33], "choices": [5, 33], "seen": [10]}
    noise = {"x_ignore_me": [{"a": None}, True, 1.5, b"x"], "hands": None, "cow": None}

    seat.send(frame(pack(fields)) + frame(pack({**noise, **fields})))

    assert seat.hear() == seat.hear()


@every_language
def test_integers_of_every_width(referee, bot):
    """A request id comes back whatever msgpack made of it: 8, 16, 32 and 64 bits."""
    seat = seat_of(referee, bot)
    ids = (5, 200, 60_000, 2**31, 2**53 - 1)
    fields = {"rules": RULES, **ROWS, "totals": [0, 0], "hand": [33], "choices": [33], "seen": [10]}

    for request in ids:
        seat.say(smallest(ChooseCard, request=request, **fields))

    assert tuple(seat.hear().request for _ in ids) == ids


@every_language
def test_what_the_referee_complains_about_is_printed(referee, bot):
    """Its author reads it in the kept stderr; the bot plays on."""
    seat = seat_of(referee, bot)

    seat.say(smallest(Error, code="illegal_choice", message="You do not hold 3."), ASK_CARD)

    assert is_legal(seat.hear(), ASK_CARD)
    seat.say(FINISHED)
    assert "You do not hold 3." in referee.ended()[2]


@every_language
def test_a_refusal_ends_the_bot_and_is_printed(referee, bot):
    """After an error that will not change nobody tries again, and the process says so by its exit code."""
    referee.start(*bot.command, cwd=bot.directory)
    seat = referee.accept()
    seat.hear()

    seat.say(smallest(Error, code="unknown_entrant", message="Nobody is called that.", fatal=True))
    seat.hang_up()

    code, stdout, stderr = referee.ended()
    assert (code, stdout) == (1, "")
    assert stderr.startswith("Nobody is called that.\n")
    assert referee.nobody_waits()


@every_language
def test_three_bugs_in_a_row_end_the_bot(referee, bot):
    """Welcome or not; an error that is like a broken connection begins the count anew."""
    referee.start(*bot.command, cwd=bot.directory)

    for code in ("flooding", "bad_frame", "too_many_connections", "flooding", "unheard_of", "bad_frame"):
        seat = referee.accept()
        seat.hear()
        seat.say(smallest(Welcome), smallest(Error, code=code, message="No.", fatal=True))

    assert referee.ended()[0] == 1
    assert referee.nobody_waits()


@every_language
@pytest.mark.parametrize(
    "torn", [b"", b"\x00\x00", b"\x00\x00\x00\x05\x81"], ids=["between", "length", "payload"]
)
def test_a_bot_comes_back_after_a_drop(referee, bot, torn):
    """Wherever the stream broke off: it introduces itself alike and answers the open request as before."""
    seat = seat_of(referee, bot)
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
    assert referee.ended()[0] == 0


@every_language
def test_a_reset_is_a_drop_like_any_other(referee, bot):
    """The bot reads an error instead of an end, and comes back all the same."""
    seat = seat_of(referee, bot)
    seat.say(ASK_CARD)
    seat.hear()
    seat.reset()

    again = referee.accept()
    assert again.hear() == seat.hello
    again.say(smallest(Welcome), FINISHED)
    assert referee.ended()[0] == 0


@every_language
def test_a_bot_started_by_hand_says_what_is_missing(referee, bot):
    """One sentence that names the variable, and an exit code that is not 0."""
    referee.start(*bot.command, cwd=bot.directory, TAKE5_SECRET=None)

    code, stdout, stderr = referee.ended()

    assert (code, stdout) == (1, "")
    assert "TAKE5_SECRET is not set" in stderr
    assert stderr.count("\n") == 1


@every_language
def test_a_bot_comes_back_when_told_to(referee, bot):
    """A suspended tournament says after how many milliseconds; without that the bot ends."""
    seat = seat_of(referee, bot)

    seat.say(smallest(Closing, reason="suspended", retry_ms=1))
    again = referee.accept()
    assert again.hear() == seat.hello
    again.say(smallest(Welcome), smallest(Closing, reason="suspended"))

    assert referee.ended()[0] == 0
    assert referee.nobody_waits()


@every_language
def test_games_side_by_side(referee, bot):
    """A bot that offers several games answers each of them, under the id of its request."""
    seat = seat_of(referee, bot)
    if seat.hello.games == 1:
        pytest.skip(f"the sample bot {bot.directory.name} plays one game at once")
    fields = {"rules": RULES, **ROWS, "totals": [0, 0], "hand": [33], "choices": [33], "seen": [10]}
    asked = [smallest(ChooseCard, game=f"r1t{n}g1", request=n, **fields) for n in range(1, 9)]

    seat.say(*(smallest(GameStart, game=request.game) for request in asked), *asked)

    assert sorted(seat.hear().request for _ in asked) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_javascript_remembers_what_the_others_did(referee, workshop):
    """The same hand in three games: where the others crowd the rows of two cards, it keeps out of them.

    39 tricks, of which the first only says how the rows stand: 76 cards on rows of two, where 19 were their
    share. So they are (76 + 12) / (19 + 12) = 2.8 times as likely to fill up, and rows of three 0.24 times.
    """
    built = workshop("javascript")
    if built.lacking:
        pytest.skip(built.lacking)
    seat = seat_of(referee, built)
    assert seat.hello.events is True
    rows = [[10, 11], [30], [50, 51, 52], [70, 71, 72]]
    onto = {"row": 0, "takes": [], "jumps": []}
    crowd = [{"seat": 1, "card": 12, **onto}, {"seat": 2, "card": 13, **onto}]

    def ask(game, *events):
        seat.say(smallest(GameStart, game=game, names=["ann", "bob", "cid"], rules=RULES), *events)
        seat.say(smallest(ChooseCard, game=game, **fields))
        return seat.hear().card

    # 30 goes to the row of two and 60 to the row of three, which is the dearer by far.
    fields = {"rules": RULES, "rows": [[1], [10, 11], [50, 51, 52], [100]], "row_bullheads": [1, 8, 25, 3]}
    fields |= {"totals": [0] * 5, "taken": [0] * 5, "seen": [1, 10, 11, 50, 51, 52, 100]}
    fields |= {"hand": [30, 60], "choices": [30, 60]}
    told = {"game": "r1t2g1", "rows": rows, "placements": crowd, "taken": [0] * 3, "cards": [14, 12, 13]}
    crowding = [smallest(TrickResult, seq=number, **told) for number in range(1, 40)]

    assert ask("r1t1g1") == 30
    assert ask("r1t2g1", *crowding) == 60
    assert ask("r1t3g1") == 30


@every_language
def test_its_own_tests(bot, name):
    """What its author would run, on the vectors of the protocol."""
    if name not in OWN_TESTS:
        pytest.skip(f"no command is known that runs the tests of the sample bot {name}")
    environment = build_environment(os.environ) | {
        "TAKE5_VECTORS": str(FOLDER.parent / "protocol" / "vectors")
    }

    done = subprocess.run(
        OWN_TESTS[name], cwd=bot.directory, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "TAKE5_VECTORS does not say" not in done.stdout


@pytest.mark.parametrize("variant", ["classic", "tactic", "advanced"])
def test_all_languages_play_a_tournament(workshop, tmp_path, variant):
    """With the cow, without a fault, and the same one again from the same seed."""
    built = [workshop(name) for name in LANGUAGES]
    bots = [str(one.directory) for one in built if not one.lacking]
    if len(bots) < 2:
        pytest.skip("fewer than two languages can be built here")

    def play(number):
        options = ["--variant", variant, "--jumping-cow", "--deals", "2", "--seed", "tower"]
        options += [
            "--move-timeout",
            "30s",
            "--format",
            "csv",
            "--journal",
            str(tmp_path / f"{number}.journal"),
        ]
        done = subprocess.run(
            [sys.executable, "-P", "-c", PLAY, "run-local", *options, *bots],
            capture_output=True,
            text=True,
            check=True,
        )
        digests = [line for line in done.stderr.splitlines() if line.startswith("record digest")]
        return [line.split(",")[9] for line in done.stdout.splitlines()[1:]], digests

    faults, digest = play(1)

    assert faults == [""] * len(bots)
    assert len(digest) == 1
    assert play(2) == (faults, digest)


@pytest.mark.slow
@pytest.mark.timeout(900)
@every_language
def test_a_cold_build(tmp_path, monkeypatch, name):
    """With empty caches everything is fetched and compiled anew; what was pinned can be had."""
    for variable, place in COLD.items():
        monkeypatch.setenv(variable, str(tmp_path / place))
    monkeypatch.setenv("GOFLAGS", f"{os.environ.get('GOFLAGS', '')} -modcacherw".strip())

    built = build(name, tmp_path)

    if built.lacking:
        pytest.skip(built.lacking)
    print(f"{name}: built after {built.seconds:.1f} s with cold caches")
    assert built.directory is not None
