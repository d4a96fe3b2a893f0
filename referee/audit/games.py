"""One game: dealt again, replayed, scored again, and compared with what is stored of it."""

from collections import Counter
from collections.abc import Sequence

import attrs

from referee.audit.findings import expect, fail
from referee.audit.steps import StepAudit
from referee.journal.evidence import Evidence, Session
from referee.journal.seatrows import SeatRow, seat_rows
from referee.play.results import GameResult
from referee.play.steps import Account
from referee.play.table import Table
from referee.rules.decisions import IllegalDecision
from referee.rules.variants import cards_in_play
from referee.setup import TournamentSetup, table_setup

_ROW_WORDS = {field.name: field.name.replace("_", " ") for field in attrs.fields(SeatRow)}


@attrs.frozen(kw_only=True)
class Replayed:
    """What the replay of a game came to.

    Attributes:
        result: Its result; None if it is not over.
        deals: Deals that were begun.
        decisions: Decisions.
        defaults: Those of them made by default.
        cards: Cards dealt, or laid out to be drafted.
    """

    result: GameResult | None
    deals: int
    decisions: int
    defaults: int
    cards: int


def audit_game(setup: TournamentSetup, evidence: Evidence, sessions: Sequence[Session]) -> Replayed:
    """Replay a game and compare.

    Raises:
        AuditFailed: Something stored of it is not what follows from seed and decisions.
    """
    where = f"game {evidence.game.id}"
    session = _last_session(where, evidence, sessions)
    table = Table(table_setup(setup, evidence.game.id, evidence.game.names), _no_request)
    watch = StepAudit(where, table, since=session.first_step)
    try:
        table.restore(watch.watch(evidence.steps))
    except IllegalDecision as error:
        fail(where, "a step", found=f"impossible ({error})", expected="legal")
    _check_end(where, evidence, table.result, watch.checksum)
    _check_faults(where, evidence, watch, session)
    deals = table.position.deal
    return Replayed(
        result=table.result,
        deals=deals,
        decisions=watch.decisions,
        defaults=watch.defaults,
        cards=deals * cards_in_play(len(evidence.game.names)),
    )


def _check_end(where: str, evidence: Evidence, result: GameResult | None, checksum: str) -> None:
    if result is None:
        expect(where, "the digest of a game that is not over", found=evidence.game.digest, expected=None)
        expect(where, "the result of a game that is not over", found=evidence.seats, expected=())
        return
    if evidence.game.digest is None:
        return  # its last decisions were kept and its result not yet: the referee was stopped in between
    expect(where, "the checksum of its steps", found=evidence.checksum, expected=checksum)
    expect(where, "the digest of its record", found=evidence.game.digest, expected=result.digest)
    expect(where, "the digest of its course", found=evidence.game.course, expected=result.course)
    expected = list(enumerate(seat_rows(result)))
    expect(where, "the number of seats with a result", found=len(evidence.seats), expected=len(expected))
    for (found_seat, found), (seat, row) in zip(evidence.seats, expected, strict=True):
        expect(where, "the number of a seat", found=found_seat, expected=seat)
        for field, words in _ROW_WORDS.items():
            what = f"seat {seat}: {words}"
            expect(where, what, found=getattr(found, field), expected=getattr(row, field))


def _last_session(where: str, evidence: Evidence, sessions: Sequence[Session]) -> Session:
    """Return the run of the referee that decided the last step."""
    last = evidence.steps[-1].id if evidence.steps else evidence.game.first_step
    known = [session for session in sessions if session.first_step <= last]
    if not known:
        fail(where, "its first step", found="before any run of the referee", expected="in one")
    return known[-1]


def _check_faults(where: str, evidence: Evidence, watch: StepAudit, session: Session) -> None:
    """Compare the faults that were journaled with those on the accounts.

    A referee that resumes goes on from the accounts of the last step, so faults found between that step and
    the end of the run before are on no account.
    """
    accounts = _on_accounts(watch.accounts)
    journaled = _on_accounts(watch.accounts_before)
    journaled.update((fault.seat, fault.kind) for fault in evidence.faults if fault.id >= session.first_fault)
    for seat, kind in sorted({*accounts, *journaled}):
        found, expected = journaled[seat, kind], accounts[seat, kind]
        if evidence.game.digest is None and found > expected:
            continue  # found since the last step
        expect(where, f"the number of {kind} faults found at seat {seat}", found=found, expected=expected)


def _on_accounts(accounts: Sequence[Account]) -> Counter[tuple[int, str]]:
    return Counter(
        {
            (seat, fault.value): count
            for seat, account in enumerate(accounts)
            for fault, count in account.faults
        }
    )


def _no_request() -> int:
    raise AssertionError("a replay asks nobody")
