"""Who is let in: three ways of binding names to secrets."""

import abc
import hmac
from collections.abc import Callable, Mapping, Set

from protocol.errors import ErrorCode, PeerError
from protocol.messages import Hello
from referee.server.lobby import Instance, Lobby, hashed

OPEN_ENTRANTS = 1000
"""In open mode no more names than this are bound."""

WRONG_SECRET = {ErrorCode.UNKNOWN_ENTRANT, ErrorCode.NAME_TAKEN}
"""What who tries out secrets gets to hear."""


class Admission(abc.ABC):
    """Decides whether a hello is let in, and as which instance of which entrant.

    Args:
        lobby: Who is there; those who come for the first time are put into it.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby

    def admit(self, hello: Hello, source: str) -> Instance:
        """Return the instance that says hello; the same name and secret always give the same one.

        Args:
            hello: What it says.
            source: Where it comes from, by `source_of`.

        Raises:
            PeerError: (fatal) it is not let in.
        """
        known = self._lobby.find(hello.name, hello.secret)
        return self._newcomer(hello, source) if known is None else known

    def _has_left(self, hello: Hello) -> bool:
        """Say whether this bot is gone for good, or its whole entrant is."""
        lobby = self._lobby
        return lobby.has_left(hello.name, hello.secret) or lobby.is_out(hello.name)

    @abc.abstractmethod
    def _newcomer(self, hello: Hello, source: str) -> Instance:
        """Return a new instance for a name and secret that are not in the lobby, or refuse."""


class Expected(Admission):
    """Lets in the instances that are in the lobby, and nobody else."""

    def _newcomer(self, hello: Hello, source: str) -> Instance:
        del source
        raise unknown_entrant(hello.name)


class Listed(Admission):
    """Lets in those whose name and secret are listed; each secret of a name is an instance of its own.

    Args:
        lobby: Who is there.
        secrets: For each name the hashes of its secrets.
        enter: Called with the name of an entrant that comes for the first time; may refuse by PeerError.
    """

    def __init__(self, lobby: Lobby, secrets: Mapping[str, Set[str]], enter: Callable[[str], None]) -> None:
        super().__init__(lobby)
        self._secrets = secrets
        self._enter = enter

    def _newcomer(self, hello: Hello, source: str) -> Instance:
        given = hashed(hello.secret)
        matches = [hmac.compare_digest(given, kept) for kept in self._secrets.get(hello.name, ())]
        if not any(matches) or self._has_left(hello):
            raise unknown_entrant(hello.name)
        if hello.name not in self._lobby.entrants:
            self._enter(hello.name)
        return self._lobby.add_instance(hello.name, hello.secret, source=source)


class Open(Admission):
    """Lets in everybody: the first secret seen with a name binds it.

    Args:
        lobby: Who is there.
        enter: Called with the name of an entrant that comes for the first time; may refuse by PeerError.
        names_per_address: So many names may be bound from one address.
    """

    def __init__(self, lobby: Lobby, enter: Callable[[str], None], names_per_address: int) -> None:
        super().__init__(lobby)
        self._enter = enter
        self._names_per_address = names_per_address

    def _newcomer(self, hello: Hello, source: str) -> Instance:
        if self._has_left(hello):
            raise unknown_entrant(hello.name)
        if hello.name in self._lobby.entrants:
            sentence = f"The name '{hello.name}' belongs to a bot with another secret; choose another name."
            raise PeerError.fatal(ErrorCode.NAME_TAKEN, sentence)
        if len(self._lobby.entrants) >= OPEN_ENTRANTS:
            sentence = f"All {OPEN_ENTRANTS} places are taken."
            raise PeerError.fatal(ErrorCode.REGISTRATION_CLOSED, sentence)
        if self._lobby.names_from(source) >= self._names_per_address:
            sentence = (
                f"{self._names_per_address} names have come from your address, and no more may;"
                " the organiser can raise --names-per-address."
            )
            raise PeerError.fatal(ErrorCode.REGISTRATION_CLOSED, sentence)
        self._enter(hello.name)
        return self._lobby.add_instance(hello.name, hello.secret, source=source)


def unknown_entrant(name: str) -> PeerError:
    """Return what to tell who is not let in, whether the name, the secret or the time is wrong."""
    sentence = f"No entrant '{name}' with this secret is expected here; check both."
    return PeerError.fatal(ErrorCode.UNKNOWN_ENTRANT, sentence)
