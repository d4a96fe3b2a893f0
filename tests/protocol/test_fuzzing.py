"""Any bytes at all: codec and session give a message or a typed refusal, and never anything else."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import decode_from_bot, decode_from_referee
from protocol.connection import Connection
from protocol.errors import PeerError, Severity
from protocol.framing import LIMIT
from protocol.messages import FROM_BOT, FROM_REFEREE, Hello, Message, Welcome
from protocol.states import Role, State
from tests.protocol.mutants import corpus, hostile
from tests.protocol.samples import hello, smallest


def opened(role: Role) -> Connection:
    """Return one end of a connection on which a bot has been let in."""
    end = Connection(role)
    if role is Role.REFEREE:
        end.receive(Connection(Role.BOT).send(hello()))
        end.next_message()
        end.send(smallest(Welcome))
    else:
        end.send(hello())
        other = Connection(Role.REFEREE)
        other.receive(Connection(Role.BOT).send(hello()))
        other.next_message()
        end.receive(other.send(smallest(Welcome)))
        end.next_message()
    return end


def heard(end: Connection, pieces: list[bytes]) -> list[Message | str]:
    """Feed bytes; return what came out: messages, and the codes of errors up to the first that is fatal."""
    found: list[Message | str] = []
    for piece in pieces:
        end.receive(piece)
        while True:
            try:
                message = end.next_message()
            except PeerError as error:
                found.append(error.code.value if error.sentence else "no sentence")
                if error.severity is Severity.FATAL:
                    return found
                continue
            if message is None:
                break
            found.append(message)
    return found


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Return data in pieces."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


ENDS = {
    "referee before hello": lambda: Connection(Role.REFEREE),
    "referee after welcome": lambda: opened(Role.REFEREE),
    "bot after welcome": lambda: opened(Role.BOT),
}


@pytest.mark.parametrize("end", ENDS)
@settings(max_examples=150)
@given(data=hostile(), places=st.lists(st.integers(0, 500), max_size=4))
def test_any_bytes_are_messages_or_refusals(end: str, data: bytes, places: list[int]) -> None:
    """Whatever arrives, and however it is torn: the same messages and codes come out, and only those."""
    whole, torn = ENDS[end](), ENDS[end]()
    expected = heard(whole, [data])
    kinds = FROM_REFEREE if whole.role is Role.BOT else FROM_BOT

    assert expected == heard(torn, cut(data, places))
    assert all(isinstance(item, (str, *kinds)) for item in expected)
    assert "no sentence" not in expected
    assert whole.state is torn.state
    assert whole.waiting <= LIMIT + len(data)


@settings(max_examples=150)
@given(payload=hostile())
def test_what_can_be_decoded_can_be_said_again(payload: bytes) -> None:
    """A payload that is read as a message means the same when it is written by us and read again."""
    for decode, role in ((decode_from_bot, Role.BOT), (decode_from_referee, Role.REFEREE)):
        try:
            message = decode(payload[4:])
        except PeerError:
            continue
        sender = opened(role) if not isinstance(message, Hello | Welcome) else None
        if sender is not None and sender.state is State.OPEN:
            assert message == decode(sender.send(message)[4:])


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.stem)
def test_the_corpus(end: str, path: Path) -> None:
    """What was found once: the same whole, byte by byte, and behind a good frame."""
    data = path.read_bytes()
    expected = heard(ENDS[end](), [data])

    assert expected == heard(ENDS[end](), [bytes([byte]) for byte in data])


def test_the_corpus_is_told_of() -> None:
    """Each kept input has its line in the README beside it."""
    lines = (corpus()[0].parent / "README.md").read_text()

    assert [path.name for path in corpus() if f"`{path.name}`" not in lines] == []
    assert len(corpus()) >= 15
