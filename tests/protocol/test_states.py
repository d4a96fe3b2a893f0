"""The table of states: every message in every state from either side, with two ends joined back to back."""

import itertools

import pytest

from protocol.codec import encode
from protocol.connection import Connection
from protocol.errors import ErrorCode, LocalError, PeerError, Severity
from protocol.framing import frame
from protocol.messages import FROM_BOT, FROM_REFEREE, Closing, Leave, Welcome
from protocol.states import FATAL_ERROR, TRANSITIONS, Role, State, expects_hello, table_name

from .samples import hello, one_of_each, smallest

MESSAGES = one_of_each()

OWN_NAMES = {
    Role.BOT: {cls.TYPE for cls in FROM_BOT},
    Role.REFEREE: {cls.TYPE for cls in FROM_REFEREE} | {FATAL_ERROR},
}

PATHS = {
    State.HELLO: (),
    State.GREETING: ((Role.BOT, hello()),),
    State.OPEN: ((Role.BOT, hello()), (Role.REFEREE, smallest(Welcome))),
    State.LEAVING: ((Role.BOT, hello()), (Role.REFEREE, smallest(Welcome)), (Role.BOT, Leave())),
    State.CLOSED: ((Role.REFEREE, smallest(Closing)),),
}
"""For each state, the messages that lead to it."""

EVERY_CASE = list(itertools.product(Role, State, MESSAGES))


def joined(state):
    """Return both ends of a connection, brought to a state by real messages."""
    ends = {role: Connection(role) for role in Role}
    for role, message in PATHS[state]:
        ends[role.other].receive(ends[role].send(message))
        assert ends[role.other].next_message() == message
    assert {end.state for end in ends.values()} == {state}
    return ends


ALLOWED = [case for case in EVERY_CASE if case in TRANSITIONS]
NOT_ALLOWED = [case for case in EVERY_CASE if case not in TRANSITIONS]


def named(value):
    """Name a case by its words."""
    return getattr(value, "value", value)


def test_the_table_holds_nothing_but_roles_states_and_messages():
    """No entry is beyond what the tests below go through, and nobody sends the other's messages."""
    assert set(TRANSITIONS) == set(ALLOWED)
    assert all(name in OWN_NAMES[role] for role, _, name in TRANSITIONS)


@pytest.mark.parametrize(("role", "state", "name"), ALLOWED, ids=named)
def test_what_is_in_the_table_passes(role, state, name):
    """Sender and receiver both come to the state that the table names."""
    ends = joined(state)

    data = ends[role].send(MESSAGES[name])
    ends[role.other].receive(data)

    assert ends[role.other].next_message() == MESSAGES[name]
    assert {end.state for end in ends.values()} == {TRANSITIONS[role, state, name]}


@pytest.mark.parametrize(("role", "state", "name"), NOT_ALLOWED, ids=named)
def test_what_is_not_in_the_table_cannot_be_sent(role, state, name):
    """Sending it is our own bug: LocalError, and the state stays."""
    ends = joined(state)

    with pytest.raises(LocalError):
        ends[role].send(MESSAGES[name])

    assert ends[role].state is state


@pytest.mark.parametrize(
    ("role", "state", "name"),
    [case for case in NOT_ALLOWED if case[1] is not State.CLOSED and case[2] in OWN_NAMES[case[0]]],
    ids=named,
)
def test_what_is_not_in_the_table_is_refused(role, state, name):
    """Receiving it is the peer's fault: a fatal unexpected_message that names message and state."""
    receiver = joined(state)[role.other]
    receiver.receive(frame(encode(MESSAGES[name])))

    with pytest.raises(PeerError) as caught:
        receiver.next_message()

    assert (caught.value.code, caught.value.severity) == (ErrorCode.UNEXPECTED_MESSAGE, Severity.FATAL)
    assert caught.value.sentence == f"A '{name}' is not allowed in the state '{state.value}'."
    assert receiver.state is state


@pytest.mark.parametrize(
    ("role", "name"),
    [(role, name) for role in Role for name in MESSAGES if name not in OWN_NAMES[role]],
    ids=named,
)
def test_the_other_sides_messages_are_unknown(role, name):
    """A bot that sends `welcome` sends a type that is unknown, which alone ends nothing."""
    receiver = joined(State.OPEN)[role.other]
    receiver.receive(frame(encode(MESSAGES[name])))

    with pytest.raises(PeerError) as caught:
        receiver.next_message()

    assert (caught.value.code, caught.value.severity) == (ErrorCode.UNKNOWN_TYPE, Severity.RECOVERABLE)


@pytest.mark.parametrize("role", Role, ids=named)
def test_nothing_is_read_once_closed(role):
    """After the last message, bytes are neither kept nor decoded, not even those that are never right."""
    end = joined(State.CLOSED)[role]

    end.receive(b"\xff" * 100)

    assert end.next_message() is None
    assert end.waiting == 0


def test_requests_under_way_reach_a_bot_that_has_left():
    """The referee asked before it knew: `leave` and the request cross, and neither end complains."""
    ends = joined(State.OPEN)
    asked = ends[Role.REFEREE].send(MESSAGES["choose_card"])

    left = ends[Role.BOT].send(Leave())
    ends[Role.BOT].receive(asked)
    ends[Role.REFEREE].receive(left)

    assert ends[Role.BOT].next_message() == MESSAGES["choose_card"]
    assert ends[Role.REFEREE].next_message() == Leave()


@pytest.mark.parametrize("name", ["closing", FATAL_ERROR])
def test_a_goodbye_may_cross_the_hello(name):
    """The referee was closing already when the hello came: the bot, who has sent it, understands."""
    ends = joined(State.HELLO)
    goodbye = ends[Role.REFEREE].send(MESSAGES[name])

    ends[Role.BOT].send(hello())
    ends[Role.BOT].receive(goodbye)

    assert ends[Role.BOT].next_message() == MESSAGES[name]
    assert ends[Role.BOT].state is State.CLOSED


def test_only_the_first_state_expects_a_hello():
    """`expects_hello` is about the state in which nothing has been said."""
    assert [state for state in State if expects_hello(state)] == [State.HELLO]


def test_an_error_goes_by_its_severity():
    """The table tells a fatal error from one after which the connection goes on."""
    assert table_name(MESSAGES["error"]) == "error"
    assert table_name(MESSAGES[FATAL_ERROR]) == FATAL_ERROR
