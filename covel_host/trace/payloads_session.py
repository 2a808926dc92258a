"""Payloads of session events: what clients are told is so (spec/protocol.md 3.1 to 3.6)."""

from typing import Any, Literal

from covel_host.trace.payload import EventPayload, Told

Members = dict[str, Any]


class Unsettled(EventPayload):
    """An event whose members nobody has settled yet."""


class OfRuntime(EventPayload):
    """Whose event it is."""

    runtime_id: str
    plugin_id: str


class NarrativeDelta(OfRuntime):
    """The next piece of a story's text; with `reset` what was shown of this runtime is dropped."""

    kind: str
    delta: str
    reset: bool | None = None


class NarrativeCompleted(OfRuntime):
    """The final text of a story, in place of whatever was streamed."""

    content: str
    kind: str
    message_id: str


class InteractionRequested(OfRuntime):
    """A question to the player; `block` is `{id, type, data, meta}`."""

    block: Members
    turn_id: str


class InteractionSubmitted(EventPayload):
    """Accepted answers to the questions of one turn."""

    interaction_turn_id: str
    results: list[Members]
    message: Members | None = None


class UiRendered(OfRuntime):
    """A committed interface block."""

    proposal_id: str
    source: str
    render: Members
    block: Members | None = None


class UiPartUpdate(OfRuntime):
    """One part of a committed interface block."""

    proposal_id: str
    block_id: str
    part: Any


class ExecutionStarted(EventPayload):
    """An execution begins; `runtimeCount` runtimes were selected."""

    runtime_count: int


class ExecutionCompleted(EventPayload):
    """An execution is over; only `committed` says that something was stored.

    With `resync` some events could not be told: read again what is so.
    """

    runtime_count: int
    result_count: int
    duration_ms: int
    committed: bool
    error: Told | None = None
    abort_reason: str | None = None
    resync: bool | None = None


class RuntimeStarted(OfRuntime):
    """A runtime itself starts: its guard and the hooks have let it.

    In a trace the row names run and turn; there they are no members.
    """

    turn_id: str | None = None
    run_id: str | None = None
    label: str | None = None


class RuntimeEnded(RuntimeStarted):
    """The one end of a run; it is no word about the commit."""

    status: Literal["success", "failed", "skipped", "suspended"] | None = None
    duration_ms: int | None = None


class RuntimeFailed(RuntimeEnded):
    """The run failed, or was left out of the commit after it had succeeded."""

    error: Told | None = None


class RuntimeSkipped(RuntimeEnded):
    """The runtime did not run, or chose to do nothing."""

    reason: str | None = None


class RuntimeDeferred(OfRuntime):
    """The runtime runs as a job."""

    job_id: str
    source_turn_id: str


class ProposalFailed(OfRuntime):
    """A proposal was refused at the commit."""

    proposal_id: str
    proposal_type: str
    error: str | None = None
    code: str | None = None


class ErrorOccurred(EventPayload):
    """Something went wrong outside every runtime."""

    message: str
    code: str | None = None
    details: Any = None


class EventEmitted(EventPayload):
    """A domain event that was committed."""

    topic: str | None = None
    type: str | None = None
    event_type: str | None = None
    data: Any = None
    plugin_id: str | None = None


class DomainEventPreviewed(OfRuntime):
    """A domain event before its commit, for display that can be taken back."""

    tool_call_id: str
    topic: str
    data: Any


class CharacterUpserted(EventPayload):
    """The whole character as it is now."""

    character: Members


class CharacterSchemaChanged(EventPayload):
    """The session's own fields of characters."""

    schema_: Members | None = None

    model_config = EventPayload.model_config | {
        "alias_generator": lambda name: "schema" if name == "schema_" else name
    }


class RecordUpdated(OfRuntime):
    """A record of the session, such as an entry of its lorebook."""

    key: str
    value: Any
    record_type: str


class PluginDataChange(EventPayload):
    """One record of a package; never one of hidden data."""

    namespace: str
    key: str
    value: Any = None
    operation: Literal["set", "delete"]


class PluginDataChanged(EventPayload):
    """Records of one package."""

    plugin_id: str
    changes: list[PluginDataChange]


class DimensionsChanged(EventPayload):
    """The dimensions that changed, by ID, without their rules."""

    provider_plugin_id: str
    dimensions: Members
    settlement: Members | None = None


class SettlementChanged(EventPayload):
    """How far the world has settled one narrative."""

    provider_plugin_id: str
    source: Members
    source_turn_id: str | None = None
    version: int
    status: str
    error: Any = None


class WorldDimensionsChanged(EventPayload):
    """The author declared other dimensions; no value is reset."""

    world_id: str
    changed_keys: list[str]


class UiSlot(EventPayload):
    """A slot of the interface."""

    slot: str
    key: str | None = None
    value: Any = None
    revision: int | None = None
    turn_id: str | None = None


class JobStatus(OfRuntime):
    """A job of the background."""

    session_id: str
    progress_scope_id: str
    job_id: str
    state: str
    progress: float | None = None
    message: str | None = None
    data: Members | None = None
    sequence: int
    created_at: str


class AssetProgress(OfRuntime):
    """An asset that is being made."""

    turn_id: str
    asset_id: str | None = None
    phase: str
    percent: float | None = None
    modality: str | None = None
    message: str | None = None
    meta: Members | None = None


class AssetGenerated(OfRuntime):
    """An asset that was committed."""

    proposal_id: str
    asset: Members


class TurnSuspended(EventPayload):
    """A turn waits for an answer; sent after its commit."""

    session_id: str
    turn_id: str
    suspension_id: str
    reason: str
    resume_schema: Members


class TurnResumed(EventPayload):
    """A waiting turn goes on."""

    session_id: str
    turn_id: str
    suspension_id: str


class SnapshotCreated(EventPayload):
    """A revision is kept."""

    turn_id: str | None = None
    snapshot_id: str
    kind: str
    parent_snapshot_id: str | None = None


class SessionForked(EventPayload):
    """A session was copied as it was at a snapshot."""

    parent_session_id: str
    child_session_id: str
    from_snapshot_id: str
    fork_snapshot_id: str


class SystemConnected(EventPayload):
    """The first frame of a subscription; `cursor` is the newest ID, sequence 0 if there is none."""

    session_id: str
    timestamp: str
    cursor: str


class SystemReset(SystemConnected):
    """What was missed cannot be sent again: adopt `cursor` and read what is so."""

    reason: Literal["epoch-change", "gap", "transport-gap", "publish-failed"]
    epoch: str
    oldest_seq: int
    latest_seq: int
