"""The vectors in protocol/vectors/messages.json and sessions.json; they are what the script makes."""

import json
from importlib.resources import files

import pytest

from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.connection import Connection
from protocol.messages import FROM_BOT, Answer, Request, answer_value
from protocol.packing import pack, unpack
from protocol.schema import MESSAGES, schema
from protocol.states import Role, State

from . import make_vectors
from .validating import is_valid

BOT_TYPES = {cls.TYPE for cls in FROM_BOT}


def load(name):
    """Return the vectors of one file."""
    return json.loads(files("protocol").joinpath(f"vectors/{name}.json").read_text(encoding="utf-8"))[name]


MESSAGE_VECTORS, SESSIONS = load("messages"), load("sessions")


def decode(values):
    """Return the message that a map describes."""
    side = decode_from_bot if values["type"] in BOT_TYPES else decode_from_referee
    return side(pack(values))


@pytest.mark.parametrize("name", ["messages.json", "sessions.json"])
def test_vectors_are_current(name):
    """`python -m tests.protocol.make_vectors` would change nothing."""
    written = files("protocol").joinpath(f"vectors/{name}").read_text(encoding="utf-8")

    assert make_vectors.texts()[name] == written


def test_every_message_has_vectors():
    """And each is valid by the schema."""
    assert MESSAGES.keys() == {vector["message"]["type"] for vector in MESSAGE_VECTORS}
    assert [] == [vector["name"] for vector in MESSAGE_VECTORS if not is_valid(vector["message"], schema())]


@pytest.mark.parametrize("vector", MESSAGE_VECTORS, ids=lambda vector: vector["name"])
def test_all_encodings_mean_the_same_message(vector):
    """Each decodes to it, and the first is what our own code writes."""
    expected = decode(vector["message"])
    side = decode_from_bot if vector["from"] == "bot" else decode_from_referee
    frames = [bytes.fromhex(encoding["hex"]) for encoding in vector["encodings"]]

    assert [expected] * len(frames) == [side(data[4:]) for data in frames]
    assert [len(data) - 4 for data in frames] == [int.from_bytes(data[:4], "big") for data in frames]
    assert vector["message"] == unpack(frames[0][4:])
    assert len(set(frames)) == len(frames) >= 3


def test_integers_are_written_in_every_format():
    """In the vectors of a card: all eight formats, and the shortest."""
    (card,) = (vector for vector in MESSAGE_VECTORS if vector["name"] == "card")
    tails = {bytes.fromhex(encoding["hex"]).hex().rpartition("63617264")[2] for encoding in card["encodings"]}

    assert {
        "2d",
        "cc2d",
        "cd002d",
        "ce0000002d",
        "cf000000000000002d",
        "d02d",
        "d1002d",
        "d20000002d",
        "d3000000000000002d",
    } <= tails


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["name"])
def test_both_ends_take_part_in_a_session(session):
    """Our own ends would send exactly these bytes, and understand those of the other."""
    ends = {role: Connection(role) for role in Role}
    for step in session["steps"]:
        if step["from"] == "network":
            ends = {role: Connection(role) for role in Role}
            continue
        sender, data = Role(step["from"]), bytes.fromhex(step["hex"])
        message = decode(step["message"])
        if sender is Role.REFEREE or step["message"] == unpack(encode(message)):
            assert data == ends[sender].send(message)
        ends[sender.other].receive(data)

        assert message == ends[sender.other].next_message()
        assert step["message"] == unpack(data[4:])
        assert is_valid(step["message"], schema())

    assert {State.CLOSED} == {end.state for end in ends.values()}


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["name"])
def test_answers_in_sessions_are_to_the_open_request(session):
    """Those that are not among the choices are in the session that is about them, five of them."""
    request, wrong = None, 0
    for step in session["steps"]:
        message = None if step["from"] == "network" else decode(step["message"])
        if isinstance(message, Request):
            request = message
        elif isinstance(message, Answer):
            assert request.request == message.request
            wrong += answer_value(message) not in request.choices

    assert (5 if session["name"] == "illegal answers" else 0) == wrong


def test_sessions_show_what_they_are_about():
    """All kinds of requests, all reasons that the sessions are for, and nearly all messages of a game."""
    said = {session["name"]: [step.get("message", {}) for step in session["steps"]] for session in SESSIONS}
    kinds = {message.get("type") for messages in said.values() for message in messages}
    reasons = [message.get("reason") for message in said["illegal answers"]]
    resumed = [message["resumed"] for message in said["rejoin"] if message.get("type") == "game_start"]
    times = [
        message["time_ms"]
        for message in said["rejoin"]
        if message.get("time_ms") != 2000 and "time_ms" in message
    ]

    assert {*MESSAGES, None} - kinds == {"waiting", "leave"}
    assert (1, [False, True], [1850]) == (reasons.count("illegal"), resumed, times)
