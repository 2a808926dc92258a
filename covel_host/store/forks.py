"""A fork: a new session that begins as an older one was at a kept revision.

It is the only rewind (spec/transactions.md 10.2). Nothing is replayed: rows are copied inside the
database, in the transaction that makes the session, so a fork is there as a whole or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, literal_column

from covel_host.store.errors import StoreError
from covel_host.store.records import SessionRecord, SnapshotRecord
from covel_host.store.row_copies import copies_at_revision
from covel_host.store.sessions import insert_session, record_revision
from covel_host.store.snapshots import insert_snapshot, keep_for_fork, session_at_revision
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import MESSAGES
from covel_host.store.transaction import Transaction
from covel_host.store.values import time_text

MAX_FORK_ROWS = 500_000
"""Rows that one fork may copy; the store's one writer is held for as long as that takes."""


class ForkTooLargeError(StoreError):
    """The revision has more rows than one transaction may copy; nothing was changed."""

    def __init__(self, session_id: str, *, limit: int) -> None:
        super().__init__(
            f"Session {session_id!r} has more than {limit} rows at that revision; a fork copies "
            "its rows in one transaction.",
            code="fork-too-large",
            hint="Delete records that later turns do not read, then fork from there.",
        )
        self.session_id = session_id
        self.limit = limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkIds:
    """What the new session is called; each must be new."""

    session_id: str
    incarnation: str
    snapshot_id: str


def fork_session(
    transaction: Transaction,
    session_id: str,
    revision: int,
    *,
    new: ForkIds,
    at: datetime,
    max_rows: int = MAX_FORK_ROWS,
) -> SessionRecord:
    """The new session, which shows what `session_id` showed at `revision` and has its number.

    Copied are the clock, locale and packages of that revision, today's metadata, the world with
    its import ledger, messages with new IDs, the ledger of logical turns, every versioned row with
    its version, rows that were appended up to it, and the right to use the session's media. Turn
    results, tool calls and traces stay with the session whose executions they are. A session that
    had ended is paused. The copy has one snapshot, of kind `fork`; the snapshot it came from is
    kept from then on.

    Raises:
        SessionNotFoundError: there is no such session.
        RevisionNotKeptError: nothing keeps `revision` readable.
        ScopeConflictError: an ID of `new` is taken.
        ForkTooLargeError: there are more than `max_rows` rows to copy.
    """
    source = session_at_revision(transaction, session_id, revision)
    parent = keep_for_fork(transaction, session_id, revision)
    forked = replace(
        source,
        session_id=new.session_id,
        incarnation=new.incarnation,
        status="paused" if source.status == "ended" else source.status,
        created_at=at,
        updated_at=at,
    )
    insert_session(transaction, forked)
    record_revision(transaction, forked, turn_id=None, at=at)
    _copy_rows(transaction, source, forked, max_rows=max_rows)
    insert_snapshot(
        transaction,
        SnapshotRecord(
            snapshot_id=new.snapshot_id,
            session_id=new.session_id,
            revision=revision,
            kind="fork",
            completed_player_turns=forked.completed_player_turns,
            created_at=at,
            parent_id=parent,
        ),
    )
    return forked


def _copy_rows(
    transaction: Transaction, source: SessionRecord, forked: SessionRecord, *, max_rows: int
) -> None:
    place: Parameters = {
        "source_id": source.session_id,
        "new_id": forked.session_id,
        "revision": forked.revision,
        "at": time_text(forked.created_at),
    }
    copied = 0
    for statement in _copy_statements():
        copied += transaction.run(statement, place)
        if copied > max_rows:
            raise ForkTooLargeError(source.session_id, limit=max_rows)


@cache
def _copy_statements() -> Sequence[Statement]:
    # An ID of a message is one of all sessions: the copy's is made of what is unique to it.
    message_id: Any = (
        literal_column("'message-'")
        .concat(bindparam("new_id"))
        .concat(literal_column("'-'"))
        .concat(MESSAGES.c.sequence)
    )
    return copies_at_revision(message_id=message_id)
