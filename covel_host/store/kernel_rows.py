"""Rows that belong to the host itself, kept among the plugin data of a session.

Their owner is `__kernel:<subsystem>`, which no package can be called, so that no package reads
them (spec/storage.md 3). Revisions, snapshots and forks carry them like every other record.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from covel_host.base.json_text import dump_json
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.plugin_data import (
    DataKey,
    delete_data,
    list_data,
    list_data_at,
    put_data,
)
from covel_host.store.records import PluginDataRecord
from covel_host.store.transaction import Reading, Transaction
from plugin_sdk.values import JsonValue

KERNEL_PREFIX = "__kernel:"
"""What the owner of a row of the host begins with."""


class KernelRows:
    """The rows of one subsystem in one namespace, by key."""

    def __init__(self, subsystem: str, namespace: str) -> None:
        self.owner = f"{KERNEL_PREFIX}{subsystem}"
        self.namespace = namespace

    def every(
        self, reading: Reading, session_id: str, *, revision: int | None = None
    ) -> Iterator[tuple[str, JsonValue]]:
        """Key and value of each row in key order; as `revision` left them if given."""
        after = ""
        while True:
            page = self._page(reading, session_id, after=after, revision=revision)
            yield from ((record.key, record.value) for record in page)
            if len(page) < MAX_LIMIT:
                return
            after = page[-1].key

    def put(
        self,
        transaction: Transaction,
        session_id: str,
        values: Mapping[str, JsonValue],
        *,
        revision: int,
        at: datetime,
    ) -> None:
        """Set the rows of `values`; the others stay as they are.

        Raises:
            RowConflictError: the session does not exist; at the next use of the transaction.
            ValueTooLargeError: a value is over the limit of one record.
        """
        for key, value in values.items():
            text = dump_json(value)
            put_data(
                transaction, self._key(session_id, key), value_text=text, revision=revision, at=at
            )

    def delete(self, transaction: Transaction, session_id: str, key: str, *, revision: int) -> bool:
        """Delete one row; older revisions still show it. Whether it was there."""
        return delete_data(transaction, self._key(session_id, key), revision=revision)

    def _key(self, session_id: str, key: str) -> DataKey:
        return DataKey(
            session_id=session_id, plugin_id=self.owner, namespace=self.namespace, key=key
        )

    def _page(
        self, reading: Reading, session_id: str, *, after: str, revision: int | None
    ) -> list[PluginDataRecord]:
        place = (reading, session_id, self.owner, self.namespace)
        if revision is None:
            return list_data(*place, limit=MAX_LIMIT, after=after)
        return list_data_at(*place, revision=revision, limit=MAX_LIMIT, after=after)
