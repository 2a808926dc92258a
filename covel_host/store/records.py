"""The rows as facts, one frozen class per table (spec/storage.md 2).

Fields hold fresh values: changing a mutable member of a record changes no row.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, cast

from plugin_sdk.values import JsonValue

SessionStatus = Literal["active", "paused", "ended"]
SessionPhase = Literal["setup", "playing"]
TurnOrigin = Literal["player", "continuation", "manual", "background", "recursive", "resume"]
CommitStatus = Literal["pending", "committed", "failed"]
MessageSource = Literal["player", "runtime", "tool", "system", "player-input"]
MessageRole = Literal["user", "assistant", "system", "tool"]
ToolCallStatus = Literal["completed", "failed", "skipped"]
SnapshotKind = Literal["auto", "manual", "fork", "recording"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """One session; `revision` counts its commits, 0 when nothing was committed yet.

    `incarnation` tells a session from a later one that was given the same ID.
    """

    session_id: str
    incarnation: str
    created_at: datetime
    updated_at: datetime
    world_id: str | None = None
    status: SessionStatus = "active"
    phase: SessionPhase = "playing"
    completed_player_turns: int = 0
    revision: int = 0
    locale: str = "en"
    active_packages: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRevision:
    """What one commit left behind: the turn that made it and the session's clock after it.

    `state` has `status`, `phase`, `completedPlayerTurns`, `locale`, `activePackages`.
    """

    session_id: str
    revision: int
    turn_id: str | None
    committed_at: datetime
    state: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRecord:
    """A revision that is kept readable; `parent_id` names the snapshot a fork was made from.

    `completed_player_turns` is the session's count at that revision.
    """

    snapshot_id: str
    session_id: str
    revision: int
    kind: SnapshotKind
    completed_player_turns: int
    created_at: datetime
    parent_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One execution's result; `revision` is set exactly when it was committed.

    `logical_turn` is the number fixed at the start, `logical_turn_id` what retries of the same
    turn share. `failure` has `code` and `message`. `sequence` is given by the store, from 1.
    """

    session_id: str
    turn_id: str
    origin: TurnOrigin
    logical_turn_id: str
    logical_turn: int
    commit_status: CommitStatus
    started_at: datetime
    parent_turn_id: str | None = None
    revision: int | None = None
    results: JsonValue = None
    failure: dict[str, JsonValue] | None = None
    finished_at: datetime | None = None
    duration_ms: int | None = None
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """One message of the committed journal; `sequence` is given by the store, from 1."""

    message_id: str
    session_id: str
    turn_id: str
    revision: int
    source: MessageSource
    role: MessageRole
    content: str
    created_at: datetime
    kind: str | None = None
    plugin_id: str | None = None
    runtime_id: str | None = None
    data: dict[str, JsonValue] = field(default_factory=dict)
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRecord:
    """The audit of one tool call; `position` orders the calls of a turn, from 0.

    `arguments` is what the function got, or the model's raw text where it could not be read.
    `error` has `code` and `message`, `refused` where the run is not blamed for it, and what else
    there is of `hint` and `details`.
    """

    session_id: str
    turn_id: str
    position: int
    call_id: str
    plugin_id: str
    runtime_id: str
    tool_name: str
    status: ToolCallStatus
    arguments: JsonValue
    started_at: datetime
    duration_ms: int
    run_id: str | None = None
    result: JsonValue = None
    error: dict[str, JsonValue] | None = None
    approval: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRecord:
    """One trace event of a turn; `position` orders the events of a turn, from 0."""

    session_id: str
    turn_id: str
    position: int
    type: str
    at: datetime
    run_id: str | None
    parent_id: str | None
    data: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginDataRecord:
    """One record of a package; `version` is the revision that wrote it."""

    session_id: str
    plugin_id: str
    namespace: str
    key: str
    version: int
    value: JsonValue
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionRecord:
    """One dimension of a session: the provider's definition and the public value.

    Definition and value share one `version`, from 1. `last_source` is what the value was last
    settled from.
    """

    session_id: str
    dimension_id: str
    plugin_id: str
    version: int
    definition: dict[str, JsonValue]
    value: JsonValue
    last_source: JsonValue = None

    def public(self) -> dict[str, JsonValue]:
        """The dimension as views and clients see it (spec/world.md 3.6)."""
        entry: dict[str, JsonValue] = {"name": self.definition["name"]}
        if "description" in self.definition:
            entry["description"] = self.definition["description"]
        schema = self.definition["schema"]
        return {**entry, "schema": schema, "value": self.value, "version": self.version}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """One seat of a session; `character_id` is whom it plays, None for nobody."""

    session_id: str
    seat_id: str
    label: str
    character_id: str | None = None


SettlementStatus = Literal["pending-settlement", "settled", "no-change", "manual", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementRecord:
    """What became of the dimensions that one narrative touches (spec/world.md 3.8).

    `frozen` has `definitions` and `readVersions` while it is pending, and is None afterwards.
    """

    session_id: str
    result_id: str
    plugin_id: str
    turn_number: int
    source_turn_id: str
    version: int
    status: SettlementStatus
    frozen: dict[str, JsonValue] | None = None


LorebookOwnerKind = Literal["world", "player", "plugin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LorebookOwner:
    """Whose an entry is; `plugin_id` belongs to the kind `plugin` and to no other."""

    kind: LorebookOwnerKind
    plugin_id: str | None = None

    @classmethod
    def of(cls, kind: str, plugin_id: str) -> "LorebookOwner":
        """The owner as rows name it: `plugin_id` is empty but for packages."""
        # Only the known kinds are ever written.
        return cls(kind=cast(LorebookOwnerKind, kind), plugin_id=plugin_id or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LorebookRecord:
    """One lorebook entry; `entry` has the members of `lorebook.upsert`, defaults filled in."""

    session_id: str
    owner: LorebookOwner
    entry_id: str
    entry: dict[str, JsonValue]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedMessage:
    """What a player posted under an ID of the client's, before any turn has committed it."""

    message_id: str
    session_id: str
    content: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    """The newest output that a runtime recorded under `name`, as some revision left it.

    `producer_id` is the runtime, `number` counts its exports of that name from 1, `revision` is
    the one that wrote it.
    """

    session_id: str
    producer_id: str
    name: str
    revision: int
    number: int
    turn_id: str
    run_id: str
    value: JsonValue
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedFrom:
    """Where an appended row comes from; `sequence` is given by the store, from 1."""

    session_id: str
    revision: int
    turn_id: str
    plugin_id: str
    runtime_id: str
    proposal_id: str
    created_at: datetime
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionRecord:
    """One question to the player, as it was committed."""

    source: CommittedFrom
    interaction_id: str
    interaction: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerInputRecord:
    """One accepted answer; `source` is that of the question, at the revision of the answer.

    `values` are normalised, `narrative` is the question's template filled with them.
    """

    source: CommittedFrom
    input_id: str
    interaction_id: str
    values: dict[str, JsonValue]
    narrative: str


OutsideInputType = Literal["rpc-call", "command", "form-submit"]
OutsideInputSource = Literal["player", "plugin-ui", "external-api"]
OutsideInputChannel = Literal["web", "cli", "api", "external"]
OutsideInputOutcome = Literal["running", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideInputRecord:
    """One thing that came from outside a turn, and what became of it (spec/api.md 4).

    `target` is what was asked for, such as an action's name. `outcome` stays `running` when the
    process died. `error` has `code` and `message`. `sequence` is given by the store, from 1.
    """

    session_id: str
    input_id: str
    type: OutsideInputType
    source: OutsideInputSource
    channel: OutsideInputChannel
    target: str
    payload: JsonValue
    started_at: datetime
    plugin_id: str | None = None
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    outcome: OutsideInputOutcome = "running"
    result: JsonValue = None
    error: dict[str, JsonValue] | None = None
    duration_ms: int | None = None
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UiBlockRecord:
    """One interface block; it stands behind the message of sequence `after_message`, 0 for none.

    `render` has `parts` and, where given, `layout` and `status`.
    """

    source: CommittedFrom
    block_id: str
    after_message: int
    render: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One domain event that was committed."""

    source: CommittedFrom
    topic: str
    data: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAssetRecord:
    """One asset that a package generated."""

    source: CommittedFrom
    media_id: str
    modality: str
    meta: dict[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaAssetRecord:
    """What is known of one stored file; its ID is the SHA-256 of the bytes (spec/media.md 1)."""

    media_id: str
    mime: str
    size_bytes: int
    created_at: datetime
    meta: dict[str, JsonValue] = field(default_factory=dict)
    owner_session_id: str | None = None
    owner_plugin_id: str | None = None
