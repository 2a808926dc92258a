"""Snapshots: revisions of a session that are kept readable (spec/transactions.md 10.1).

Rows are versioned by revision, so a snapshot is one row and costs what changed, not what exists
(spec/decisions.md 6). The newest revision of a session can always be read; an older one only while
a snapshot keeps it.
"""

from datetime import datetime

from sqlalchemy import bindparam, delete, func, insert, literal_column, select, update

from covel_host.store.errors import RevisionNotKeptError, RowConflictError, ScopeConflictError
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.pruning import BEFORE_ALL, prune_after
from covel_host.store.records import SessionRecord, SnapshotKind, SnapshotRecord
from covel_host.store.sessions import get_revision, record_revision, require_session, session_at
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import SNAPSHOTS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_time, time_text

AUTO_SNAPSHOTS_KEPT = 20
"""Automatic snapshots kept per session, the newest."""

_NO_BOUND = 2**62
"""Larger than any revision."""

_OF_SESSION = SNAPSHOTS.c.session_id == bindparam("session_id")
_BY_ID = SNAPSHOTS.c.snapshot_id == bindparam("snapshot_id")
_NEWEST_FIRST = select(SNAPSHOTS).order_by(
    SNAPSHOTS.c.revision.desc(), SNAPSHOTS.c.snapshot_id.desc()
)
_INSERT = Statement(insert(SNAPSHOTS))
_GET = Statement(select(SNAPSHOTS).where(_BY_ID))
_LIST = Statement(
    _NEWEST_FIRST.where(_OF_SESSION, SNAPSHOTS.c.revision < bindparam("before")).limit(
        bindparam("limit")
    )
)
_AUTOS = Statement(
    select(SNAPSHOTS.c.revision, SNAPSHOTS.c.snapshot_id, SNAPSHOTS.c.completed_player_turns)
    .where(_OF_SESSION, SNAPSHOTS.c.kind == literal_column("'auto'"))
    .order_by(SNAPSHOTS.c.revision.desc())
)
_NEWEST_KEPT = Statement(
    select(func.max(SNAPSHOTS.c.revision)).where(
        _OF_SESSION, SNAPSHOTS.c.revision < bindparam("before")
    )
)
_KEEPS = Statement(
    select(SNAPSHOTS)
    .where(_OF_SESSION, SNAPSHOTS.c.revision == bindparam("revision"))
    # Of several the one that stays anyway, unlike that of a recording: 'auto' is the first by name.
    .order_by(
        SNAPSHOTS.c.kind == literal_column("'recording'"),
        SNAPSHOTS.c.kind.desc(),
        SNAPSHOTS.c.snapshot_id,
    )
    .limit(1)
)
_MOVE = Statement(
    update(SNAPSHOTS)
    .where(_OF_SESSION, SNAPSHOTS.c.revision == bindparam("old_revision"), _BY_ID)
    .values(revision=bindparam("new_revision"), created_at=bindparam("at"))
)
_KEEP_FOR_FORK = Statement(
    update(SNAPSHOTS)
    .where(_OF_SESSION, SNAPSHOTS.c.revision == bindparam("at_revision"), _BY_ID)
    .values(kind=literal_column("'manual'"))
)
_DELETE = Statement(
    delete(SNAPSHOTS).where(_OF_SESSION, SNAPSHOTS.c.revision == bindparam("revision"), _BY_ID)
)


def keep_auto_snapshot(
    transaction: Transaction,
    session: SessionRecord,
    *,
    at: datetime,
    limit: int = AUTO_SNAPSHOTS_KEPT,
) -> None:
    """Keep the revision that a commit has just made; part of the commit's own transaction.

    There is one automatic snapshot per count of completed player turns: a later commit of the same
    count moves it, and it keeps its ID. Of the automatic ones the newest `limit` stay; rows that
    nothing needs any more are deleted with those that go.

    Args:
        session: as the commit left it.
        limit: at least 1.
    """
    session_id, revision = session.session_id, session.revision
    # Rows, not records: of some twenty only the first and the last ones matter.
    autos = transaction.rows(_AUTOS, {"session_id": session_id})
    newest, newest_id, turns = autos[0] if autos else (None, "", None)
    if turns == session.completed_player_turns:
        _move(transaction, session, newest_id, since=newest, at=at)
        left, aged = [newest], autos[limit:]
    else:
        transaction.run(_INSERT, _parameters(_auto(session, at)))
        left = [] if newest == revision - 1 else _gap_before(transaction, session)
        aged = autos[limit - 1 :]
    for aged_revision, snapshot_id, _turns in aged:
        _delete(transaction, session_id, aged_revision, snapshot_id)
        left.append(aged_revision)
    for no_longer_kept in left:
        prune_after(transaction, session_id, no_longer_kept, newest_revision=revision)


def keep_snapshot(
    transaction: Transaction,
    session_id: str,
    *,
    snapshot_id: str,
    at: datetime,
    revision: int | None = None,
    kind: SnapshotKind = "manual",
) -> SnapshotRecord:
    """A snapshot of the newest revision, or of an older one that is still kept.

    It stays until `drop_snapshot`.

    Raises:
        SessionNotFoundError: there is no such session.
        RevisionNotKeptError: nothing keeps `revision`.
        ScopeConflictError: the ID is taken; nothing was changed.
    """
    newest = require_session(transaction, session_id)
    kept = newest
    if revision is not None:
        kept = session_at_revision(transaction, session_id, revision)
    record = SnapshotRecord(
        snapshot_id=snapshot_id,
        session_id=session_id,
        revision=kept.revision,
        kind=kind,
        completed_player_turns=kept.completed_player_turns,
        created_at=at,
    )
    insert_snapshot(transaction, record)
    # A session that was never committed has no row for its revision 0.
    record_revision(transaction, kept, turn_id=None, at=at)
    if kept.revision == newest.revision:
        prune_unkept(transaction, newest)
    return record


def insert_snapshot(transaction: Transaction, snapshot: SnapshotRecord) -> None:
    """Store a snapshot as it is.

    Raises:
        ScopeConflictError: the ID is taken, in whatever session; nothing was changed.
    """
    try:
        transaction.run(_INSERT, _parameters(snapshot))
    except RowConflictError as error:
        raise ScopeConflictError(
            f"The snapshot ID {snapshot.snapshot_id!r} is taken.", code="snapshot-exists"
        ) from error


def drop_snapshot(transaction: Transaction, snapshot: SnapshotRecord) -> bool:
    """Delete a snapshot and the rows that only it needed; whether it was there."""
    place = (snapshot.session_id, snapshot.revision, snapshot.snapshot_id)
    if not _delete(transaction, *place):
        return False
    session = require_session(transaction, snapshot.session_id)
    prune_after(
        transaction, session.session_id, snapshot.revision, newest_revision=session.revision
    )
    return True


def keep_for_fork(transaction: Transaction, session_id: str, revision: int) -> str | None:
    """The ID of a snapshot that keeps `revision`, None when only its being the newest does.

    A snapshot that a fork names as its parent is never pruned: an automatic one becomes manual.
    """
    row = transaction.row(_KEEPS, {"session_id": session_id, "revision": revision})
    if row is None:
        return None
    snapshot = _record(row)
    if snapshot.kind == "auto":
        transaction.run(
            _KEEP_FOR_FORK,
            {
                "session_id": session_id,
                "at_revision": revision,
                "snapshot_id": snapshot.snapshot_id,
            },
        )
    return snapshot.snapshot_id


def get_snapshot(reading: Reading, snapshot_id: str) -> SnapshotRecord | None:
    """The snapshot with that ID, whatever its session, or None."""
    row = reading.row(_GET, {"snapshot_id": snapshot_id})
    return None if row is None else _record(row)


def list_snapshots(
    reading: Reading, session_id: str, *, limit: int = DEFAULT_LIMIT, before: int | None = None
) -> list[SnapshotRecord]:
    """At most `limit` snapshots of a session, newest first; `before` is a revision to stop at."""
    parameters: Parameters = {
        "session_id": session_id,
        "limit": checked_limit(limit),
        "before": _NO_BOUND if before is None else before,
    }
    return [_record(row) for row in reading.rows(_LIST, parameters)]


def session_at_revision(reading: Reading, session_id: str, revision: int) -> SessionRecord:
    """The session as that revision left it; to be asked before its rows are read.

    Status, phase, count, locale and packages are those of the revision; the rest is today's.

    Raises:
        SessionNotFoundError: there is no such session.
        RevisionNotKeptError: it is not the newest revision and no snapshot keeps it, so that its
            rows may be pruned; or there never was one.
    """
    session = require_session(reading, session_id)
    if revision == session.revision:
        return session
    place: Parameters = {"session_id": session_id, "revision": revision}
    kept = None
    if reading.row(_KEEPS, place) is not None:
        kept = get_revision(reading, session_id, revision)
    if kept is None:
        raise RevisionNotKeptError(session_id, revision)
    return session_at(session, kept)


def prune_unkept(transaction: Transaction, session: SessionRecord) -> None:
    """Delete rows that nothing needs since a commit without a snapshot; `session` as it left it."""
    for left in _gap_before(transaction, session):
        prune_after(transaction, session.session_id, left, newest_revision=session.revision)


def _auto(session: SessionRecord, at: datetime) -> SnapshotRecord:
    return SnapshotRecord(
        # No two snapshots begin at one revision, since a commit makes one.
        snapshot_id=f"snapshot-{session.session_id}-{session.revision}",
        session_id=session.session_id,
        revision=session.revision,
        kind="auto",
        completed_player_turns=session.completed_player_turns,
        created_at=at,
    )


def _gap_before(transaction: Transaction, session: SessionRecord) -> list[int]:
    """The newest kept revision before the session's, when commits without a snapshot follow it."""
    row = transaction.row(
        _NEWEST_KEPT, {"session_id": session.session_id, "before": session.revision}
    )
    kept = None if row is None else row[0]
    if kept == session.revision - 1:
        return []
    return [BEFORE_ALL if kept is None else kept]


def _move(
    transaction: Transaction, session: SessionRecord, snapshot_id: str, *, since: int, at: datetime
) -> None:
    transaction.run(
        _MOVE,
        {
            "session_id": session.session_id,
            "old_revision": since,
            "snapshot_id": snapshot_id,
            "new_revision": session.revision,
            "at": time_text(at),
        },
    )


def _delete(transaction: Transaction, session_id: str, revision: int, snapshot_id: str) -> bool:
    place: Parameters = {
        "session_id": session_id,
        "revision": revision,
        "snapshot_id": snapshot_id,
    }
    return transaction.run(_DELETE, place) > 0


def _parameters(snapshot: SnapshotRecord) -> Parameters:
    return {
        "session_id": snapshot.session_id,
        "revision": snapshot.revision,
        "snapshot_id": snapshot.snapshot_id,
        "kind": snapshot.kind,
        "completed_player_turns": snapshot.completed_player_turns,
        "parent_id": snapshot.parent_id,
        "created_at": time_text(snapshot.created_at),
    }


def _record(row: Row) -> SnapshotRecord:
    return SnapshotRecord(
        session_id=row[0],
        revision=row[1],
        snapshot_id=row[2],
        kind=row[3],
        completed_player_turns=row[4],
        parent_id=row[5],
        created_at=parsed_time(row[6]),
    )
