"""Compacting a session's history: one transaction, after which it is shown another way.

Which messages a summary stands for is a range of sequences, so writing the summary is what tags
them, and nothing can tell a part of the history twice (spec/transactions.md 10.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from covel_host.store.errors import RowConflictError
from covel_host.store.history_summaries import (
    HistorySummary,
    delete_history_summary,
    every_history_summary,
    put_history_summary,
)
from covel_host.store.kernel_rows import KernelRows
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.snapshots import prune_unkept
from covel_host.store.transaction import Reading, Transaction

_FAILURES: Final = KernelRows("compaction", "failures")
_IN_A_ROW: Final = "inARow"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCompaction:
    """The summaries that a session is to have, in place of those of `before`."""

    session_id: str
    incarnation: str
    before: tuple[HistorySummary, ...]
    after: tuple[HistorySummary, ...]


def compact_history(
    transaction: Transaction, compaction: HistoryCompaction, *, at: datetime
) -> SessionRecord:
    """Write it and move the session to its next revision; the row of failures goes.

    Raises:
        SessionNotFoundError: the session is gone, or is another incarnation by now.
        RowConflictError: its summaries are not those of `before` any more.
    """
    session_id = compaction.session_id
    session = require_session(transaction, session_id, incarnation=compaction.incarnation)
    revision = session.revision + 1
    stored = every_history_summary(transaction, session_id)
    if {one.summary_id for one in stored} != {one.summary_id for one in compaction.before}:
        raise RowConflictError(
            f"The summaries of {session_id!r} have changed since they were read.",
            code="history-changed",
        )
    kept = {one.summary_id: one for one in compaction.after}
    for summary in stored:
        if summary.summary_id not in kept:
            delete_history_summary(transaction, session_id, summary.summary_id, revision=revision)
    known = {one.summary_id: one for one in stored}
    for summary in compaction.after:
        if known.get(summary.summary_id) != summary:
            put_history_summary(transaction, summary, revision=revision)
    _FAILURES.delete(transaction, session_id, _IN_A_ROW, revision=revision)
    advanced = advance_session(transaction, session, turn_id=None, at=at)
    prune_unkept(transaction, advanced)
    return advanced


def failed_compactions(reading: Reading, session_id: str) -> int:
    """How many compactions of the session have failed in a row."""
    rows: dict[str, Any] = dict(_FAILURES.every(reading, session_id))
    return int(rows.get(_IN_A_ROW, 0))


def count_failed_compaction(transaction: Transaction, session_id: str, *, at: datetime) -> int:
    """Count one more in a row; how many there are now.

    Raises:
        SessionNotFoundError: the session is gone.
    """
    session = require_session(transaction, session_id)
    count = failed_compactions(transaction, session_id) + 1
    _FAILURES.put(transaction, session_id, {_IN_A_ROW: count}, revision=session.revision, at=at)
    return count


def all_summaries(
    before: Sequence[HistorySummary], changed: Sequence[HistorySummary]
) -> tuple[HistorySummary, ...]:
    """`before` with what `changed` replaces or adds, oldest first.

    A changed one takes the place of every one whose messages it stands for.
    """
    left = [
        old
        for old in before
        if not any(new.first <= old.first and old.last <= new.last for new in changed)
    ]
    return tuple(sorted((*left, *changed), key=lambda summary: summary.first))
