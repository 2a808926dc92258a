"""How often in a row the packages of a session have failed.

Rows of the host, so that every revision, snapshot and fork shows them as they were.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from covel_host.store.kernel_rows import KernelRows
from covel_host.store.transaction import Reading, Transaction
from plugin_sdk.values import JsonValue

_ROWS = KernelRows("pauses", "failures")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFailures:
    """Executions in a row in which a package failed, in the content that it had then."""

    plugin_id: str
    content_hash: str
    in_a_row: int


def read_package_failures(reading: Reading, session_id: str) -> dict[str, PackageFailures]:
    """The failures by package; one that has none has no row."""
    return {
        plugin_id: _record(plugin_id, value)
        for plugin_id, value in _ROWS.every(reading, session_id)
    }


def put_package_failures(
    transaction: Transaction,
    session_id: str,
    changed: Iterable[PackageFailures],
    *,
    revision: int,
    at: datetime,
) -> None:
    """Set the rows of those packages; without a failure in a row the row goes.

    Raises:
        RowConflictError: the session does not exist; at the next use of the transaction.
    """
    values: dict[str, JsonValue] = {}
    for row in changed:
        if row.in_a_row:
            values[row.plugin_id] = {"contentHash": row.content_hash, "inARow": row.in_a_row}
        else:
            _ROWS.delete(transaction, session_id, row.plugin_id, revision=revision)
    _ROWS.put(transaction, session_id, values, revision=revision, at=at)


def _record(plugin_id: str, value: Any) -> PackageFailures:
    return PackageFailures(
        plugin_id=plugin_id, content_hash=value["contentHash"], in_a_row=value["inARow"]
    )
