"""The four `plugin.data…` types: records of the proposing package."""

from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plugin_data_rules import (
    ABSENT,
    DataChange,
    DataWrite,
    changed_record,
    data_writes,
    hidden_name,
    needs_current,
)
from covel_host.proposals.staged import StagedProposal
from covel_host.store.plugin_data import DataKey, delete_data, get_data, put_data
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.rules.plugin_data import StoredValue
from plugin_sdk.values import JsonValue


def write_plugin_data(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Write or remove the records, in order.

    No event tells of hidden ones (spec/protocol.md 6.2).
    """
    changes = [
        _write_record(transaction, place, proposal, write) for write in data_writes(proposal)
    ]
    public = [_public_change(change) for change in changes if hidden_name(change.namespace) is None]
    if not public:
        return ()
    payload: dict[str, JsonValue] = {"pluginId": proposal.plugin_id, "changes": list(public)}
    return (place.event("plugin-data.changed", payload),)


def _write_record(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal, write: DataWrite
) -> DataChange:
    key = DataKey(
        session_id=place.session_id,
        plugin_id=proposal.plugin_id,
        namespace=write.namespace,
        key=write.key,
    )
    # A plain set needs no read: its version is this revision (design/traps.md, Store).
    record = get_data(transaction, key) if needs_current(write) else None
    current = ABSENT if record is None else StoredValue(exists=True, value=record.value)
    change = changed_record(proposal, write, current, place.policies)
    if change.text is None:
        delete_data(transaction, key, revision=place.revision)
    else:
        put_data(transaction, key, value_text=change.text, revision=place.revision, at=place.at)
    return change


def _public_change(change: DataChange) -> JsonValue:
    return {
        "namespace": change.namespace,
        "key": change.key,
        "value": change.value,
        "operation": "delete" if change.text is None else "set",
    }
