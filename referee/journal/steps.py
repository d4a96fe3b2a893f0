"""Steps to bytes and back: small, since there is one for each trick of each table."""

import hashlib
from collections.abc import Iterable
from typing import Any

from protocol.packing import pack, unpack
from protocol.parts import ClosedBecause
from referee.play.faults import Fault
from referee.play.steps import Account, Decision, Step

_REASONS = tuple(ClosedBecause)
_FAULTS = tuple(Fault)
_REASON_NUMBERS = {reason: number for number, reason in enumerate(_REASONS)}
_FAULT_NUMBERS = {fault: number for number, fault in enumerate(_FAULTS)}


class StepWriter:
    """Writes the steps of one game, in order: an account is left out where it has not changed.

    Args:
        players: How many seats the game has.
        before: The bytes of its steps that were written earlier.
    """

    def __init__(self, players: int, before: Iterable[bytes] = ()) -> None:
        self._last: list[Account | None] = [None] * players
        self._checksum = hashlib.sha256(b"".join(before))

    @property
    def checksum(self) -> str:
        """SHA-256 over the bytes of all steps so far, in hex."""
        return self._checksum.hexdigest()

    def pack(self, step: Step) -> bytes:
        """Return the bytes of the next step."""
        changed = []
        for seat, account in enumerate(step.accounts):
            # Mostly it is the same object as before, which is seen at once.
            if account is not self._last[seat] and account != self._last[seat]:
                self._last[seat] = account
                changed.append([seat, *_account_values(account)])
        decisions = [
            [decision.seat, decision.choice, _REASON_NUMBERS[decision.reason], decision.took_ns]
            for decision in step.decisions
        ]
        data = pack({"d": decisions, "a": changed} if changed else {"d": decisions})
        self._checksum.update(data)
        return data


class StepReader:
    """Reads the steps of one game, in order."""

    def __init__(self, players: int) -> None:
        self._last: list[Account] = [Account(bank_ns=0)] * players

    def unpack(self, data: bytes) -> Step:
        """Return the next step.

        Raises:
            ValueError: the bytes hold none.
        """
        try:
            values = unpack(data)
            for seat, *rest in values.get("a", ()):
                self._last[seat] = _account(rest)
            decisions = tuple(
                Decision(
                    seat=_whole(seat),
                    choice=_whole(choice),
                    reason=_REASONS[_whole(reason)],
                    took_ns=None if took is None else _whole(took),
                )
                for seat, choice, reason, took in values["d"]
            )
        except Exception as error:
            raise ValueError(f"these are not the bytes of a step: {error}") from error
        return Step(decisions=decisions, accounts=tuple(self._last))


def _account_values(account: Account) -> list[Any]:
    faults = [[_FAULT_NUMBERS[fault], count] for fault, count in account.faults]
    return [
        account.bank_ns,
        account.strikes,
        account.doubts,
        account.forfeited,
        account.was_here,
        faults,
    ]


def _account(values: list[Any]) -> Account:
    bank_ns, strikes, doubts, forfeited, was_here, faults = values
    if type(forfeited) is not bool or type(was_here) is not bool:
        raise ValueError("a mark that is not yes or no")
    return Account(
        bank_ns=_whole(bank_ns),
        strikes=_whole(strikes),
        doubts=_whole(doubts),
        forfeited=forfeited,
        was_here=was_here,
        faults=tuple([(_FAULTS[_whole(number)], _whole(count)) for number, count in faults]),
    )


def _whole(value: Any) -> int:  # noqa: ANN401
    """Return a number that counts from 0; True is none, though Python takes it for 1."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no whole number")
    return value
