"""What an audit finds: the first thing that is not as it must be."""

from typing import NoReturn

import attrs


@attrs.frozen(kw_only=True)
class Discrepancy:
    """Something stored that contradicts what follows from the rest.

    Attributes:
        where: Which part of the tournament: a game, a round, the head.
        what: What was compared.
        expected: What it must be.
        found: What is stored.
    """

    where: str
    what: str
    expected: str
    found: str

    @property
    def sentence(self) -> str:
        """All of it in one sentence."""
        return f"{self.where}: {self.what} is {self.found}, and should be {self.expected}"


class AuditFailed(Exception):
    """The journal contradicts itself.

    Attributes:
        discrepancy: Where and how.
    """

    def __init__(self, discrepancy: Discrepancy) -> None:
        super().__init__(discrepancy.sentence)
        self.discrepancy = discrepancy


def expect(where: str, what: str, *, found: object, expected: object) -> None:
    """Compare, with types: 1, 1.0 and True are not the same.

    Raises:
        AuditFailed: They differ.
    """
    if found != expected or type(found) is not type(expected):
        fail(where, what, found=repr(found), expected=repr(expected))


def fail(where: str, what: str, *, found: str, expected: str) -> NoReturn:
    """Say that something is not as it must be.

    Raises:
        AuditFailed: Always.
    """
    raise AuditFailed(Discrepancy(where=where, what=what, expected=expected, found=found))
