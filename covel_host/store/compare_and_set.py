"""Versioned batch compare-and-set of plugin data (spec/transactions.md 1.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from covel_host.store.plugin_data import DataKey, get_data, put_all_data
from covel_host.store.sessions import require_session
from covel_host.store.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedWrite:
    """One record to write; `expected_version` None demands that there is none yet."""

    namespace: str
    key: str
    expected_version: int | None
    value_text: str


def compare_and_set_data(
    transaction: Transaction,
    session_id: str,
    plugin_id: str,
    writes: Sequence[ExpectedWrite],
    *,
    revision: int,
    at: datetime,
) -> bool:
    """Write all records if every one still has its expected version; else nothing, and False.

    `revision` is what the records' version becomes. No writes are a barrier: they check the
    session only.

    Raises:
        SessionNotFoundError: the session does not exist.
        ValueError: a record is named twice, or a version is not a positive integer.
        ValueTooLargeError: one of the values is; nothing was changed.
    """
    require_session(transaction, session_id)
    keys = [
        DataKey(
            session_id=session_id, plugin_id=plugin_id, namespace=write.namespace, key=write.key
        )
        for write in writes
    ]
    _refuse_malformed(writes)
    for key, write in zip(keys, writes, strict=True):
        record = get_data(transaction, key)
        if (None if record is None else record.version) != write.expected_version:
            return False
    values = [(key, write.value_text) for key, write in zip(keys, writes, strict=True)]
    put_all_data(transaction, values, revision=revision, at=at)
    return True


def _refuse_malformed(writes: Sequence[ExpectedWrite]) -> None:
    named = [(write.namespace, write.key) for write in writes]
    if len(set(named)) != len(named):
        raise ValueError(f"A record is named twice in one compare-and-set: {sorted(named)!r}.")
    for write in writes:
        version = write.expected_version
        if version is not None and (isinstance(version, bool) or version < 1):
            raise ValueError(
                f"The expected version of {write.namespace}/{write.key} is {version!r}; it must be "
                "a positive integer, or None for a record that does not exist."
            )
