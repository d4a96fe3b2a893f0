"""The frames of protocol/vectors/frames.json, which any other implementation can be tested with as well."""

import json
from importlib.resources import files

import pytest

from protocol.codec import encode
from protocol.connection import Connection
from protocol.errors import PeerError, Severity
from protocol.messages import Welcome
from protocol.packing import unpack
from protocol.states import Role

from .samples import hello, smallest

VECTORS = json.loads(files("protocol").joinpath("vectors/frames.json").read_text(encoding="utf-8"))["frames"]


def receiver(vector):
    """Return the end that reads, in the state that the vector names."""
    ends = {role: Connection(role) for role in Role}
    if vector["state"] == "open":
        for role, message in ((Role.BOT, hello()), (Role.REFEREE, smallest(Welcome))):
            ends[role.other].receive(ends[role].send(message))
            ends[role.other].next_message()
    return ends[Role(vector["to"])]


def read_all(end, chunks):
    """Return the messages and the errors that come out, up to a fatal one."""
    messages, errors = [], []
    for chunk in chunks:
        end.receive(bytes.fromhex(chunk))
        while True:
            try:
                message = end.next_message()
            except PeerError as error:
                fatal = error.severity is Severity.FATAL
                errors.append({"code": error.code.value, "fatal": fatal, "request": error.request})
                if fatal:
                    return messages, errors
                continue
            if message is None:
                break
            messages.append(unpack(encode(message)))
    return messages, errors


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_frame(vector):
    """The chunks yield the messages and errors that the vector names, and leave as many bytes over."""
    end = receiver(vector)

    messages, errors = read_all(end, vector["chunks"])

    assert {"messages": vector["messages"], "errors": vector["errors"], "waiting": vector["waiting"]} == {
        "messages": messages,
        "errors": errors,
        "waiting": end.waiting,
    }


def test_vectors_have_names_of_their_own():
    """A name finds one vector."""
    names = [vector["name"] for vector in VECTORS]

    assert len(set(names)) == len(names)
