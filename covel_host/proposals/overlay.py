"""The view of plugin data inside an execution: stored records with the staged writes over them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from covel_host.proposals.data_entries import Address, DataEntry, DataSource
from covel_host.proposals.data_policies import NO_POLICIES, DataPolicies
from covel_host.proposals.plugin_data_rules import (
    ABSENT,
    changed_record,
    hidden_name,
    needs_current,
)
from covel_host.proposals.read_sets import DataRangeRead, DataRead, ReadSet, range_digest
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.upstream_data import (
    RecordText,
    UpstreamData,
    data_read,
    owned_writes,
)
from plugin_sdk.rules.plugin_data import StoredValue
from plugin_sdk.values import JsonValue

DEFAULT_LIST_LIMIT = 10_000
_PAGE_ROWS = 1_000
_NONE_HIDDEN: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PreparedData:
    """Records that staged proposals make, checked but not shown yet.

    The `read` of each is what its writes rest on, None when on nothing.
    """

    records: Mapping[Address, RecordText]


class PluginDataView:
    """What a package sees of its own data while an execution runs (seed: context.store).

    Stored records, then the plugin data proposals of upstream runs of the package, then those
    staged here, in order and through the commit's own rules. Values are copies; `reads` takes what
    was looked at. `_hidden.<namespace>` answers as if it were empty, but for readers who name the
    namespace in `hidden` (spec/decisions.md 6, own hidden data).
    """

    def __init__(
        self,
        source: DataSource,
        *,
        plugin_id: str,
        upstream: Iterable[StagedProposal] = (),
        policies: DataPolicies = NO_POLICIES,
        reads: ReadSet | None = None,
    ) -> None:
        self._source = source
        self._plugin_id = plugin_id
        self._policies = policies
        self._reads = ReadSet() if reads is None else reads
        self._upstream = UpstreamData(upstream, plugin_id=plugin_id, policies=policies)
        self._own: dict[Address, RecordText] = {}

    async def stage(self, proposals: Iterable[StagedProposal]) -> None:
        """Lay proposals over the view, all or none; those of other kinds or packages are passed by.

        Raises:
            ProposalRefused: one breaks a rule of plugin data; the view is as before.
        """
        self.enter(await self.prepared(proposals))

    async def prepared(self, proposals: Iterable[StagedProposal]) -> PreparedData:
        """What the proposals make of the records, for `enter`.

        Raises:
            ProposalRefused: like `stage`.
        """
        records: dict[Address, RecordText] = {}
        for owned in owned_writes(proposals, self._plugin_id):
            current, read = ABSENT, None
            if needs_current(owned.write):
                current, read = await self._current(owned.address, records)
            change = changed_record(owned.proposal, owned.write, current, self._policies)
            records[owned.address] = RecordText(change.text, read)
        return PreparedData(records)

    def enter(self, prepared: PreparedData) -> None:
        """Show what `prepared` made; nothing may have been staged in between."""
        self._own.update(prepared.records)

    async def get(
        self, namespace: str, key: str, *, hidden: frozenset[str] = _NONE_HIDDEN
    ) -> JsonValue:
        """The record's value, or None when there is no such record."""
        entry = await self.find(namespace, key, hidden=hidden)
        return None if entry is None else entry.value

    async def find(
        self,
        namespace: str,
        key: str,
        *,
        hidden: frozenset[str] = _NONE_HIDDEN,
        is_read: bool = True,
    ) -> DataEntry | None:
        """The record, or None; `is_read` as in `list`."""
        if not _is_open(namespace, hidden):
            return None
        current, read = await self._current((namespace, key), self._own)
        if is_read and read is not None:
            self._reads.record(read)
        version = None if read is None else read.version
        return DataEntry(key, current.value, version) if current.exists else None

    async def list(
        self,
        namespace: str,
        *,
        limit: int = DEFAULT_LIST_LIMIT,
        after: str = "",
        hidden: frozenset[str] = _NONE_HIDDEN,
        is_read: bool = True,
    ) -> list[DataEntry]:
        """At most `limit` records by key in code-point order; `after` is the last key read.

        With `is_read=False` the listing is not recorded: nothing is to rest on it. Of the stored
        records it reads `limit`, and one more for each staged write at most.
        """
        if not _is_open(namespace, hidden):
            return []
        staged = self._staged_keys(namespace, after)
        stored, bound = await self._stored_page(namespace, after, limit, staged)
        keys = sorted({*stored, *(key for key in staged if bound is None or key <= bound)})
        entries: list[DataEntry] = []
        for key in keys:
            entry = stored.get(key)
            if key in staged:
                address = (namespace, key)
                record = self._own.get(address) or self._upstream.over(address, entry)
                entry = _over(record.entry(key), entry)
            if entry is not None:
                entries.append(entry)
                if len(entries) == limit:
                    break
        through = entries[-1].key if len(entries) == limit else None
        if is_read:
            self._record_range(namespace, after, through, stored)
        return entries

    def _staged_keys(self, namespace: str, after: str) -> set[str]:
        addresses = (*self._upstream, *self._own)
        return {key for space, key in addresses if space == namespace and key > after}

    async def _stored_page(
        self, namespace: str, after: str, limit: int, staged: set[str]
    ) -> tuple[dict[str, DataEntry], str | None]:
        """Stored records enough for a list, and the last key known of, None when all are."""
        stored: dict[str, DataEntry] = {}
        rows = min(limit + len(staged), _PAGE_ROWS)
        untouched = 0
        while untouched < limit:
            page = await self._source.list(namespace, after=after, limit=rows)
            stored.update((entry.key, entry) for entry in page)
            untouched += sum(entry.key not in staged for entry in page)
            if len(page) < rows:
                return stored, None
            after = page[-1].key
        return stored, after

    async def _current(
        self, address: Address, newer: Mapping[Address, RecordText]
    ) -> tuple[StoredValue, DataRead | None]:
        """A record under all staged writes, those in `newer` first, and what it rests on."""
        record = newer.get(address) or self._own.get(address)
        if record is not None:
            return record.value, record.read
        if address in self._upstream:
            is_needed = self._upstream.needs_stored(address)
            stored = await self._source.get(*address) if is_needed else None
            record = self._upstream.over(address, stored)
            return record.value, record.read
        stored = await self._source.get(*address)
        value = ABSENT if stored is None else StoredValue(exists=True, value=stored.value)
        return value, data_read(self._plugin_id, address, stored)

    def _record_range(
        self,
        namespace: str,
        after: str,
        through: str | None,
        stored: Mapping[str, DataEntry],
    ) -> None:
        """Record a listing; `stored` are all stored records of its range, and maybe more."""
        inside = [entry for entry in stored.values() if through is None or entry.key <= through]
        upstream = {
            key
            for space, key in self._upstream
            if space == namespace and key > after and (through is None or key <= through)
        }
        seen = None
        if upstream:
            values = {entry.key: entry.value for entry in inside}
            for key in upstream:
                current = self._upstream.over((namespace, key), stored.get(key)).value
                values.pop(key, None)
                if current.exists:
                    values[key] = current.value
            seen = range_digest(values)
        self._reads.record(
            DataRangeRead(
                plugin_id=self._plugin_id,
                namespace=namespace,
                after=after,
                through=through,
                count=len(inside),
                newest=max((entry.version or 0 for entry in inside), default=0),
                seen=seen,
            )
        )


def _over(staged: DataEntry | None, stored: DataEntry | None) -> DataEntry | None:
    if staged is None:
        return None
    created_at = None if stored is None else stored.created_at
    return replace(staged, created_at=created_at, is_staged=True)


def _is_open(namespace: str, hidden: frozenset[str]) -> bool:
    name = hidden_name(namespace)
    return name is None or name in hidden
