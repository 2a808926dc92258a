"""`lorebook.upsert`: entries whose owner is the proposing package, whatever the payload says."""

from covel_host.proposals.place import CommitPlace, origin
from covel_host.proposals.staged import StagedProposal
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.values import JsonObject

DEFAULTS: JsonObject = {"position": "after_plugin", "enabled": True}
"""Members that an entry has when it does not say (spec/world.md 4)."""

RECORD_TYPE = "lorebook-entry"


def upsert_lorebook(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Write the entries in order; one that exists is replaced and keeps its creation time."""
    entries = proposal.payload["entries"]
    assert isinstance(entries, list)
    written = [_full_entry(entry) for entry in entries if isinstance(entry, dict)]
    for entry in written:
        record = LorebookRecord(
            session_id=place.session_id,
            owner=LorebookOwner(kind="plugin", plugin_id=proposal.plugin_id),
            entry_id=str(entry["id"]),
            entry=entry,
            created_at=place.at,
            updated_at=place.at,
        )
        put_lorebook_entry(transaction, record, revision=place.revision)
    return tuple(_changed(place, proposal, entry) for entry in written)


def _full_entry(entry: JsonObject) -> JsonObject:
    given = {name: value for name, value in entry.items() if value is not None}
    return {**DEFAULTS, **given}


def _changed(place: CommitPlace, proposal: StagedProposal, entry: JsonObject) -> SessionEvent:
    payload: JsonObject = {
        "recordType": RECORD_TYPE,
        "key": entry["id"],
        "value": entry,
        **origin(proposal),
    }
    return place.event("record.updated", payload)
