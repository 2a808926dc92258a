"""Rows of interactions: what the player was asked in which turn."""

from covel_host.base.json_text import dump_json
from covel_host.store.appended_rows import AppendedRows
from covel_host.store.committed_from import FIRST_OWN_COLUMN, source_columns, source_of
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import InteractionRecord
from covel_host.store.tables import INTERACTIONS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object

_ROWS = AppendedRows(INTERACTIONS)


def append_interaction(transaction: Transaction, record: InteractionRecord) -> None:
    """Add a question; asked again in its turn, the later one counts.

    Raises:
        RowConflictError: the session does not exist.
    """
    own = {
        "interaction_id": record.interaction_id,
        "interaction": dump_json(record.interaction),
    }
    _ROWS.append(transaction, {**source_columns(record.source), **own})


def turn_interactions(reading: Reading, session_id: str, turn_id: str) -> list[InteractionRecord]:
    """What one turn asks, each interaction once, in the order they were last asked."""
    asked: dict[str, InteractionRecord] = {}
    for row in _ROWS.of_turn(reading, session_id, turn_id):
        record = _record(row)
        asked.pop(record.interaction_id, None)
        asked[record.interaction_id] = record
    return list(asked.values())


def find_interaction(
    reading: Reading, session_id: str, turn_id: str, interaction_id: str
) -> InteractionRecord | None:
    """The committed question that an answer names, or None (seed: findCommittedInteraction)."""
    asked = turn_interactions(reading, session_id, turn_id)
    return next((record for record in asked if record.interaction_id == interaction_id), None)


def list_interactions(
    reading: Reading,
    session_id: str,
    *,
    limit: int = DEFAULT_LIMIT,
    before: int | None = None,
    at_revision: int | None = None,
) -> list[InteractionRecord]:
    """The newest `limit` rows, oldest of them first; see `AppendedRows.newest`."""
    rows = _ROWS.newest(reading, session_id, limit=limit, before=before, at_revision=at_revision)
    return [_record(row) for row in rows]


def _record(row: Row) -> InteractionRecord:
    interaction_id, interaction = row[FIRST_OWN_COLUMN : FIRST_OWN_COLUMN + 2]
    return InteractionRecord(
        source=source_of(row),
        interaction_id=interaction_id,
        interaction=parsed_object(interaction),
    )
