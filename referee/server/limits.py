"""The bounds on what one connection may cost. All times are nanoseconds."""

import attrs

NS_PER_S = 1_000_000_000
CONNECTIONS = 4096


@attrs.frozen(kw_only=True)
class ServerLimits:
    """Bounds that SPEC.md states to bot authors, and that an organiser may set otherwise.

    Attributes:
        handshake_ns: From the connection to a complete `hello`.
        absence_ns: A bot that was lost is waited for so long before a game starts without it.
        connections: Connections at once, greeted or not, without those that are being turned away.
        connections_per_address: Those of one address that are not let in (yet). Once a bot is let in, its
            connection no longer counts, so that a classroom behind one address is no crowd.
        being_turned_away: Connections at once that have been refused and read the reason; who comes beyond
            that is cut off without a word.
        names_per_address: Names that one address may bind where the first secret binds a name.
        refusal_ns: A wrong secret is answered after so long, whatever is wrong with it.
        guesses_per_address: Wrong secrets of one address within that time; its next ones have to wait.
        guesses_per_name: Wrong secrets for one name within that time; the next ones have to wait.
        games_per_connection: Games at once on one connection, whatever the bot offers.
        needless_messages: How many messages that nobody asked for may come in a burst.
        needless_refill_ns: One more is allowed again after so long.
        send_queue_bytes: What may wait to be sent to one peer before it is given up as a slow reader.
        send_deadline_ns: So long may any byte wait there.
    """

    handshake_ns: int = 10 * NS_PER_S
    absence_ns: int = 5 * NS_PER_S
    connections: int = CONNECTIONS
    connections_per_address: int = 256
    being_turned_away: int = 256
    names_per_address: int = 250
    refusal_ns: int = NS_PER_S
    guesses_per_address: int = 8
    guesses_per_name: int = 4
    games_per_connection: int = 16
    needless_messages: int = 100
    needless_refill_ns: int = NS_PER_S // 20
    send_queue_bytes: int = 1024 * 1024
    send_deadline_ns: int = 30 * NS_PER_S

    @classmethod
    def for_local_bots(cls) -> "ServerLimits":
        """Return the bounds where the referee starts the bots itself: all of them have one address."""
        return cls(connections_per_address=CONNECTIONS)


class TokenBucket:
    """Counts what may be spent: a full bucket of tokens, refilled one by one.

    Args:
        size: Tokens when full.
        refill_ns: Time for one token to come back.
    """

    def __init__(self, size: int, refill_ns: int) -> None:
        self._size = size
        self._refill_ns = refill_ns
        self._tokens = size
        self._counted_at = 0

    def spend(self, now: int) -> bool:
        """Take a token; return whether there was one."""
        refilled = (now - self._counted_at) // self._refill_ns
        if refilled > 0:
            self._tokens = min(self._size, self._tokens + refilled)
            self._counted_at += refilled * self._refill_ns
        if not self._tokens:
            return False
        self._tokens -= 1
        return True
