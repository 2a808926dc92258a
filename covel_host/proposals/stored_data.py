"""The stored side of the plugin data view: the current rows of one package in one session."""

from collections.abc import Sequence

from covel_host.proposals.data_entries import DataEntry
from covel_host.store.plugin_data import DataKey, get_data, list_data
from covel_host.store.records import PluginDataRecord
from covel_host.store.store import Store


class StoredPluginData:
    """Reads one package's current records; the session lock keeps them still meanwhile."""

    def __init__(self, store: Store, *, session_id: str, plugin_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._plugin_id = plugin_id

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        """The stored record, or None."""
        address = DataKey(
            session_id=self._session_id, plugin_id=self._plugin_id, namespace=namespace, key=key
        )
        record = await self._store.read(lambda reading: get_data(reading, address))
        return None if record is None else _entry(record)

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        """At most `limit` stored records with keys after `after`, in code-point order."""
        records = await self._store.read(
            lambda reading: list_data(
                reading, self._session_id, self._plugin_id, namespace, limit=limit, after=after
            )
        )
        return [_entry(record) for record in records]


def _entry(record: PluginDataRecord) -> DataEntry:
    return DataEntry(record.key, record.value, record.version, record.created_at)
