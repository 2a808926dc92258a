"""Runs of a session that wait for an answer of the player (spec/execution.md 10)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from sqlalchemy import bindparam, select

from covel_host.base.json_text import dump_json
from covel_host.store._suspension_tables import SUSPENSIONS, SUSPENSIONS_OLD
from covel_host.store.statements import Parameters, Statement
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text
from covel_host.store.versioned_rows import VersionedRows
from plugin_sdk.values import JsonObject

SuspensionState: TypeAlias = Literal["pending", "resolved", "voided"]

_ROWS = VersionedRows(SUSPENSIONS, SUSPENSIONS_OLD)
_EXPIRED = Statement(
    select(SUSPENSIONS.c.session_id)
    .where(SUSPENSIONS.c.state == "pending", SUSPENSIONS.c.created_at < bindparam("before"))
    .distinct()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspensionRecord:
    """A run that waits, or waited: of which runtime and execution, and what it asks.

    `turn_id` is the execution that suspended it. `facts` are what is kept for good: `reason`,
    `resumeSchema`, `locale`, `turnNumber` and what the host checks before it goes on. `scene` is
    what a pending one goes on with; a resolved or voided one has none.
    """

    session_id: str
    suspension_id: str
    plugin_id: str
    runtime_id: str
    turn_id: str
    created_at: datetime
    facts: JsonObject
    scene: JsonObject | None
    state: SuspensionState = "pending"


def get_suspension(
    reading: Reading, session_id: str, suspension_id: str
) -> SuspensionRecord | None:
    """The suspension, whatever its state; None when there is none."""
    row = _ROWS.get(reading, session_id, suspension_id)
    return None if row is None else _record(row)


def pending_suspensions(reading: Reading, session_id: str) -> list[SuspensionRecord]:
    """What waits in a session, oldest first."""
    found = (_record(row) for row in _ROWS.every(reading, session_id) if row[3] == "pending")
    return sorted(found, key=lambda one: (one.created_at, one.suspension_id))


def sessions_with_expired(reading: Reading, *, before: datetime) -> list[str]:
    """The sessions in which something has waited since before that time."""
    rows = reading.rows(_EXPIRED, {"before": time_text(before)})
    return sorted(str(row[0]) for row in rows)


def put_suspension(transaction: Transaction, record: SuspensionRecord, *, revision: int) -> None:
    """Write a suspension as `revision`.

    Raises:
        RowConflictError: the session does not exist.
    """
    row: Parameters = {
        "session_id": record.session_id,
        "suspension_id": record.suspension_id,
        "state": record.state,
        "plugin_id": record.plugin_id,
        "runtime_id": record.runtime_id,
        "turn_id": record.turn_id,
        "created_at": time_text(record.created_at),
        "facts": dump_json(record.facts),
        "scene": None if record.scene is None else dump_json(record.scene),
    }
    _ROWS.put(transaction, row, revision=revision)


def end_suspensions(
    transaction: Transaction,
    records: Iterable[SuspensionRecord],
    state: SuspensionState,
    *,
    revision: int,
) -> None:
    """Let those suspensions wait no more; what they would have gone on with is dropped."""
    for record in records:
        put_suspension(transaction, replace(record, state=state, scene=None), revision=revision)


def delete_suspension(
    transaction: Transaction, session_id: str, suspension_id: str, *, revision: int
) -> bool:
    """Delete a suspension; older revisions still show it. Whether it was there."""
    return _ROWS.delete(transaction, session_id, suspension_id, revision=revision)


def _record(row: Row) -> SuspensionRecord:
    return SuspensionRecord(
        session_id=row[0],
        suspension_id=row[1],
        state=row[3],
        plugin_id=row[4],
        runtime_id=row[5],
        turn_id=row[6],
        created_at=parsed_time(row[7]),
        facts=parsed_object(row[8]),
        scene=None if row[9] is None else parsed_object(row[9]),
    )
