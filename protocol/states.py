"""Which message may follow which: the states of a connection as one table.

Whatever is not in the table is not allowed. Both ends run the same table; SPEC.md's list and diagram of
states are generated from it by `describe`.
"""

import enum

from protocol.messages import FROM_REFEREE, Closing, Error, Hello, Message, Welcome


class Role(enum.Enum):
    """The two ends of a connection."""

    BOT = "bot"
    REFEREE = "referee"

    @property
    def other(self) -> "Role":
        """The end across the wire."""
        return Role.REFEREE if self is Role.BOT else Role.BOT


class State(enum.Enum):
    """The states of a connection; the same on both ends but for what is under way."""

    HELLO = "hello"
    """Nothing has been said; the bot's `hello` is due."""
    GREETING = "greeting"
    """The bot has introduced itself; the referee accepts or refuses."""
    OPEN = "open"
    """Games are played."""
    LEAVING = "leaving"
    """The bot has left; the referee's `closing` is due, behind what was under way."""
    CLOSED = "closed"
    """The last message has been sent; what still comes in is not read."""


FATAL_ERROR = "error (fatal)"
"""How the table calls an `error` that ends the connection."""

_ALWAYS_IN_OPEN = tuple(cls.TYPE for cls in FROM_REFEREE if cls not in (Welcome, Closing))  # type: ignore[attr-defined]

TRANSITIONS: dict[tuple[Role, State, str], State] = {
    (Role.BOT, State.HELLO, "hello"): State.GREETING,
    (Role.REFEREE, State.HELLO, FATAL_ERROR): State.CLOSED,
    (Role.REFEREE, State.HELLO, "closing"): State.CLOSED,
    (Role.REFEREE, State.GREETING, "welcome"): State.OPEN,
    (Role.REFEREE, State.GREETING, FATAL_ERROR): State.CLOSED,
    # Said before the hello, perhaps, and crossed with it.
    (Role.REFEREE, State.GREETING, "closing"): State.CLOSED,
    (Role.BOT, State.OPEN, "card"): State.OPEN,
    (Role.BOT, State.OPEN, "row"): State.OPEN,
    (Role.BOT, State.OPEN, "draft"): State.OPEN,
    (Role.BOT, State.OPEN, "ping"): State.OPEN,
    (Role.BOT, State.OPEN, "leave"): State.LEAVING,
    **{(Role.REFEREE, State.OPEN, name): State.OPEN for name in _ALWAYS_IN_OPEN},
    (Role.REFEREE, State.OPEN, FATAL_ERROR): State.CLOSED,
    (Role.REFEREE, State.OPEN, "closing"): State.CLOSED,
    # What was under way when the bot left.
    **{(Role.REFEREE, State.LEAVING, name): State.LEAVING for name in _ALWAYS_IN_OPEN},
    (Role.REFEREE, State.LEAVING, "closing"): State.CLOSED,
    (Role.REFEREE, State.LEAVING, FATAL_ERROR): State.CLOSED,
}

FOLLOWING: dict[tuple[Role, State], dict[str, State]] = {
    (role, state): {name: after for (*when, name), after in TRANSITIONS.items() if when == [role, state]}
    for role in Role
    for state in State
}
"""The same table cut up: what one end may send in one state, and the state after it."""


def table_name(message: Message) -> str:
    """Return the name under which the table knows a message."""
    if type(message) is Error and message.fatal:
        return FATAL_ERROR
    return message.TYPE


def expects_hello(state: State) -> bool:
    """Say whether only the bot's `hello` can come next."""
    return Hello.TYPE in FOLLOWING[Role.BOT, state]
