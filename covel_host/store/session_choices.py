"""What players chose for one session: values of package settings, and model slots of runtimes.

Rows of the host, so that every revision, snapshot and fork shows them as they were.
"""

from collections.abc import Mapping
from datetime import datetime

from covel_host.store.kernel_rows import KernelRows
from covel_host.store.transaction import Reading, Transaction
from plugin_sdk.values import JsonValue

_MODELS = KernelRows("models", "slots")
_SETTINGS = KernelRows("settings", "values")

_SEPARATOR = "/"
"""Between package and setting in a key; no package has it in its ID."""


def read_model_overrides(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> dict[str, str]:
    """The slot that each runtime is to use in place of its own, by runtime ID."""
    rows = _MODELS.every(reading, session_id, revision=revision)
    return {runtime_id: str(slot) for runtime_id, slot in rows}


def put_model_override(
    transaction: Transaction,
    session_id: str,
    runtime_id: str,
    slot: str,
    *,
    revision: int,
    at: datetime,
) -> None:
    """Let the runtime use that slot.

    Raises:
        RowConflictError: the session does not exist; at the next use of the transaction.
    """
    _MODELS.put(transaction, session_id, {runtime_id: slot}, revision=revision, at=at)


def delete_model_override(
    transaction: Transaction, session_id: str, runtime_id: str, *, revision: int
) -> bool:
    """Let the runtime use its own slot again; whether it had another one."""
    return _MODELS.delete(transaction, session_id, runtime_id, revision=revision)


def read_setting_values(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> dict[str, dict[str, JsonValue]]:
    """The values that players set, by package and setting."""
    values: dict[str, dict[str, JsonValue]] = {}
    for place, value in _SETTINGS.every(reading, session_id, revision=revision):
        plugin_id, _, key = place.partition(_SEPARATOR)
        values.setdefault(plugin_id, {})[key] = value
    return values


def put_setting_values(
    transaction: Transaction,
    session_id: str,
    plugin_id: str,
    values: Mapping[str, JsonValue],
    *,
    revision: int,
    at: datetime,
) -> None:
    """Set values of one package's settings; the others stay.

    Raises:
        RowConflictError: the session does not exist; at the next use of the transaction.
        ValueTooLargeError: a value is over the limit of one record.
    """
    rows = {_place(plugin_id, key): value for key, value in values.items()}
    _SETTINGS.put(transaction, session_id, rows, revision=revision, at=at)


def delete_setting_value(
    transaction: Transaction, session_id: str, plugin_id: str, key: str, *, revision: int
) -> bool:
    """Take a player's value away; whether there was one."""
    return _SETTINGS.delete(transaction, session_id, _place(plugin_id, key), revision=revision)


def _place(plugin_id: str, key: str) -> str:
    return f"{plugin_id}{_SEPARATOR}{key}"
