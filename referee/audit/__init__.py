"""Proves a journal: deals again, replays, scores and pairs again, and compares with what is stored."""

from referee.audit.findings import AuditFailed, Discrepancy
from referee.audit.whole import AuditReport, audit

__all__ = ["AuditFailed", "AuditReport", "Discrepancy", "audit"]
