"""Rows of sessions and of their revisions."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, tuple_, update
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json, parse_json
from covel_host.store.errors import RowConflictError, ScopeConflictError, SessionNotFoundError
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.records import SessionRecord, SessionRevision
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import SESSION_REVISIONS, SESSIONS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text
from plugin_sdk.values import JsonValue

_BY_ID = SESSIONS.c.session_id == bindparam("session_id")

_INSERT = Statement(insert(SESSIONS))
_GET = Statement(select(SESSIONS).where(_BY_ID))
_NEWEST_FIRST = (
    select(SESSIONS)
    .order_by(SESSIONS.c.updated_at.desc(), SESSIONS.c.session_id.desc())
    .limit(bindparam("limit"))
)
_LIST = Statement(_NEWEST_FIRST)
_LIST_BEFORE = Statement(
    _NEWEST_FIRST.where(
        tuple_(SESSIONS.c.updated_at, SESSIONS.c.session_id)
        < tuple_(bindparam("before_at"), bindparam("before_id"))
    )
)
_UPDATE = Statement(
    update(SESSIONS)
    .where(SESSIONS.c.session_id == bindparam("id"))
    .values(
        {
            name: bindparam(name)
            for name in ("world_id", "status", "active_packages", "metadata", "updated_at")
        }
    )
)
_ADVANCE = Statement(
    update(SESSIONS)
    .where(
        SESSIONS.c.session_id == bindparam("id"),
        SESSIONS.c.revision == bindparam("old_revision"),
    )
    .values(
        {
            name: bindparam(name)
            for name in ("revision", "status", "phase", "completed_player_turns", "updated_at")
        }
    )
)
_DELETE = Statement(delete(SESSIONS).where(_BY_ID))
_INSERT_REVISION = Statement(insert(SESSION_REVISIONS).on_conflict_do_nothing())
_GET_REVISION = Statement(
    select(SESSION_REVISIONS).where(
        SESSION_REVISIONS.c.session_id == bindparam("session_id"),
        SESSION_REVISIONS.c.revision == bindparam("revision"),
    )
)


def insert_session(transaction: Transaction, session: SessionRecord) -> None:
    """Store a new session.

    Raises:
        ScopeConflictError: the ID is taken; nothing was changed.
    """
    try:
        transaction.run(_INSERT, _parameters(session))
    except RowConflictError as error:
        raise ScopeConflictError(
            f"The session ID {session.session_id!r} is taken.",
            code="session-exists",
            hint="Name another session, or leave the ID out to get a new one.",
        ) from error


def get_session(reading: Reading, session_id: str) -> SessionRecord | None:
    """The session, or None."""
    row = reading.row(_GET, {"session_id": session_id})
    return None if row is None else _record(row)


def require_session(
    reading: Reading, session_id: str, *, incarnation: str | None = None
) -> SessionRecord:
    """The session, which must exist and, where given, still be that incarnation.

    Raises:
        SessionNotFoundError: it does not exist, or was deleted and created anew.
    """
    session = get_session(reading, session_id)
    if session is None:
        raise SessionNotFoundError(session_id)
    if incarnation is not None and session.incarnation != incarnation:
        raise SessionNotFoundError(session_id, replaced=True)
    return session


def list_sessions(
    reading: Reading, *, limit: int = DEFAULT_LIMIT, before: SessionRecord | None = None
) -> list[SessionRecord]:
    """At most `limit` sessions, last changed first; `before` is the last one of the page before."""
    parameters: dict[str, str | int] = {"limit": checked_limit(limit)}
    if before is None:
        rows = reading.rows(_LIST, parameters)
    else:
        parameters["before_at"] = time_text(before.updated_at)
        parameters["before_id"] = before.session_id
        rows = reading.rows(_LIST_BEFORE, parameters)
    return [_record(row) for row in rows]


def update_session(transaction: Transaction, session: SessionRecord) -> None:
    """Write the members that change outside a commit: world, status, packages, metadata, time.

    The revision and the clock stay as they are; only `advance_session` moves them.

    Raises:
        SessionNotFoundError: there is no such session.
    """
    parameters = dict(_parameters(session))
    parameters["id"] = session.session_id
    if transaction.run(_UPDATE, parameters) == 0:
        raise SessionNotFoundError(session.session_id)


def advance_session(
    transaction: Transaction, session: SessionRecord, *, turn_id: str | None, at: datetime
) -> SessionRecord:
    """Move the session to its next revision and keep the clock this revision has.

    Args:
        session: as read in this transaction, with the status, phase and count it is to have.

    Raises:
        RowConflictError: the stored revision is not `session.revision` any more.
    """
    advanced = replace(session, revision=session.revision + 1, updated_at=at)
    parameters: Parameters = {
        "id": session.session_id,
        "old_revision": session.revision,
        "revision": advanced.revision,
        "status": advanced.status,
        "phase": advanced.phase,
        "completed_player_turns": advanced.completed_player_turns,
        "updated_at": time_text(at),
    }
    if transaction.run(_ADVANCE, parameters) == 0:
        raise RowConflictError(
            f"The session {session.session_id!r} is no longer at revision {session.revision!r}.",
            code="revision-conflict",
        )
    record_revision(transaction, advanced, turn_id=turn_id, at=at)
    return advanced


def record_revision(
    transaction: Transaction, session: SessionRecord, *, turn_id: str | None, at: datetime
) -> None:
    """Keep the clock of the session's revision; one that is there already stays as it is."""
    transaction.run(
        _INSERT_REVISION,
        {
            "session_id": session.session_id,
            "revision": session.revision,
            "turn_id": turn_id,
            "committed_at": time_text(at),
            "state": dump_json(_state(session)),
        },
    )


def get_revision(reading: Reading, session_id: str, revision: int) -> SessionRevision | None:
    """What the commit of that revision left behind; None for revision 0 and unknown ones."""
    row = reading.row(_GET_REVISION, {"session_id": session_id, "revision": revision})
    if row is None:
        return None
    return SessionRevision(
        session_id=row[0],
        revision=row[1],
        turn_id=row[2],
        committed_at=parsed_time(row[3]),
        state=parsed_object(row[4]),
    )


def session_at(session: SessionRecord, kept: SessionRevision) -> SessionRecord:
    """The session with the clock, status, locale and packages that it had at that revision."""
    state: Any = kept.state
    return replace(
        session,
        revision=kept.revision,
        updated_at=kept.committed_at,
        status=state["status"],
        phase=state["phase"],
        completed_player_turns=state["completedPlayerTurns"],
        locale=state["locale"],
        active_packages=tuple(state["activePackages"]),
    )


def delete_session(transaction: Transaction, session_id: str) -> bool:
    """Delete the session and every row that belongs to it; whether it was there."""
    return transaction.run(_DELETE, {"session_id": session_id}) > 0


def _state(session: SessionRecord) -> dict[str, JsonValue]:
    return {
        "status": session.status,
        "phase": session.phase,
        "completedPlayerTurns": session.completed_player_turns,
        "locale": session.locale,
        "activePackages": list(session.active_packages),
    }


def _parameters(session: SessionRecord) -> Parameters:
    return {
        "session_id": session.session_id,
        "incarnation": session.incarnation,
        "world_id": session.world_id,
        "status": session.status,
        "phase": session.phase,
        "completed_player_turns": session.completed_player_turns,
        "revision": session.revision,
        "locale": session.locale,
        "active_packages": dump_json(session.active_packages),
        "metadata": dump_json(session.metadata),
        "created_at": time_text(session.created_at),
        "updated_at": time_text(session.updated_at),
    }


def _record(row: Row) -> SessionRecord:
    packages = parse_json(row[8])
    assert isinstance(packages, list)
    return SessionRecord(
        session_id=row[0],
        incarnation=row[1],
        world_id=row[2],
        status=row[3],
        phase=row[4],
        completed_player_turns=row[5],
        revision=row[6],
        locale=row[7],
        active_packages=tuple(str(package) for package in packages),
        metadata=parsed_object(row[9]),
        created_at=parsed_time(row[10]),
        updated_at=parsed_time(row[11]),
    )
