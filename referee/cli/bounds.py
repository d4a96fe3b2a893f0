"""The options that bound what one connection may cost, and what this system can bear of them."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from referee.cli.durations import Duration
from referee.cli.exits import Failure
from referee.cli.selection import Say
from referee.cli.settings import WholeNumber, setting
from referee.local.descriptors import RESERVE, allowed_descriptors
from referee.server.limits import NS_PER_S, ServerLimits

Function = TypeVar("Function", bound=Callable[..., Any])

_KIB = 1024
_DEFAULTS = ServerLimits()
_FEWEST_CONNECTIONS = 16
_MOST_CONNECTIONS = 50_000

_OPTIONS = (
    setting(
        "--max-connections",
        metavar="N",
        type=WholeNumber(_FEWEST_CONNECTIONS, _MOST_CONNECTIONS),
        default=_DEFAULTS.connections,
        show_default=True,
        help="Connections at once.",
    ),
    setting(
        "--connections-per-address",
        metavar="N",
        type=WholeNumber(1, _MOST_CONNECTIONS),
        default=_DEFAULTS.connections_per_address,
        show_default=True,
        help="Those of one address that are not let in yet.",
    ),
    setting(
        "--names-per-address",
        metavar="N",
        type=WholeNumber(1, _MOST_CONNECTIONS),
        default=_DEFAULTS.names_per_address,
        show_default=True,
        help="With --open, entrants that may come from one address.",
    ),
    setting(
        "--handshake-timeout",
        metavar="TIME",
        type=Duration("1s", "10m"),
        default="10s",
        show_default=True,
        help="For a bot to say hello, TLS included.",
    ),
    setting(
        "--send-timeout",
        metavar="TIME",
        type=Duration("1s", "1h"),
        default="30s",
        show_default=True,
        help="How long a bot may leave unread what it was sent.",
    ),
    setting(
        "--send-queue",
        metavar="KIB",
        type=WholeNumber(64, _KIB * _KIB),
        default=_DEFAULTS.send_queue_bytes // _KIB,
        show_default=True,
        help="How much a bot may leave unread.",
    ),
    setting(
        "--message-burst",
        metavar="N",
        type=WholeNumber(1, 1_000_000),
        default=_DEFAULTS.needless_messages,
        show_default=True,
        help="Messages nobody needs that a bot may send at once.",
    ),
    setting(
        "--message-rate",
        metavar="N",
        type=WholeNumber(1, 1_000_000),
        default=NS_PER_S // _DEFAULTS.needless_refill_ns,
        show_default=True,
        help="Such messages a second that it may go on sending.",
    ),
)


def limit_options(function: Function) -> Function:
    """Declare the options of the bounds; the command gets `limits`, what they add up to."""

    @functools.wraps(function)
    def command(
        *,
        max_connections: int,
        connections_per_address: int,
        names_per_address: int,
        handshake_timeout: int,
        send_timeout: int,
        send_queue: int,
        message_burst: int,
        message_rate: int,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        limits = ServerLimits(
            connections=max_connections,
            connections_per_address=connections_per_address,
            names_per_address=names_per_address,
            handshake_ns=handshake_timeout,
            send_deadline_ns=send_timeout,
            send_queue_bytes=send_queue * _KIB,
            needless_messages=message_burst,
            needless_refill_ns=NS_PER_S // message_rate,
        )
        return function(limits=limits, **rest)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command  # type: ignore[return-value]


def bearable(limits: ServerLimits, say: Say, descriptors: int | None = None) -> ServerLimits:
    """Return the bounds with as few connections as the system's limit of open files (`ulimit -n`) needs.

    Args:
        limits: The bounds as wanted.
        say: Tells the user if there are fewer.
        descriptors: Files that this process may have open; None to raise its limit as far as it may.

    Raises:
        Failure: So few files may be open that no tournament can be served.
    """
    allowed = allowed_descriptors() if descriptors is None else descriptors
    free = allowed - RESERVE
    if free >= limits.connections + limits.being_turned_away:
        return limits
    being_turned_away = min(limits.being_turned_away, free // 8)
    connections = min(limits.connections, free - being_turned_away)
    wanted = limits.connections + limits.being_turned_away + RESERVE
    advice = f"raise the limit with `ulimit -n {wanted}` before"
    if connections < _FEWEST_CONNECTIONS:
        raise Failure(f"this system lets the referee open only {allowed} files at once; {advice}")
    if connections < limits.connections:
        say(
            f"this system lets the referee open {allowed} files: it takes {connections} connections; {advice}"
        )
    return attrs.evolve(limits, connections=connections, being_turned_away=being_turned_away)
