"""Rows of the domain events that were committed."""

from covel_host.base.json_text import dump_json
from covel_host.store.appended_rows import AppendedRows
from covel_host.store.committed_from import FIRST_OWN_COLUMN, source_columns, source_of
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import EventRecord
from covel_host.store.tables import EVENTS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object

_ROWS = AppendedRows(EVENTS)


def append_event(transaction: Transaction, record: EventRecord) -> None:
    """Add an event.

    Raises:
        RowConflictError: the session does not exist.
    """
    own = {"topic": record.topic, "data": dump_json(record.data)}
    _ROWS.append(transaction, {**source_columns(record.source), **own})


def list_events(
    reading: Reading,
    session_id: str,
    *,
    limit: int = DEFAULT_LIMIT,
    before: int | None = None,
    at_revision: int | None = None,
) -> list[EventRecord]:
    """The newest `limit` events, oldest of them first; see `AppendedRows.newest`."""
    rows = _ROWS.newest(reading, session_id, limit=limit, before=before, at_revision=at_revision)
    return [_record(row) for row in rows]


def _record(row: Row) -> EventRecord:
    topic, data = row[FIRST_OWN_COLUMN : FIRST_OWN_COLUMN + 2]
    return EventRecord(source=source_of(row), topic=topic, data=parsed_object(data))
