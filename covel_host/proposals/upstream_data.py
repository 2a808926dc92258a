"""Plugin data as the upstream runs of an execution leave it, below what a run stages itself."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from covel_host.base.json_text import parse_json
from covel_host.proposals.data_entries import Address, DataEntry
from covel_host.proposals.data_policies import DataPolicies
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.json_size import value_text
from covel_host.proposals.plugin_data_rules import (
    ABSENT,
    DataWrite,
    changed_record,
    data_writes,
    needs_current,
)
from covel_host.proposals.read_sets import DataRead, seen_digest
from covel_host.proposals.staged import StagedProposal
from plugin_sdk.rules.plugin_data import StoredValue


@dataclass(frozen=True, slots=True)
class OwnedWrite:
    """One write, and the proposal it is of."""

    proposal: StagedProposal
    write: DataWrite

    @property
    def address(self) -> Address:
        """The record that is written."""
        return self.write.namespace, self.write.key


@dataclass(frozen=True, slots=True)
class RecordText:
    """A record as its stored text, None when absent; `read` is what a look at it rests on."""

    text: str | None
    read: DataRead | None

    @property
    def value(self) -> StoredValue:
        """The record, a fresh copy each time."""
        if self.text is None:
            return ABSENT
        return StoredValue(exists=True, value=parse_json(self.text))

    def entry(self, key: str) -> DataEntry | None:
        """The record as a view gives it; None when absent."""
        if self.text is None:
            return None
        version = None if self.read is None else self.read.version
        return DataEntry(key, parse_json(self.text), version)


def owned_writes(proposals: Iterable[StagedProposal], plugin_id: str) -> list[OwnedWrite]:
    """The writes of the package's own records among `proposals`, in order."""
    return [
        OwnedWrite(proposal, write)
        for proposal in proposals
        if proposal.plugin_id == plugin_id
        for write in data_writes(proposal)
    ]


class UpstreamData:
    """The records that upstream runs of a package wrote, each worked out when it is looked at."""

    def __init__(
        self, proposals: Iterable[StagedProposal], *, plugin_id: str, policies: DataPolicies
    ) -> None:
        self._plugin_id = plugin_id
        self._policies = policies
        self._writes: dict[Address, list[OwnedWrite]] = {}
        self._known: dict[Address, RecordText] = {}
        for owned in owned_writes(proposals, plugin_id):
            self._writes.setdefault(owned.address, []).append(owned)

    def __contains__(self, address: Address) -> bool:
        return address in self._writes

    def __iter__(self) -> Iterator[Address]:
        return iter(self._writes)

    def needs_stored(self, address: Address) -> bool:
        """Whether what upstream runs made of the record depends on the stored one below."""
        return address not in self._known and needs_current(self._writes[address][0].write)

    def over(self, address: Address, stored: DataEntry | None) -> RecordText:
        """The record after upstream runs; `stored` is the one below, where it is needed."""
        known = self._known.get(address)
        return known or self._known.setdefault(address, self._worked_out(address, stored))

    def _worked_out(self, address: Address, stored: DataEntry | None) -> RecordText:
        current = ABSENT if stored is None else StoredValue(exists=True, value=stored.value)
        for owned in self._writes[address]:
            try:
                change = changed_record(owned.proposal, owned.write, current, self._policies)
            except ProposalRefused:
                # Parallel runs may stage what does not fit together: the commit refuses it, so it
                # never enters a view.
                continue
            current = RecordText(change.text, None).value
        seen = seen_digest(current.value)
        read = data_read(self._plugin_id, address, stored, seen=seen)
        return RecordText(value_text(current.value) if current.exists else None, read)


def data_read(
    plugin_id: str, address: Address, stored: DataEntry | None, *, seen: str | None = None
) -> DataRead:
    """The read of a record that rests on `stored`, or on what `seen` is the digest of."""
    namespace, key = address
    version = None if stored is None else stored.version
    return DataRead(plugin_id=plugin_id, namespace=namespace, key=key, version=version, seen=seen)
