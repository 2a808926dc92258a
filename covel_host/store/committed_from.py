"""How the common columns of appended rows are written and read."""

from covel_host.store.records import CommittedFrom
from covel_host.store.statements import SqlValue
from covel_host.store.transaction import Row
from covel_host.store.values import parsed_time, time_text

FIRST_OWN_COLUMN = 7
"""Where the columns of a table's own begin; its last one is `created_at`."""


def source_columns(source: CommittedFrom) -> dict[str, SqlValue]:
    """The common columns but for `sequence`, which the store gives."""
    return {
        "session_id": source.session_id,
        "revision": source.revision,
        "turn_id": source.turn_id,
        "plugin_id": source.plugin_id,
        "runtime_id": source.runtime_id,
        "proposal_id": source.proposal_id,
        "created_at": time_text(source.created_at),
    }


def source_of(row: Row) -> CommittedFrom:
    """The common columns of a row."""
    return CommittedFrom(
        session_id=row[0],
        sequence=row[1],
        revision=row[2],
        turn_id=row[3],
        plugin_id=row[4],
        runtime_id=row[5],
        proposal_id=row[6],
        created_at=parsed_time(row[-1]),
    )
