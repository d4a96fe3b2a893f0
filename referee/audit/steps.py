"""The steps of one game: the bytes, and what each does to the accounts of the seats.

What a decision must have been is known for defaults only; of the rest, whether it was legal (the rules say),
in time, and whether strikes, forfeits, faults and time bank follow from it.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import NoReturn

from protocol.parts import ClosedBecause
from referee.audit.findings import fail
from referee.journal.evidence import StoredStep
from referee.journal.steps import StepReader, StepWriter
from referee.play.asking import MOST_WRONG_ANSWERS
from referee.play.defaults import default_choice
from referee.play.faults import Fault
from referee.play.seats import MOST_DOUBTS
from referee.play.steps import Account, Decision, Step
from referee.play.table import Table
from referee.rules.decisions import Pending

_FAULT_OF = {ClosedBecause.LATE: Fault.LATE, ClosedBecause.GONE: Fault.GONE}
_PRESENT = (ClosedBecause.ANSWERED, ClosedBecause.LATE, ClosedBecause.ILLEGAL)
_STRIKES = (ClosedBecause.LATE, ClosedBecause.GONE, ClosedBecause.ILLEGAL)


class StepAudit:
    """Follows one game, step by step, just before the table takes each step.

    Attributes:
        decisions: How many decisions there were.
        defaults: How many of them were made by default.
        accounts: The accounts by seat after the last step.
        accounts_before: The accounts by seat before the first step with the id `since` or higher.
    """

    def __init__(self, where: str, table: Table, since: int) -> None:
        self.decisions = 0
        self.defaults = 0
        self._where = where
        self._table = table
        self._clock = table.setup.clock
        players = len(table.setup.names)
        self.accounts: tuple[Account, ...] = (Account(bank_ns=self._clock.bank_ns),) * players
        self.accounts_before = self.accounts
        self._since = since
        self._checksum = hashlib.sha256()
        self._reader = StepReader(players)
        self._writer = StepWriter(players)

    @property
    def checksum(self) -> str:
        """SHA-256 over the bytes of the steps so far, in hex."""
        return self._checksum.hexdigest()

    def watch(self, stored: Iterable[StoredStep]) -> Iterator[Step]:
        """Give the steps, each checked against the position it is taken in.

        Raises:
            AuditFailed: One cannot be.
        """
        for item in stored:
            step = self._read(item.data)
            self._check(step)
            self.accounts = step.accounts
            if item.id < self._since:
                self.accounts_before = step.accounts
            self.decisions += len(step.decisions)
            yield step

    def _read(self, data: bytes) -> Step:
        self._checksum.update(data)
        try:
            step = self._reader.unpack(data)
            # A referee that resumes writes all accounts anew, so there are two ways to write a step.
            afresh = StepWriter(len(self.accounts)).pack(step)
            if data not in (self._writer.pack(step), afresh):
                raise ValueError("these bytes are not what the referee writes")
        except (ValueError, TypeError) as error:
            self._fail("the step", f"damaged ({error})", "whole")
        return step

    def _check(self, step: Step) -> None:
        pending = {owed.seat: owed for owed in self._table.position.pending()}
        decided = {decision.seat: decision for decision in step.decisions}
        self._expect("who decides", [decision.seat for decision in step.decisions], list(pending))
        for decision in step.decisions:
            self._check_decision(decision, pending[decision.seat])
        for seat, (before, after) in enumerate(zip(self.accounts, step.accounts, strict=True)):
            own = decided.get(seat)
            if after is not before or (own is not None and own.took_ns is None):
                self._check_account(seat, before, after, own)
            self._check_bank(seat, before, after, own)

    def _check_decision(self, decision: Decision, owed: Pending) -> None:
        who = f"the {owed.kind.value} of seat {owed.seat}"
        self._expect(f"the type of {who}", (type(decision.seat), type(decision.choice)), (int, int))
        if decision.choice not in owed.choices:
            self._fail(who, str(decision.choice), f"one of {', '.join(map(str, owed.choices))}")
        if decision.reason is ClosedBecause.ANSWERED:
            self._expect(f"the type of the time of {who}", type(decision.took_ns), int)
            return
        self.defaults += 1
        self._expect(f"the time of {who}, decided by default,", decision.took_ns, None)
        default = default_choice(owed, self._table.position.rows)
        self._expect(f"{who}, decided by default,", decision.choice, default)

    def _check_account(self, seat: int, before: Account, after: Account, decision: Decision | None) -> None:
        reason = None if decision is None else decision.reason
        new = self._new_faults(seat, before, after)
        for cause, fault in _FAULT_OF.items():
            self._expect(f"the {fault.value} faults of seat {seat}", new[fault], int(reason is cause))
        wrong = new[Fault.ILLEGAL] + new[Fault.MALFORMED]
        if reason is ClosedBecause.ILLEGAL and wrong < MOST_WRONG_ANSWERS:
            self._fail(f"the wrong answers of seat {seat}", str(wrong), f"{MOST_WRONG_ANSWERS} or more")
        strikes = int(reason in _STRIKES) + new[Fault.VIOLATION] + new[Fault.FLOODING]
        self._expect(f"the strikes of seat {seat}", after.strikes, before.strikes + strikes)
        struck_out = bool(self._clock.strikes) and after.strikes >= self._clock.strikes
        self._expect(f"the forfeit of seat {seat}", after.forfeited, struck_out)
        if reason is not None and before.forfeited:
            self._expect(f"the reason at seat {seat}, which has forfeited,", reason, ClosedBecause.FORFEITED)
        if reason is ClosedBecause.FORFEITED and not after.forfeited:
            self._fail(f"the reason at seat {seat}", "a forfeit", "another, since it has not forfeited")
        self._check_presence(seat, before, after, reason)

    def _new_faults(self, seat: int, before: Account, after: Account) -> dict[Fault, int]:
        earlier, now = dict(before.faults), dict(after.faults)
        new = {fault: now.get(fault, 0) - earlier.get(fault, 0) for fault in Fault}
        for fault, count in new.items():
            if count < 0:
                self._fail(f"the {fault.value} faults of seat {seat}", "fewer", "no fewer than before")
        return new

    def _check_presence(
        self, seat: int, before: Account, after: Account, reason: ClosedBecause | None
    ) -> None:
        here = before.was_here or reason in _PRESENT
        self._expect(f"the presence of seat {seat}", after.was_here, here or after.was_here is True)
        if type(after.doubts) is not int or not before.doubts <= after.doubts <= MOST_DOUBTS:
            self._fail(f"the doubts at seat {seat}", repr(after.doubts), f"{before.doubts} to {MOST_DOUBTS}")

    def _check_bank(self, seat: int, before: Account, after: Account, decision: Decision | None) -> None:
        what, bank = f"the time bank of seat {seat}", before.bank_ns
        if decision is None:
            self._expect(what, after.bank_ns, bank)
        elif decision.took_ns is not None:
            if not 0 <= decision.took_ns <= self._clock.free_ns + bank:
                self._fail(f"the answer time of seat {seat}", f"{decision.took_ns} ns", "within the limit")
            self._expect(what, after.bank_ns, max(0, bank - max(0, decision.took_ns - self._clock.free_ns)))
            self._expect(f"the presence of seat {seat}", after.was_here, True)
        elif decision.reason is ClosedBecause.LATE:
            self._expect(what, after.bank_ns, 0)
        elif type(after.bank_ns) is not int or not 0 <= after.bank_ns <= bank:
            self._fail(what, repr(after.bank_ns), f"at most {bank}")

    def _expect(self, what: str, found: object, expected: object) -> None:
        if found != expected or type(found) is not type(expected):
            self._fail(what, repr(found), repr(expected))

    def _fail(self, what: str, found: str, expected: str) -> NoReturn:
        fail(self._place, what, found=found, expected=expected)

    @property
    def _place(self) -> str:
        position = self._table.position
        return f"{self._where}, deal {position.deal}, trick {position.trick}"
