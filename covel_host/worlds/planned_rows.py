"""The rows a plan writes for packages, and the ledger of everything that it writes."""

from hashlib import sha256

from covel_host.base.json_text import dump_json
from covel_host.worlds.installed import Receiver
from covel_host.worlds.plan import LedgerEntry, PlannedRecord
from covel_host.worlds.sources import Source
from plugin_sdk.values import JsonObject


class PlannedRows:
    """Rows by place and ledger entries by target; the later one of a place takes it."""

    def __init__(self) -> None:
        self._data: dict[tuple[str, str, str], PlannedRecord] = {}
        self._ledger: dict[tuple[str, str, str, str], LedgerEntry] = {}

    def __contains__(self, place: tuple[str, str, str]) -> bool:
        return place in self._data

    @property
    def data(self) -> tuple[PlannedRecord, ...]:
        """The records of packages, in the order in which their places came."""
        return tuple(self._data.values())

    @property
    def ledger(self) -> tuple[LedgerEntry, ...]:
        """Where each thing comes from, in the order in which the things came."""
        return tuple(self._ledger.values())

    def put(
        self,
        source: Source,
        place: tuple[str, str, str],
        text: str,
        *,
        digest: str,
        receiver: Receiver,
    ) -> None:
        """Write the JSON `text` at `place`: package, namespace and key."""
        plugin_id, namespace, key = place
        self._data[place] = PlannedRecord(
            plugin_id=plugin_id, namespace=namespace, key=key, text=text
        )
        self.note(
            source.target.text,
            key,
            text,
            source_id=source.source_id,
            digest=digest,
            place=(plugin_id, namespace),
            schema_ref=source.entry.schema_uri or f"contract:{receiver.contract}",
        )

    def note(
        self,
        target: str,
        key: str,
        value: JsonObject | str,
        *,
        source_id: str,
        digest: str,
        place: tuple[str, str] = ("", ""),
        schema_ref: str | None = None,
    ) -> None:
        """Keep in the ledger that `value` is written for `target`; a text is JSON already."""
        text = value if isinstance(value, str) else dump_json(value)
        self._ledger[target, *place, key] = LedgerEntry(
            target=target,
            key=key,
            source_id=source_id,
            source_digest=digest,
            value_hash=sha256(text.encode("utf-8")).hexdigest(),
            plugin_id=place[0],
            namespace=place[1],
            schema_ref=schema_ref,
        )
