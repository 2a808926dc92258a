"""Rows of history summaries: texts that stand for old messages in prompts (spec/memory.md 7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from covel_host.base.json_text import dump_json
from covel_host.store._memory_tables import HISTORY_SUMMARIES, HISTORY_SUMMARIES_OLD
from covel_host.store.changed_rows import ChangedRows
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text
from covel_host.store.versioned_rows import VersionedRows
from plugin_sdk.values import JsonValue

_ROWS = VersionedRows(HISTORY_SUMMARIES, HISTORY_SUMMARIES_OLD)
_CHANGED = ChangedRows(HISTORY_SUMMARIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySummary:
    """One summary; it stands for the messages from `first` to `last`, by their sequence.

    Sequences and not IDs: a fork gives its messages new IDs.
    """

    session_id: str
    summary_id: str
    content: str
    first: int
    last: int
    created_at: datetime
    focus_sections: tuple[str, ...] = ()
    is_truncated: bool = False


def get_history_summary(
    reading: Reading, session_id: str, summary_id: str
) -> HistorySummary | None:
    """The summary of that ID; None when there is none."""
    row = _ROWS.get(reading, session_id, summary_id)
    return None if row is None else _record(row)


def every_history_summary(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> list[HistorySummary]:
    """All summaries of a session by ID; as `revision` left them if given."""
    return [_record(row) for row in _ROWS.every(reading, session_id, revision=revision)]


def history_summaries_since(
    reading: Reading, session_id: str, *, revision: int
) -> Iterator[tuple[int, HistorySummary]]:
    """The current summaries that later revisions wrote, each with its own, by revision and ID."""
    rows = _CHANGED.written(reading, session_id, since=revision)
    return ((row[2], _record(row)) for row in rows)


def history_summaries_removed_since(
    reading: Reading, session_id: str, *, revision: int
) -> list[str]:
    """IDs of summaries that later revisions deleted; some may be written again."""
    return [key for (key,) in _CHANGED.removed(reading, session_id, since=revision)]


def put_history_summary(
    transaction: Transaction, summary: HistorySummary, *, revision: int
) -> None:
    """Write a summary, over an older one of the same ID.

    Raises:
        RowConflictError: the session does not exist.
    """
    record: dict[str, JsonValue] = {
        "content": summary.content,
        "first": summary.first,
        "last": summary.last,
        "focusSections": list(summary.focus_sections),
        "truncated": summary.is_truncated,
        "createdAt": time_text(summary.created_at),
    }
    row = {
        "session_id": summary.session_id,
        "summary_id": summary.summary_id,
        "record": dump_json(record),
    }
    _ROWS.put(transaction, row, revision=revision)


def delete_history_summary(
    transaction: Transaction, session_id: str, summary_id: str, *, revision: int
) -> bool:
    """Whether there was a summary to delete."""
    return _ROWS.delete(transaction, session_id, summary_id, revision=revision)


def _record(row: Row) -> HistorySummary:
    record = parsed_object(row[3])
    return HistorySummary(
        session_id=row[0],
        summary_id=row[1],
        content=str(record["content"]),
        first=_number(record["first"]),
        last=_number(record["last"]),
        created_at=parsed_time(str(record["createdAt"])),
        focus_sections=_texts(record["focusSections"]),
        is_truncated=record["truncated"] is True,
    )


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _number(value: JsonValue) -> int:
    assert isinstance(value, int)
    return value
