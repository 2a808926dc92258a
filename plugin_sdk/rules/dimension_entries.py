"""The entries of an `update-dimensions` call, tidied where their meaning is plain.

Seed: update-dimensions (自动整理的写法). Dropped without a word: `reason` on a change or beside
`updates`, `expectedVersion`, an empty `updates` inside an entry, and entries that change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from plugin_sdk.errors import FIX_FIELDS_HINT, ToolValidationError
from plugin_sdk.rules._json import JsonObject, is_array, is_object
from plugin_sdk.values import JsonValue

MAX_UPDATES = 64
MAX_CHANGES = 32
REASON_SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class DimensionChange:
    """One place inside the current value, and what to put there."""

    path: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class DimensionEntry:
    """What a call wants of one dimension: a complete `value`, or, when not None, `changes`."""

    dimension_id: str
    value: JsonValue
    changes: tuple[DimensionChange, ...] | None
    reason: str


def tidy_entries(updates: JsonValue) -> tuple[tuple[DimensionEntry, ...], set[str]]:
    """The entries that change something, one per dimension, and the IDs named without a change.

    Several entries with `changes` for one dimension become one in the place of the first, their
    reasons joined. A single change with an empty path is the complete value.

    Raises:
        ToolValidationError: A malformed entry, `value` beside `changes`, a complete value beside
            another entry of its dimension, or more than 64 entries or 32 changes after tidying.
    """
    if not is_array(updates):
        raise _refused("updates is not an array. Submit an empty one when nothing changed.")
    entries: dict[str, DimensionEntry] = {}
    confirmed: set[str] = set()
    for index, raw in enumerate(updates):
        where = f"updates[{index}]"
        if not is_object(raw):
            raise _refused(f"{where} is not an object.")
        entry = _entry(raw, where)
        if entry is None:
            confirmed.add(str(raw["id"]))
        elif (known := entries.get(entry.dimension_id)) is None:
            entries[entry.dimension_id] = entry
        else:
            entries[entry.dimension_id] = _merge(known, entry, where)
    _assert_limits(entries)
    return tuple(entries.values()), confirmed


def _entry(raw: JsonObject, where: str) -> DimensionEntry | None:
    dimension_id, reason = raw.get("id"), raw.get("reason")
    if not isinstance(dimension_id, str) or not dimension_id:
        raise _refused(f"{where} has no id; give the dimension's id as text.")
    if not isinstance(reason, (str, type(None))):
        raise _refused(f"{where}: reason is not text.")
    if raw.get("updates"):
        raise _refused(f"{where} holds updates of its own. Write every entry in the one list.")
    changes = _changes(raw.get("changes"), where)
    entry = DimensionEntry(dimension_id, raw.get("value"), None, (reason or "").strip())
    if "value" in raw:
        if changes:
            raise _refused(f"{where} has both value and changes. Give one of them.")
        return entry
    if len(changes) == 1 and not changes[0].path:
        return replace(entry, value=changes[0].value)
    return replace(entry, changes=changes) if changes else None


def _changes(raw: JsonValue, where: str) -> tuple[DimensionChange, ...]:
    if raw is None:
        return ()
    if not is_array(raw):
        raise _refused(f"{where}: changes is not an array of {{path, value}}.")
    return tuple(_change(item, f"{where}.changes[{index}]") for index, item in enumerate(raw))


def _change(raw: JsonValue, where: str) -> DimensionChange:
    path = raw.get("path") if is_object(raw) else None
    if not is_object(raw) or not isinstance(path, str) or "value" not in raw:
        raise _refused(f"{where} is not an object with path (text) and value.")
    return DimensionChange(path, raw["value"])


def _merge(known: DimensionEntry, entry: DimensionEntry, where: str) -> DimensionEntry:
    if known.changes is None or entry.changes is None:
        raise _refused(
            f"{where}: the dimension {entry.dimension_id!r} has another entry. A complete value "
            "must be the only entry of its dimension."
        )
    reasons = [reason for reason in (known.reason, entry.reason) if reason]
    return replace(
        known, changes=known.changes + entry.changes, reason=REASON_SEPARATOR.join(reasons)
    )


def _assert_limits(entries: dict[str, DimensionEntry]) -> None:
    if len(entries) > MAX_UPDATES:
        raise _refused(f"updates has {len(entries)} entries; at most {MAX_UPDATES} are allowed.")
    for dimension_id, entry in entries.items():
        if entry.changes is not None and len(entry.changes) > MAX_CHANGES:
            raise _refused(
                f"The dimension {dimension_id!r} has {len(entry.changes)} changes; at most "
                f"{MAX_CHANGES} are allowed. Give its complete value."
            )


def _refused(message: str) -> ToolValidationError:
    return ToolValidationError(message, hint=FIX_FIELDS_HINT)
