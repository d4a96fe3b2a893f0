"""The sample bots in Rust, Java and C++: built in a copy, tested by their own tests, and played with."""

import re
import shlex
import shutil
import subprocess

import pytest

from protocol.framing import frame
from protocol.messages import Closing, Error, RequestClosed, TournamentEnd, Waiting, Welcome
from protocol.packing import pack
from referee.local.manifests import read_manifest
from referee.rules.variants import Rules, Variant
from tests.protocol.samples import smallest

from .fake_referee import FakeReferee
from .playing import FOLDER, game_of, requests_of
from .test_processes import (
    ASK_CARD,
    ASK_CARD_WITH_COW,
    ASK_DRAFT,
    ASK_ROW,
    FINISHED,
    START,
    UNKNOWN,
    is_legal,
)

OWN_TESTS = {
    "rust": ["cargo", "test", "--locked", "--", "--nocapture"],
    "java": ["mvn", "--batch-mode", "test"],
    "cpp": ["ctest", "--test-dir", "build", "--verbose"],
}
"""By the directory of a bot, how it is tested once it is built."""

REQUESTS = (ASK_CARD, ASK_CARD_WITH_COW, ASK_ROW, ASK_DRAFT)

# Cold builds download and compile what the bots depend on.
pytestmark = pytest.mark.timeout(900)


def has_headers():
    """Say whether the C++ compiler finds the library that the C++ bot needs."""
    preprocess = ["c++", "-E", "-x", "c++", "-include", "nlohmann/json.hpp", "/dev/null"]
    return subprocess.run(preprocess, capture_output=True, check=False).returncode == 0


def run(command, directory):
    """Run a command and return its output, which a failure shows."""
    ended = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture(scope="module", params=OWN_TESTS)
def bot(request, tmp_path_factory):
    """The directory of a bot that was built, in a copy that has its files and the vectors."""
    manifest = read_manifest(FOLDER / request.param)
    missing = [tool for tool in manifest.needs if not shutil.which(tool)]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed, with which the {request.param} bot is built.")
    if request.param == "cpp" and not has_headers():
        pytest.skip("nlohmann/json.hpp is not installed, which the cpp bot is built with.")
    root = tmp_path_factory.mktemp(request.param)
    products = shutil.ignore_patterns("target", "build")
    shutil.copytree(FOLDER / request.param, root / "sample_bots" / request.param, ignore=products)
    shutil.copytree(FOLDER.parent / "protocol" / "vectors", root / "protocol" / "vectors")
    directory = root / "sample_bots" / request.param
    run(manifest.build, directory)
    return directory


@pytest.fixture
def referee():
    """A referee without a bot yet; whatever is left of it afterwards is cleared away."""
    fake = FakeReferee()
    yield fake
    fake.close()


def start(referee, bot, **changes):
    """Start a bot as its bot.toml says, in its directory."""
    program = bot.parent / f"{bot.name}.sh"
    command = shlex.join(read_manifest(bot).command)
    program.write_text(f"#!/bin/sh\ncd {shlex.quote(str(bot))} && exec {command}\n")
    program.chmod(0o755)
    referee.start(program, **changes)


def welcomed(referee):
    """Return the seat of the next connection, with the hello heard and welcomed."""
    seat = referee.accept()
    seat.hello = seat.hear()
    seat.say(smallest(Welcome, name="ann"))
    return seat


def seat_of(referee, bot):
    """Start a bot and return its seat."""
    start(referee, bot)
    return welcomed(referee)


def answers_of(seat):
    """Ask everything, and return the answers, which are legal."""
    answers = []
    for request in REQUESTS:
        seat.say(request)
        answers.append(seat.hear())
        assert is_legal(answers[-1], request)
    return answers


def test_its_own_tests_pass(bot):
    """They read the referee's vectors, and do not skip them for want of the files."""
    output = run(OWN_TESTS[bot.name], bot)

    assert "copied away" not in output
    assert not re.search(r"Skipped: [1-9]", output)


def test_it_is_built_once(bot):
    """The artifact that bot.toml names is there after the build, so that the bot is ready."""
    assert (bot / read_manifest(bot).artifact).is_file()


def test_a_whole_tournament(referee, bot):
    """Requests of all kinds get a legal answer, all else is taken in silence, `closing` ends the process."""
    seat = seat_of(referee, bot)
    assert (seat.hello.name, seat.hello.secret, seat.hello.versions) == ("ann", "s3cret", (1,))
    assert seat.hello.client == read_manifest(bot).name

    seat.say(smallest(Waiting), START)
    for request in REQUESTS:
        seat.send(UNKNOWN)
        seat.say(request)
        assert is_legal(seat.hear(), request)
        seat.say(smallest(RequestClosed))
    seat.say(smallest(TournamentEnd), FINISHED)

    assert seat.hear() is None
    assert referee.ended() == (0, "", "")


def test_frames_torn_at_every_byte(referee, bot):
    """A request that trickles in byte by byte is one request."""
    seat = seat_of(referee, bot)

    for byte in seat.frames(ASK_CARD):
        seat.send(bytes([byte]))

    assert is_legal(seat.hear(), ASK_CARD)


def test_frames_that_arrive_together(referee, bot):
    """Each of two requests in one piece gets its answer, in order."""
    seat = seat_of(referee, bot)

    seat.say(ASK_CARD, ASK_ROW)

    assert is_legal(seat.hear(), ASK_CARD)
    assert is_legal(seat.hear(), ASK_ROW)


@pytest.mark.parametrize("end", ["hang_up", "reset"])
def test_t5_bot_01_it_comes_back_and_answers_alike(referee, bot, end):
    """After a drop it introduces itself as before, and gives the same answers to the same requests."""
    first = seat_of(referee, bot)
    before = answers_of(first)

    getattr(first, end)()
    second = welcomed(referee)

    assert second.hello == first.hello
    assert answers_of(second) == before


def test_t5_bot_02_it_comes_back_when_told_to(referee, bot):
    """A suspended tournament says after how many milliseconds; without them the bot ends."""
    seat = seat_of(referee, bot)

    seat.say(smallest(Closing, reason="suspended", retry_ms=1))
    again = welcomed(referee)
    again.say(smallest(Closing, reason="suspended"))

    assert again.hello == seat.hello
    assert referee.ended()[0] == 0
    assert referee.nobody_waits()


def test_an_error_that_will_not_change_ends_it(referee, bot):
    """It prints what the referee said, gives up at once, and its exit code is not 0."""
    start(referee, bot)
    seat = referee.accept()
    seat.hear()

    seat.say(smallest(Error, code="unknown_entrant", message="No such entrant.", fatal=True))

    code, _, stderr = referee.ended()
    assert code == 1
    assert "No such entrant." in stderr
    assert "gives up" in stderr
    assert referee.nobody_waits()


def test_three_bugs_in_a_row_end_it(referee, bot):
    """Twice it comes back after a fatal error that it must have caused."""
    start(referee, bot)

    for _ in range(3):
        welcomed(referee).say(smallest(Error, code="flooding", message="Too much.", fatal=True))

    assert referee.ended()[0] == 1
    assert referee.nobody_waits()


def test_started_by_hand_it_says_what_is_missing(referee, bot):
    """One sentence that names the variable, and an exit code that is not 0."""
    start(referee, bot, TAKE5_SECRET=None)

    assert referee.ended() == (
        1,
        "",
        "TAKE5_SECRET is not set: the referee sets it when it starts a bot.\n",
    )


@pytest.mark.parametrize("players", [2, 6])
@pytest.mark.parametrize("cow", [False, True])
@pytest.mark.parametrize("variant", Variant)
def test_it_plays_every_variant(referee, bot, variant, cow, players):
    """All seats of a deal are played by one bot, and every answer is legal."""
    seat = seat_of(referee, bot)
    game = game_of(Rules(variant=variant, jumping_cow=cow, deals=1, target=None), players, "demo")

    while not game.over:
        choices = {}
        for index, request in requests_of(game, "demo").items():
            seat.send(frame(pack(request)))
            answer = seat.hear()
            choices[index] = answer.row if request["type"] == "choose_row" else answer.card
            assert choices[index] in request["choices"]
        game.apply(choices)

    assert len(game.totals) == players
