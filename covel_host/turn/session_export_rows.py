"""The rows of an exported session as JSON."""

from collections.abc import Collection, Sequence
from typing import Any

from covel_host.store.records import (
    CommittedFrom,
    EventRecord,
    InteractionRecord,
    LorebookRecord,
    MediaAssetRecord,
    MessageRecord,
    PlayerInputRecord,
    PluginDataRecord,
    SeatRecord,
    SessionRecord,
    SnapshotRecord,
    ToolCallRecord,
    TurnRecord,
    UiBlockRecord,
)
from covel_host.store.values import time_text, time_text_or_null
from covel_host.trace.concealment import CONCEALED
from covel_host.turn.session_metadata import excluded_packages
from covel_host.turn.shown_turns import concealed_runs, shown_turn


def session_row(session: SessionRecord) -> dict[str, object]:
    """The session's own row as it is shown."""
    return {
        "sessionId": session.session_id,
        "incarnation": session.incarnation,
        "worldId": session.world_id,
        "status": session.status,
        "phase": session.phase,
        "revision": session.revision,
        "completedPlayerTurns": session.completed_player_turns,
        "locale": session.locale,
        "activePackages": list(session.active_packages),
        "excludedPackages": list(excluded_packages(session)),
        "createdAt": time_text(session.created_at),
        "updatedAt": time_text(session.updated_at),
    }


def seat_row(seat: SeatRecord) -> dict[str, object]:
    """`{id, label, characterId}`."""
    return {"id": seat.seat_id, "label": seat.label, "characterId": seat.character_id}


def lorebook_row(record: LorebookRecord) -> dict[str, object]:
    """An entry with its `owner`."""
    owner: dict[str, object] = {"kind": record.owner.kind}
    if record.owner.plugin_id is not None:
        owner["pluginId"] = record.owner.plugin_id
    return {"owner": owner, **record.entry}


def message_row(message: MessageRecord) -> dict[str, object]:
    """A message of the journal."""
    return {
        "messageId": message.message_id,
        "sequence": message.sequence,
        "turnId": message.turn_id,
        "source": message.source,
        "role": message.role,
        "kind": message.kind,
        "pluginId": message.plugin_id,
        "runtimeId": message.runtime_id,
        "content": message.content,
        "data": message.data,
        "createdAt": time_text(message.created_at),
    }


def turn_row(
    turn: TurnRecord, calls: Sequence[ToolCallRecord], concealed: Collection[str]
) -> dict[str, object]:
    """A turn with its `results` and `toolCalls`."""
    runs = concealed_runs(turn)
    return {
        "turnId": turn.turn_id,
        "sequence": turn.sequence,
        "parentTurnId": turn.parent_turn_id,
        "origin": turn.origin,
        "logicalTurnId": turn.logical_turn_id,
        "logicalTurn": turn.logical_turn,
        "commitStatus": turn.commit_status,
        "revision": turn.revision,
        "failure": turn.failure,
        "startedAt": time_text(turn.started_at),
        "finishedAt": time_text_or_null(turn.finished_at),
        "durationMs": turn.duration_ms,
        "results": shown_turn(turn, concealed).results,
        "toolCalls": [
            tool_call_row(call, is_hidden=call.run_id in runs or call.runtime_id in concealed)
            for call in calls
        ],
    }


def tool_call_row(call: ToolCallRecord, *, is_hidden: bool = False) -> dict[str, object]:
    """A tool call of a turn; `is_hidden`: of a concealed run, only that it was made."""
    shown: dict[str, Any] = {
        "callId": call.call_id,
        "position": call.position,
        "runId": call.run_id,
        "pluginId": call.plugin_id,
        "runtimeId": call.runtime_id,
        "name": call.tool_name,
        "status": call.status,
        "startedAt": time_text(call.started_at),
        "durationMs": call.duration_ms,
    }
    if is_hidden:
        return {**shown, CONCEALED: True}
    told = {"arguments": call.arguments, "result": call.result, "error": call.error}
    return {**shown, **told, "approval": call.approval}


def interaction_row(record: InteractionRecord) -> dict[str, object]:
    """A question to the player."""
    return {
        **_source(record.source),
        "interactionId": record.interaction_id,
        "interaction": record.interaction,
    }


def input_row(record: PlayerInputRecord) -> dict[str, object]:
    """A player's answer."""
    return {
        **_source(record.source),
        "inputId": record.input_id,
        "interactionId": record.interaction_id,
        "values": record.values,
        "narrative": record.narrative,
    }


def ui_block_row(record: UiBlockRecord) -> dict[str, object]:
    """An interface block; it stands behind the message `afterMessage`."""
    return {
        **_source(record.source),
        "blockId": record.block_id,
        "afterMessage": record.after_message,
        "render": record.render,
    }


def event_row(record: EventRecord) -> dict[str, object]:
    """A domain event."""
    return {**_source(record.source), "topic": record.topic, "data": record.data}


def record_row(record: PluginDataRecord) -> dict[str, object]:
    """A record of a package."""
    return {
        "pluginId": record.plugin_id,
        "namespace": record.namespace,
        "key": record.key,
        "version": record.version,
        "value": record.value,
    }


def asset_row(asset: MediaAssetRecord) -> dict[str, object]:
    """A media file that the session holds; its bytes are not in the document."""
    return {
        "mediaId": asset.media_id,
        "mime": asset.mime,
        "sizeBytes": asset.size_bytes,
        "meta": asset.meta,
    }


def snapshot_row(snapshot: SnapshotRecord) -> dict[str, object]:
    """A revision that is kept."""
    return {
        "snapshotId": snapshot.snapshot_id,
        "revision": snapshot.revision,
        "kind": snapshot.kind,
        "completedPlayerTurns": snapshot.completed_player_turns,
        "parentId": snapshot.parent_id,
        "createdAt": time_text(snapshot.created_at),
    }


def _source(source: CommittedFrom) -> dict[str, object]:
    return {
        "sequence": source.sequence,
        "revision": source.revision,
        "turnId": source.turn_id,
        "pluginId": source.plugin_id,
        "runtimeId": source.runtime_id,
        "createdAt": time_text(source.created_at),
    }
