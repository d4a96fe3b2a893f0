"""`check` finds each kind of wrong bot, in the right situation and with the right requirement; no I/O."""

import contextlib
import re
from pathlib import Path

import msgpack
import pytest
import trio

from referee.check.running import check, play_one
from referee.check.sections import section_of
from referee.check.situations import SITUATIONS
from referee.check.verdicts import Verdict

from . import zoo

ROOT = Path(__file__).parents[2]
BY_NAME = {situation.name: situation for situation in SITUATIONS}
NAMES = list(BY_NAME)


def stages(bot):
    """Return what makes a stage for a bot of the zoo."""

    @contextlib.asynccontextmanager
    async def make():
        async with trio.open_nursery() as nursery:
            yield zoo.MemoryStage(bot, nursery)
            nursery.cancel_scope.cancel()

    return make


async def result_of(bot, name):
    """Return what one situation comes to with a bot of the zoo."""
    return await play_one(BY_NAME[name], stages(bot), move_ms=2000)


@pytest.mark.parametrize("name", NAMES)
async def test_a_bot_that_does_everything_right_passes(name, autojump_clock):
    """In each situation, with nothing to remark."""
    result = await result_of(zoo.Bot, name)

    assert (Verdict.PASSED, "") == (result.verdict, result.sentence)


def is_type(name):
    """Return what is true of messages of one type."""
    return lambda message: message["type"] == name


def is_variant(variant):
    """Return what is true of requests in one variant."""
    return lambda message: "choose" in message["type"] and message["rules"]["variant"] == variant


def ended_with(reason):
    """Return what is true of one reason of `closing`."""
    return lambda end: end.get("reason") == reason


def canonical(payload):
    """Say whether a payload is written as msgpack's own packer does."""
    return msgpack.packb(msgpack.unpackb(payload)) == payload


WRONG = {
    "hello": (zoo.Impatient, "T5-HELLO-01"),
    "version": (zoo.introducing(versions=[2, 3]), "T5-HELLO-03"),
    "credentials": (zoo.introducing(secret="another"), "T5-LOCAL-01"),
    "waiting": (zoo.crashing(lambda message: message.get("reason") == "table"), "T5-HELLO-06"),
    "full": (zoo.returning(lambda end: end.get("code") == "too_many_connections", 0), "T5-BOT-01"),
    "finished-at-once": (zoo.returning(ended_with("finished"), 0.1), "T5-BOT-02"),
    "coalesced-frames": (zoo.OneMessageARead, "T5-WIRE-02"),
    "torn-frames": (zoo.OneReadAMessage, "T5-WIRE-02"),
    "torn-and-coalesced": (zoo.HeaderInOneRead, "T5-WIRE-02"),
    "slow-network": (zoo.losing_patience(0.15, in_frame=True), "T5-WIRE-02"),
    "largest-frame": (zoo.picky(lambda payload: len(payload) < 65536), "T5-WIRE-03"),
    "long-heads": (zoo.picky(canonical), "T5-WIRE-03"),
    "order-of-fields": (zoo.Positional, "T5-DATA-01"),
    "text": (zoo.picky(lambda payload: b"\xc3" not in payload), "T5-DATA-01"),
    "wide-integers": (zoo.picky(canonical), "T5-DATA-02"),
    "signed-integers": (zoo.picky(canonical), "T5-DATA-02"),
    "large-integers": (zoo.Narrow, "T5-ANSWER-05"),
    "nil-fields": (zoo.crashing(lambda message: message.get("hands", 0) is None), "T5-DATA-03"),
    "unknown-fields": (zoo.picky(lambda payload: b"x_" not in payload), "T5-DATA-04"),
    "unknown-messages": (zoo.crashing(is_type("x_weather")), "T5-STATE-03"),
    "in-time": (zoo.Slow, "T5-CLOCK-02"),
    "one-answer": (zoo.Twice, "T5-ANSWER-01"),
    "long-silence": (zoo.losing_patience(5, in_frame=False), "T5-TURN-02"),
    "classic": (zoo.crashing(lambda message: message.get("trick") == 10), "T5-RULES-01"),
    "two-players": (zoo.crashing(lambda message: len(message.get("names", "123")) == 2), "T5-RULES-01"),
    "ten-players": (zoo.crashing(lambda message: len(message.get("names", "123")) == 10), "T5-RULES-01"),
    "row-choice": (zoo.deaf(is_type("choose_row")), "T5-REQ-02"),
    "whole-game": (zoo.deaf(lambda message: message.get("deal") == 2), "T5-RULES-02"),
    "tactic": (zoo.deaf(is_variant("tactic")), "T5-RULES-03"),
    "draft": (zoo.deaf(is_type("choose_draft")), "T5-RULES-04"),
    "cow": (zoo.deaf(lambda message: "cow" in message), "T5-RULES-05"),
    "cow-row-choice": (
        zoo.deaf(lambda message: message["type"] == "choose_row" and "cow" in message),
        "T5-RULES-05",
    ),
    "draft-with-cow": (zoo.crashing(lambda message: "hands" in message and "cow" in message), "T5-RULES-05"),
    "next-game": (zoo.crashing(is_type("game_end")), "T5-END-01"),
    "abandoned-game": (zoo.OneGame, "T5-END-04"),
    "two-games": (zoo.OneGame, "T5-HELLO-05"),
    "events": (zoo.crashing(is_type("trick_result")), "T5-TURN-04"),
    "error-after-answer": (zoo.crashing(is_type("error")), "T5-ANSWER-02"),
    "unknown-error": (zoo.crashing(is_type("error")), "T5-STATE-03"),
    "default": (zoo.crashing(lambda message: message.get("reason") == "late"), "T5-DEFAULT-02"),
    "forfeit": (zoo.crashing(lambda message: any(message.get("forfeited", ()))), "T5-FAULT-04"),
    "pong": (zoo.crashing(is_type("pong")), "T5-LIMIT-03"),
    "behind-closing": (zoo.DeafToTheEnd, "T5-STATE-02"),
    "behind-fatal-error": (zoo.DeafToTheEnd, "T5-STATE-02"),
    "connection-lost": (zoo.returning(lambda end: not end, 0.01), "T5-BOT-01"),
    "backoff": (zoo.returning(lambda end: not end, 0.1), "T5-BOT-01"),
    "open-request": (zoo.Seen, "T5-REJOIN-02"),
    "reset": (zoo.Frozen, "T5-BOT-01"),
    "torn-end": (zoo.Lingering, "T5-WIRE-02"),
    "draft-again": (zoo.SeenDrafts, "T5-REJOIN-02"),
    "late-start": (zoo.crashing(lambda message: message.get("resumed")), "T5-REJOIN-02"),
    "superseded": (zoo.returning(ended_with("superseded"), 0.1), "T5-REJOIN-01"),
    "suspended": (zoo.returning(ended_with("suspended"), 0.1), "T5-BOT-02"),
    "referee-restarts": (zoo.OldIds, "T5-ANSWER-05"),
    "removed": (zoo.returning(ended_with("removed"), 0.1), "T5-END-05"),
    "polite-end": (zoo.Endless, "T5-BOT-02"),
}
"""For each situation a bot that is wrong in just that way, and the requirement that it breaks."""

ADVISED = {
    "refused": (zoo.returning(lambda end: end.get("code") == "unknown_entrant", 0.1), "T5-STATE-02"),
    "same-answer": (zoo.Random, "T5-REQ-04"),
}
"""The same for what a good bot does and no requirement asks for."""


def test_the_zoo_has_a_bot_for_each_situation():
    """Each situation can be failed, or at least earns advice."""
    assert set(NAMES) == WRONG.keys() | ADVISED.keys()


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_bot_fails(name, autojump_clock):
    """In the situation that is about its fault, which is named by the right id."""
    bot, requirement = WRONG[name]

    result = await result_of(bot, name)

    assert (Verdict.FAILED, requirement) == (result.verdict, result.requirement), result.sentence


@pytest.mark.parametrize("name", ADVISED)
async def test_a_bot_that_could_do_better_is_told(name, autojump_clock):
    """It does not fail."""
    bot, requirement = ADVISED[name]

    result = await result_of(bot, name)

    assert (Verdict.ADVISED, requirement) == (result.verdict, result.requirement), result.sentence


@pytest.mark.parametrize(
    ("bot", "requirement"),
    [
        (zoo.choosy(is_type("choose_card"), lambda request: 104 - request["choices"][0]), "T5-REQ-03"),
        (zoo.choosy(is_type("choose_card"), lambda request: float(request["choices"][0])), "T5-DATA-01"),
        (zoo.choosy(is_type("choose_card"), lambda request: None), "T5-DATA-03"),
        (zoo.blurting(msgpack.packb({"type": "row", "request": 1, "row": 1})), "T5-ANSWER-02"),
        (zoo.blurting(msgpack.packb({"type": "card", "request": 77, "card": 1})), "T5-ANSWER-05"),
        (zoo.blurting(msgpack.packb({"type": "think"})), "T5-STATE-03"),
        (
            zoo.blurting(msgpack.packb({"type": "hello", "name": "a", "secret": "", "versions": [1]})),
            "T5-STATE-01",
        ),
        (zoo.blurting(b'{"type": "card"}'), "T5-WIRE-03"),
        (zoo.blurting(b"x" * 70_000), "T5-WIRE-01"),
        (zoo.Pinging, "T5-LIMIT-01"),
        (zoo.blurting(msgpack.packb({"type": "leave"})), "T5-RULES-01"),
    ],
)
async def test_faults_of_every_day_are_named_wherever_they_occur(bot, requirement, autojump_clock):
    """What a bot sends is checked in each situation; here in a plain game."""
    result = await result_of(bot, "classic")

    assert (Verdict.FAILED, requirement) == (result.verdict, result.requirement), result.sentence


@pytest.mark.parametrize("name", ["connection-lost", "backoff", "open-request", "referee-restarts", "reset"])
async def test_a_bot_may_simply_end(name, autojump_clock):
    """Where waits are judged that says nothing; where it has to play on, it is started again."""
    result = await result_of(zoo.Quitter, name)

    expected = Verdict.NOT_APPLICABLE if name in ("connection-lost", "backoff") else Verdict.PASSED
    assert expected is result.verdict, result.sentence


async def test_a_bot_that_never_comes_fails(autojump_clock):
    """The sentence says for how long it was waited for."""

    class Absent(zoo.Bot):
        async def run(self):
            await trio.sleep_forever()

    result = await result_of(Absent, "hello")

    assert "The bot did not connect within 30 s of its start." == result.sentence


async def test_a_bot_that_ends_at_once_is_not_waited_for(autojump_clock):
    """It is told apart from one that hangs."""

    class Stillborn(zoo.Bot):
        async def run(self):
            return

    result = await result_of(Stillborn, "hello")

    assert "The bot ended without connecting within 30 s of its start." == result.sentence
    assert result.seconds < 1


async def test_what_was_said_is_kept_with_its_bytes(autojump_clock):
    """The first message is the bot's hello, whose bytes decode to it."""
    result = await result_of(zoo.Bot, "hello")

    said = [entry for entry in result.entries if entry.message]
    assert ["hello", "welcome", "game_start"] == [entry.message["type"] for entry in said[:3]]
    assert [entry.message for entry in said] == [msgpack.unpackb(entry.data[4:]) for entry in said]


async def test_results_come_in_order_however_long_they_take(autojump_clock):
    """The second situation takes longest; the third is told after it."""
    told = []
    names = ["hello", "long-silence", "pong"]

    results = await check(
        [BY_NAME[name] for name in names], stages(zoo.Bot), move_ms=2000, jobs=3, tell=told.append
    )

    assert names == [result.name for result in told]
    assert results == told


async def test_a_bot_that_is_started_elsewhere_is_checked_in_one_life(autojump_clock):
    """It is sent back after each situation, and comes again for the next; its end cannot be seen."""
    async with trio.open_nursery() as nursery:
        stage = zoo.DistantStage(zoo.Bot, nursery)
        await stage.start()

        @contextlib.asynccontextmanager
        async def same():
            yield stage

        situations = [BY_NAME[name] for name in ("hello", "draft", "reset", "credentials")]
        results = await check(situations, same, move_ms=2000, jobs=1, tell=lambda result: None)
        nursery.cancel_scope.cancel()

    verdicts = {result.name: result.verdict for result in results}
    assert Verdict.NOT_APPLICABLE is verdicts.pop("credentials")
    assert {Verdict.PASSED} == set(verdicts.values())


@pytest.mark.parametrize("name", ["refused", "finished-at-once", "superseded", "removed", "polite-end"])
async def test_a_bot_that_is_started_elsewhere_may_be_started_again(name, autojump_clock):
    """A connection soon after the end is no fault: somebody may have a loop around the bot."""

    class Looped(zoo.Bot):
        async def run(self):
            while True:
                await super().run()

    async with trio.open_nursery() as nursery:
        stage = zoo.DistantStage(Looped, nursery)
        await stage.start()

        @contextlib.asynccontextmanager
        async def same():
            yield stage

        results = [await play_one(BY_NAME[each], same, move_ms=2000) for each in (name, "hello")]
        nursery.cancel_scope.cancel()

    assert [Verdict.PASSED] * 2 == [result.verdict for result in results], results[0].sentence


async def test_a_bot_that_is_started_elsewhere_has_to_hang_up(autojump_clock):
    """That is what can be seen of its end."""

    class Clinging(zoo.Bot):
        async def on(self, message):
            if message["type"] == "closing":
                await trio.sleep_forever()
            await super().on(message)

    async with trio.open_nursery() as nursery:
        stage = zoo.DistantStage(Clinging, nursery)
        await stage.start()

        @contextlib.asynccontextmanager
        async def same():
            yield stage

        result = await play_one(BY_NAME["removed"], same, move_ms=2000)
        nursery.cancel_scope.cancel()

    assert (Verdict.FAILED, "T5-END-05") == (result.verdict, result.requirement)


def test_situations_name_requirements_that_exist():
    """Each id stands in SPEC.md, under the heading to which an author is sent."""
    spec = (ROOT / "SPEC.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (T5-[A-Z]+-\d+) \|.*\| \[([^\]]+)\]", spec, re.MULTILINE))
    named = {situation.requirement for situation in SITUATIONS}

    assert named <= rows.keys()
    assert {name: rows[name] for name in rows if "DEAL" not in name} == {
        name: section_of(name) for name in rows if "DEAL" not in name
    }


def test_every_requirement_that_a_bot_keeps_has_a_situation():
    """Those that SPEC.md says are kept by bots, alone or with the referee."""
    spec = (ROOT / "SPEC.md").read_text("utf-8")
    theirs = set(re.findall(r"^\| (T5-[A-Z]+-\d+) \|.*\| (?:bot|both) \|", spec, re.MULTILINE))
    named = {situation.requirement for situation in SITUATIONS} | {id_ for _, id_ in WRONG.values()}

    assert theirs - named == {"T5-WIRE-01"}  # is checked everywhere, see above


def test_names_are_told_apart():
    """A name finds one situation."""
    assert len(BY_NAME) == len(SITUATIONS)
