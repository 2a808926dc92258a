"""How each served proposal type is written, inside the commit's transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from covel_host.proposals.plugin_data_rules import (
    ABSENT,
    DataChange,
    DataWrite,
    changed_record,
    data_writes,
    needs_current,
)
from covel_host.proposals.staged import StagedProposal
from covel_host.store.messages import append_messages
from covel_host.store.plugin_data import DataKey, delete_data, get_data, put_data
from covel_host.store.records import MessageRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.rules.plugin_data import StoredValue
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlace:
    """Where a proposal is written: the session, the turn, the new revision, the commit's time."""

    session_id: str
    turn_id: str
    revision: int
    at: datetime


Handler = Callable[[Transaction, CommitPlace, StagedProposal], tuple[SessionEvent, ...]]


def write_proposal(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Write one staged proposal; the events that tell clients of it once it is committed.

    Raises:
        ProposalRefused: a rule of its type refuses it against the state it is written on.
    """
    return HANDLERS[proposal.type](transaction, place, proposal)


def _write_data(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    changes = [
        _write_record(transaction, place, proposal, write) for write in data_writes(proposal)
    ]
    payload: dict[str, JsonValue] = {
        "pluginId": proposal.plugin_id,
        "changes": [_public_change(change) for change in changes],
    }
    return (_event("plugin-data.changed", place, payload),)


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
    change = changed_record(proposal, write, current)
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


def _append_narrative(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    segments = proposal.payload.get("segments")
    message = MessageRecord(
        # One proposal makes one message, so the message's ID follows from the proposal's.
        message_id=f"message-{proposal.proposal_id.removeprefix('proposal-')}",
        session_id=place.session_id,
        turn_id=place.turn_id,
        revision=place.revision,
        source="runtime",
        role="assistant",
        kind=_NARRATIVE,
        content=str(proposal.payload["content"]),
        plugin_id=proposal.plugin_id,
        runtime_id=proposal.runtime_id,
        data={} if segments is None else {"segments": segments},
        created_at=place.at,
    )
    append_messages(transaction, [message])
    payload: dict[str, JsonValue] = {
        "content": message.content,
        "kind": _NARRATIVE,
        "messageId": message.message_id,
        "runtimeId": proposal.runtime_id,
        "pluginId": proposal.plugin_id,
    }
    return (_event("narrative.completed", place, payload),)


def _event(type: str, place: CommitPlace, payload: dict[str, JsonValue]) -> SessionEvent:
    return SessionEvent(
        type=type, session_id=place.session_id, turn_id=place.turn_id, payload=payload
    )


_NARRATIVE = "narrative"

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "narrative.append": _append_narrative,
        "plugin.data": _write_data,
        "plugin.data.batch": _write_data,
        "plugin.data.delete": _write_data,
        "plugin.data.update": _write_data,
    }
)
"""The handler of each served type; a test keeps its keys equal to `staged.SERVED_TYPES`."""
