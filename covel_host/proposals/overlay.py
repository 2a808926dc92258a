"""The view of plugin data inside an execution: stored records with the staged writes over them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from covel_host.base.json_text import parse_json
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.json_size import value_text
from covel_host.proposals.plugin_data_rules import (
    ABSENT,
    DataWrite,
    changed_record,
    data_writes,
    needs_current,
)
from covel_host.proposals.staged import StagedProposal
from plugin_sdk.names import HIDDEN_NAMESPACE_PREFIX
from plugin_sdk.rules.plugin_data import StoredValue
from plugin_sdk.values import JsonValue

DEFAULT_LIST_LIMIT = 10_000
_PAGE_ROWS = 1_000

_Address: TypeAlias = tuple[str, str]
"""Namespace and key."""


@dataclass(frozen=True, slots=True)
class _OwnedWrite:
    proposal: StagedProposal
    write: DataWrite


@dataclass(frozen=True, slots=True)
class DataEntry:
    """One record of a package as the view shows it; `value` is a fresh copy."""

    key: str
    value: JsonValue


class DataSource(Protocol):
    """The stored records of one package in one session."""

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        """The stored record, or None."""
        ...

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        """At most `limit` stored records with keys after `after`, in code-point order."""
        ...


class PluginDataView:
    """What a package sees of its own data while an execution runs (seed: context.store).

    Stored records, then the plugin data proposals of upstream runs of the package, then those
    staged here, in order and through the commit's own rules. Values are copies.
    """

    def __init__(
        self, source: DataSource, *, plugin_id: str, upstream: Iterable[StagedProposal] = ()
    ) -> None:
        self._source = source
        self._plugin_id = plugin_id
        self._upstream: dict[_Address, list[_OwnedWrite]] = {}
        self._texts: dict[_Address, str | None] = {}
        for owned in self._writes(upstream):
            self._upstream.setdefault(_address(owned.write), []).append(owned)

    async def stage(self, proposals: Iterable[StagedProposal]) -> None:
        """Lay proposals over the view, all or none; those of other kinds or packages are passed by.

        Raises:
            ProposalRefused: one breaks a rule of plugin data; the view is as before.
        """
        texts: dict[_Address, str | None] = {}
        for owned in self._writes(proposals):
            address = _address(owned.write)
            current = ABSENT
            if needs_current(owned.write):
                current = (
                    _stored_value(texts[address])
                    if address in texts
                    else await self._current(address)
                )
            texts[address] = changed_record(owned.proposal, owned.write, current).text
        self._texts.update(texts)

    async def get(self, namespace: str, key: str) -> JsonValue:
        """The record's value, or None when there is no such record."""
        entry = await self.find(namespace, key)
        return None if entry is None else entry.value

    async def find(self, namespace: str, key: str) -> DataEntry | None:
        """The record, or None.

        Hidden namespaces answer as if they were empty (spec/decisions.md 6, own hidden data).
        """
        if _is_hidden(namespace):
            return None
        current = await self._current((namespace, key))
        return DataEntry(key, current.value) if current.exists else None

    async def list(
        self, namespace: str, *, limit: int = DEFAULT_LIST_LIMIT, after: str = ""
    ) -> list[DataEntry]:
        """At most `limit` records by key in code-point order; `after` is the last key read."""
        if _is_hidden(namespace):
            return []
        staged = {key for space, key in (*self._upstream, *self._texts) if space == namespace}
        entries: dict[str, DataEntry] = {}
        cursor, is_complete = after, False
        while not is_complete and len(entries) < limit:
            page = await self._source.list(namespace, after=cursor, limit=_PAGE_ROWS)
            entries.update((entry.key, entry) for entry in page if entry.key not in staged)
            is_complete = len(page) < _PAGE_ROWS
            cursor = page[-1].key if page else cursor
        # Beyond the last stored row read, stored rows unknown here may stand before staged ones.
        for key in staged:
            if key > after and (is_complete or key <= cursor):
                current = await self._current((namespace, key))
                if current.exists:
                    entries[key] = DataEntry(key, current.value)
        return [entries[key] for key in sorted(entries)[:limit]]

    def _writes(self, proposals: Iterable[StagedProposal]) -> Sequence[_OwnedWrite]:
        return [
            _OwnedWrite(proposal, write)
            for proposal in proposals
            if proposal.plugin_id == self._plugin_id
            for write in data_writes(proposal)
        ]

    async def _current(self, address: _Address) -> StoredValue:
        if address not in self._texts and address not in self._upstream:
            return await self._stored(address)
        if address not in self._texts:
            text = await self._after_upstream(address)
            # A write staged meanwhile is newer than what was worked out.
            self._texts.setdefault(address, text)
        return _stored_value(self._texts[address])

    async def _after_upstream(self, address: _Address) -> str | None:
        writes = self._upstream[address]
        current = ABSENT
        if needs_current(writes[0].write):
            current = await self._stored(address)
        for owned in writes:
            try:
                text = changed_record(owned.proposal, owned.write, current).text
            except ProposalRefused:
                # Parallel runs may stage what does not fit together: the commit refuses it, so it
                # never enters a view.
                continue
            current = _stored_value(text)
        return value_text(current.value) if current.exists else None

    async def _stored(self, address: _Address) -> StoredValue:
        entry = await self._source.get(*address)
        return ABSENT if entry is None else StoredValue(exists=True, value=entry.value)


def _address(write: DataWrite) -> _Address:
    return write.namespace, write.key


def _stored_value(text: str | None) -> StoredValue:
    return ABSENT if text is None else StoredValue(exists=True, value=parse_json(text))


def _is_hidden(namespace: str) -> bool:
    return namespace.startswith(HIDDEN_NAMESPACE_PREFIX)
